"""BM25 of our own: bit for bit the scores of bm25s, also after documents came and went."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_patents import TEXTS, patents

pytest.importorskip("Stemmer", reason="the extra [baselines] is not installed")
bm25s = pytest.importorskip("bm25s", reason="the extra [baselines] is not installed")
import Stemmer  # noqa: E402

from sparse_coverage.index.filters import published  # noqa: E402
from sparse_coverage.retrievers import Baseline, Block, Bm25  # noqa: E402

WORDS = ["valve", "valves", "the", "Pump", "pumping", "of", "noise", "x", "über", "3-methyl", "Ventil.", "µm", "a_b"]
texts_of_words = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=12)


def blocks(side: Bm25, *parts: list[str]) -> list[Block]:
    return [Block(Path(), side.pack(side.rows(part)), np.ones(len(part), bool)) for part in parts]


def reference(texts: list[str], query: str) -> np.ndarray:
    """The scores of bm25s; it cannot index texts without any word at all."""
    stemmer = Stemmer.Stemmer("english")
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    [words] = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
    known = [word for word in words if word in tokens.vocab]
    return index.get_scores(known) if known else np.zeros(len(texts), np.float32)


@given(texts_of_words, st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), st.integers(0, 12))
def test_scores_are_those_of_bm25s_whatever_the_blocks(texts: list[str], query: str, cut: int) -> None:
    side = Bm25()
    if not any(next(side.rows([text])) for text in texts):
        return
    expected = reference(texts, query)
    expected[expected <= 0] = -np.inf
    scorer = side.scorer(blocks(side, texts[:cut], texts[cut:]))
    np.testing.assert_array_equal(scorer.scores(query), expected)


@given(texts_of_words, st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), st.data())
def test_deleted_texts_leave_no_trace_in_the_statistics(texts: list[str], query: str, data: st.DataObject) -> None:
    side = Bm25()
    live = np.asarray(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    arrays = side.pack(side.rows(texts))
    ours = side.scorer([Block(Path(), arrays, live)]).scores(query)
    kept = [text for text, lives in zip(texts, live, strict=True) if lives]
    fresh = side.scorer(blocks(side, kept)).scores(query)
    np.testing.assert_array_equal(ours[live], fresh)


def test_a_hit_carries_what_a_user_wants_to_see(tmp_path: Path) -> None:
    found = Baseline.build(tmp_path / "index", Bm25(), patents()).search("springs and plungers", k=2, passages=1)
    assert {hit.document for hit in found} == {"XX-0-A1", "XX-4-A1"}
    assert found[0].title.startswith("Title")
    assert found[0].metadata["publication_date"].startswith("200")
    assert [len(hit.passages) for hit in found] == [1, 1]
    assert found[0].passages[0].score == found[0].score
    assert found[0].score >= found[1].score


def test_a_filter_says_what_may_be_found_at_all(tmp_path: Path) -> None:
    index = Baseline.build(tmp_path / "index", Bm25(), patents())
    assert [hit.document for hit in index.search("plunger", filter=published(after="2001"))] == ["XX-4-A1"]
    assert index.search("plunger", filter=published(before="1900")) == []


def test_an_index_opened_again_answers_the_same(tmp_path: Path) -> None:
    built = Baseline.build(tmp_path / "index", Bm25(), patents()).search(TEXTS, k=6)
    assert Baseline.open(tmp_path / "index", Bm25()).search(TEXTS, k=6) == built
    assert [hits[0].document for hits in built] == [f"XX-{number}-A1" for number in range(6)]


def test_a_query_without_a_known_word_finds_nothing(tmp_path: Path) -> None:
    index = Baseline.build(tmp_path / "index", Bm25(), patents())
    assert index.search("the of zyzzyva") == []
    assert index.search_passages("") == []
