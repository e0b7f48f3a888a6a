"""Measures, against hand-worked examples, slow references written from the definitions, and trec_eval."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs_and_judgements import document_cases, passage_cases

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Ranking, Relevance
from sparse_coverage.evaluation.measures import MAP_D, PASSAGE_R, PRES, P, R, parse_measure

# The parser of ir_measures is older than Python 3.12.
pytestmark = pytest.mark.filterwarnings("ignore:(ast|Attribute).*deprecated:DeprecationWarning")

TWO = Relevance({"a": 1, "b": 1, "x": 0})


@given(document_cases(), st.integers(1, 40))
def test_pres_is_its_definition(case: tuple[Relevance, Ranking], limit: int) -> None:
    relevance, ranking = case
    relevant = sorted(document for document, grade in relevance.grades.items() if grade > 0)
    places = sorted(
        ranking.documents.index(document) + 1 if document in ranking.documents[:limit] else 10**9
        for document in relevant
    )
    ranks = [place if place <= limit else limit + i for i, place in enumerate(places, 1)]
    expected = 1 - (Fraction(sum(ranks), len(ranks)) - Fraction(len(ranks) + 1, 2)) / limit
    assert (PRES @ limit)(relevance, ranking) == pytest.approx(float(expected), abs=1e-12)


@given(passage_cases())
def test_map_d_is_its_definition(case: tuple[Relevance, Ranking]) -> None:
    """For each relevant document walk its own passages: at each relevant one, the share of relevant ones so far."""
    relevance, ranking = case
    values = []
    for document, relevant in relevance.passages.items():
        own = [p for p, d in zip(ranking.passages, ranking.passage_documents, strict=True) if d == document]
        total = Fraction(0)
        for place in range(1, len(own) + 1):
            if own[place - 1] in relevant:
                total += Fraction(sum(p in relevant for p in own[:place]), place)
        values.append(total / len(relevant))
    assert MAP_D(relevance, ranking) == pytest.approx(float(sum(values) / len(values)), abs=1e-12)


@given(passage_cases(), st.integers(1, 40))
def test_passage_recall_counts_all_judged_passages(case: tuple[Relevance, Ranking], cutoff: int) -> None:
    relevance, ranking = case
    judged = set(itertools.chain.from_iterable(relevance.passages.values()))
    found = sum(passage in judged for passage in ranking.passages[:cutoff])
    assert (PASSAGE_R @ cutoff)(relevance, ranking) == pytest.approx(found / len(judged))


@given(st.lists(document_cases(), min_size=1, max_size=6))
def test_document_measures_agree_with_trec_eval(cases: list[tuple[Relevance, Ranking]]) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    judgements = {f"q{n}": relevance for n, (relevance, _) in enumerate(cases)}
    run = {f"q{n}": ranking for n, (_, ranking) in enumerate(cases)}
    qrels = {query: dict(relevance.grades) for query, relevance in judgements.items()}
    scores = {query: dict(zip(r.documents, r.scores, strict=True)) for query, r in run.items() if r.documents}
    for name in ("R@5", "R@100", "P@10", "AP", "AP@7", "nDCG", "nDCG@10", "RR", "Success@5"):
        theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, scores)}
        ours = parse_measure(name).per_query(judgements, run)
        assert ours.keys() == theirs.keys()
        for query, value in ours.items():
            assert value == pytest.approx(theirs[query], abs=1e-9), (name, query)


@given(st.lists(document_cases(), min_size=1, max_size=4))
def test_measures_we_do_not_have_come_from_ir_measures_in_our_order(cases: list[tuple[Relevance, Ranking]]) -> None:
    pytest.importorskip("ir_measures")
    judgements = {f"q{n}": relevance for n, (relevance, _) in enumerate(cases)}
    run = {f"q{n}": Ranking(ranking.documents, (1.0,) * len(ranking.documents)) for n, (_, ranking) in enumerate(cases)}
    found = parse_measure("Rprec").per_query(judgements, run)
    for query, relevance in judgements.items():
        size = len(relevance.documents)
        assert found[query] == pytest.approx((P @ size)(relevance, run[query]), abs=1e-9)


@pytest.mark.parametrize("name", ["ERR@10", "nDCG(dcg='exp-log2')@5", "Bpref", "infAP"])
def test_measures_of_other_programs_take_queries_of_any_name(name: str) -> None:
    pytest.importorskip("ir_measures")
    perfect = Ranking(("a", "b"))
    found = parse_measure(name).per_query({"PSG-1": TWO, "PSG 2": TWO}, {"PSG-1": perfect})
    assert list(found) == ["PSG-1", "PSG 2"]
    assert found["PSG-1"] > 0.05
    assert found["PSG 2"] == 0


def test_ties_stand_for_ir_measures_users_as_in_its_other_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from sparse_coverage.evaluation.measures import register_with_ir_measures

    register_with_ir_measures()
    run = {"q": {"a": 1.0, "c": 1.0, "b": 1.0}}
    pres = ir_measures.parse_measure("PRES@3")
    for relevant, rank in (("a", 3), ("b", 2), ("c", 1)):
        found = ir_measures.calc_aggregate([ir_measures.RR, pres], {"q": {relevant: 1}}, run)
        assert found[ir_measures.RR] == pytest.approx(1 / rank)
        assert found[pres] == pytest.approx(1 - (rank - 1) / 3)


@given(document_cases(), st.integers(1, 40))
def test_ir_measures_users_can_ask_for_pres(case: tuple[Relevance, Ranking], limit: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from sparse_coverage.evaluation.measures import register_with_ir_measures

    register_with_ir_measures()
    register_with_ir_measures()
    relevance, ranking = case
    run = {"q": dict(zip(ranking.documents, ranking.scores, strict=True))}
    [found] = ir_measures.iter_calc([ir_measures.parse_measure(f"PRES@{limit}")], {"q": dict(relevance.grades)}, run)
    expected = (PRES @ limit)(relevance, ranking)
    assert found.value == pytest.approx(expected, abs=1e-12)


@given(passage_cases())
def test_ir_measures_users_can_ask_for_map_d(case: tuple[Relevance, Ranking]) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from sparse_coverage.evaluation.measures import register_with_ir_measures

    register_with_ir_measures()
    relevance, ranking = case
    qrels = {"q": {passage: 1 for ids in relevance.passages.values() for passage in ids}}
    run = {"q": dict(zip(ranking.passages, ranking.passage_scores, strict=True))}
    [found] = ir_measures.iter_calc([ir_measures.parse_measure("MAPD")], qrels, run)
    assert found.value == pytest.approx(MAP_D(relevance, ranking), abs=1e-12)


def test_measures_are_values() -> None:
    assert parse_measure("r@100") == R @ 100
    assert {R @ 100, R @ 100, R @ 10} == {R @ 10, R @ 100}
    names = ["R@100", "MAP", "PRES@100", "MAP(D)", "PassageR@1000", "nDCG@10", "MRR"]
    assert [str(parse_measure(name)) for name in names] == names


def test_a_query_without_an_answer_counts_zero_and_one_without_relevant_documents_not_at_all() -> None:
    judgements = {"answered": TWO, "silent": TWO, "empty": Relevance({"a": 0})}
    assert (R @ 2).per_query(judgements, {"answered": Ranking(("a", "b"))}) == {"answered": 1.0, "silent": 0.0}


@pytest.mark.parametrize("text", ["R", "PRES", "R@0", "MAP(D)@10", "NoSuchMeasure", "@5", ""])
def test_a_measure_that_means_nothing_is_a_kind_error(text: str) -> None:
    with pytest.raises(InputError):
        parse_measure(text)
