"""Centers, words and whole passages as one ranking: each part as its peer computes it, their sum as a plain reference makes it."""

from __future__ import annotations

from pathlib import Path

import bm25s
import numpy as np
import pytest
from hash_encoder import HashEncoder

from sparse_coverage import Index
from sparse_coverage.errors import InputError
from sparse_coverage.index.passage_parts import pack_vectors
from sparse_coverage.search.feedback import Marks
from sparse_coverage.search.part_scores import DEPTH, VectorScores, WordScores
from sparse_coverage.spans.span import normalise
from sparse_coverage.systems import PARTS
from sparse_coverage.text import index_terms

WORDS = "valve spring plunger pump battery housing sensor seat piston electrolyte membrane filter gear shaft".split()
QUERY = "A valve with a spring and a plunger, and a spring-loaded seat in the housing"


def documents() -> list[tuple[str, str]]:
    random = np.random.default_rng(3)
    return [
        (f"D{number}", " ".join(random.choice(WORDS, size=int(random.integers(4, 30)))) + f" number{number}.")
        for number in range(60)
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.learn(tmp_path_factory.mktemp("combined") / "index", documents(), encoder=HashEncoder())


def test_words_are_scored_as_bm25s_does_to_the_last_bit(index: Index) -> None:
    peer = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    peer.index([index_terms(text) for _, text in documents()], show_progress=False)
    expected = peer.get_scores(index_terms(QUERY))
    np.testing.assert_array_equal(WordScores(index.store).scores(QUERY), expected.astype(np.float32))


def test_vectors_are_scored_by_their_cosines_but_for_rounding(index: Index) -> None:
    encoder = HashEncoder()
    texts = [normalise(one.chunk_totals())[0] for one in encoder.encode(text for _, text in documents())]
    [asked] = [normalise(one.chunk_totals()) for one in encoder.encode([QUERY])]
    found = VectorScores(index.store).scores(asked)
    np.testing.assert_allclose(found, np.maximum(np.stack(texts) @ asked[0], 0), atol=0.01)


def test_packed_vectors_packed_again_are_the_same_bytes() -> None:
    vectors = normalise(np.random.default_rng(0).normal(size=(100, 24)).astype(np.float32))
    vectors[7] = 0
    once = pack_vectors(vectors)
    again = pack_vectors(once.rows[:, :24] * once.scales[:, None])
    np.testing.assert_array_equal(again.rows, once.rows)
    np.testing.assert_array_equal(again.scales, once.scales)


def test_the_sum_is_that_of_a_plain_reference(index: Index) -> None:
    expected: dict[str, float] = {}
    for part in PARTS:
        hits = index.search(QUERY, 60, ranking=part)
        low, high = hits[-1].score, hits[0].score
        for hit in hits:
            expected[hit.document] = expected.get(hit.document, 0.0) + (hit.score - low) / (high - low)
    found = index.search(QUERY, 60)
    assert {hit.document: pytest.approx(hit.score) for hit in found} == expected
    assert [hit.score for hit in found] == pytest.approx(sorted(expected.values(), reverse=True))


@pytest.mark.parametrize("ranking", ["combined", *PARTS])
@pytest.mark.parametrize("filter_", [None, "document:D5,D6,D7,D8"])
@pytest.mark.parametrize("marks", [None, Marks(("D7",), ("D5",))])
def test_the_reasons_of_a_passage_add_up_to_its_score(
    index: Index, ranking: str, filter_: str | None, marks: Marks | None
) -> None:
    if marks and ranking in ("words", "vectors"):
        with pytest.raises(InputError, match=f"by {ranking} alone"):
            index.search(QUERY, 5, ranking=ranking, marks=marks)
        return
    ranked = index.ranked_by(ranking)
    quick = ranked.search_explained(QUERY, 5, filter=filter_, marks=marks, matches=False)
    whole = ranked.search_explained(QUERY, 5, filter=filter_, marks=marks)
    assert [hit.document for hit in quick.hits] == [hit.document for hit in whole.hits]
    for hit in quick.hits:
        for passage in hit.passages:
            assert quick.reasons[passage.id] == whole.explanations[passage.id].reasons
            assert quick.reasons[passage.id].total == pytest.approx(passage.score, rel=1e-5)
            assert whole.explanations[passage.id].score == pytest.approx(passage.score, rel=1e-5)


def test_reasons_name_words_with_their_places_and_how_rare_they_are(index: Index) -> None:
    query = "the springs and number16"
    [hit] = index.search(query, 1, ranking="words")
    words = index.explain(query, hit.document, ranking="words").reasons.words
    with_springs = sum("spring" in text for _, text in documents())
    assert [(one.query.text, one.passage.text, one.passages) for one in words] == [
        ("number16", "number16", 1),
        ("springs", "spring", with_springs),
    ]
    assert all(hit.passages[0].text[one.passage.start : one.passage.end] == one.passage.text for one in words)


def test_one_part_is_enough_for_a_query_and_a_filter_holds_for_all(index: Index) -> None:
    assert index.search("number17", 3)[0].document == "D17"
    assert [hit.document for hit in index.search(QUERY, 10, filter="document:D5,D6")] in (["D5", "D6"], ["D6", "D5"])
    assert index.search_passages("number17", 3)[0].document == "D17"


def test_an_index_ranks_by_what_it_keeps_and_refuses_what_it_does_not(index: Index, tmp_path: Path) -> None:
    kept = {"words": ("centers", "vectors"), "vectors": ("centers", "words"), "words,vectors": ("centers",)}
    for without, parts in kept.items():
        made = Index.build(tmp_path / without, index.model, documents()[:20], without=without.split(","))
        assert (made.parts, made.ranking) == (parts, "combined" if len(parts) > 1 else "centers")
        assert made.search(QUERY, 5)
        with pytest.raises(InputError, match=f"keeps no {without.split(',')[0]} of passages"):
            made.search(QUERY, 5, ranking=without.split(",")[0])
    paper = Index.learn(tmp_path / "paper", documents()[:20], encoder=HashEncoder(), preset="paper")
    assert paper.ranking == "centers"
    assert paper.search(QUERY, 5) == paper.search(QUERY, 5, ranking="centers")


def test_a_ranking_or_a_part_that_does_not_exist_is_refused(index: Index, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="combined, centers, words, vectors, not by 'letters'"):
        index.search(QUERY, ranking="letters")
    with pytest.raises(InputError, match="not without 'centers'"):
        Index.build(tmp_path / "none", index.model, documents(), without=["centers"])
    assert DEPTH >= 1000
