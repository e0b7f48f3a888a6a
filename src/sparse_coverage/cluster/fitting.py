"""`fit` on a cluster: encoding, sampling, choosing centers and measuring cells are shared out; the model is the same."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.cleaning_encoder import with_cleaning
from sparse_coverage.cluster.cells import assign
from sparse_coverage.cluster.connection import Cluster
from sparse_coverage.cluster.documents import Report, input_digest
from sparse_coverage.cluster.encoders import EncoderSpec
from sparse_coverage.cluster.sampling import sample_on_cluster
from sparse_coverage.cluster.share import PointsFile
from sparse_coverage.cluster.shared_files import require_same_run
from sparse_coverage.cluster.traversal import traverse
from sparse_coverage.encoding import DEFAULT_ENCODER, load_encoder
from sparse_coverage.model import MAX_SPANS, SparseCoverage
from sparse_coverage.presets import DEFAULT_PRESET, get_preset
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SampleConfig, SpanSample, Vocabulary, VocabularyConfig, build_vocabulary
from sparse_coverage.vocabulary.build import check_settings, levels_of
from sparse_coverage.vocabulary.common import CommonPart
from sparse_coverage.vocabulary.radii import measure_cells
from sparse_coverage.vocabulary.sample import POINTS


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
    max_spans: int = MAX_SPANS,
    seed: int = 0,
    on_problem: Report | None = None,
) -> SparseCoverage:
    """Learn the vocabulary of the patents in some files: what `SparseCoverage.fit` learns from them, bit for bit.

    All nodes must see the files and the folder `work`, which keeps the state of the run: interrupted, the same call goes
    on from there. Farthest-first is shared out; other selections choose on this machine, after encoding on the cluster.
    """
    check_settings(size=size, sizes=sizes, tau=tau, seed=seed, selection=selection, max_spans=max_spans)
    method = get_preset(preset)
    work = Path(work).absolute()
    names = [str(path) for path in paths]
    plain = load_encoder(encoder, runtime=runtime, precision=precision, threads=cluster.threads)
    running = with_cleaning(plain, clean)
    spec = EncoderSpec.of(plain, clean, runtime, cluster.threads)
    name = get_unit(unit).name
    config = SampleConfig(
        running.fingerprint, running.precision, running.dimension, name, max_spans, max_documents, seed
    )
    state = work / "cluster"
    state.mkdir(parents=True, exist_ok=True)
    cluster.check_folder(state)
    settings = {"language": language, "encoder": running.fingerprint, "precision": running.precision, "unit": name}
    require_same_run(
        state,
        {"input": input_digest(names), **settings, "documents": max_documents, "spans": max_spans, "seed": seed},
    )
    sample = sample_on_cluster(cluster, work, names, language, running, spec, config, on_problem)
    shutil.rmtree(state / "documents", ignore_errors=True)  # encoded; nothing else will be read from them
    if selection != "farthest-first":
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
            checkpoints=work,
        )
    else:
        levels = levels_of(sample, size, sizes)
        wanted = VocabularyConfig(
            encoder=running.name,
            fingerprint=running.fingerprint,
            precision=running.precision,
            dimension=running.dimension,
            unit=name,
            size=levels[-1],
            tau=tau,
            selection=selection,
            seed=seed,
            spans=len(sample),
            documents=sample.documents,
            common=method.common,
        )
        vocabulary = _cover(cluster, sample, wanted, levels, state)
    return SparseCoverage(plain, vocabulary, method.activation, method.scoring, clean)


def _cover(
    cluster: Cluster, sample: SpanSample, config: VocabularyConfig, levels: list[int], state: Path
) -> Vocabulary:
    """Choose centers by farthest-first and measure their cells, as `build_vocabulary` does on one machine."""
    part = None if config.common is None else CommonPart.of(sample.points, config.common)
    kind = "" if part is None else f"-without-{part.fingerprint}"
    if part is not None:
        sample = sample.without(part)  # leaves a file in the shared folder
    path = sample.folder / POINTS
    file = PointsFile(str(path.with_stem(path.stem + kind)), len(sample), config.dimension)
    chosen = traverse(cluster, file, config.size, config.seed, state / f"centers-{config.seed}{kind}.safetensors")
    assigned = assign(cluster, file, chosen.rows, levels)
    cells = {level: measure_cells(assignment, level, config.tau) for level, assignment in assigned.items()}
    return Vocabulary(
        centers=sample.points.rows(chosen.rows),
        radii=cells[config.size].radii,
        anchors=sample.anchors(chosen.rows),
        config=config,
        levels=cells,
        gaps=chosen.distances,
        common=part,
    )
