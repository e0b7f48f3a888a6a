"""The two-stage protocol, against a slow reference written from its description."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Corpus, Ranking
from sparse_coverage.evaluation.protocol import UNSCORED, evidence, rank_hits, rank_scores
from sparse_coverage.search import Hit, PassageHit


def passages_of(sizes: list[int]) -> Corpus:
    documents = tuple(f"D{number}" for number in range(len(sizes)))
    ids = tuple(f"D{number}/{place}" for number, size in enumerate(sizes) for place in range(size))
    return Corpus(ids, documents, np.cumsum([0, *sizes]), np.ones(len(ids), dtype=np.int64), "test")


@st.composite
def cases(draw: st.DrawFn) -> tuple[Corpus, np.ndarray, frozenset[str], int]:
    units = passages_of(draw(st.lists(st.integers(1, 4), min_size=1, max_size=8)))
    values = st.sampled_from([UNSCORED, 0.5, 1.0, 2.0])
    scores = np.array(draw(st.lists(values, min_size=len(units), max_size=len(units))))
    excluded = draw(st.frozensets(st.sampled_from(units.documents), max_size=2))
    return units, scores, excluded, draw(st.integers(1, 5))


def slow(units: Corpus, scores: np.ndarray, excluded: frozenset[str], depth: int) -> Ranking:
    """Rank all passages; a document stands where its first passage does; then all passages of the first documents again."""
    owner = {id_: id_.partition("/")[0] for id_ in units.ids}
    places = sorted(range(len(units)), key=lambda place: (-scores[place], place))
    documents: list[str] = []
    for place in places:
        document = owner[units.ids[place]]
        if scores[place] > UNSCORED and document not in documents and document not in excluded:
            documents.append(document)
    pool = [place for place in places if owner[units.ids[place]] in documents[:depth]]
    best = tuple(max(scores[p] for p in range(len(units)) if owner[units.ids[p]] == d) for d in documents)
    return Ranking(
        tuple(documents),
        best,
        tuple(units.ids[place] for place in pool),
        tuple(owner[units.ids[place]] for place in pool),
        tuple(scores[place] for place in pool),
    )


@given(cases())
def test_the_protocol_is_its_description(case: tuple[Corpus, np.ndarray, frozenset[str], int]) -> None:
    units, scores, excluded, depth = case
    assert rank_scores(scores, units, excluded, depth) == slow(units, scores, excluded, depth)


@given(cases())
def test_hits_and_scores_give_the_same_ranking(case: tuple[Corpus, np.ndarray, frozenset[str], int]) -> None:
    units, scores, excluded, depth = case
    expected = rank_scores(scores, units, excluded, depth)
    whole = slow(units, scores, frozenset(), len(units))
    hits = []
    for document, score in zip(whole.documents, whole.scores, strict=True):
        own = [
            PassageHit(p, d, "", "", s)
            for p, d, s in zip(whole.passages, whole.passage_documents, whole.passage_scores, strict=True)
            if d == document and s > UNSCORED
        ]
        hits.append(Hit(document, "", score, {}, tuple(own)))
    assert rank_hits(hits, units, excluded, depth) == expected


def test_ties_stand_in_corpus_order_and_unscored_passages_last() -> None:
    units = passages_of([2, 2])
    ranking = rank_scores(np.array([UNSCORED, 1.0, 1.0, UNSCORED]), units)
    assert ranking.documents == ("D0", "D1")
    assert ranking.passages == ("D0/1", "D1/0", "D0/0", "D1/1")


def test_zero_is_no_evidence() -> None:
    assert evidence(np.array([0.0, 0.5], dtype=np.float32)).tolist() == [UNSCORED, 0.5]


def test_an_index_of_another_collection_is_refused() -> None:
    with pytest.raises(InputError, match="3 scores for 2 passages"):
        rank_scores(np.zeros(3), passages_of([2]))
    with pytest.raises(InputError, match="does not hold"):
        rank_hits([Hit("X", "", 1.0, {}, ())], passages_of([2]))


def test_a_passage_of_another_cut_is_named() -> None:
    corpus = passages_of([2])
    hit = Hit("D0", "", 1.0, {}, (PassageHit("D0/whole", "D0", "document", "text", 1.0),))
    with pytest.raises(InputError, match="the passage 'D0/whole', which the collection does not hold"):
        rank_hits([hit], corpus)
