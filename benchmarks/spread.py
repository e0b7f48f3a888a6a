"""How much a result depends on chance: the seed, the first center alone, and the rounding of span vectors to half precision.

    python benchmarks/spread.py demo path/to/patsnap path/to/claims-to-papers.toml -V 2000 --seeds 5
    python benchmarks/spread.py demo --quick

For each collection and preset: R@100 and MAP x 100 over so many seeds (mean, standard deviation, least and most). `seeds`: sample and
first center are drawn anew. `first centers`: the sample of the first seed, other first centers. `float32`: the sample and first center of
the first seed, with vectors as the encoder made them instead of rounded to half precision: the difference to it. `centers`: the
share of the centers that are the same spans as those of the first seed. Vocabularies are learned from passages in both presets, so
that all of it can be drawn from one sample.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.find_collection import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.experiments.bench import Workbench, _core
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.evaluate import Evaluation, evaluate_system
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems import concerning
from sparse_coverage.model import SparseCoverage
from sparse_coverage.vocabulary import SpanSample, Vocabulary, build_vocabulary
from sparse_coverage.vocabulary.points import Points
from sparse_coverage.vocabulary.sampling.passages import EncodedGroups

MEASURES = tuple(parse_measure(name) for name in ("R@100", "MAP"))
COLUMNS = ("", "R@100", "least-most", "MAP", "least-most", "centers in common")


@dataclass(frozen=True)
class Line:
    """What several vocabularies gave, and which share of the first one's centers each of them has."""

    name: str
    found: Sequence[dict[str, float]]
    common: Sequence[float]

    def cells(self) -> list[str]:
        cells = [self.name]
        for measure in ("R@100", "MAP"):
            values = [100 * one[measure] for one in self.found]
            spread = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
            cells += [f"{mean(values):.1f}{spread}", f"{min(values):.1f}-{max(values):.1f}" if spread else ""]
        return [*cells, " ".join(f"{share:.0%}" for share in self.common)]


def measured(spec: str, preset: str, size: int, seeds: int, cache: Path) -> list[Line]:
    """Measure one preset on one collection."""
    options = replace(concerning(preset, SystemOptions(size=size)), learn="passages")
    with Workbench(load_collection(spec), cache) as bench:
        every = [replace(options, seed=seed) for seed in range(seeds)]
        bench.plan(every)
        drawn = [evaluate_system(bench, "paper", one, MEASURES) for one in every]
        first = bench.model(options).vocabulary
        shares = [shared(first, bench.model(one).vocabulary) for one in every[1:]]
        lines = [Line(f"{preset}, {seeds} seeds", [one.means() for one in drawn], shares)]
        sample = bench.sample(options)
        others = [rebuilt(bench, options, sample, seed) for seed in range(1, seeds)]
        values = [drawn[0], *(evaluate_with(bench, options, one, 1000 + n) for n, one in enumerate(others))]
        lines.append(
            Line(f"{preset}, {seeds} first centers", [v.means() for v in values], [shared(first, v) for v in others])
        )
        exact = rebuilt(bench, options, unrounded(sample), 0)
        value = evaluate_with(bench, options, exact, 2000)
        return [*lines, Line(f"{preset}, float32", [value.means()], [shared(first, exact)])]


def rebuilt(bench: Workbench, options: SystemOptions, sample: SpanSample, seed: int) -> Vocabulary:
    """Choose centers from a sample, beginning with that of a seed."""
    encoder = bench.encoder(options.encoder)
    assert options.size is not None
    return build_vocabulary(
        sample, encoder, options.unit, size=options.size, sizes=[options.size], seed=seed, common=options.common
    )


def evaluate_with(bench: Workbench, options: SystemOptions, vocabulary: Vocabulary, number: int) -> Evaluation:
    """Evaluate a vocabulary made here: under a seed that no other row has."""
    mine = replace(options, seed=number)
    model = SparseCoverage(bench.encoder(options.encoder), vocabulary, mine.activation)
    bench._models[_core(mine)] = model
    return evaluate_system(bench, "paper", mine, MEASURES, fresh=True)


def unrounded(sample: SpanSample) -> SpanSample:
    """Return a sample with the vectors that its passages were encoded to, in the same order."""
    rows = [
        spans.vectors[spans.vectors.any(axis=1)]
        for group in EncodedGroups(sample.folder / "encoded")
        for spans in group
    ]
    matrix = np.concatenate(rows)[: len(sample)].astype(np.float32)
    rounded = sample.points.rows(np.arange(0, len(sample), 97))
    assert np.abs(matrix[::97] - rounded).max() < 1e-3, "not the vectors of this sample"
    changed = copy(sample)
    changed.points = Points(matrix)
    changed.variant = "-float32"
    changed.without = lambda part: _removed(changed, part)  # type: ignore[method-assign]
    return changed


def _removed(sample: SpanSample, part: object) -> SpanSample:
    changed = copy(sample)
    numbers = np.arange(len(sample))
    changed.points = Points(np.asarray(part.remove(sample.points.rows(numbers)), dtype=np.float32))  # type: ignore[attr-defined]
    return changed


def shared(first: Vocabulary, other: Vocabulary) -> float:
    """Return the share of centers that are the same words in the same passage."""
    ours = set(first.anchors)
    return sum(anchor in ours for anchor in other.anchors) / len(other)


def markdown(lines: Sequence[Line]) -> str:
    rows = [COLUMNS, ("---", *["---:"] * (len(COLUMNS) - 1)), *(line.cells() for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="500 centers, two seeds")
    options = parser.parse_args()
    size, seeds = (500, 2) if options.quick else (options.size, options.seeds)
    console = Console(width=140)
    console.print(describe())
    for spec in options.collections:
        lines = [
            line for preset in ("paper", "default") for line in measured(spec, preset, size, seeds, default_cache())
        ]
        table = Table(*COLUMNS, title=f"{Path(spec).stem}, V={size:,}")
        for line in lines:
            table.add_row(*line.cells())
        console.print(table)
        print(markdown(lines), flush=True)


if __name__ == "__main__":
    main()
