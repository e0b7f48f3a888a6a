"""An index inside other people's pipelines. Each adapter is one file, imported by its own name, since each needs another library.

| file | gives | extra |
| --- | --- | --- |
| `pyterrier` | `PyTerrierRetriever`, a transformer; `ClaimChart`, one that charts what was found | [pyterrier] |
| `ir_datasets` | `CollectionDataset`, a collection with its iterators; `register_clefip`: CLEF-IP 2013 in its catalogue | none; [eval] |

What they share is here: a query in, found documents or passages out, as plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.retrievers import open_retriever
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Retriever


@dataclass(frozen=True, slots=True)
class FoundText:
    """A document or a passage with its score. The text of a document is that of its best passages."""

    id: str
    score: float
    text: str
    metadata: dict[str, Any]


def opened(index: Retriever | str | Path) -> Retriever:
    """Return a retriever as it is; the folder of an index is opened, with Sparse Coverage."""
    return open_retriever(index) if isinstance(index, (str, Path)) else index


def find(
    retriever: Retriever, queries: Sequence[str], k: int, *, passages: bool, condition: Filter | str | None
) -> list[list[FoundText]]:
    """Return the `k` best documents, or passages, of each query. A filter may be written as on the command line."""
    if not passages:
        return [[_document(hit) for hit in hits] for hits in retriever.search(list(queries), k, filter=condition)]
    search_passages = getattr(retriever, "search_passages", None)
    if search_passages is None:
        raise InputError(f"{type(retriever).__name__} ranks documents only. Ask it for documents: passages=False.")
    return [[_passage(hit) for hit in hits] for hits in search_passages(list(queries), k, filter=condition)]


def _document(hit: Hit) -> FoundText:
    text = "\n".join(passage.text for passage in hit.passages)
    return FoundText(hit.document, hit.score, text, {**hit.metadata, "document": hit.document, "title": hit.title})


def _passage(hit: PassageHit) -> FoundText:
    return FoundText(hit.id, hit.score, hit.text, {"document": hit.document, "section": hit.section})
