"""Our collections in the shape of ir_datasets, and back."""

from __future__ import annotations

import pytest

from sparse_coverage.adapters.ir_datasets import CollectionDataset
from sparse_coverage.evaluation.find_collection import load_collection
from sparse_coverage.evaluation.ir_datasets_reader import read_ir_dataset
from sparse_coverage.patents import passages


@pytest.fixture(scope="module")
def demo():
    return load_collection("demo")


def test_documents_queries_and_judgements_come_out(demo):
    dataset = CollectionDataset(demo)
    docs = list(dataset.docs_iter())
    assert [doc.doc_id for doc in docs] == [patent.id for patent in demo.documents()]
    first = next(demo.documents())
    assert docs[0].title == first.title
    assert first.abstract[0].text in docs[0].text
    assert first.claims[0].text in docs[0].default_text()
    topics = list(dataset.queries_iter())
    assert [(topic.query_id, topic.default_text()) for topic in topics] == [(q.id, q.text) for q in demo.queries]
    assert dataset.queries_count() == len(demo.queries)
    judged = {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in dataset.qrels_iter()}
    assert judged == {(q, d): grade for q, r in demo.judgements.items() for d, grade in r.grades.items()}
    assert dataset.qrels_count() == len(judged) > 0


def test_passages_can_be_the_documents(demo):
    dataset = CollectionDataset(demo, passages=True)
    found = {doc.doc_id: doc.text for doc in dataset.docs_iter()}
    assert found == {one.id: one.text for patent in demo.documents() for one in passages(patent)}
    judged = list(dataset.qrels_iter())
    assert judged
    assert {qrel.relevance for qrel in judged} == {1}
    assert sum(qrel.doc_id in found for qrel in judged) > 0.9 * len(judged)


def test_what_reads_ir_datasets_reads_it_too(demo, monkeypatch):
    """Our own reader of that library's datasets takes the collection back."""
    ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed (extra [eval])")
    monkeypatch.setattr(ir_datasets, "load", lambda name: CollectionDataset(demo))
    back = read_ir_dataset("demo")
    assert [query.id for query in back.queries] == [query.id for query in demo.queries]
    assert {q: dict(r.grades) for q, r in back.judgements.items()} == {
        q: dict(r.grades) for q, r in demo.judgements.items()
    }
    assert [patent.id for patent in back.documents()] == [patent.id for patent in demo.documents()]
