"""What the service answers, for its description: the records that the command line prints with `--json`, field by field.

The descriptions are made of the library's own results. Answers are not checked against them when they are sent: tests do that.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

from pydantic import BaseModel, create_model

from sparse_coverage.charts.chart import Chart, Quote
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.elements import Element
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import Claim
from sparse_coverage.search.results import Hit, Match, PartScore, PassageHit, Place, QueryCost, Reasons, Unsearched
from sparse_coverage.server.errors import may_answer
from sparse_coverage.workspace import About, BatchResult


def described(name: str, about: str, kind: type[Any], **more: Any) -> Any:
    """Return the description of an answer that has the fields of a result, all of them, and some more."""
    types = {**get_type_hints(kind), **more}
    own: dict[str, Any] = {field: (types[field], ...) for field in (*(one.name for one in fields(kind)), *more)}
    return create_model(name, __doc__=about, **own)


BatchAnswer = described("BatchAnswer", "The ranking of each query, by its id.", BatchResult)
ChartAnswer = described("ChartAnswer", "Elements down, documents across.", Chart, notes=list[str])


class IndexAbout(BaseModel):
    """An index: how much it holds, what can rank it, and rank its documents again, its model, and when it changed (seconds since 1970).

    Fewer documents are `encoded` than there are while it is built; the others are found by their words alone. `missing` says why an
    index cannot be read any more; the others can.
    """

    name: str
    documents: int
    encoded: int
    passages: int
    rankings: list[str]
    rerankers: list[str]
    model: str
    changed: float
    missing: str = ""


class SearchAnswer(BaseModel):
    """Documents found, best first; reasons by passage id; what each part of a combined ranking added, by document id."""

    query: str
    source: str
    searched: int
    hits: list[Hit]
    reasons: dict[str, Reasons]
    parts: dict[str, list[PartScore]] | None = None
    cost: QueryCost | None = None
    about: About
    facets: dict[str, dict[str, int]] | None = None
    notes: list[str]


class ExplainAnswer(BaseModel):
    """Why a passage was found: reasons that add up to its score, and what each part adds to the score of its document."""

    score: float
    query: str
    passage: PassageHit
    matches: list[Match]
    unmatched: list[Place]
    unsearched: Unsearched
    reasons: Reasons
    parts: list[PartScore]
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


class QuotationAnswer(BaseModel):
    """Whether a text stands in a document word for word: where, or why it does not."""

    found: bool
    quotation: Quote | None = None
    why: str = ""


class CombineAnswer(BaseModel):
    """Combinations, best first, and the chart of their documents."""

    combinations: Combinations
    chart: Chart
    notes: list[str]


class AddAnswer(BaseModel):
    """How many documents were added, what could not be read, the columns that were not used, and how many documents there are now.

    The change is made whatever `notes` say: only that something of it is not shown yet.
    """

    added: int
    left_out: list[str]
    unused: str
    documents: int
    notes: list[str] = []


class DeleteAnswer(BaseModel):
    """How many documents were deleted, and how many there are now."""

    deleted: int
    documents: int
    notes: list[str] = []


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
