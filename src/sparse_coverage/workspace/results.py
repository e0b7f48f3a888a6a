"""What an index answers: one frozen type for each kind of request, with all that a report of it must state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sparse_coverage.dataclass_json import record
from sparse_coverage.index import DocumentRecord, PassageRecord
from sparse_coverage.patents.queries import QueryText
from sparse_coverage.search.features import Beyond, Touch
from sparse_coverage.search.results import (
    Answers,
    Explanation,
    Hit,
    PartScore,
    PassageHit,
    Place,
    QueryCost,
    Reasons,
)
from sparse_coverage.search.stored import IndexSummary
from sparse_coverage.workspace.related import public_links

if TYPE_CHECKING:
    from sparse_coverage.charts.chart import Chart
    from sparse_coverage.charts.combining import Combinations

TITLE = "Prior art found"
"""What a report of a search is called unless it is given a title."""


@dataclass(frozen=True, slots=True)
class About:
    """How a result came about: when, in which index and of what size, by what ranking, settings, filters and version.

    `state` names the state of the index, `request` is what was asked of it: with both a search can be watched.
    """

    date: str
    version: str
    index: str
    documents: int
    passages: int
    model: str
    ranking: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict)
    state: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A query, where it comes from, the documents found, and why.

    `explanations` are those of passages, by passage id; a passage without one is shown without marks. `reasons` are theirs,
    and may be there alone. `parts`, by document id, say what each part of a combined ranking added. `answers`, by document id, add what
    of the query a document has nothing for. `notes` are sentences for the user; `nothing` says why nothing can be found.
    `searched` is how many documents the filters let through. Where the features of the claim were given, `touched` says what each
    document has of each, by its id, and `beyond` what covers those that the first ten lack.
    `left_out` is the document that was searched with, if it and its family may not be found.
    """

    query: str
    hits: Sequence[Hit]
    explanations: Mapping[str, Explanation] = field(default_factory=dict)
    about: About | None = None
    source: str = ""
    parts: Mapping[str, Sequence[PartScore]] = field(default_factory=dict)
    answers: Mapping[str, Answers] = field(default_factory=dict)
    cost: QueryCost | None = None
    reasons: Mapping[str, Reasons] = field(default_factory=dict)
    facets: Mapping[str, Mapping[str, int]] | None = None
    notes: Sequence[str] = ()
    nothing: str = ""
    searched: int = 0
    touched: Mapping[str, Sequence[Touch]] = field(default_factory=dict)
    beyond: Beyond | None = None
    left_out: str = ""

    def record(self) -> dict[str, Any]:
        """Return what `--json` prints: the hits, the reasons of each passage shown, and how all of it came about."""
        found: dict[str, Any] = {
            "query": self.query,
            "source": self.source,
            "searched": self.searched,
            "hits": self.hits,
        }
        found["reasons"] = self.reasons or {id_: one.reasons for id_, one in self.explanations.items()}
        found |= {"parts": self.parts} if self.parts else {}
        found |= {"cost": self.cost} if self.cost else {}
        found |= {"touched": self.touched, "beyond": self.beyond} if self.touched else {}
        found |= {"about": self.about}
        return found | ({} if self.facets is None else {"facets": self.facets})


@dataclass(frozen=True, slots=True)
class PassagesResult:
    """The best passages of the best documents, and why each was found (by its id)."""

    query: QueryText
    passages: Sequence[PassageHit]
    explanations: Mapping[str, Explanation]
    about: About
    notes: Sequence[str] = ()
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The ranking of each query, by its id."""

    rankings: Mapping[str, Sequence[Hit]]
    about: About
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ExplainResult:
    """Why a passage, or a document, was found."""

    explanation: Explanation
    notes: Sequence[str] = ()
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A document with all its passages in order, and explanations of those that a claim found, by passage id."""

    document: DocumentRecord
    passages: Sequence[PassageRecord]
    explanations: Mapping[str, Explanation] = field(default_factory=dict)

    def reasons(self, passage: PassageRecord) -> Reasons | None:
        """Return why a claim found a passage, with places in its whole text.

        A paragraph that was cut is explained by its best piece, whose places are set off by what stands before it.
        """
        explanation = self.explanations.get(passage.id)
        if explanation is None:
            return None
        offset = max(passage.text.find(explanation.passage.text), 0)
        phrases = tuple(
            replace(one, passage=Place(one.passage.text, one.passage.start + offset, one.passage.end + offset))
            for one in explanation.reasons.phrases
        )
        return replace(explanation.reasons, phrases=phrases) if offset else explanation.reasons

    def record(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        matched = {
            one.id: {"score": self.explanations[one.id].score, "reasons": self.reasons(one)}
            for one in self.passages
            if one.id in self.explanations
        }
        return {
            "document": self.document.id,
            "title": self.document.title,
            "metadata": dict(self.document.metadata),
            "links": public_links(self.document.id),
            "passages": self.passages,
            "matched": {id_: matched[id_] for id_ in self.explanations},
        }


@dataclass(frozen=True, slots=True)
class ChartResult:
    """A chart: elements down, documents across."""

    chart: Chart
    notes: Sequence[str] = ()
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class CombineResult:
    """Combinations, best first; the chart of all documents that were looked at, and that of the documents combined."""

    combinations: Combinations
    looked_at: Chart
    chart: Chart
    notes: Sequence[str] = ()
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class InfoResult:
    """What an index holds, and its model."""

    index: str
    summary: IndexSummary
    model: Mapping[str, Any]

    def record(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {"index": self.index, **record(self.summary), "model": self.model}


def listed(value: object) -> str:
    """Return a value of a document's metadata as people write it.

    >>> listed(["F16K 31/06", "B60T 8/36"]), listed("1997-10-08")
    ('F16K 31/06, B60T 8/36', '1997-10-08')
    """
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
