"""The sample of spans that a vocabulary is chosen from, encoded on the cluster: the same as a local run draws.

A span's draw depends on the seed and its place alone, and documents are encoded in groups that depend on the documents
alone, so a group can be encoded anywhere. The cluster leaves what `draw_sample` would leave before its last step.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from safetensors import safe_open

from sparse_coverage.cluster.connection import Cluster
from sparse_coverage.cluster.documents import DocumentSize, Report, documents_at, read_shards
from sparse_coverage.cluster.encoders import EncoderSpec
from sparse_coverage.cluster.shared_files import clear_leftovers, published
from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import MismatchError
from sparse_coverage.files import write_json
from sparse_coverage.patents import Patent
from sparse_coverage.progress import progress_bar
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SampleConfig, SpanSample, draw_sample
from sparse_coverage.vocabulary.sampling.documents import sample_by_year
from sparse_coverage.vocabulary.sampling.sample import SAMPLE
from sparse_coverage.vocabulary.sampling.sampler import (
    GROUP_CHARACTERS,
    Draws,
    Sampler,
    Threshold,
    grouped,
    sections_of,
)
from sparse_coverage.vocabulary.sampling.shards import ShardFolder

Place = tuple[int, int]
"""A document: its shard, and its number there."""


def sample_on_cluster(
    cluster: Cluster,
    work: Path,
    paths: list[str],
    language: str,
    encoder: Encoder,
    spec: EncoderSpec,
    config: SampleConfig,
    report: Report | None,
) -> SpanSample:
    """Draw the sample of these patents into the folder `work`, or open the one that is there."""
    state = work / "cluster"
    encoded, finished = state / "encoded", state / "encoded.json"
    require_of_cluster(work, finished)
    if not finished.exists():
        encoded.mkdir(parents=True, exist_ok=True)
        readings = read_shards(cluster, state / "documents", paths, language, section_characters, report)
        groups = list(_groups(readings, config))
        _encode(cluster, state, groups, spec, config)
        write_json(finished, {"groups": len(groups)})
    if encoded.exists() and finished.exists():
        if (work / "shards").exists():
            ShardFolder(work / "shards").remove()  # of a local run that did not end
        clear_leftovers(encoded)
        encoded.replace(work / "shards")
    return draw_sample(work, (), encoder, get_unit(config.unit), config)


def require_of_cluster(work: Path, finished: Path) -> None:
    """Refuse the finished sample of a run on one machine, of which nobody here knows what it was drawn from."""
    if (work / SAMPLE).exists() and not finished.exists():
        raise MismatchError(
            f"{work} holds the sample of a run on one machine. Finish that one without the cluster, or choose another folder."
        )


def section_characters(patent: Patent) -> tuple[int, ...]:
    """Return how much text a document adds to its group."""
    return (sum(len(section.text) for section in sections_of(patent, 0)),)


def encode_group(
    documents: str, target: str, places: list[Place], spec: EncoderSpec, config: SampleConfig, threshold: int
) -> Draws:
    """Encode a group of documents, on a worker, and leave the spans whose draws are at most the threshold."""
    path = Path(target)
    if not path.exists():
        (group,) = grouped(documents_at(Path(documents), places))
        with TemporaryDirectory(prefix="sparse-coverage-") as folder:
            sampler = Sampler(Path(folder), config)
            sampler.threshold.value = threshold
            shard = sampler.encode(group, spec.load_cleaning(), get_unit(config.unit))
            local = ShardFolder(Path(folder) / "group")
            local.write(0, shard)
            with published(path) as partial:
                partial.write_bytes((Path(folder) / "group" / "000000.safetensors").read_bytes())
    with safe_open(path, framework="numpy") as file:
        draws: Draws = file.get_tensor("draws")
    return draws


def _groups(readings: Iterator[list[DocumentSize]], config: SampleConfig) -> Iterator[list[Place]]:
    """Cut the documents, or those sampled by year, into the groups that a local run would encode."""
    for group in windows(sampled_documents(readings, config), lambda one: sum(one[0].sizes), GROUP_CHARACTERS):
        yield [place for _, place in group]


def sampled_documents(readings: Iterator[list[DocumentSize]], config: SampleConfig) -> list[tuple[DocumentSize, Place]]:
    """Return the documents, or those sampled by year, with their places."""
    listed = [
        (document, (shard, number))
        for shard, documents in enumerate(readings)
        for number, document in enumerate(documents)
    ]
    if config.max_documents is not None:
        # The rule looks at ids and dates only, so documents without texts stand for the real ones.
        stand_ins = [
            Patent(document.id, publication_date=document.date, source=str(number))
            for number, (document, _) in enumerate(listed)
        ]
        chosen = sample_by_year(stand_ins, config.max_documents, config.seed)
        listed = [listed[int(stand_in.source)] for stand_in in chosen if isinstance(stand_in, Patent)]
    return listed


def _encode(cluster: Cluster, state: Path, groups: list[list[Place]], spec: EncoderSpec, config: SampleConfig) -> None:
    threshold = Threshold(config.max_spans)  # only spares disk: the last step decides
    calls = (
        (
            str(state / "documents"),
            str(state / "encoded" / f"{number:06d}.safetensors"),
            places,
            spec,
            config,
            threshold.value,  # as low as it is known to be when the group is handed out
        )
        for number, places in enumerate(groups)
    )
    with progress_bar("Encoding documents", sum(map(len, groups))) as advance:
        for places, draws in zip(groups, cluster.run(encode_group, calls), strict=True):
            threshold.add(draws)
            threshold.lower()
            advance(len(places))
