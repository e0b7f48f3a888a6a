"""From a sample of spans to a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.encoding.types import Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.quantised import Centers
from sparse_coverage.vocabulary.radii import measure_cells
from sparse_coverage.vocabulary.sample import SpanSample
from sparse_coverage.vocabulary.selections import NESTED, Choice, select
from sparse_coverage.vocabulary.types import Vocabulary, VocabularyConfig

DEFAULT_SIZE = 10_000
SPANS_PER_CENTER = 10
"""Where no size is asked for, a small collection gets one center for this many spans."""


def build_vocabulary(
    sample: SpanSample,
    encoder: Encoder,
    unit: str,
    *,
    size: int | None = None,
    sizes: Sequence[int] = (),
    tau: float = 99.0,
    seed: int = 0,
    selection: str = "farthest-first",
    threads: int | None = None,
    checkpoints: Path | None = None,
) -> Vocabulary:
    """Choose centers among the sampled spans and give each its radius.

    Without a `size`: 10,000 centers, or a tenth of the spans where that is fewer. `sizes` are smaller sizes to measure
    radii for in the same pass, for `Vocabulary.truncate`. In the folder `checkpoints` an interrupted run leaves its state.
    """
    if not 0 < tau <= 100:
        raise InputError(f"tau is a percentile: above 0, at most 100, not {tau}.")
    if size is None:
        size = max((*sizes, max(1, min(DEFAULT_SIZE, len(sample) // SPANS_PER_CENTER))))
    levels = sorted({*sizes, size})
    if levels[0] < 1 or levels[-1] > size:
        raise InputError(f"Smaller sizes must lie between 1 and the size {size:,}, not {', '.join(map(str, sizes))}.")
    if len(levels) > 1 and selection not in NESTED:
        raise InputError(f"The selection '{selection}' is not nested: fit each size by itself, without smaller sizes.")
    traversal = checkpoints / f"traversal-{seed}.npz" if checkpoints else None
    chosen = select(selection, sample, Choice(size, seed, threads, traversal))
    name = f"cells-{selection}-{seed}-{'-'.join(map(str, levels))}.bin"
    assigned = nearest_centers(
        sample.points,
        Centers.of(chosen.centers),
        sizes=levels,
        threads=threads,
        checkpoint=checkpoints / name if checkpoints else None,
    )
    cells = {level: measure_cells(assignment, level, tau) for level, assignment in assigned.items()}
    config = VocabularyConfig(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        precision=encoder.precision,
        dimension=encoder.dimension,
        unit=unit,
        size=size,
        tau=tau,
        selection=selection,
        seed=seed,
        spans=len(sample),
        documents=sample.documents,
    )
    return Vocabulary(chosen.centers, cells[size].radii, sample.anchors(chosen.rows), config, cells, chosen.gaps)
