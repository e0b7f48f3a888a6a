"""What a passage has nothing for: words that neither stand in it nor have a near neighbour there."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.search.reasons import FOUND, unmatched_words
from sparse_coverage.search.results import Place
from sparse_coverage.vectors import Activations

WORDS = ["valve", "valves", "spring", "of", "housing", "12", "the", "Plunger"]
CENTERS = 6


def places(text: str) -> list[Place]:
    return [Place(found.group(), *found.span()) for found in re.finditer(r"\S+", text)]


@given(
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    there=st.lists(st.sampled_from(WORDS), max_size=4),
    weights=st.dictionaries(st.integers(0, CENTERS - 1), st.sampled_from([0.3, 0.7, 1.0])),
    stopped=st.sets(st.integers(0, CENTERS - 1), max_size=2),
    data=st.data(),
)
def test_a_word_is_lacking_where_it_neither_stands_nor_meets_a_near_center(
    query: list[str], there: list[str], weights: dict[int, float], stopped: set[int], data: st.DataObject
) -> None:
    text, spans = " ".join(query), places(" ".join(query))
    rows = st.lists(st.tuples(st.integers(-1, CENTERS - 1), st.sampled_from([0.5, 0.9])), min_size=2, max_size=2)
    active = [data.draw(rows) for _ in spans]
    activations = Activations(
        np.array([[center for center, _ in row] for row in active], np.int32),
        np.array([[value for _, value in row] for row in active], np.float32),
    )
    stop = np.isin(np.arange(CENTERS), list(stopped))
    found = unmatched_words(text, spans, activations, stop, weights, [" ".join(there)])

    def root(word: str) -> str:
        return word.lower().removesuffix("s")

    def near(row: list[tuple[int, float]]) -> bool:
        return any(c >= 0 and c not in stopped and float(np.float32(v)) * weights.get(c, 0.0) >= FOUND for c, v in row)

    says = [(word, row) for word, row in zip(query, active, strict=True) if word not in ("of", "the", "12")]
    met = {root(word) for word, row in says if near(row)} | {root(word) for word in there}
    asked = {root(word) for word, row in says if any(c >= 0 and c not in stopped for c, _ in row)}
    assert [root(place.text) for place in found] == list(
        dict.fromkeys(root(word) for word, row in says if root(word) in asked - met
                      and any(c >= 0 and c not in stopped for c, _ in row))
    )  # fmt: skip
    assert all(text[place.start : place.end] == place.text for place in found)
