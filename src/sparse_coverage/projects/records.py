"""What a project keeps. Everything that a user can change has a `version`: the project's revision at its last change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from sparse_coverage.charts.chart import Quote, Verdict
from sparse_coverage.dataclass_json import Bounds
from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.index import PassageRecord
from sparse_coverage.search.features import Beyond, Touch
from sparse_coverage.search.results import Hit, Reasons

Relevance = Literal["relevant", "not"]
Category = Literal["X", "Y", "A"]
"""Of a search report: X takes novelty or inventive step alone, Y together with others, A is the state of the art."""
MOST_NAME, MOST_NOTE, MOST_ID, MOST_ELEMENT = 200, 100_000, 2000, 200_000
"""Characters of names, notes, ids and elements; what reads a project may count on it."""
Name = Annotated[str, Bounds(1, MOST_NAME, blank=False)]
Note = Annotated[str, Bounds(0, MOST_NOTE)]
Id = Annotated[str, Bounds(1, MOST_ID)]
ElementOfClaim = Annotated[str, Bounds(1, MOST_ELEMENT)]
Time = Annotated[str, Bounds(0, 40)]
Count = Annotated[int, Bounds()]
Metadata = Mapping[str, str | bool | int | float | tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class Head:
    """A project's name and note, when it was begun and last changed, and how many changes there were."""

    id: str
    name: Name
    note: Note
    created: Time
    changed: Time
    version: Count
    revision: Count


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the form and was not searched for yet: any plain values."""

    content: Mapping[str, Any] = field(default_factory=dict)
    version: Count = 0


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is known of a document that was found, marked or charted, as the index had it then."""

    index: Id
    id: Id
    title: str
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProjectClaim:
    """A claim that a project is about, as it was searched for or charted last: marks, verdicts and charts belong to it by its number."""

    number: Count
    text: str
    version: Count = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """What a user says about a document or a single passage: relevant, not, or nothing (None); a note; the category of a document.

    `claim` is the number of the claim that it is said for; 0 where there was none yet. `passage` is the passage as the index has it,
    where one was marked and not a whole document.
    """

    index: Id
    id: Id
    document: Id
    mark: Relevance | None
    note: Note = ""
    passage: PassageRecord | None = None
    version: Count = 0
    changed: Time = ""
    category: Category | None = None
    claim: Count = 0


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """What of the record of a search is needed to show it again and to report on it."""

    query: str
    hits: tuple[Hit, ...]
    source: str = ""
    reasons: Mapping[str, Reasons] = field(default_factory=dict)
    about: Mapping[str, Any] | None = None
    searched: int = 0
    notes: tuple[str, ...] = ()
    touched: Mapping[str, tuple[Touch, ...]] = field(default_factory=dict)
    beyond: Beyond | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a request is needed to say in a report, or in the list of searches, what was asked."""

    query: str | None = None
    claim: str | None = None
    source: str | None = None
    ranking: str | None = None
    filters: Mapping[str, str | tuple[str, ...] | None] | None = None
    marks: Mapping[str, tuple[str, ...]] | None = None
    elements: tuple[Mapping[str, str | int], ...] | None = None
    before: tuple[str, ...] | None = None
    automatic: str | None = None
    new_since: str | None = None
    used: Mapping[str, str | int] | None = None


@dataclass(frozen=True, slots=True)
class SearchMade:
    """A search that was made: when, in which index, what was asked (query, filters, ranking, …) and what was found.

    `result` is the record that the search gave, the same as `search --json` prints; a list of searches leaves it empty.
    """

    number: Count
    made: Time
    index: Id
    request: Mapping[str, Any]
    documents: Count
    result: Mapping[str, Any] = field(default_factory=dict)
    version: Count = 0
    claim: Count = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """A user's own verdict on what a document says to an element (None: that of the chart), why, and a quotation that shows it.

    It is kept by its claim and the element's text, so that it also holds in a later chart of the same claim.
    """

    index: Id
    element: ElementOfClaim
    document: Id
    verdict: Verdict | None
    note: Note = ""
    quote: Quote | None = None
    version: Count = 0
    changed: Time = ""
    claim: Count = 0


@dataclass(frozen=True, slots=True)
class KeptChart:
    """A chart that was made, as the records that `chart --json` and `combine --json` print, without any user's words in it."""

    number: Count
    made: Time
    index: Id
    request: Mapping[str, Any]
    chart: Mapping[str, Any] = field(default_factory=dict)
    combinations: Mapping[str, Any] | None = None
    version: Count = 0
    claim: Count = 0


@dataclass(frozen=True, slots=True)
class Content:
    """All that a project holds, or what of it changed since a revision."""

    head: Head
    draft: Draft = Draft()
    claims: tuple[ProjectClaim, ...] = ()
    searches: tuple[SearchMade, ...] = ()
    marks: tuple[Mark, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    charts: tuple[KeptChart, ...] = ()
    documents: tuple[DocumentFacts, ...] = ()

    def of_claim(self, number: int) -> Content:
        """Return the same with the marks and verdicts for one claim alone."""
        marks = tuple(one for one in self.marks if one.claim == number)
        return replace(self, marks=marks, rulings=tuple(one for one in self.rulings if one.claim == number))

    def facts(self, index: str, id_: str) -> DocumentFacts:
        """Return what is known of a document; only its id where nothing is."""
        found = (one for one in self.documents if one.index == index and one.id == id_)
        return next(found, DocumentFacts(index, id_, ""))


class UnknownError(InputError):
    """There is no such project, search or chart."""


class StaleError(SparseCoverageError):
    """Something was changed meanwhile by another window; `current` is what it is now."""

    def __init__(self, what: str, current: Head | Draft | Mark | Ruling) -> None:
        super().__init__(
            f"{what} was changed meanwhile, in another window or by someone else. Nothing was overwritten."
        )
        self.current = current
