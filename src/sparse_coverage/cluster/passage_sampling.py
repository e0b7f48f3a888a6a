"""The sample of passages that a vocabulary is chosen from, encoded on the cluster: the same as a local run draws.

Workers tell what each passage draws, this machine chooses among them, and workers encode the chosen ones, the lowest draws first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from safetensors import safe_open

from sparse_coverage.cluster.connection import Cluster
from sparse_coverage.cluster.documents import Report, documents_at, read_shards
from sparse_coverage.cluster.encoders import EncoderSpec
from sparse_coverage.cluster.sampling import Place, require_of_cluster, sampled_documents
from sparse_coverage.cluster.shared_files import clear_leftovers, published
from sparse_coverage.encoding.batching import windows
from sparse_coverage.files import write_json
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import progress_bar
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SampleConfig, SpanSample
from sparse_coverage.vocabulary.sampling.passages import (
    CHARACTERS_A_SPAN,
    GROUP_CHARACTERS,
    Chosen,
    PassageDraw,
    PassageSampler,
    as_row,
    draw_of,
    encode_passages,
    from_row,
    packed_group,
)
from sparse_coverage.vocabulary.sampling.sample import SAMPLE
from sparse_coverage.vocabulary.sampling.sampler import check_same

Chose = tuple[int, int, int]
"""A chosen passage: its shard, its document there, its number in the document."""


@dataclass(frozen=True, slots=True)
class PassageDraws:
    """Tells what each passage of a document draws, and how long it is."""

    by: By
    seed: int

    def __call__(self, patent: Patent) -> tuple[int, ...]:
        """Return draw and length, passage after passage."""
        found = ((draw_of(one.text, self.seed), len(one.text)) for one in passages(patent, by=self.by))
        return tuple(number for pair in found for number in pair)


def sample_passages_on_cluster(
    cluster: Cluster,
    work: Path,
    paths: list[str],
    language: str,
    spec: EncoderSpec,
    config: SampleConfig,
    by: By,
    report: Report | None,
) -> SpanSample:
    """Draw the sample of these patents into the folder `work`, or open the one that is there."""
    finished = work / "cluster" / "encoded.json"
    require_of_cluster(work, finished)
    check_same(work / "sampling.json", config)
    if (work / SAMPLE).exists():
        return SpanSample(work)
    documents = work / "cluster" / "documents"
    readings = read_shards(cluster, documents, paths, language, PassageDraws(by, config.seed), report)
    listed = sampled_documents(readings, config)
    draw: PassageDraw[Chose] = PassageDraw(CHARACTERS_A_SPAN * config.max_spans)
    for document, (shard, number) in listed:
        for passage in range(len(document.sizes) // 2):
            drawn, characters = document.sizes[2 * passage : 2 * passage + 2]
            draw.add(drawn, characters, (shard, number, passage))
    sampler = PassageSampler(work, config.max_spans)
    rows = _encode(cluster, documents, sampler, draw, spec, config, by)
    first = listed[0][0].id if listed else ""
    chosen = Chosen([from_row(row) for row in rows], len(listed), first)
    sampler.keep(chosen)
    write_json(finished, {"passages": len(rows)})
    sampler.finish(chosen, config.dimension)
    return SpanSample(work)


def _encode(
    cluster: Cluster,
    documents: Path,
    sampler: PassageSampler,
    draw: PassageDraw[Chose],
    spec: EncoderSpec,
    config: SampleConfig,
    by: By,
) -> list[list[str]]:
    """Encode the chosen passages group by group until there are spans enough; return these passages."""
    rows: list[list[str]] = []
    spans = groups = 0

    def calls() -> Iterator[tuple[str, str, list[Chose], EncoderSpec, str, int, By]]:
        for number, group in enumerate(windows(draw.chosen(), lambda one: one[0], GROUP_CHARACTERS)):
            if spans >= config.max_spans:
                return
            target = str(sampler.groups.path(number))
            yield str(documents), target, [one for _, one in group], spec, config.unit, config.dimension, by

    with progress_bar("Encoding a sample of passages", len(draw.chosen())) as advance:
        for count, found in cluster.run(encode_chosen, calls()):
            if spans < config.max_spans:
                spans, groups, rows = spans + count, groups + 1, rows + found
                advance(len(found))
    clear_leftovers(sampler.groups.path(0).parent)
    while sampler.groups.path(groups).exists():  # begun before it was known that the ones before suffice
        sampler.groups.path(groups).unlink()
        groups += 1
    return rows


def encode_chosen(
    documents: str, target: str, chosen: list[Chose], spec: EncoderSpec, unit: str, dimension: int, by: By
) -> tuple[int, list[list[str]]]:
    """Encode some passages, on a worker; return how many spans they have, and the passages."""
    places: list[Place] = sorted({(shard, number) for shard, number, _ in chosen})
    patents = dict(zip(places, documents_at(Path(documents), places), strict=True))
    cut = {place: list(passages(patent, by=by)) for place, patent in patents.items()}
    group = [cut[shard, number][passage] for shard, number, passage in chosen]
    path = Path(target)
    if not path.exists():
        found = encode_passages(group, spec.load_cleaning(), get_unit(unit))
        with published(path) as partial:
            partial.write_bytes(packed_group(found, dimension))
    with safe_open(path, framework="numpy") as file:
        count = int(file.get_tensor("counts").sum())
    return count, [as_row(passage) for passage in group]
