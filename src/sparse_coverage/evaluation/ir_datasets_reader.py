"""Collections of the `ir_datasets` catalogue (extra [eval])."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.collection import Collection, Query, graded
from sparse_coverage.evaluation.exclusions import OwnDocument, own_families, without_excluded
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.patents.numbers import printed_id
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
    missing = [part for part in ("docs", "queries", "qrels") if not getattr(dataset, f"has_{part}")()]
    if missing:
        subsets = sorted(other for other in ir_datasets.registry if str(other).startswith(f"{name}/"))
        hint = f"Choose one of its subsets: {', '.join(subsets[:8])}." if subsets else "See https://ir-datasets.com"
        raise InputError(f"The collection '{name}' has no {missing[0]}. {hint}")
    try:
        return _collection(dataset, name)
    except (OSError, RuntimeError) as error:  # what the library raises when it cannot download
        raise InputError(f"ir_datasets cannot get '{name}': {error}") from None


def _collection(dataset: Any, name: str) -> Collection:
    def documents() -> Iterator[Patent]:
        for document in dataset.docs_iter():
            yield _patent(document, name)

    judgements = graded((one.query_id, printed_id(one.doc_id), int(one.relevance)) for one in dataset.qrels_iter())
    texts = {query.query_id: _text(query, "query_id") for query in dataset.queries_iter()}
    excluded = own_families({id_: OwnDocument("", text) for id_, text in texts.items()}, documents)
    kept, dropped = without_excluded(judgements, excluded)
    queries = tuple(Query(id_, text, printed_id(id_) if id_ in excluded else "") for id_, text in texts.items() if text)
    notes = (f"{dropped} judgements of a query's own document left out",) if dropped else ()
    return Collection(name, documents, queries, kept, "document", excluded, notes)


def _patent(document: Any, name: str) -> Patent:
    title = " ".join(str(getattr(document, "title", "") or "").split())
    body = " ".join(_text(document, "doc_id").split())
    if title and body.startswith(title):  # the library's text begins with the title where there is one
        body = body.removeprefix(title).lstrip()
    text = (Paragraph(body, passage_xpath("abstract", "p", 1)),) if body else ()
    return Patent(id=printed_id(document.doc_id), title=title, abstract=text, source=name, format="ir_datasets")


def _text(record: Any, id_field: str) -> str:
    """Return the text that the library itself gives of a document or query; of the few kinds without one, all texts."""
    if hasattr(record, "default_text"):
        return str(record.default_text()).strip()
    values = (getattr(record, field) for field in record._fields if field != id_field)
    return "\n".join(value for value in values if isinstance(value, str)).strip()
