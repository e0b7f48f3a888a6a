"""Our collections in the shape of ir_datasets, and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparse_coverage.adapters.ir_datasets import CollectionDataset, register_clefip, register_collection
from sparse_coverage.evaluation.loading import load_collection, read_ir_dataset
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
    assert found == {one.id: one.text for patent in demo.documents() for one in passages(patent, by=demo.by)}
    judged = list(dataset.qrels_iter())
    assert judged
    assert {qrel.relevance for qrel in judged} == {1}
    assert all(qrel.doc_id in found for qrel in judged)  # passages are cut as the judgements name them


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


def test_the_catalogue_of_that_library_holds_our_collection(demo, tmp_path):
    ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed (extra [eval])")
    names = register_collection("sparse-coverage-demo", demo, tmp_path)
    assert names == ["sparse-coverage-demo", "sparse-coverage-demo/passages"]
    whole, passages_ = map(ir_datasets.load, names)
    assert whole.has_docs() and whole.has_queries() and whole.has_qrels()  # noqa: PT018
    assert whole.docs_count() == 68
    first = next(whole.docs_iter())
    assert whole.docs_store().get(first.doc_id) == first
    judged = next(passages_.qrels_iter())
    assert passages_.docs_store().get(judged.doc_id).text
    assert passages_.queries_count() == len(demo.queries)
    assert whole.queries_cls().__name__ == "DatasetQuery"
    back = read_ir_dataset("sparse-coverage-demo")
    assert [query.id for query in back.judged] == [query.id for query in demo.judged]


def test_clefip_is_registered_under_its_own_name(tmp_path):
    from sparse_coverage.evaluation.demo import COLLECTION

    ir_datasets = pytest.importorskip("ir_datasets")
    assert register_clefip(COLLECTION, "clef-ip-test", store=tmp_path) == ["clef-ip-test", "clef-ip-test/passages"]
    letter = register_clefip(COLLECTION, "clef-ip-letter", ancestors="independent", store=tmp_path)
    ours = {one.query_id: one.text for one in ir_datasets.load("clef-ip-test").queries_iter()}
    theirs = {one.query_id: one.text for one in ir_datasets.load(letter[0]).queries_iter()}
    assert ours.keys() == theirs.keys()
    assert all(set(theirs[query].split("\n")) <= set(ours[query].split("\n")) for query in ours)


def test_ids_are_written_as_the_collection_writes_them(demo):
    first = next(demo.documents()).id
    renamed = replace(demo, own_ids=lambda: {first: "own"})
    assert next(CollectionDataset(renamed).docs_iter()).doc_id == "own"
    assert next(CollectionDataset(renamed, passages=True).docs_iter()).doc_id.startswith("own/")
    for by_passage in (False, True):
        dataset = CollectionDataset(renamed, passages=by_passage)
        held = {doc.doc_id for doc in dataset.docs_iter()}
        assert not any(qrel.doc_id.startswith(first) for qrel in dataset.qrels_iter())
        assert {qrel.doc_id for qrel in dataset.qrels_iter()} & held
