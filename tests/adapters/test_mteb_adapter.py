"""The index in MTEB's tasks."""

from __future__ import annotations

import pytest
from adapted_index import OTHER, PATENTS, QUERY

from sparse_coverage.errors import InputError

mteb = pytest.importorskip("mteb", reason="MTEB is not installed (extra [mteb])")

from sparse_coverage.adapters.mteb import SparseCoverageSearch  # noqa: E402

CORPUS = [{"id": patent.id, "title": patent.title, "text": patent.abstract[0].text} for patent in PATENTS]
QUERIES = [{"id": "q1", "text": QUERY}, {"id": "q2", "text": OTHER}]


def test_it_is_what_mteb_calls_a_search_model(adapted_model):
    from mteb.models.models_protocols import SearchProtocol

    search = SparseCoverageSearch(model=adapted_model)
    assert isinstance(search, SearchProtocol)
    assert search.mteb_model_meta.name.startswith("sparse-coverage/")


def test_the_corpus_is_searched_document_by_document(adapted_model):
    search = SparseCoverageSearch(model=adapted_model)
    search.index(CORPUS, task_metadata=None, hf_split="test", hf_subset="default", encode_kwargs={}, num_proc=None)
    options = {"task_metadata": None, "hf_split": "test", "hf_subset": "default", "encode_kwargs": {}, "num_proc": None}
    found = search.search(QUERIES, top_k=3, **options)
    assert found.keys() == {"q1", "q2"}
    assert all(len(scores) == 3 and min(scores.values()) > 0 for scores in found.values())
    assert max(found["q1"], key=found["q1"].get) == "XX-3-A1"
    with pytest.raises(InputError, match="candidates to rerank"):
        search.search(QUERIES, top_k=3, top_ranked={"q1": ["XX-1-A1"]}, **options)


def test_searching_before_indexing_is_refused(adapted_model):
    with pytest.raises(InputError, match="call index before search"):
        SparseCoverageSearch(model=adapted_model).search(QUERIES, top_k=1)


def test_mteb_evaluates_it_on_a_task(adapted_model):
    """A whole task of MTEB, held in memory: the document that answers each query is known."""
    import datasets
    from mteb.abstasks import AbsTaskRetrieval
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
    from mteb.abstasks.task_metadata import TaskMetadata

    class SmallTask(AbsTaskRetrieval):
        metadata = TaskMetadata(
            name="SmallPatents",
            description="Four made-up patents.",
            reference=None,
            type="Retrieval",
            category="t2t",
            modalities=["text"],
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="ndcg_at_10",
            dataset={"path": "none", "revision": "none"},
            date=None,
            domains=None,
            task_subtypes=None,
            license=None,
            annotations_creators=None,
            dialect=None,
            sample_creation=None,
            bibtex_citation=None,
        )

        def load_data(self, *_, **__):
            split = RetrievalSplitData(
                corpus=datasets.Dataset.from_list(CORPUS),
                queries=datasets.Dataset.from_list(QUERIES),
                relevant_docs={"q1": {"XX-3-A1": 1}, "q2": {"XX-1-A1": 1}},
                top_ranked=None,
            )
            self.dataset = {"default": {"test": split}}
            self.data_loaded = True

    search = SparseCoverageSearch(model=adapted_model)
    results = mteb.evaluate(search, SmallTask(), cache=None, co2_tracker=False)
    (scores,) = results.task_results[0].scores["test"]
    ranks = []
    for query, wanted in ((QUERY, "XX-3-A1"), (OTHER, "XX-1-A1")):
        ranked = list(search.search([{"id": "q", "text": query}], top_k=4)["q"])
        ranks.append(ranked.index(wanted) + 1)
    assert scores["mrr_at_10"] == pytest.approx(sum(1 / rank for rank in ranks) / 2, abs=1e-5)
