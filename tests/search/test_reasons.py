"""Reasons speak in phrases, and still add up to the score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hash_encoder import HashEncoder
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_coverage import Index, InputError, Patent, ScoringConfig, SparseCoverage
from sparse_coverage.patents import Paragraph
from sparse_coverage.search.reasons import FUNCTION_WORDS, reasons_for
from sparse_coverage.search.results import Match, Place

QUERY = "A valve comprising an annular plunger biased by a return spring (12) of the housing"
PASSAGE = "The return spring pushes the plungers of a ventricular pump."


def place(text: str, words: str) -> Place:
    return Place(words, text.index(words), text.index(words) + len(words))


def match(query: str, passage: str, contribution: float, lender: str = "") -> Match:
    return Match(0, "anchor", place(QUERY, query), place(PASSAGE, passage), 1.0, 1.0, 1.0, contribution, lender)


def test_tokens_are_summed_into_the_phrases_they_stand_in() -> None:
    found = reasons_for(QUERY, PASSAGE, [match("return", "return", 2.0), match("spring", "spring", 3.0)])
    assert [(one.query.text, one.passage.text, one.contribution) for one in found.phrases] == [
        ("return spring", "return spring pushes", 5.0)
    ]
    assert (found.wording, found.feedback) == (0.0, 0.0)


def test_function_words_numerals_and_pieces_of_unlike_words_are_wording_in_general() -> None:
    matches = [match("of", "of", 1.0), match("12", "return", 2.0), match("ular", "ular", 4.0)]
    found = reasons_for(QUERY, PASSAGE, matches)
    assert (found.phrases, found.wording) == ((), 7.0)


def test_pieces_of_words_alike_are_the_words() -> None:
    found = reasons_for(QUERY, PASSAGE, [match("plung", "plung", 1.0)])
    assert [(one.query.text, one.passage.text) for one in found.phrases] == [("annular plunger biased", "plungers")]


def test_words_with_digits_are_words_and_numerals_are_not() -> None:
    query, passage = "A 3D printer 10a with 12 H2O2 lines", "printing of H2O2 by 3D heads"
    pairs = [("3D", "3D"), ("H2O2", "H2O2"), ("10a", "H2O2"), ("12", "3D")]
    matches = [Match(0, "", place(query, one), place(passage, two), 1, 1, 1, 1.0) for one, two in pairs]
    found = reasons_for(query, passage, matches)
    assert [(one.query.text, one.passage.text) for one in found.phrases] == [
        ("3D printer", "3D heads"),
        ("H2O2 lines", "H2O2"),
    ]
    assert found.wording == 2.0


def test_what_feedback_lent_is_a_sum_of_its_own() -> None:
    found = reasons_for(QUERY, PASSAGE, [match("spring", "spring", 3.0), match("valve", "pump", 2.0, "XX-1/p[1]")])
    assert (len(found.phrases), found.feedback) == (1, 2.0)


WORDS = ["pump", "valve", "the", "of", "spring", "biased", "12", "plunger", "housing", "wherein", "sensor", ";"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = [
        "the pump of the valve",
        "a spring biased plunger",
        "a sensor in the housing of the pump ; wherein 12 springs",
    ]
    patents = [
        Patent(f"XX-{n}", abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),)) for n, text in enumerate(texts)
    ]
    model = SparseCoverage.fit(patents, encoder=HashEncoder(), size=12)
    built = Index.build(tmp_path_factory.mktemp("reasons") / "index", model, patents)
    return Index(built.store, built.model, replace(ScoringConfig(), feedback=1), 1)


@settings(max_examples=30)
@given(TEXTS)
def test_reasons_add_up_to_the_score_and_point_into_both_texts(index: Index, query: str) -> None:
    for hit in index.search(query):
        found = index.explain(query, hit.passages[0].id)
        total = sum(reason.contribution for reason in found.reasons.phrases)
        assert total + found.reasons.wording + found.reasons.feedback == pytest.approx(found.score, rel=1e-9)
        for reason in found.reasons.phrases:
            assert query[reason.query.start : reason.query.end] == reason.query.text
            assert found.passage.text[reason.passage.start : reason.passage.end] == reason.passage.text
            assert not {*reason.query.text.lower().split(), *reason.passage.text.lower().split()} & FUNCTION_WORDS


def test_a_paragraph_that_was_cut_is_explained_by_its_best_piece(tmp_path: Path) -> None:
    long = "The pump turns. " * 70 + "A sensor measures the spring of the valve. " * 20
    patents = [Patent("XX/9-A1", description=(Paragraph(long, "/patent-document/description/p[1]"),))]
    model = SparseCoverage.fit(patents, encoder=HashEncoder(), size=12)
    index = Index.build(tmp_path / "index", model, patents)
    found = index.explain("A sensor measures the spring", "XX/9-A1/description/p[1]")
    best = index.search_passages("A sensor measures the spring", k=1)[0]
    assert (found.passage.id, len(index)) == (best.id, 2)
    with pytest.raises(InputError, match="neither a passage nor a document"):
        index.explain("A sensor", "XX/9-A1/description/p[2]")


def test_the_report_lists_reasons_that_add_up(index: Index, tmp_path: Path) -> None:
    from sparse_coverage.present.report import render_report

    hits = index.search("a plunger biased by a spring")
    explanations = {
        hit.passages[0].id: index.explain("a plunger biased by a spring", hit.passages[0].id) for hit in hits
    }
    page = render_report("a plunger biased by a spring", hits, explanations, title="Report")
    assert "What adds up to the score" in page
    assert "<td>plunger" in page
