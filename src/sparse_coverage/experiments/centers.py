"""The three properties of Appendix C: how compact the cells are, how sparse the activations, how balanced the lists."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluate import result_path
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.files import read_json, write_json
from sparse_coverage.vectors.activation import count_covering

SPANS = 20_000
"""How many of the sampled spans the activation rate is measured on, drawn with the seed."""


@dataclass(frozen=True, slots=True)
class CenterProperties:
    """`radius`: the median. `rate`: centers that cover a span, before the cap, over V. `skew`: longest list over the mean."""

    radius: float
    rate: float
    skew: float


def center_properties(bench: Workbench, options: SystemOptions, *, fresh: bool = False) -> CenterProperties:
    """Measure the vocabulary and the index of some options, or find what was measured before."""
    path = result_path(bench, "paper", options, ["centers"])
    if path.is_file() and not fresh:
        return CenterProperties(**read_json(path))
    index = bench.index(options)
    vocabulary = bench.model(options).vocabulary
    sample = bench.sample(options)
    rows = np.random.default_rng([options.seed, 5]).permutation(len(sample))[:SPANS]
    covering = count_covering(sample.points.rows(np.sort(rows)), vocabulary)
    lengths = index.store.frequencies
    found = CenterProperties(
        float(np.median(vocabulary.radii)),
        float(covering.mean() / len(vocabulary)),
        float(lengths.max() / max(lengths.mean(), 1e-12)),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, asdict(found))
    return found
