"""`chart` and `combine` on a small index."""

import html
import json
from dataclasses import replace

import numpy as np
import pytest
from made_documents_for_charts import claim_of, features, made_calibration, sentence

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.charts import charting
from sparse_coverage.charts.chart import Opinion, Verdict, overrule
from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import read_claims
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.search.results import Place
from sparse_coverage.workspace import ChartRequest, OpenIndex

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
    made_calibration(encoder).save(folder / "calibration.json")
    (folder / "claim.txt").write_text(claim_of(WANTED), encoding="utf-8")
    return folder


def test_a_chart_is_printed_written_and_given_as_json(made, run, tmp_path):
    shared = ["--calibration", made / "calibration.json"]
    status, out, err = run("chart", made / "index", f"@{made / 'claim.txt'}", "EP-0-A1", "EP-3-A1", *shared, "--json")
    assert status == 0, err
    chart = json.loads(out)
    assert chart["documents"][0]["id"] == "EP-0-A1"
    assert chart["elements"][1]["text"] == "a " + " ".join(WANTED[0])
    texts = {cell["quotes"][0]["text"] for row in chart["cells"] for cell in row if cell["quotes"]}
    assert any(sentence(WANTED[0]) in text for text in texts)

    page = tmp_path / "chart.html"
    status, out, err = run("chart", made / "index", f"@{made / 'claim.txt'}", "-k", 2, *shared, "--report", page)
    assert status == 0, err
    assert "Claim chart" in page.read_text(encoding="utf-8")
    assert f"Written: {page}" in out.replace("\n", "")


def test_every_claim_of_a_patent_file_is_charted_under_its_number_or_those_that_are_chosen(made, run, tmp_path):
    texts = [claim_of(WANTED), "The device of claim 1, made of steel.", "A device comprising a lid."]
    (tmp_path / "patent.json").write_text(json.dumps({"id": "EP-9-A1", "claims": texts}), encoding="utf-8")

    def charted(*chosen):
        command = ["chart", made / "index", tmp_path / "patent.json", "EP-0-A1", *chosen, "--json"]
        status, out, err = run(*command, "--calibration", made / "calibration.json")
        assert status == 0, err
        return {element["claim"] for element in json.loads(out)["elements"]}

    assert charted() == {1, 2, 3}
    assert charted("--claims", "2") == {1, 2}
    assert charted("--claims", "3") == {3}


def test_a_document_that_is_not_there_and_an_element_that_is_not_in_the_claim_are_told(made, run, tmp_path):
    shared = ["--calibration", made / "calibration.json"]
    status, _, err = run("chart", made / "index", "A pump.", "EP-99-A1", *shared)
    assert status == 1
    assert "EP-99-A1" in err
    (tmp_path / "elements.txt").write_text("a valve\n", encoding="utf-8")
    status, _, err = run(
        "chart", made / "index", "A pump.", "EP-1-A1", *shared, "--features", tmp_path / "elements.txt"
    )
    assert status == 1
    assert "Line 1" in err


def test_a_publication_number_is_no_claim(made, run):
    for command in ("chart", "combine"):
        status, _, err = run(command, made / "index", "EP 1000001 A1")
        assert status == 1, err
        assert "is the number of a publication, not a claim" in " ".join(err.split())


def test_combine_respects_dates(made, run):
    words = ["combine", made / "index", f"@{made / 'claim.txt'}", "--calibration", made / "calibration.json", "--json"]
    status, out, err = run(*words, "--before", "2001-01-01")
    assert status == 0, err
    result = json.loads(out)
    named = {part["document"] for one in result["combinations"]["found"] for part in one["parts"]}
    assert "EP-0-A1" not in named
    assert result["combinations"]["documents"] == 11


def test_a_paragraph_that_the_index_cut_in_pieces_is_read_whole(tmp_path, encoder):
    text = " ".join(f"A plunger of kind {number} is held by a spring in the valve of the pump." for number in range(60))
    patent = Patent("EP-1-A1", description=(Paragraph(text, "/p[1]", "0001"), Paragraph("A pump.", "/p[2]", "0002")))
    index = Index.build(tmp_path / "index", SparseCoverage.fit([patent], encoder=encoder, size=8), [patent])
    assert len(index.store.passages_of(0)) > 2
    made_calibration(encoder).save(tmp_path / "hash.json")
    read = Charts(index, tmp_path / "hash.json", reader=encoder).document("EP-1-A1").passages
    assert [one.text for one in read] == [text, "A pump."]


def test_documents_can_be_read_with_another_encoder_than_the_index_was_built_with(made, tmp_path, encoder):
    folder = made / "index"
    made_calibration(encoder).save(tmp_path / "hash.json")
    charts = Charts(Index.open(folder), tmp_path / "hash.json", reader=encoder)
    claims = read_claims((made / "claim.txt").read_text(encoding="utf-8"))
    assert charts.chart(claims, k=2).encoder == "hash"
    text = "\n".join(f"{claim.number}. {claim.text}" for claim in claims)
    assert charts.chart(text, k=2).cells == charts.chart(claims, k=2).cells, "the text of claims will do"
    assert Charts(Index.open(folder), made / "calibration.json").chart(claims, k=2).encoder != "hash"


