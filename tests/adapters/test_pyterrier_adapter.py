"""The index in PyTerrier pipelines."""

from __future__ import annotations

import pytest
from adapted_index import OTHER, QUERY

from sparse_coverage.errors import InputError

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed (extra [pyterrier])")
pd = pytest.importorskip("pandas")

from sparse_coverage.adapters.pyterrier import PyTerrierRetriever  # noqa: E402


@pytest.fixture
def queries():
    return pd.DataFrame([("q2", OTHER, "kept"), ("q1", QUERY, "too")], columns=["qid", "query", "mine"])


def test_documents_are_ranked_for_each_query(adapted, queries):
    found = PyTerrierRetriever(adapted, num_results=3)(queries)
    assert list(found.columns) == ["qid", "query", "mine", "docno", "score", "rank"]
    for qid, text in (("q2", OTHER), ("q1", QUERY)):
        rows = found[found["qid"] == qid]
        hits = adapted.search(text, k=3)
        assert rows["docno"].tolist() == [hit.document for hit in hits]
        assert rows["score"].tolist() == pytest.approx([hit.score for hit in hits])
        assert rows["rank"].tolist() == [0, 1, 2]
        assert set(rows["query"]) == {text}
    assert found["qid"].tolist() == ["q2"] * 3 + ["q1"] * 3


def test_passages_are_ranked_with_their_texts(adapted, queries):
    found = PyTerrierRetriever(adapted, num_results=5, passages=True, text=True)(queries)
    hits = adapted.search_passages(QUERY, k=5)
    rows = found[found["qid"] == "q1"]
    assert rows["docno"].tolist() == [hit.id for hit in hits]
    assert rows["text"].tolist() == [hit.text for hit in hits]


def test_docnos_are_written_as_the_judgements_write_them(adapted, queries):
    own = {"XX-0-A1": "XX0A1", "XX-3-A1": "XX3A1"}
    retriever = PyTerrierRetriever(adapted, own_ids=own)
    plain = PyTerrierRetriever(adapted)(queries)["docno"].tolist()
    assert retriever(queries)["docno"].tolist() == [own.get(docno, docno) for docno in plain]
    assert set((retriever % 1).compile()(queries)["docno"]) <= {*own.values(), "XX-1-A1", "XX-2-A1"}
    passages = PyTerrierRetriever(adapted, passages=True, own_ids=own)(queries)["docno"]
    assert any(docno.startswith("XX0A1/") for docno in passages)
    assert not any(docno.startswith("XX-0-A1") for docno in passages)


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # PyTerrier's own use of pandas
def test_pipelines_cut_filter_and_combine(adapted, queries):
    retriever = PyTerrierRetriever(adapted, filter="published<2002")
    assert set((retriever % 1)(queries)["docno"]) <= {"XX-0-A1", "XX-1-A1"}
    assert len((retriever % 1)(queries)) == 2
    assert (retriever % 1).compile().num_results == 1  # the cut went into the search
    twice = (retriever + retriever)(queries).set_index(["qid", "docno"])["score"]
    once = retriever(queries).set_index(["qid", "docno"])["score"]
    assert (twice - 2 * once).abs().max() < 1e-4
    shouting = pt.apply.query(lambda row: row["query"].upper()) >> retriever
    assert len(shouting(queries)) == len(retriever(queries))


def test_a_run_can_be_ranked_again_by_another_search(adapted, queries):
    first = PyTerrierRetriever(adapted)(queries)
    again = PyTerrierRetriever(adapted)(first[first["rank"] == 0])
    assert again["docno"].tolist() == first["docno"].tolist()


def test_no_queries_and_no_hits_give_empty_frames(adapted, queries):
    retriever = PyTerrierRetriever(adapted, text=True)
    columns = ["qid", "query", "mine", "docno", "score", "rank", "text"]
    assert list(retriever(queries.iloc[:0]).columns) == columns
    nothing = PyTerrierRetriever(adapted, filter="country:ZZ", text=True)(queries)
    assert (len(nothing), list(nothing.columns)) == (0, columns)


def test_a_frame_without_queries_is_refused(adapted):
    with pytest.raises(InputError, match="no column query"):
        PyTerrierRetriever(adapted).transform(pd.DataFrame({"qid": ["1"]}))


def test_a_folder_is_opened(adapted, queries):
    found = PyTerrierRetriever(adapted.store.folder, num_results=3)(queries)
    assert found.equals(PyTerrierRetriever(adapted, num_results=3)(queries))


def test_a_pipeline_ends_in_claim_charts(monkeypatch, tmp_path):
    """The document that has all elements of the claim comes first, whatever the search thought; quotations are verbatim."""
    from adapted_index import PATENTS
    from hash_encoder import HashEncoder
    from made_documents_for_charts import made_calibration

    from sparse_coverage import Index, SparseCoverage
    from sparse_coverage.adapters.pyterrier import ADDED, ClaimChart
    from sparse_coverage.charts import charting

    encoder = HashEncoder()
    monkeypatch.setattr(charting, "calibration_for", lambda *_: made_calibration(encoder))
    index = Index.build(tmp_path / "index", SparseCoverage.fit(PATENTS, encoder=encoder, size=20), PATENTS)
    claim = "A device comprising a plunger biased by a spring; and a housing of a pump."
    frame = pd.DataFrame([("q1", claim), ("q2", "A rubber device.")], columns=["qid", "query"])
    found = (PyTerrierRetriever(index) % 3 >> ClaimChart(index))(frame)
    assert list(found["qid"].unique()) == ["q1", "q2"]
    assert {*ADDED, "docno", "query"} <= set(found.columns)
    for qid, rows in found.groupby("qid"):
        assert rows["score"].is_monotonic_decreasing
        assert rows["rank"].tolist() == list(range(len(rows))), qid
        assert set(rows["docno"]) == {hit.document for hit in index.search(rows["query"].iloc[0], 3)}
    texts = {patent.id: patent.abstract[0].text + patent.claims[0].text for patent in PATENTS}
    quoted = found[found["quote"] != ""]
    assert len(quoted)
    assert all(row["quote"] in texts[row["docno"]] for _, row in quoted.iterrows())
    with pytest.raises(InputError, match="docno"):
        ClaimChart(index)(frame)
