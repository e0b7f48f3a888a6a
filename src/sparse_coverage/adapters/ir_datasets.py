"""A test collection with the iterators of `ir_datasets`, for tools that take its datasets. That library is not needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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


class Topic(NamedTuple):
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

    With `passages`, its documents are passages, and its judgements those of passages (relevant ones have the grade 1).
    """

    def __init__(self, collection: Collection, *, passages: bool = False) -> None:
        self.collection = collection
        self.passages = passages

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
                yield from (Doc(passage.id, "", passage.text) for passage in cut)
            else:
                texts = (section_text(patent, section) for section in SECTIONS)  # type: ignore[arg-type]
                yield Doc(patent.id, patent.title, "\n".join(text for text in texts if text))

    def queries_iter(self) -> Iterator[Topic]:
        """Yield the queries."""
        return (Topic(query.id, query.text) for query in self.collection.queries)

    def qrels_iter(self) -> Iterator[Qrel]:
        """Yield the judgements."""
        for query, relevance in self.collection.judgements.items():
            if self.passages:
                found = sorted(passage for of_document in relevance.passages.values() for passage in of_document)
                yield from (Qrel(query, passage, 1) for passage in found)
            else:
                yield from (Qrel(query, document, grade) for document, grade in relevance.grades.items())

    def queries_count(self) -> int:
        """Return how many queries there are."""
        return len(self.collection.queries)

    def qrels_count(self) -> int:
        """Return how many judgements there are."""
        return sum(1 for _ in self.qrels_iter())
