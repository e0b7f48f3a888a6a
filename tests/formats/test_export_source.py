"""What is exported: weights whose plain dot product is our score."""

from __future__ import annotations

import numpy as np
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import CENTERS, made_up_source, our_scores, random_queries

from sparse_coverage import ScoringConfig
from sparse_coverage.formats.source import Quantiser


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
