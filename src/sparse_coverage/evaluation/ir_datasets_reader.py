"""Collections of the `ir_datasets` catalogue (extra [eval])."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.types import Collection, Query, Relevance
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.patents.xpath import passage_xpath


def read_ir_dataset(name: str) -> Collection:
    """Read a collection by its `ir_datasets` id, such as `vaswani` or `beir/scifact/test`."""
    try:
        ir_datasets = importlib.import_module("ir_datasets")
    except ImportError:
        raise MissingExtraError("Reading ir_datasets", "eval") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        raise InputError(f"ir_datasets has no collection '{name}'. See https://ir-datasets.com") from None
    return from_dataset(dataset, name)


def from_dataset(dataset: Any, name: str) -> Collection:
    """Take documents, queries and judgements from an `ir_datasets` dataset."""
    missing = [part for part in ("docs", "queries", "qrels") if not getattr(dataset, f"has_{part}")()]
    if missing:
        raise InputError(
            f"The collection '{name}' has no {missing[0]}. Choose one of its subsets, such as '{name}/test'."
        )

    def documents() -> Iterator[Patent]:
        for document in dataset.docs_iter():
            title = " ".join(str(getattr(document, "title", "") or "").split())
            body = " ".join(_body(document).split())
            text = (Paragraph(body, passage_xpath("abstract", "p", 1)),) if body else ()
            yield Patent(id=document.doc_id, title=title, abstract=text, source=name, format="ir_datasets")

    grades: dict[str, dict[str, int]] = {}
    for judgement in dataset.qrels_iter():
        grades.setdefault(judgement.query_id, {})[judgement.doc_id] = max(0, int(judgement.relevance))
    queries = tuple(Query(query.query_id, query.default_text()) for query in dataset.queries_iter())
    judgements = {query: Relevance(judged) for query, judged in grades.items()}
    return Collection(name, documents, queries, judgements, "document")


def _body(document: Any) -> str:
    """Return a document's main text without its title, whatever its fields are called."""
    for field in ("text", "abstract", "body"):
        if getattr(document, field, ""):
            return str(getattr(document, field))
    return str(document.default_text())
