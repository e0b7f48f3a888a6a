"""What the service answers, for its description: the records that the command line prints with `--json`, field by field.

The descriptions are made of the library's own results. Answers are not checked against them when they are sent: tests do that.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from sparse_coverage.charts.cells import Cell
from sparse_coverage.charts.chart import Chart, Column
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.elements import Element
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import Claim
from sparse_coverage.present.findings import About
from sparse_coverage.retrievers.fusion import PartScore
from sparse_coverage.search.results import Hit, Match, PassageHit, Place, QueryCost, Reasons, Unsearched
from sparse_coverage.server.errors import may_answer


class IndexAbout(BaseModel):
    """An index: how much it holds, what can rank it, its model, and when it changed (seconds since 1970)."""

    name: str
    documents: int
    passages: int
    systems: list[str]
    model: str
    changed: float


class SearchAnswer(BaseModel):
    """Documents found, best first; reasons by passage id; what each part of a hybrid added, by document id."""

    query: str
    source: str
    hits: list[Hit]
    reasons: dict[str, Reasons]
    parts: dict[str, list[PartScore]] | None = None
    cost: QueryCost | None = None
    about: About
    facets: dict[str, dict[str, int]] | None = None
    notes: list[str]


class BatchAnswer(BaseModel):
    """The ranking of each query, by its id."""

    rankings: dict[str, list[Hit]]
    about: About
    notes: list[str]


class ExplainAnswer(BaseModel):
    """Why a passage was found; of a hybrid, what each part added and the explanation of each."""

    score: float
    query: str
    passage: PassageHit | None = None
    matches: list[Match] | None = None
    unmatched: list[Place] | None = None
    unsearched: Unsearched | None = None
    reasons: Reasons | None = None
    document: str | None = None
    title: str | None = None
    rank: int | None = None
    how: str | None = None
    parts: list[PartScore] | None = None
    explanations: dict[str, Any] | None = None
    notes: list[str]


class Matched(BaseModel):
    """Why a passage matches a claim."""

    score: float
    reasons: Reasons


class ReadAnswer(BaseModel):
    """A document in full; `matched`, by passage id, are the passages that a claim finds."""

    document: str
    title: str
    metadata: dict[str, Any]
    links: dict[str, str]
    passages: list[PassageRecord]
    matched: dict[str, Matched]


class FindAnswer(BaseModel):
    """The documents that a number names, and where there are none, what is near."""

    ids: list[str]
    near: str


class ElementsAnswer(BaseModel):
    """Claims and their elements."""

    claims: list[Claim]
    elements: list[Element]


class ChartAnswer(BaseModel):
    """Elements down, documents across."""

    claims: list[Claim]
    elements: list[Element]
    documents: list[Column]
    cells: list[list[Cell]]
    weights: list[float]
    encoder: str
    notes: list[str]


class CombineAnswer(BaseModel):
    """Combinations, best first, and the chart of their documents."""

    combinations: Combinations
    chart: Chart
    notes: list[str]


class QueryFileAnswer(BaseModel):
    """What a file is to be searched with, and what is known of the patent in it."""

    text: str
    source: str
    publication: str | None
    title: str
    claims: list[int]
    priority_date: str | None
    publication_date: str | None


class AddAnswer(BaseModel):
    """How many documents were added, what could not be read, and how many there are now."""

    added: int
    left_out: list[str]
    documents: int


class DeleteAnswer(BaseModel):
    """How many documents were deleted, and how many there are now."""

    deleted: int
    documents: int


def answers(model: Any, *statuses: int, events: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return what a route answers, for its description: a record, or events of its progress and then the record; or an error."""
    told: dict[str, Any] = {"model": model, "description": "The answer."}
    if events:
        told["content"] = {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'event: progress\ndata: {"stage": "Encoding documents", "done": 1, "total": 5}\n\n',
            }
        }
    return {200: told, **may_answer(*statuses)}
