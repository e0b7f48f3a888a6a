"""From a sample of spans to a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparse_coverage.encoding.encoder import Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.vocabulary.nearest import Assignment, measure_cells, nearest_centers
from sparse_coverage.vocabulary.points import Centers, CommonPart
from sparse_coverage.vocabulary.sampling.sample import SpanSample
from sparse_coverage.vocabulary.selection import NESTED, SELECTIONS, Choice, ChosenCenters
from sparse_coverage.vocabulary.vocabulary import Vocabulary, VocabularyConfig

Assignments = dict[int, Assignment]
"""For each size V, every span's nearest center among the first V, and its distance."""

DEFAULT_SIZE = 10_000
SPANS_PER_CENTER = 10
"""Where no size is asked for, a small collection gets one center for this many spans."""


def check_settings(
    *,
    size: int | None = None,
    sizes: Sequence[int] = (),
    tau: float = 99.0,
    seed: int = 0,
    selection: str = "farthest-first",
    max_spans: int | None = None,
) -> None:
    """Refuse what no sample could satisfy, before one is drawn: encoding may take hours."""
    if not 0 < tau <= 100:
        raise InputError(f"tau is a percentile: above 0, at most 100, not {tau}.")
    if seed < 0:
        raise InputError(f"A seed is a whole number from 0 on, not {seed}.")
    if selection not in SELECTIONS:
        raise InputError(f"There is no selection '{selection}'. The selections are: {', '.join(SELECTIONS)}.")
    largest = max((*sizes, 1)) if size is None else size
    if largest < 1:
        raise InputError(f"A vocabulary needs at least one center, not {largest}.")
    if not all(1 <= smaller <= largest for smaller in sizes):
        raise InputError(
            f"Smaller sizes must lie between 1 and the size {largest:,}, not {', '.join(map(str, sizes))}."
        )
    if len({*sizes, *([] if size is None else [size])}) > 1 and selection not in NESTED:
        raise InputError(f"The selection '{selection}' is not nested: fit each size by itself, without smaller sizes.")
    if max_spans is not None and largest > max_spans:
        raise InputError(f"{largest:,} centers cannot be chosen from at most {max_spans:,} spans: sample more spans.")


class LongSteps(Protocol):
    """The two steps of building a vocabulary that take long, wherever they run: on this machine, or on a cluster."""

    def choose(self, sample: SpanSample, selection: str, size: int, seed: int) -> ChosenCenters:
        """Choose centers among the spans."""
        ...

    def assign(
        self, sample: SpanSample, chosen: ChosenCenters, selection: str, sizes: list[int], seed: int
    ) -> Assignments:
        """Assign every span to the nearest of the first V centers, for each of the sizes V, which rise."""
        ...


@dataclass(frozen=True, slots=True)
class OnThisMachine:
    """Runs them here. In the folder `checkpoints` an interrupted run leaves its state."""

    threads: int | None = None
    checkpoints: Path | None = None

    def choose(self, sample: SpanSample, selection: str, size: int, seed: int) -> ChosenCenters:
        """As `LongSteps.choose`."""
        path = self._checkpoint(f"traversal-{seed}{sample.variant}.npz")
        return SELECTIONS[selection](sample, Choice(size, seed, self.threads, path))

    def assign(
        self, sample: SpanSample, chosen: ChosenCenters, selection: str, sizes: list[int], seed: int
    ) -> Assignments:
        """As `LongSteps.assign`."""
        path = self._checkpoint(f"cells-{selection}-{seed}-{'-'.join(map(str, sizes))}{sample.variant}.bin")
        centers = Centers.of(chosen.centers)
        return nearest_centers(sample.points, centers, sizes=sizes, threads=self.threads, checkpoint=path)

    def _checkpoint(self, name: str) -> Path | None:
        return None if self.checkpoints is None else self.checkpoints / name


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
    common: int | None = None,
    threads: int | None = None,
    checkpoints: Path | None = None,
    steps: LongSteps | None = None,
    only: str = "",
) -> Vocabulary:
    """Choose centers among the sampled spans and give each its radius.

    Without a `size`: 10,000 centers, or a tenth of the spans where that is fewer. `sizes` are smaller sizes to measure
    radii for in the same pass, for `Vocabulary.truncate`. `common`: remove the mean of the vectors and this many of their
    strongest common directions first. In the folder `checkpoints` an interrupted run leaves its state. `steps` runs the
    long steps elsewhere. `only` says in words which documents the sample was drawn from.
    """
    if size is None:
        size = max((*sizes, max(1, min(DEFAULT_SIZE, len(sample) // SPANS_PER_CENTER))))
    levels = sorted({*sizes, size})
    check_settings(size=size, sizes=sizes, tau=tau, seed=seed, selection=selection)
    part = None if common is None else CommonPart.of(sample.points, common)
    sample = sample if part is None else sample.without(part)
    steps = steps or OnThisMachine(threads, checkpoints)
    chosen = steps.choose(sample, selection, size, seed)
    assigned = steps.assign(sample, chosen, selection, levels, seed)
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
        common=common,
        only=only,
    )
    return Vocabulary(chosen.centers, cells[size].radii, sample.anchors(chosen.rows), config, cells, chosen.gaps, part)
