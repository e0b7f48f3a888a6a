"""Reasons speak in phrases, and still add up to the score."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drawing import examples
from hash_encoder import HashEncoder
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_coverage import Index, InputError, Patent, ScoringConfig, SparseCoverage
from sparse_coverage.patents import Paragraph
from sparse_coverage.search import Marks
from sparse_coverage.search.reasons import reasons_for
from sparse_coverage.search.results import Match, Place, Reason, Reasons
from sparse_coverage.search.stored import whole_id
from sparse_coverage.text import function_words

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
    assert (found.similarity, found.feedback) == (0.0, 0.0)


def test_function_words_numerals_and_pieces_of_unlike_words_are_general_similarity() -> None:
    matches = [match("of", "of", 1.0), match("12", "return", 2.0), match("ular", "ular", 4.0)]
    found = reasons_for(QUERY, PASSAGE, matches)
    assert (found.phrases, found.similarity) == ((), 7.0)


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
    assert found.similarity == 2.0


def test_what_marks_lent_is_a_sum_of_its_own() -> None:
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
    return Index(built.store, built.model, ScoringConfig(), 1, "centers")


@settings(max_examples=examples(15))
@given(TEXTS)
def test_reasons_add_up_to_the_score_and_point_into_both_texts(index: Index, query: str) -> None:
    for hit in index.search(query):
        found = index.explain(query, hit.passages[0].id)
        total = sum(reason.contribution for reason in found.reasons.phrases)
        assert total + found.reasons.similarity + found.reasons.feedback == pytest.approx(found.score, rel=1e-9)
        for reason in found.reasons.phrases:
            assert query[reason.query.start : reason.query.end] == reason.query.text
            assert found.passage.text[reason.passage.start : reason.passage.end] == reason.passage.text
            assert not {*reason.query.text.lower().split(), *reason.passage.text.lower().split()} & function_words()


@settings(max_examples=examples(15))
@given(TEXTS)
def test_the_reasons_of_many_passages_are_those_of_each(index: Index, query: str) -> None:
    for marks in (None, Marks(("XX-1",), ("XX-2",))):
        ids = [passage.id for hit in index.search(query, marks=marks) for passage in hit.passages]
        found = index.reasons(query, ids, marks=marks)
        assert found == {id_: index.explain(query, id_, marks=marks).reasons for id_ in ids}
        for id_ in ids:
            whole = index.explain(query, id_, marks=marks)
            assert found[id_] == plainly_summed(query, whole.passage.text, whole.matches)


def plainly_summed(query: str, passage: str, matches: tuple[Match, ...]) -> Reasons:
    """The same, word by word: what the quick way must give to the last bit."""
    ours, theirs = plain_phrases(query), plain_phrases(passage)
    sums: dict[tuple[Place, Place], float] = {}
    similarity = feedback = 0.0
    for one in matches:
        (word, phrase), (other, found) = at(ours, one.query), at(theirs, one.passage)
        pieces = word != one.query.text.lower() or other != one.passage.text.lower()
        if one.lender:
            feedback += one.contribution
        elif phrase is None or found is None or (pieces and word[:4] != other[:4]):
            similarity += one.contribution
        else:
            sums[phrase, found] = sums.get((phrase, found), 0.0) + one.contribution
    strongest = sorted(sums.items(), key=lambda item: (-item[1], item[0][0].start, item[0][1].start))
    return Reasons(tuple(Reason(*pair, value) for pair, value in strongest), similarity, feedback)


def plain_phrases(text: str) -> list[tuple[Place, Place]]:
    """Each word that says something, with the phrase it stands in."""
    found: list[tuple[Place, Place]] = []
    for words in re.finditer(r"[^;]+", text):
        run: list[Place] = []
        for one in [*re.finditer(r"\S+", words.group()), None]:
            if one is not None and one.group() not in function_words() and one.group() != "12" and len(one.group()) > 1:
                run.append(Place(one.group(), words.start() + one.start(), words.start() + one.end()))
            elif run:
                begin, end = run[0].start, run[-1].end
                found += [(word, Place(text[begin:end], begin, end)) for word in run]
                run = []
    return found


def at(phrases: list[tuple[Place, Place]], place: Place) -> tuple[str, Place | None]:
    inside = [(word.text, phrase) for word, phrase in phrases if word.start < place.end and place.start < word.end]
    return inside[-1] if inside else ("", None)


def test_what_is_no_passage_has_no_reasons(index: Index) -> None:
    assert index.reasons("a pump", []) == {}
    with pytest.raises(InputError, match="no passage with the id 'XX-9'"):
        index.reasons("a pump", ["XX-9"])


def test_a_paragraph_that_was_cut_is_explained_by_its_best_piece(tmp_path: Path) -> None:
    long = "The pump turns. " * 70 + "A sensor measures the spring of the valve. " * 20
    patents = [Patent("XX/9-A1", description=(Paragraph(long, "/patent-document/description/p[1]"),))]
    model = SparseCoverage.fit(patents, encoder=HashEncoder(), size=12)
    index = Index.build(tmp_path / "index", model, patents)
    found = index.explain("A sensor measures the spring", "XX/9-A1/description/p[1]")
    best = index.search_passages("A sensor measures the spring", k=1)[0]
    assert (found.passage.id, len(index)) == (best.id, 2)
    assert list(index.explain_best("A sensor measures the spring", "XX/9-A1", 3).items()) == [
        (whole_id(best.id), found)
    ]
    with pytest.raises(InputError, match="neither a passage nor a document"):
        index.explain("A sensor", "XX/9-A1/description/p[2]")
