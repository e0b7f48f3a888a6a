"""A row with several seeds: each is measured by itself; the row has their mean, and how far they lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparse_coverage.evaluation.measures import AnyMeasure
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluate import Evaluation, evaluate_system
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems import reads


def seeded(system: str, options: SystemOptions, seeds: int) -> list[SystemOptions]:
    """Return the options with as many seeds, from their own on; once, where the system draws nothing at random.

    >>> [one.seed for one in seeded("paper", SystemOptions(seed=3), 2)], len(seeded("bm25", SystemOptions(), 2))
    ([3, 4], 1)
    """
    count = seeds if "seed" in reads(system) else 1
    return [replace(options, seed=options.seed + step) for step in range(count)]


def evaluate_seeds(
    bench: Workbench,
    system: str,
    options: SystemOptions,
    measures: Sequence[AnyMeasure],
    seeds: int = 1,
    *,
    fresh: bool = False,
) -> Evaluation:
    """Evaluate a system with several seeds and return it as one evaluation."""
    every = seeded(system, options, seeds)
    return over_seeds([evaluate_system(bench, system, one, measures, fresh=fresh) for one in every])


def over_seeds(found: Sequence[Evaluation]) -> Evaluation:
    """Put the evaluations of several seeds together: every query has the mean of its values, the row the means of each seed.

    Intervals and tests are over queries, as for one seed; the spread over seeds is told beside them.
    """
    first = found[0]
    if len(found) == 1:
        return first
    values = {
        measure: {query: sum(one.values[measure][query] for one in found) / len(found) for query in by_query}
        for measure, by_query in first.values.items()
    }
    costs = [one.cost for one in found if one.cost is not None]
    cost = sum(costs) / len(costs) if costs else None
    seconds = sum(one.seconds for one in found)
    return replace(first, values=values, cost=cost, seconds=seconds, run={}, seeds=tuple(one.means() for one in found))
