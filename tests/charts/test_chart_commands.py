"""`chart`, `combine` and kept sentences on a small index."""

import json
import shutil

import numpy as np
import pytest
from made_documents_for_charts import claim_of, features, made_calibration, sentence

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import read_claims
from sparse_coverage.charts.reranking import ByChart, rerank_by_chart
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.retrievers import Rerank

LONG = " It is made for the user and serves him well for many years in all of his works."
WANTED = features(np.random.default_rng(11), 4)


@pytest.fixture(scope="module")
def made(tiny_checkpoint, tmp_path_factory):
    """An index of the tiny encoder with a calibration of its own."""
    folder = tmp_path_factory.mktemp("charts")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    chance = np.random.default_rng(12)
    sets = [WANTED, WANTED[:2], WANTED[2:], *(features(chance, 4) for _ in range(9))]
    patents = [
        Patent(
            f"EP-{number}-A1",
            title=f"Device {number}",
            description=tuple(
                Paragraph(
                    f"{sentence(one)}{LONG}",
                    f"/p[{place}]",
                    f"{place:04}",
                )
                for place, one in enumerate(each, 1)
            ),
            publication_date="2000-01-01" if number else "2005-01-01",
        )
        for number, each in enumerate(sets)
    ]
    model = SparseCoverage.fit(patents, encoder=encoder, size=60)
    Index.build(folder / "index", model, patents)
    made_calibration(encoder).save(folder / "calibration.npz")
    (folder / "claim.txt").write_text(claim_of(WANTED), encoding="utf-8")
    return folder


def test_a_chart_is_printed_written_and_given_as_json(made, run, tmp_path):
    shared = ["--calibration", made / "calibration.npz"]
    status, out, err = run("chart", made / "index", f"@{made / 'claim.txt'}", "EP-0-A1", "EP-3-A1", *shared, "--json")
    assert status == 0, err
    chart = json.loads(out)
    assert chart["documents"][0]["id"] == "EP-0-A1"
    assert chart["elements"][1]["text"] == "a " + " ".join(WANTED[0])
    texts = {cell["quotes"][0]["text"] for row in chart["cells"] for cell in row if cell["quotes"]}
    assert any(sentence(WANTED[0]) in text for text in texts)

    page = tmp_path / "chart.html"
    status, out, err = run("chart", made / "index", f"@{made / 'claim.txt'}", "-k", 2, *shared, "--html", page)
    assert status == 0, err
    assert "Claim chart" in page.read_text(encoding="utf-8")
    assert f"Written: {page}" in out.replace("\n", "")


def test_a_document_that_is_not_there_and_an_element_that_is_not_in_the_claim_are_told(made, run, tmp_path):
    shared = ["--calibration", made / "calibration.npz"]
    status, _, err = run("chart", made / "index", "A pump.", "EP-99-A1", *shared)
    assert status == 1
    assert "EP-99-A1" in err
    (tmp_path / "elements.txt").write_text("a valve\n", encoding="utf-8")
    status, _, err = run(
        "chart", made / "index", "A pump.", "EP-1-A1", *shared, "--elements", tmp_path / "elements.txt"
    )
    assert status == 1
    assert "Line 1" in err


def test_combine_respects_dates(made, run):
    words = ["combine", made / "index", f"@{made / 'claim.txt'}", "--calibration", made / "calibration.npz", "--json"]
    status, out, err = run(*words, "--before", "2001-01-01")
    assert status == 0, err
    result = json.loads(out)
    named = {part["document"] for one in result["combinations"]["found"] for part in one["parts"]}
    assert "EP-0-A1" not in named
    assert result["combinations"]["documents"] == 11


def test_kept_sentences_give_the_chart_that_encoding_gives(made):
    index = Index.open(made / "index")
    charts = Charts(index, made / "calibration.npz")
    claims = read_claims(claim_of(WANTED))
    fresh = charts.chart(claims, ["EP-0-A1", "EP-1-A1", "EP-5-A1"])
    assert charts.kept is None
    assert charts.keep() == 1
    assert charts.keep() == 0
    kept = charts.chart(claims, ["EP-0-A1", "EP-1-A1", "EP-5-A1"])
    assert charts.kept is not None
    for ours, theirs in zip(kept.cells, fresh.cells, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one.evidence == pytest.approx(other.evidence, abs=0.05)
            assert one.quotes[0].text == other.quotes[0].text


def test_a_claim_without_words_is_told_so(made):
    """Found by `make fuzz`: combining documents for a claim of one control character ended in an error of NumPy."""
    charts = Charts(Index.open(made / "index"), made / "calibration.npz")
    with pytest.raises(InputError, match="no words"):
        charts.combine(read_claims("\0"))
    with pytest.raises(InputError, match="no words"):
        charts.chart(read_claims("\0"))


def test_documents_are_ranked_again_by_what_they_disclose(made, tmp_path):
    index = Index.open(shutil.copytree(made / "index", tmp_path / "index"))
    charts = Charts(index, made / "calibration.npz")
    charts.keep()
    claim = claim_of(WANTED)
    plain = index.search(claim, 12)
    ranked = Rerank(index, ByChart(charts, weight=1.0), top=12).search(claim, 12)
    assert {hit.document for hit in ranked} == {hit.document for hit in plain}
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)
    half = {hit.document: hit.score for hit in ByChart(charts).rerank(claim, plain)}
    alone = {hit.document: hit.score for hit in ByChart(charts, weight=1.0).rerank(claim, plain)}
    for hit in plain:
        assert half[hit.document] == pytest.approx((hit.score / plain[0].score + alone[hit.document]) / 2, rel=1e-6)


def test_ranking_by_charts_asks_for_kept_sentences(made, tmp_path, monkeypatch):
    monkeypatch.setattr("sparse_coverage.charts.charting.calibration_for", lambda *_: None)
    index = Index.open(shutil.copytree(made / "index", tmp_path / "index", ignore=shutil.ignore_patterns("charts")))
    with pytest.raises(InputError, match="--keep"):
        rerank_by_chart(index)
