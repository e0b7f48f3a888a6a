from __future__ import annotations

import itertools

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.significance import bootstrap, compare, holm, randomisation_test

values = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=9)


def test_the_interval_holds_the_mean_and_narrows_with_more_queries() -> None:
    random = np.random.default_rng(0)
    few, many = bootstrap(random.random(20)), bootstrap(random.random(2000))
    assert few.low < few.mean < few.high
    assert many.high - many.low < (few.high - few.low) / 5


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    inside = 0
    for seed in range(600):
        interval = bootstrap(random.random(60), resamples=1000, seed=seed)
        inside += interval.low <= 0.5 <= interval.high
    assert 0.92 <= inside / 600 <= 0.98


def test_nothing_to_average_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to average"):
        bootstrap([])


@settings(max_examples=examples(30))
@given(values, st.data())
def test_the_exact_test_counts_all_swaps(first: list[float], data: st.DataObject) -> None:
    second = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(first), max_size=len(first)))
    observed = abs(sum(second) - sum(first))
    as_large = total = 0
    for swaps in itertools.product((False, True), repeat=len(first)):
        difference = sum((a - b) if swap else (b - a) for a, b, swap in zip(first, second, swaps, strict=True))
        as_large += abs(difference) >= observed - 1e-9
        total += 1
    assert randomisation_test(first, second) == pytest.approx(as_large / total)


def test_the_sampled_test_agrees_with_the_exact_one() -> None:
    random = np.random.default_rng(5)
    first = random.random(13)
    second = first + random.normal(0.05, 0.1, 13)
    exact = randomisation_test(first, second)
    doubled_first, doubled_second = np.append(first, 0.0), np.append(second, 1e-9)  # one more query: sampled now
    assert randomisation_test(doubled_first, doubled_second) == pytest.approx(exact, abs=0.02)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_every_two_systems_are_compared() -> None:
    systems = {name: {f"q{n}": value for n in range(30)} for name, value in (("a", 0.2), ("b", 0.2), ("c", 0.9))}
    found = compare(systems, "R@100")
    assert [(c.first, c.second) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found[0].p == 1.0
    assert found[1].difference == pytest.approx(0.7)
    assert found[1].p_holm < 0.01
