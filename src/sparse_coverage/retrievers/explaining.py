"""Why anything that ranks found a document: the reasons of one system, or what each part of a fusion added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.retrievers.baseline import Baseline
from sparse_coverage.retrievers.fusion import Fuse, PartScore, system_name
from sparse_coverage.search import Explanation, Index, Retriever
from sparse_coverage.search.stored import require_document


@dataclass(frozen=True, slots=True)
class HybridExplanation:
    """Why a fusion scored a document as it did: what each part adds, which together is the score, and why each part found it.

    `rank` is that of the document in the fused ranking, None where it is not in it. `explanations` are those of the best
    passage in the eyes of each part (or of the passage that was asked about), by the names of the parts.
    """

    query: str
    document: str
    title: str
    score: float
    rank: int | None
    how: str
    parts: tuple[PartScore, ...]
    explanations: Mapping[str, Explanation]


def explain(
    retriever: Retriever, query: str, id_: str, *, condition: Filter | None = None
) -> Explanation | HybridExplanation:
    """Explain the score of a passage, or of a document, by what found it."""
    if isinstance(retriever, Fuse):
        return _explain_fusion(retriever, query, id_, condition)
    return explain_passage(retriever, query, id_, condition)


def explain_passage(retriever: Retriever, query: str, id_: str, condition: Filter | None = None) -> Explanation:
    """Explain the score of a passage, or of a document's best passage, by one system."""
    if not isinstance(retriever, Index | Baseline):
        raise InputError(f"A {type(retriever).__name__} cannot explain what it finds: only systems of an index can.")
    return retriever.explain(query, id_, filter=condition)


def _explain_fusion(fusion: Fuse, query: str, id_: str, condition: Filter | None) -> HybridExplanation:
    store = next(part.store for part in fusion.parts if isinstance(part, Index | Baseline))
    passage = store.find_passage(id_)
    document = store.document(require_document(store, store.passage(passage).document if passage is not None else id_))
    hits, parts = fusion.search_parts(query, fusion.depth, filter=condition)
    rank = next((rank for rank, hit in enumerate(hits, 1) if hit.document == document.id), None)
    mine = parts.get(document.id) or tuple(PartScore(system_name(part), None, None, 0.0) for part in fusion.parts)
    return HybridExplanation(
        query,
        document.id,
        document.title,
        sum(part.adds for part in mine),
        rank,
        fusion.how,
        mine,
        {
            system_name(part): explain_passage(part, query, id_ if passage is not None else document.id, condition)
            for part in fusion.parts
        },
    )
