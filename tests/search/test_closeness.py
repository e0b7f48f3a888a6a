"""How close a document is, in absolute terms: told with each hit, used as a bound, and silent where it was not measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hash_encoder import HashEncoder

from sparse_coverage import Index
from sparse_coverage.errors import InputError
from sparse_coverage.search import combined, part_scores
from sparse_coverage.search.part_scores import ClosenessScale
from sparse_coverage.workspace import OpenIndex, SearchRequest

TEXTS = [
    ("same", "A valve with a plunger that is biased by a spring against its seat."),
    ("near", "A valve with a seat of rubber for a pump in a car."),
    ("far", "The electrolyte of a battery holds lithium and a membrane."),
]
QUERY = TEXTS[0][1]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.learn(tmp_path_factory.mktemp("closeness") / "index", TEXTS, encoder=HashEncoder())


@pytest.fixture
def measured(index: Index, monkeypatch: pytest.MonkeyPatch) -> OpenIndex:
    """An index whose encoder has a scale: by the share of words alone."""
    monkeypatch.setitem(part_scores.SCALES, index.model.vocabulary.config.encoder, ClosenessScale(0.0, 1.0, 0.35, 0.05))
    monkeypatch.setattr(combined, "FEW_WORDS", 0.01)  # so few texts have no rare words
    return OpenIndex(index.store, {"combined": index})


def test_a_query_of_one_word_makes_nothing_close_that_only_mentions_it(
    measured: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = next(one for one in QUERY.split() if len(one) > 5)
    assert [hit.closeness for hit in measured.search(SearchRequest(query=word, ranking="words", k=1)).hits] == ["close"]
    monkeypatch.setattr(combined, "FEW_WORDS", part_scores.FEW_WORDS)
    assert [hit.closeness for hit in measured.search(SearchRequest(query=word, ranking="words", k=1)).hits] != ["close"]


@pytest.mark.parametrize("ranking", ["combined", "centers", "words", "vectors"])
def test_each_hit_says_how_close_it_is_whatever_ranks(measured: OpenIndex, ranking: str) -> None:
    found = measured.search(SearchRequest(query=QUERY, ranking=ranking, k=3))
    levels = {hit.document: hit.closeness for hit in found.hits}
    assert {name: levels.get(name, "weak") for name, _ in TEXTS} == {"same": "close", "near": "related", "far": "weak"}
    assert not any("Nothing close" in note for note in found.notes)


def test_what_is_not_close_enough_is_left_out_and_that_nothing_is_close_is_told(measured: OpenIndex) -> None:
    found = measured.search(SearchRequest(query=QUERY, at_least="related"))
    assert {hit.document for hit in found.hits} == set(found.parts) == {"same", "near"}
    assert set(found.explanations) == {passage.id for hit in found.hits for passage in hit.passages}
    other = measured.search(SearchRequest(query="an engine of a ship with a propeller", at_least="close"))
    assert other.hits == []
    assert any(note.startswith("Nothing close was found: the nearest is") for note in other.notes)


@pytest.mark.parametrize("encoder", ["minilm", "gte-small"])
def test_an_index_of_an_encoder_with_a_scale_says_how_close_and_takes_a_bound(encoder: str, tmp_path: Path) -> None:
    named = HashEncoder()
    named.name = encoder
    built = Index.learn(tmp_path / "index", TEXTS, encoder=named)
    opened = OpenIndex(built.store, {"combined": built})
    levels = [hit.closeness for hit in opened.search(SearchRequest(query=QUERY)).hits]
    assert levels
    assert set(levels) <= set(part_scores.LEVELS)
    assert len(opened.search(SearchRequest(query=QUERY, at_least="close")).hits) == levels.count("close")


@pytest.mark.parametrize("encoder", ["minilm", "gte-small"])
def test_a_scale_rises_with_both_figures_and_spans_all_levels(encoder: str) -> None:
    scale = part_scores.SCALES[encoder]
    grid = np.linspace(0, 1, 41)
    levels = np.array([[part_scores.LEVELS.index(scale.level(cosine, words)) for words in grid] for cosine in grid])
    assert (np.diff(levels, axis=0) <= 0).all()
    assert (np.diff(levels, axis=1) <= 0).all()
    assert levels[0, 0] == part_scores.LEVELS.index("weak")
    assert levels[-1, -1] == part_scores.LEVELS.index("close")


def test_without_reasons_nothing_is_said_of_it(measured: OpenIndex) -> None:
    assert {hit.closeness for hit in measured.search(SearchRequest(query=QUERY, reasons=False)).hits} == {""}


def test_where_it_was_not_measured_nothing_is_said_and_a_bound_is_refused(index: Index, tmp_path: Path) -> None:
    plain = Index.build(tmp_path / "plain", index.model, TEXTS, without=["words"])
    for one in (index, plain):
        opened = OpenIndex(one.store, {"combined": one})
        assert {hit.closeness for hit in opened.search(SearchRequest(query=QUERY)).hits} == {""}
        with pytest.raises(InputError, match="Leave --at-least out"):
            opened.search(SearchRequest(query=QUERY, at_least="close"))
