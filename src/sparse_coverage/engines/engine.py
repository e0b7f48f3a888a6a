"""What an engine is asked for and what it gives back, whichever engine it is.

A passage is kept as one point. Its vector holds w(d,c) / (|S| + smoothing)^gamma, which no later change of the collection touches; a query
brings w(q,c) * idf^alpha without the stop centers. So the engine's dot product is our score, and adding documents rewrites
none of the old ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sparse_coverage.engines.conditions import Condition
from sparse_coverage.errors import SparseCoverageError

Centers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]
SHOWN = ["unit", "document", "section", "text", "title", "metadata"]
"""What of a payload a hit is shown with, in the order of `Shown`."""
_NUMBER = "passage_number"


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
    facts: tuple[str, ...]
    published: int
    priority: int
    digest: str
    centers: Centers
    weights: Weights
    number: str = ""

    def payload(self) -> dict[str, Any]:
        """Return what is kept beside the vector. The passage is called `unit` there, as in collections that are older."""
        return {
            "unit": self.passage,
            "document": self.document,
            "section": self.section,
            "facts": list(self.facts),
            "digest": self.digest,
            "published": self.published,
            "priority": self.priority,
            "title": self.title,
            "text": self.text,
            # Beside what is known of the document, so that collections made before there were numbers keep their schema.
            "metadata": {**self.metadata, _NUMBER: self.number} if self.number else dict(self.metadata),
        }

    def vector(self) -> dict[int, float]:
        """Return the weights by center, in the precision that engines keep."""
        return sparse(self.centers, self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A query for an engine: factors by center, how many points to return, and which points may be found."""

    centers: Centers
    factors: Weights
    limit: int
    condition: Condition | None = None

    def vector(self) -> dict[int, float]:
        """Return the factors by center, in the precision of the weights."""
        return sparse(self.centers, self.factors)


@dataclass(frozen=True, slots=True)
class Found:
    """A point that an engine found."""

    id: str
    document: str
    score: float


@dataclass(frozen=True, slots=True)
class Shown:
    """What a hit is shown with."""

    passage: str
    document: str
    section: str
    text: str
    title: str
    metadata: Mapping[str, Any]
    number: str = ""

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Shown:
        """Take it from the payload of a point."""
        metadata = dict(payload["metadata"])
        number = metadata.pop(_NUMBER, "")
        unit, document, section, text, title, _ = (payload[name] for name in SHOWN)
        return cls(unit, document, section, text, title, metadata, number)


@dataclass(frozen=True, slots=True)
class Health:
    """How an engine is: its version, how many nodes it has, and every part that is not ready to serve."""

    version: str
    nodes: int
    replicas: int
    troubles: tuple[str, ...]


class RemoteCollection(Protocol):
    """A collection of points on an engine. `limit` is the most points that one request can return."""

    name: str
    limit: int

    def health(self) -> Health:
        """Ask how the engine is; an error if it cannot be reached."""

    def exists(self) -> bool:
        """Tell whether the collection is there."""

    def create(self) -> None:
        """Make the collection, or what is still missing of it."""

    def drop(self) -> None:
        """Delete the collection with everything in it."""

    def inventory(self) -> Iterator[tuple[str, str]]:
        """Yield document and digest of every point that all copies hold."""

    def upload(self, points: Sequence[Point]) -> None:
        """Write points; return when they are safe. Writing them again changes nothing."""

    def delete(self, documents: Sequence[str], keep: Collection[str] = ()) -> None:
        """Delete the points of some documents, those with a digest in `keep` excepted."""

    def write_statistics(self, text: str, centers: int) -> None:
        """Keep the statistics, in the place of older ones; this ends every upload, so what was sent is put in order now.

        `centers` is a dimension that no passage and no query has.
        """

    def read_statistics(self) -> str | None:
        """Return the statistics, or None where none were written yet."""

    def search(self, requests: Sequence[Request]) -> list[list[Found]]:
        """Return the best points with a positive score for each request, best first."""

    def show(self, ids: Sequence[str]) -> dict[str, Shown]:
        """Return what points are shown with, by id."""

    def scores(self, ids: Sequence[str], centers: Centers, factors: Weights) -> dict[str, float]:
        """Return the exact scores of some points for a whole query, by id, in whatever way is quickest on this engine."""

    def facts_of(self, document: str) -> list[str]:
        """Return the facts of a document; none if it is not there."""

    def size(self, condition: Condition | None = None) -> int:
        """Return how many points the collection holds, or how many of them meet a condition; the statistics left out."""


def sparse(centers: Centers, weights: Weights) -> dict[int, float]:
    """Return numbers by center in single precision, so that what is sent is what an engine keeps."""
    return dict(zip(centers.tolist(), weights.astype(np.float32).tolist(), strict=True))


def batches(points: Iterable[Point], most_points: int = 256, most_postings: int = 50_000) -> Iterator[list[Point]]:
    """Group points so that neither their number nor their postings make a request too large."""
    batch: list[Point] = []
    postings = 0
    for point in points:
        if batch and (len(batch) >= most_points or postings + len(point.centers) > most_postings):
            yield batch
            batch, postings = [], 0
        batch.append(point)
        postings += len(point.centers)
    if batch:
        yield batch
