"""A test collection with the iterators of `ir_datasets`, for tools that take its datasets; that library is not needed for it.

With the library (extra [eval]), collections of ours join its catalogue, and others load CLEF-IP 2013 there as they load any other:

    import ir_datasets
    from sparse_coverage.adapters.ir_datasets import register_clefip

    register_clefip("path/to/clef-ip-2013")
    dataset = ir_datasets.load("clef-ip-2013/passages")

Then everything that takes an id of that library works: PyTerrier's `pt.get_dataset("irds:clef-ip-2013/passages")`, its command line.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.evaluation.clefip import Ancestors, read_clefip
from sparse_coverage.evaluation.clefip_pool import PoolConfig
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.patents import passages, section_text

SECTIONS = ("abstract", "claims", "description")


class Doc(NamedTuple):
    """A document, or a passage of it."""

    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        """Return title and text."""
        return "\n".join(part for part in (self.title, self.text) if part)


class DatasetQuery(NamedTuple):
    """A query."""

    query_id: str
    text: str

    def default_text(self) -> str:
        """Return the text."""
        return self.text


class Qrel(NamedTuple):
    """A judgement."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class CollectionDataset:
    """The documents, queries and judgements of a collection.

        dataset = CollectionDataset(load_collection("demo"))
        for doc in dataset.docs_iter():
            print(doc.doc_id, doc.title)

    With `passages`, its documents are passages, and its judgements those of passages (relevant ones have the grade 1). Ids are
    written as the collection's own files write them.
    """

    def __init__(self, collection: Collection, *, passages: bool = False) -> None:
        self.collection = collection
        self.passages = passages

    @cached_property
    def _own_ids(self) -> Mapping[str, str]:
        return self.collection.own_ids()

    def _own(self, document: str, id_: str = "") -> str:
        """Return the id of a document, or of a passage of it, as the collection writes it."""
        return self._own_ids.get(document, document) + id_.removeprefix(document)

    def dataset_id(self) -> str:
        """Return the name of the collection."""
        return self.collection.name

    def has_docs(self) -> bool:
        """Tell that there are documents."""
        return True

    def has_queries(self) -> bool:
        """Tell that there are queries."""
        return True

    def has_qrels(self) -> bool:
        """Tell that there are judgements."""
        return True

    def docs_iter(self) -> Iterator[Doc]:
        """Yield the documents, or passages, in corpus order."""
        for patent in self.collection.documents():
            if self.passages:
                cut = passages(patent, by=self.collection.by)  # as the judgements name them
                yield from (Doc(self._own(patent.id, passage.id), "", passage.text) for passage in cut)
            else:
                texts = (section_text(patent, section) for section in SECTIONS)  # type: ignore[arg-type]
                yield Doc(self._own(patent.id), patent.title, "\n".join(text for text in texts if text))

    def queries_iter(self) -> Iterator[DatasetQuery]:
        """Yield the queries."""
        return (DatasetQuery(query.id, query.text) for query in self.collection.queries)

    def qrels_iter(self) -> Iterator[Qrel]:
        """Yield the judgements."""
        for query, relevance in self.collection.judgements.items():
            if self.passages:
                judged = relevance.passages.items()
                found = sorted(self._own(document, passage) for document, ids in judged for passage in ids)
                yield from (Qrel(query, passage, 1) for passage in found)
            else:
                yield from (Qrel(query, self._own(document), grade) for document, grade in relevance.grades.items())

    def queries_count(self) -> int:
        """Return how many queries there are."""
        return len(self.collection.queries)

    def qrels_count(self) -> int:
        """Return how many judgements there are."""
        return sum(1 for _ in self.qrels_iter())


CLEFIP = "clef-ip-2013"


def register_clefip(
    folder: str | Path,
    name: str = CLEFIP,
    *,
    pool: PoolConfig | None = None,
    ancestors: Ancestors = "all",
    store: str | Path | None = None,
) -> list[str]:
    """Register CLEF-IP 2013, claims to passages: `clef-ip-2013` with documents, `clef-ip-2013/passages` with passages.

    `pool` says which candidates are drawn (25,000, seed 0), `ancestors` which claims precede a dependent one in a query.
    """
    return register_collection(name, read_clefip(Path(folder), pool, ancestors=ancestors).collection, store)


def register_collection(name: str, collection: Collection, store: str | Path | None = None) -> list[str]:
    """Register any collection under a name, and below it its passages where they are judged. Return the names.

    The library keeps documents that are looked up by id in the folder `store`, a temporary one by default.
    """
    try:
        library = importlib.import_module("ir_datasets")
    except ImportError:
        raise MissingExtraError("Registering with ir_datasets", "eval") from None
    home = Path(store) if store is not None else Path(tempfile.mkdtemp(prefix="sparse-coverage-irds-"))
    shapes = {name: False, **({f"{name}/passages": True} if collection.has_passages else {})}
    for id_, by_passage in shapes.items():
        dataset = CollectionDataset(collection, passages=by_passage)
        library.registry.register(id_, _dataset(library, dataset, id_, home / id_.replace("/", "-")))
    return list(shapes)


def _dataset(library: Any, inner: CollectionDataset, name: str, place: Path) -> Any:
    """Make a dataset of that library's own classes, whose methods are found by its tools."""

    def store(_: Any) -> Any:
        return library.indices.PickleLz4FullStore(
            path=f"{place}.pklz4",
            init_iter_fn=inner.docs_iter,
            data_cls=Doc,
            lookup_field="doc_id",
            index_fields=["doc_id"],
            count_hint=inner.collection.candidates,
        )

    docs = {
        "docs_iter": library.util.use_docstore(lambda _: inner.docs_iter()),
        "docs_store": store,
        "docs_count": lambda _: int(store(_).count()),
        "docs_cls": lambda _: Doc,
        "docs_namespace": lambda _: name,
        "docs_lang": lambda _: "en",
    }
    queries = {
        "queries_iter": lambda _: inner.queries_iter(),
        "queries_count": lambda _: inner.queries_count(),
        "queries_cls": lambda _: DatasetQuery,
        "queries_namespace": lambda _: name,
        "queries_lang": lambda _: "en",
    }
    qrels = {
        "qrels_iter": lambda _: inner.qrels_iter(),
        "qrels_count": lambda _: inner.qrels_count(),
        "qrels_cls": lambda _: Qrel,
        "qrels_defs": lambda _: {1: "relevant", 0: "not relevant"},
    }
    bases = library.formats.BaseDocs, library.formats.BaseQueries, library.formats.BaseQrels
    parts = [type(base.__name__, (base,), said)() for base, said in zip(bases, (docs, queries, qrels), strict=True)]
    return library.Dataset(*parts)
