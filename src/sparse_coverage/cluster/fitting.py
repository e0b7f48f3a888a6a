"""`fit` on a cluster: encoding, sampling, choosing centers and measuring cells are shared out; the model is the same."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.cluster.connection import Cluster, EncoderSpec, require_same_run
from sparse_coverage.cluster.documents import Report, input_digest
from sparse_coverage.cluster.sampling import sample_on_cluster, sample_passages_on_cluster
from sparse_coverage.cluster.traversal import PointsFile, traverse
from sparse_coverage.encoding import DEFAULT_ENCODER, load_encoder
from sparse_coverage.encoding.encoder import with_cleaning
from sparse_coverage.model import SparseCoverage, sample_config, sample_size
from sparse_coverage.patents.passages import By
from sparse_coverage.presets import DEFAULT_PRESET, get_preset
from sparse_coverage.progress import progress_bar
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SpanSample, build_vocabulary
from sparse_coverage.vocabulary.build import Assignments, ChosenCenters, OnThisMachine, check_settings
from sparse_coverage.vocabulary.nearest import Assignment, nearest_centers

STEP = 1 << 16
"""How many points a task assigns to their nearest centers."""


def fit_on_cluster(
    cluster: Cluster,
    paths: Sequence[str | Path],
    work: str | Path,
    *,
    preset: str = DEFAULT_PRESET,
    language: str = "en",
    encoder: str = DEFAULT_ENCODER,
    runtime: str = "auto",
    precision: str = "auto",
    clean: Sequence[str] = (),
    unit: str = "token",
    size: int | None = None,
    sizes: Sequence[int] = (),
    tau: float = 99.0,
    selection: str = "farthest-first",
    max_documents: int | None = None,
    max_spans: int | None = None,
    seed: int = 0,
    by: By | None = None,
    on_problem: Report | None = None,
) -> SparseCoverage:
    """Learn the vocabulary of the patents in some files: what `SparseCoverage.fit` learns from them, bit for bit.

    All nodes must see the files and the folder `work`, which keeps the state of the run: interrupted, the same call goes
    on from there. Farthest-first is shared out; other selections choose on this machine, after encoding on the cluster.
    """
    method = get_preset(preset) if by is None else replace(get_preset(preset), by=by)
    max_spans = max_spans or sample_size(method, size, sizes)
    check_settings(size=size, sizes=sizes, tau=tau, seed=seed, selection=selection, max_spans=max_spans)
    work = Path(work).absolute()
    names = [str(path) for path in paths]
    plain = load_encoder(encoder, runtime=runtime, precision=precision, threads=cluster.threads)
    running = with_cleaning(plain, clean)
    spec = EncoderSpec.of(plain, clean, runtime, cluster.threads)
    name = get_unit(unit).name
    config = sample_config(method, running, name, max_spans, max_documents, seed)
    state = work / "cluster"
    state.mkdir(parents=True, exist_ok=True)
    cluster.check_folder(state)
    settings = {"language": language, "encoder": running.fingerprint, "precision": running.precision, "unit": name}
    require_same_run(
        state,
        {
            "input": input_digest(names),
            **settings,
            "documents": max_documents,
            "spans": max_spans,
            "seed": seed,
            "by": config.by,
        },
    )
    sample = (
        sample_passages_on_cluster(cluster, work, names, language, spec, config, config.by, on_problem)
        if config.by
        else sample_on_cluster(cluster, work, names, language, running, spec, config, on_problem)
    )
    shutil.rmtree(state / "documents", ignore_errors=True)  # encoded; nothing else will be read from them
    steps = OnCluster(cluster, state) if selection == "farthest-first" else OnThisMachine(checkpoints=work)
    vocabulary = build_vocabulary(
        sample,
        running,
        name,
        size=size,
        sizes=sizes,
        tau=tau,
        seed=seed,
        selection=selection,
        common=method.common,
        steps=steps,
    )
    return SparseCoverage(
        plain, vocabulary, method.activation, method.scoring, clean, method.by, without=method.without
    )


@dataclass(frozen=True, slots=True)
class OnCluster:
    """Runs the long steps of building a vocabulary by farthest-first on a cluster that sees the folder of the sample."""

    cluster: Cluster
    state: Path

    def choose(self, sample: SpanSample, selection: str, size: int, seed: int) -> ChosenCenters:
        """As `LongSteps.choose`."""
        path = self.state / f"centers-{seed}{sample.variant}.safetensors"
        found = traverse(self.cluster, PointsFile.of(sample), size, seed, path)
        return ChosenCenters(found.rows, sample.points.rows(found.rows), found.distances)

    def assign(
        self, sample: SpanSample, chosen: ChosenCenters, selection: str, sizes: list[int], seed: int
    ) -> Assignments:
        """As `LongSteps.assign`."""
        cluster, file, total = self.cluster, PointsFile.of(sample), len(sample)
        found = {size: Assignment(np.zeros(total, np.int32), np.zeros(total, np.float32)) for size in sizes}
        centers = cluster.share(chosen.centers)
        tops = range(0, total, STEP)
        calls = ((file, top, centers, sizes, cluster.threads) for top in tops)
        with progress_bar("Assigning spans", total) as advance:
            for top, parts in zip(tops, cluster.run(assign_part, calls), strict=True):
                for size, part in parts.items():
                    found[size].nearest[top : top + STEP] = part.nearest
                    found[size].distances[top : top + STEP] = part.distances
                advance(min(STEP, total - top))
        return found


def assign_part(file: PointsFile, top: int, centers: Any, sizes: list[int], threads: int) -> Assignments:
    """Assign some points, on a worker."""
    points = file.rows(top, top + STEP)
    return nearest_centers(points, np.array(centers), sizes=sizes, threads=threads, quiet=True)
