"""What a project keeps. Everything that a user can change has a `version`: the project's revision at its last change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sparse_coverage.charts.calibration import Word
from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.index import PassageRecord
from sparse_coverage.search.results import Hit, Reasons

Verdict = Literal["relevant", "not"]


@dataclass(frozen=True, slots=True)
class Head:
    """A project's name and note, when it was begun and last changed, and how many changes there were."""

    id: str
    name: str
    note: str
    created: str
    changed: str
    version: int
    revision: int


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the form and was not searched for yet: any plain values."""

    content: Mapping[str, Any] = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is known of a document that was found, marked or charted, as the index had it then."""

    index: str
    id: str
    title: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mark:
    """What a user says about a document or a single passage: relevant, not, or nothing (None); and a note.

    `passage` is the passage as the index has it, where one was marked and not a whole document.
    """

    index: str
    id: str
    document: str
    mark: Verdict | None
    note: str = ""
    passage: PassageRecord | None = None
    version: int = 0
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What of the record of a search is needed to show it again and to report on it."""

    query: str
    hits: tuple[Hit, ...]
    source: str = ""
    reasons: Mapping[str, Reasons] = field(default_factory=dict)
    about: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SearchMade:
    """A search that was made: when, in which index, what was asked (query, filters, system, …) and what was found.

    `result` is the record that the search gave, the same as `search --json` prints; a list of searches leaves it empty.
    """

    number: int
    made: str
    index: str
    request: Mapping[str, Any]
    documents: int
    result: Mapping[str, Any] = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """A user's own word for what a document says to an element (None: that of the chart), and why.

    It is kept by the element's text, so that it also holds in a later chart of the same claim.
    """

    index: str
    element: str
    document: str
    word: Word | None
    note: str = ""
    version: int = 0
    changed: str = ""


@dataclass(frozen=True, slots=True)
class KeptChart:
    """A chart that was made, as the records that `chart --json` and `combine --json` print, without any user's words in it."""

    number: int
    made: str
    index: str
    request: Mapping[str, Any]
    chart: Mapping[str, Any] = field(default_factory=dict)
    combinations: Mapping[str, Any] | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class Content:
    """All that a project holds, or what of it changed since a revision."""

    head: Head
    draft: Draft = Draft()
    searches: tuple[SearchMade, ...] = ()
    marks: tuple[Mark, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    charts: tuple[KeptChart, ...] = ()
    documents: tuple[DocumentFacts, ...] = ()

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