def test_the_best_reader_reads_where_it_can_be_had_and_a_note_says_where_it_cannot(made, monkeypatch, encoder):
    index = Index.open(made / "index")
    own = index.model.encoder
    monkeypatch.setattr(charting, "is_shipped", lambda encoder: True)
    monkeypatch.setattr(charting, "calibration_for", lambda encoder, path: made_calibration(encoder))
    monkeypatch.setattr(charting, "load_encoder", lambda name: encoder)
    monkeypatch.setattr(charting, "_LOADED", {})
    assert Charts(index).encoder is encoder
    assert Charts(index).notes == ()

    def unreachable(name):
        raise InputError("no network")

    monkeypatch.setattr(charting, "load_encoder", unreachable)
    monkeypatch.setattr(charting, "_LOADED", {})
    charts = Charts(index)
    assert charts.encoder is own
    assert "no network" in charts.notes[0]
    with pytest.raises(InputError, match="no network"):
        Charts(index, reader="gte-small")


def test_a_claim_in_a_language_that_the_reader_does_not_know_is_warned_of_beside_the_chart_and_in_it(made, monkeypatch):
    german = "Eine Schraube mit einem Kopf und mit einem Gewinde, das sich über den Schaft der Schraube erstreckt."
    monkeypatch.setattr(charting, "languages_of", lambda name: ["en"])
    with OpenIndex.open(made / "index", calibration=made / "calibration.json") as opened:
        told = opened.chart(ChartRequest(claim=german, k=1))
        silent = opened.chart(ChartRequest(claim="A screw with a head and with a thread that is on the shank.", k=1))
    [warning] = told.notes
    assert warning.startswith("Warning: the claim seems to be in German")
    assert warning in told.chart.about
    assert silent.notes == []


def test_combinations_start_from_the_users_own_verdicts_and_leave_documents_out(made):
    charts = Charts(Index.open(made / "index"), made / "calibration.json")
    claims = read_claims(claim_of(WANTED))
    plain, chart = charts.combine(claims)
    first = plain.found[0].parts[0].document
    assert (plain.own, plain.left_out) == (0, 0)
    without, _ = charts.combine(claims, without=[first])
    assert first not in {part.document for one in without.found for part in one.parts}
    assert (without.left_out, without.documents) == (1, plain.documents - 1)
    rulings = {(element.text, first): Verdict.NOT_FOUND for element in chart.elements}
    rulings |= {(element.text, "EP-7-A1"): Verdict.DISCLOSED for element in chart.elements}
    ruled, _ = charts.combine(claims, verdicts=rulings)
    assert [part.document for part in ruled.found[0].parts] == ["EP-7-A1"]
    assert ruled.own == len(rulings)


def test_a_document_without_a_key_term_covers_the_feature_in_no_combination_unless_the_user_says_so(made):
    charts = Charts(Index.open(made / "index"), made / "calibration.json")
    chart = charts.chart(read_claims(claim_of(WANTED)), ["EP-0-A1"])
    first = chart.elements[0]
    assert first.label not in charts.combined(chart).missing
    lacking = replace(chart.cells[0][0], missing=(Place("spring", 0, 6),))
    without = replace(chart, cells=((lacking,), *chart.cells[1:]))
    assert first.label in charts.combined(without).missing
    said = {(first.text, lacking.document): Opinion(Verdict.DISCLOSED)}
    assert first.label not in charts.combined(overrule(without, said)).missing


def test_what_no_document_has_is_said_of_those_that_were_read_closely(made, run, monkeypatch):
    monkeypatch.setattr(charting, "_CLOSELY", (2, 1))
    words = [
        "combine",
        made / "index",
        "A hovercraft comprising a xylophone.",
        "--calibration",
        made / "calibration.json",
    ]
    status, out, err = run(*words, "--json")
    assert status == 0, err
    result = json.loads(out)
    found, about = result["combinations"], result["chart"]["about"]
    assert found["missing"]
    assert 0 < found["read"] < found["documents"] == 12
    others = 12 - found["read"]
    assert (
        f"Looked at: 12 of 12 documents of the index “index”, {found['read']} of them read closely, the others only"
        in about[0]
    )
    told = " ".join(run(*words)[1].split())
    assert (
        f"In none of the {found['read']} documents that were read closely (the other {others} of the 12 found were "
        "only looked through)" in told
    )


def test_a_chart_says_what_was_searched_how_often_it_is_right_and_what_it_is_not(made, run, tmp_path):
    shared = ["--calibration", made / "calibration.json", "--report", tmp_path / "chart.html"]
    limited = ["-k", 2, "--filter", "pd<2100-01-01 or pd:none"]
    status, out, err = run("chart", made / "index", f"@{made / 'claim.txt'}", *limited, *shared, "--json")
    assert status == 0, err
    searched, right, opinion = json.loads(out)["about"]
    assert "2 of 12 documents" in searched
    assert "filters: pd<2100-01-01 or pd:none." in searched
    assert "no proof of novelty" in searched
    assert "cells judged" in right
    assert "no legal opinion" in opinion
    assert all(
        line in html.unescape((tmp_path / "chart.html").read_text("utf-8")) for line in (searched, right, opinion)
    )
