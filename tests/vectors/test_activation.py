"""Activation is the rule of the paper, exactly: every center within its radius, then the K most similar."""

from __future__ import annotations

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.vectors import ActivationConfig, activate
from sparse_coverage.vectors.activation import count_covering
from sparse_coverage.vocabulary import Anchor, Vocabulary, VocabularyConfig, canonical_distance


def unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def vocabulary_of(centers: np.ndarray, radii: np.ndarray) -> Vocabulary:
    size, dimension = centers.shape
    config = VocabularyConfig("none", "none", "fp32", dimension, "token", size, 99.0, "random", 0, size)
    return Vocabulary(centers, radii.astype(np.float32), tuple(Anchor("", "", "") for _ in range(size)), config)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[np.ndarray, Vocabulary]:
    """Spans and centers with duplicates, and radii that are often exactly some span's distance."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    dimension = draw(st.integers(2, 40))
    centers = unit(random.standard_normal((draw(st.integers(1, 60)), dimension)))
    copies = random.integers(0, len(centers), (2, len(centers) // 4))
    centers[copies[0]] = centers[copies[1]]
    spans = unit(random.standard_normal((draw(st.integers(1, 40)), dimension)))
    spans[:: draw(st.integers(1, 5))] = centers[random.integers(0, len(centers))]
    radii = random.uniform(0, draw(st.sampled_from([0.1, 1.0, 2.0])), len(centers)).astype(np.float32)
    for center in random.integers(0, len(centers), len(centers) // 2):
        radii[center] = canonical_distance(spans[random.integers(0, len(spans))], centers[center])
    return spans, vocabulary_of(centers, radii)


@settings(max_examples=examples(30))
@given(scene=scenes(), k=st.integers(1, 8))
def test_nearest_is_the_most_similar_whatever_the_radii(scene: tuple[np.ndarray, Vocabulary], k: int) -> None:
    spans, vocabulary = scene
    found = activate(spans, vocabulary, ActivationConfig(k=k, assignment="nearest"))
    for row, span in enumerate(spans):
        ranked = sorted((canonical_distance(span, center), number) for number, center in enumerate(vocabulary.centers))
        wanted = [number for _, number in ranked[:k]]
        assert found.centers[row].tolist() == wanted + [-1] * (k - len(wanted))


def plain(spans: np.ndarray, vocabulary: Vocabulary, k: int) -> list[list[tuple[int, np.float32]]]:
    rows = []
    for span in spans:
        ranked = sorted((canonical_distance(span, center), number) for number, center in enumerate(vocabulary.centers))
        covering = [(number, distance) for distance, number in ranked if distance <= vocabulary.radii[number]][:k]
        rows.append(covering)
    return rows


@settings(max_examples=examples(50))
@given(scene=scenes(), k=st.integers(1, 8), threads=st.sampled_from([1, 2]))
def test_soft_activation_is_the_rule(scene: tuple[np.ndarray, Vocabulary], k: int, threads: int) -> None:
    spans, vocabulary = scene
    config = ActivationConfig(k=k)
    found = activate(spans, vocabulary, config, threads=threads)
    for row, expected in enumerate(plain(spans, vocabulary, k)):
        taken = [center for center in found.centers[row].tolist() if center >= 0]
        assert taken == [center for center, _ in expected]
        for place, (_, distance) in enumerate(expected):
            assert found.similarities[row, place] == np.float32(1) - distance


@settings(max_examples=examples(30))
@given(scene=scenes())
def test_hard_activation_takes_the_nearest_center(scene: tuple[np.ndarray, Vocabulary]) -> None:
    spans, vocabulary = scene
    found = activate(spans, vocabulary, ActivationConfig(assignment="hard"))
    expected = [
        min((canonical_distance(span, center), number) for number, center in enumerate(vocabulary.centers))[1]
        for span in spans
    ]
    assert found.centers[:, 0].tolist() == expected


@settings(max_examples=examples(30))
@given(scene=scenes())
def test_the_covering_centers_are_counted_before_any_cap(scene: tuple[np.ndarray, Vocabulary]) -> None:
    spans, vocabulary = scene
    expected = [len(row) for row in plain(spans, vocabulary, len(vocabulary))]
    assert count_covering(spans, vocabulary, threads=1).tolist() == expected


def test_many_spans_give_the_same_rows_as_one_at_a_time() -> None:
    random = np.random.default_rng(5)
    spans = unit(random.standard_normal((1000, 33)))
    vocabulary = vocabulary_of(unit(random.standard_normal((700, 33))), np.full(700, 0.7))
    together = activate(spans, vocabulary, ActivationConfig(), threads=2)
    for row in range(0, 1000, 97):
        alone = activate(spans[row : row + 1], vocabulary, ActivationConfig())
        assert alone.centers.tolist() == together.centers[row : row + 1].tolist()
        assert alone.similarities.tolist() == together.similarities[row : row + 1].tolist()


def test_no_spans_activate_nothing() -> None:
    vocabulary = vocabulary_of(np.eye(4, dtype=np.float32), np.ones(4))
    assert activate(np.empty((0, 4), np.float32), vocabulary, ActivationConfig()).centers.shape == (0, 5)


def test_wrong_input_is_refused_with_a_reason() -> None:
    vocabulary = vocabulary_of(np.eye(4, dtype=np.float32), np.ones(4))
    with pytest.raises(InputError, match="at least 1"):
        activate(np.eye(4, dtype=np.float32), vocabulary, ActivationConfig(k=0))
    with pytest.raises(InputError, match="3 dimensions, the centers 4"):
        activate(np.eye(3, dtype=np.float32), vocabulary, ActivationConfig())
    with pytest.raises(SparseCoverageError, match="not a number"):
        activate(np.full((2, 4), np.nan, np.float32), vocabulary, ActivationConfig())
