"""What a search found, together with all that a report of it must state; every rendering of a search takes this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, Manifest
from sparse_coverage.patents.queries import QueryText
from sparse_coverage.present.records import record
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers import Baseline, Fuse, coverage_of
from sparse_coverage.retrievers.fusion import PartScore
from sparse_coverage.search import FamilyMembers, Index, Marks, Retriever, by_family
from sparse_coverage.search.results import Answers, Explanation, Hit, QueryCost, Reasons
from sparse_coverage.version import __version__

SYSTEM_NAMES = {
    "coverage": "Sparse Coverage",
    "bm25": "BM25",
    "dense": "Dense vectors",
    "splade": "SPLADE",
    "colbert": "ColBERT",
    "hybrid": "Hybrid: Sparse Coverage, BM25 and dense vectors",
}


@dataclass(frozen=True, slots=True)
class About:
    """How a result came about: when, in which index and of what size, by what system, settings, filters and version."""

    date: str
    version: str
    index: str
    documents: int
    passages: int
    model: str
    system: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict)

    def facts(self) -> list[tuple[str, str]]:
        """Return the same as names and values for people."""
        filters = ", ".join(f"{name} {_typed(value)}" for name, value in self.filters.items())
        settings = ", ".join(f"{name} {_typed(value)}" for name, value in self.settings.items() if value is not None)
        return [
            ("date", self.date),
            ("index", f"{self.index}: {self.documents:,} documents, {self.passages:,} passages"),
            ("filters", filters or "none: everything in the index"),
            ("system", SYSTEM_NAMES.get(self.system, self.system)),
            ("settings", settings),
            ("model", self.model),
            ("version", f"sparse-coverage {self.version}"),
        ]


@dataclass(frozen=True, slots=True)
class Findings:
    """A query, where it comes from, the documents found, and why.

    `explanations` are those of passages, by passage id; a passage without one is shown without marks. `reasons` are theirs,
    and may be there alone. `parts`, by document id, say what each part of a hybrid added. `answers`, by document id, add what
    of the query a document has nothing for.
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

    def record(self) -> dict[str, Any]:
        """Return what `--json` prints: the hits, the reasons of each passage shown, and how all of it came about."""
        found: dict[str, Any] = {"query": self.query, "source": self.source, "hits": self.hits}
        found["reasons"] = self.reasons or {id_: one.reasons for id_, one in self.explanations.items()}
        found |= {"parts": self.parts} if self.parts else {}
        found |= {"cost": self.cost} if self.cost else {}
        return found | {"about": self.about}


def about_ranking(
    index: str,
    state: Manifest,
    retriever: Retriever,
    system: str,
    settings: Mapping[str, Any],
    filters: Mapping[str, Any],
) -> About:
    """Return how a search comes about now: `index` names the index, whose `state` is searched; settings that hold are added."""
    opened = coverage_of(retriever)
    config = None if opened is None else opened.model.vocabulary.config
    scoring = {} if opened is None else record(opened.statistics.config)
    model = f"{config.encoder}, {config.unit}, V={config.size:,}" if config else "none: a side of the index ranks alone"
    now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return About(
        now, __version__, index, state.documents, state.passages, model, system, {**settings, **scoring}, filters
    )


def find(
    retriever: Retriever,
    query: QueryText,
    k: int,
    *,
    passages: int,
    condition: Filter | None = None,
    about: About | None = None,
    members: FamilyMembers | None = None,
    profile: bool = False,
    answers: bool = False,
    marks: Marks | None = None,
    reasons: bool = True,
    matches: bool = True,
) -> Findings:
    """Search and explain: every passage by what found it, by Sparse Coverage where several systems did.

    `members` groups documents by family. `profile` and `marks` are for Sparse Coverage alone. `answers` also sets each document
    as a whole against the query. Without `reasons` nothing is explained; without `matches` there are reasons alone, for programs.
    """
    if marks and not isinstance(retriever, Index):
        raise InputError(
            "Marks of relevant and other documents are for Sparse Coverage alone: search without another system."
        )
    text = query.text
    cost: QueryCost | None = None
    parts: Mapping[str, Sequence[PartScore]] = {}

    def ranked(count: int) -> list[Hit]:
        nonlocal cost, parts
        if isinstance(retriever, Fuse):
            hits, parts = retriever.search_parts(text, count, passages=passages, filter=condition)
        elif isinstance(retriever, Index):
            hits, cost = retriever.profile(text, count, passages=passages, filter=condition, marks=marks)
        else:
            hits = retriever.search(text, count, passages=passages, filter=condition)
        return hits

    hits = ranked(k) if members is None else by_family(ranked, k, members)
    opened = coverage_of(retriever)
    explainer = opened or (retriever if isinstance(retriever, Baseline) else None)
    explanations: dict[str, Explanation] = {}
    alone: Mapping[str, Reasons] = {}
    wanted = [passage.id for hit in hits for passage in hit.passages]
    if opened is not None and reasons and not matches:
        alone = opened.reasons(text, wanted, filter=condition, marks=marks)
    elif explainer is not None and reasons:
        asked: dict[str, Any] = {"filter": condition} | ({"marks": marks} if marks else {})
        each = tracked(wanted, "Explaining passages", len(wanted))
        explanations = {id_: explainer.explain(text, id_, **asked) for id_ in each}
    whole = {hit.document: opened.answers(text, hit.document) for hit in hits} if opened and answers else {}
    return Findings(text, hits, explanations, about, query.source, parts, whole, cost if profile else None, alone)


def _typed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
