"""What the adapters share: a query in, found documents or passages out, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, parse_filter
from sparse_coverage.search.results import Hit, PassageHit, Retriever


@dataclass(frozen=True, slots=True)
class Found:
    """A document or a passage with its score. The text of a document is that of its best passages."""

    id: str
    score: float
    text: str
    metadata: dict[str, Any]


def find(
    retriever: Retriever, queries: Sequence[str], k: int, *, passages: bool, condition: Filter | str | None
) -> list[list[Found]]:
    """Return the `k` best documents, or passages, of each query. A filter may be written as on the command line."""
    allowed = parse_filter(condition) if isinstance(condition, str) else condition
    if not passages:
        return [[_document(hit) for hit in hits] for hits in retriever.search(list(queries), k, filter=allowed)]
    search_passages = getattr(retriever, "search_passages", None)
    if search_passages is None:
        raise InputError(f"{type(retriever).__name__} ranks documents only. Ask it for documents: passages=False.")
    return [[_passage(hit) for hit in hits] for hits in search_passages(list(queries), k, filter=allowed)]


def _document(hit: Hit) -> Found:
    text = "\n".join(passage.text for passage in hit.passages)
    return Found(hit.document, hit.score, text, {**hit.metadata, "document": hit.document, "title": hit.title})


def _passage(hit: PassageHit) -> Found:
    return Found(hit.id, hit.score, hit.text, {"document": hit.document, "section": hit.section})
