"""What an engine is asked for and what it gives back, whichever engine it is.

A passage is kept as one point with up to three vectors, and the engine's dot product with that of a query is our score in each part:

| part | the point has | the query brings |
| --- | --- | --- |
| `centers` (sparse) | w(d,c) / (number of spans + smoothing)^gamma | w(q,c) * idf^alpha, without the stop centers |
| `words` (sparse) | count / (count + k1 * (1 - b + b * length / mean length)) | how often it has the word * idf |
| `vectors` (dense) | the vector of the whole passage, of 8 bits a number | that of each chunk; the largest product counts |

Later changes of the collection touch neither centers nor vectors. The weights of words depend on the mean length of all passages:
when that changes, points are sent again, so that scores stay those of the index.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from tenacity import RetryCallState, RetryError, Retrying, retry_if_exception, stop_before_delay

from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.index import filters
from sparse_coverage.index.filters import DATE_NAMES, Filter
from sparse_coverage.index.stored_fields import DATES, FAMILY_FIELD, TERM_FIELDS, DocumentRecord, collect_columns
from sparse_coverage.patents.numbers import spellings

Centers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]
Vector = dict[int, float] | list[float]
"""Numbers by dimension where the vector is sparse, all of them where it is dense; in single precision, as engines keep them."""
NOWHERE = 0xFFFF_FFF0
"""A dimension that no query has, for a sparse vector that would be empty: some engines refuse these."""
SHOWN = ["passage", "document", "section", "text", "title", "metadata", "number"]
"""What of a payload a hit is shown with."""


class EngineError(SparseCoverageError):
    """An engine cannot be reached, refuses a request, or holds something else than it should."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A passage as an engine keeps it.

    `id` is a UUID that follows from the document, the passage and its place. `facts` are the terms that filters look up, `digest` tells
    versions of the document apart.
    """

    id: str
    passage: str
    document: str
    section: str
    text: str
    title: str
    metadata: Mapping[str, Any]
    facts: list[str]
    published: int
    priority: int
    digest: str
    vectors: Mapping[str, Vector]
    number: str = ""

    def payload(self) -> dict[str, Any]:
        """Return what is kept beside the vectors."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("id", "vectors")}


@dataclass(frozen=True, slots=True, eq=False)
class PointQuery:
    """A query for one part of the points: its vector, how many points to return, and which may be found."""

    part: str
    vector: Vector
    limit: int = 0
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class FoundPoint:
    """A point that an engine found."""

    id: str
    document: str
    score: float


@dataclass(frozen=True, slots=True)
class EngineHealth:
    """How an engine is: its version, how many nodes it has, and every part that is not ready to serve."""

    version: str
    nodes: int
    replicas: int
    troubles: tuple[str, ...]


def sparse(centers: Centers, weights: Weights) -> dict[int, float]:
    """Return numbers by center in single precision, so that what is sent is what an engine keeps."""
    return dict(zip(centers.tolist(), weights.astype(np.float32).tolist(), strict=True))


def batches(points: Iterable[Point], most_points: int = 256, most_numbers: int = 200_000) -> Iterator[list[Point]]:
    """Group points so that neither how many they are nor their numbers make a request too large."""
    batch: list[Point] = []
    numbers = 0
    for point in points:
        own = sum(map(len, point.vectors.values()))
        if batch and (len(batch) >= most_points or numbers + own > most_numbers):
            yield batch
            batch, numbers = [], 0
        batch.append(point)
        numbers += own
    if batch:
        yield batch


C = TypeVar("C")
R = TypeVar("R")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


class Failover(Generic[C]):
    """Calls one of several equal nodes and goes on to the next when one fails.

    `passes` tells whether an error may pass by itself. `patience` is how many seconds all attempts of one call may take; the
    call under way is never cut short.
    """

    def __init__(
        self,
        nodes: Sequence[tuple[str, C]],
        passes: Callable[[Exception], bool],
        patience: float,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._nodes = list(nodes)
        self._current = 0
        self._retrying = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, Exception) and passes(error)),
            stop=stop_before_delay(patience),
            wait=self._pause,
            sleep=sleep,
        )

    def call(self, what: str, ask: Callable[[C], R]) -> R:
        """Return what a node answers. `what` says in errors what was asked for."""
        failures: dict[str, str] = {}

        def attempt() -> R:
            place = self._current % len(self._nodes)
            name, node = self._nodes[place]
            try:
                return ask(node)
            except Exception as error:
                failures[name] = first_line(error)
                # Threads share the place; whoever fails on a node moves everyone on, once.
                if self._current % len(self._nodes) == place:
                    self._current = place + 1
                raise

        retrying = self._retrying.copy()
        try:
            return retrying(attempt)
        except RetryError as error:
            told = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
            seconds = retrying.statistics["delay_since_first_attempt"]
            raise EngineError(
                f"{what} failed {error.last_attempt.attempt_number} times in {seconds:.0f} s ({told}). "
                "Check that the engine runs and can be reached, then try again; an upload goes on where it stopped."
            ) from None

    def _pause(self, state: RetryCallState) -> float:
        """Return how long to wait: not at all until every node was asked, then longer after each round."""
        rounds, rest = divmod(state.attempt_number, len(self._nodes))
        return min(_FIRST_PAUSE * 2 ** (rounds - 1), _LONGEST_PAUSE) if rest == 0 else 0.0


