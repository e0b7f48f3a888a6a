"""What is exported: weights whose plain dot product is our score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import CENTERS, made_up_source, our_scores, random_queries

from sparse_coverage import ScoringConfig
from sparse_coverage.errors import InputError
from sparse_coverage.formats.source import Quantiser, center_names


@given(seed=st.integers(0, 10_000), gamma=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=examples(15))
def test_the_dot_product_of_exported_vectors_is_the_score(tmp_path_factory, seed, gamma):
    source = made_up_source(tmp_path_factory.mktemp("store"), seed, ScoringConfig(gamma=gamma, rho=0.03))
    vectors = random_queries(seed)
    queries = source.queries([str(number) for number in range(len(vectors))], vectors)
    for vector, (_, terms, weights) in zip(vectors, queries, strict=True):
        side = np.zeros(CENTERS)
        side[terms] = weights
        dots = {
            id_: float(unit_weights @ side[unit_terms])
            for rows in source.blocks()
            for id_, unit_terms, unit_weights in rows
        }
        expected = our_scores(source, vector)
        assert list(dots) == list(expected)  # the same units, in corpus order, deleted ones left out
        np.testing.assert_allclose(list(dots.values()), list(expected.values()), rtol=2e-6, atol=1e-6)


def test_the_largest_weight_and_the_number_of_weights_are_those_of_the_rows(tmp_path):
    source = made_up_source(tmp_path / "store", seed=3)
    weights = np.concatenate([rows.weights for rows in source.blocks()])
    assert weights.max() == source.largest
    assert (weights > 0).sum() == source.postings > 0


def test_the_made_up_index_has_what_can_go_wrong(tmp_path):
    """Several segments, a deleted document, a stop center, a unit without any center: else the tests above show little."""
    source = made_up_source(tmp_path / "store", seed=3)
    assert len(source.store.segments) > 1
    assert source.store.manifest["deleted_documents"] > 0
    assert source.statistics.stop.sum() == 1
    assert source.store.frequencies[source.statistics.stop].sum() > 0
    assert any(len(terms) == 0 for rows in source.blocks() for _, terms, _ in rows)


def test_the_units_come_with_their_documents(tmp_path: Path):
    source = made_up_source(tmp_path / "store")
    units = list(source.passages())
    assert [unit.id for unit in units] == [id_ for rows in source.blocks() for id_ in rows.ids]
    assert all(unit.id.startswith(f"{unit.document}/p[") for unit in units)
    assert "XX-0-A1" not in {unit.document for unit in units}  # it was deleted


@given(st.integers(1, 16), st.lists(st.floats(2**-10, 50, width=32), min_size=1))
def test_quantising_is_off_by_half_a_step_at_most_and_loses_no_weight(bits, values):
    weights = np.asarray(values, np.float32)
    quantiser = Quantiser(bits, float(weights.max()))
    whole = quantiser(weights)
    assert whole.min() >= 1
    assert whole.max() == 2**bits - 1
    off = np.abs(whole / quantiser.scale - weights)
    assert (off[whole > 1] <= 0.5001 / quantiser.scale).all()
    assert (off <= 1.0001 / quantiser.scale).all()


def test_more_bits_than_sixteen_are_refused():
    with pytest.raises(InputError, match="1 to 16 bits, not 17"):
        Quantiser(17, 1.0)


@given(st.integers(1, 2000))
def test_the_order_of_center_names_is_that_of_the_centers(count):
    names = center_names(count)
    assert len(set(names)) == count
    assert sorted(names) == list(names)