def first_line(error: Exception) -> str:
    """Return what an error says, shortened to one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:300] + " …"


_FAMILY = f"{FAMILY_FIELD}="


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A field holds one of some values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """A number lies between two, both included."""

    field: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part is met."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """At least one part is met."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The part is not met."""

    part: Condition


Condition = AnyOf | Between | AllOf | OneOf | NoneOf


def all_of(parts: Iterable[Condition | None]) -> Condition | None:
    """Join conditions, leaving out those that are none."""
    given = tuple(part for part in parts if part is not None)
    return given[0] if len(given) == 1 else AllOf(given) if given else None


def documents_but(documents: Iterable[str], keep: Collection[str]) -> Condition:
    """Mean the points of some documents, those with a digest in `keep` excepted."""
    wanted = AnyOf("document", tuple(documents))
    return AllOf((wanted, NoneOf(AnyOf("digest", tuple(keep))))) if keep else wanted


def condition_of(filter_: Filter, facts_of: Callable[[str], list[str]]) -> Condition:
    """Say a filter in terms of points. `facts_of` looks up what is known of a document, for the family of one."""
    if isinstance(filter_, filters.Joined):
        parts = tuple(condition_of(part, facts_of) for part in filter_.parts)
        return AllOf(parts) if filter_.join is np.logical_and else reduce(_either, parts)
    if isinstance(filter_, filters.Not):
        return NoneOf(condition_of(filter_.inner, facts_of))
    if isinstance(filter_, filters.Dates):
        return Between(DATE_NAMES[filter_.column], max(filter_.first, 1), filter_.last)
    if isinstance(filter_, filters.Undated):
        return Between(DATE_NAMES[filter_.column], 0, 0)
    if isinstance(filter_, filters.Document):
        return condition_of(filter_.terms, facts_of)
    if isinstance(filter_, filters.Term):
        return AnyOf("facts", (f"{filter_.field}{'^' if filter_.prefix else '='}{filter_.value}",))
    if isinstance(filter_, filters.Section):
        return AnyOf("facts", tuple(f"section={name}" for name in filter_.names))
    if isinstance(filter_, filters.Family):
        known = [fact for id_ in spellings(filter_.id) for fact in facts_of(id_) if fact.startswith(_FAMILY)]
        return AnyOf("facts", tuple(dict.fromkeys([*(f"{_FAMILY}{name}" for name in filter_.names), *known])))
    if isinstance(filter_, filters.Words):
        raise InputError(
            f"Words are kept in an index, not in an engine, so {filter_.field}: cannot be a filter here. Search the index "
            "itself (sparse-coverage search), or leave it out."
        )
    raise InputError(
        f"The filter {filter_!r} cannot be said to an engine. Use those of sparse_coverage.index.filters, joined by &, | and ~."
    )


def document_facts(record: DocumentRecord) -> tuple[list[str], int, int]:
    """Return the terms of a document that filters look up, its publication date and its priority date (0: none)."""
    facts = collect_columns([record])
    terms = list(facts.terms)
    for field in TERM_FIELDS:
        values = [term.partition("=")[2] for term in terms if term.startswith(f"{field}=")]
        terms += sorted({f"{field}^{start}" for value in values for start in _beginnings(field, value)})
    dates = dict(zip(DATES, facts.dates[0].tolist(), strict=True))
    return terms, dates["publication_date"], dates["priority_date"]


def _beginnings(field: str, value: str) -> list[str]:
    """Return the beginnings of a value that a filter can name: see `classified` and `kind`."""
    if field == "kind":
        return [value[:1]]
    if field not in ("ipc", "cpc"):
        return []
    return [value[:length] for length in (1, 3, 4, *range(6, len(value) + 1)) if length <= len(value)]


def _either(left: Condition, right: Condition) -> Condition:
    """Join two alternatives; terms of one field become one look-up."""
    if isinstance(left, AnyOf) and isinstance(right, AnyOf) and left.field == right.field:
        return AnyOf(left.field, tuple(dict.fromkeys(left.values + right.values)))
    return OneOf((*left.parts, right) if isinstance(left, OneOf) else (left, right))
