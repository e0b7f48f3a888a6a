"""`fit` on a cluster: encoding and sampling are shared out; the model is the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from safetensors import safe_open

from sparse_coverage.cluster.connection import Cluster, EncoderSpec, require_same_run
from sparse_coverage.cluster.documents import DocumentSize, Report, documents_at, input_digest, read_shards
from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder, load_encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import MismatchError
from sparse_coverage.files import new_file, remove_partial_files, write_json
from sparse_coverage.model import SparseCoverage, sample_config, sample_size
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.presets import DEFAULT_PRESET, get_preset
from sparse_coverage.progress import progress_bar
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SampleConfig, SpanSample, build_vocabulary, draw_sample
from sparse_coverage.vocabulary import passage_sample as passage_sampling
from sparse_coverage.vocabulary.build import check_settings
from sparse_coverage.vocabulary.passage_sample import (
    CHARACTERS_A_SPAN,
    Chosen,
    PassageDraw,
    PassageSampler,
    as_row,
    draw_of,
    drawn_passages,
    encode_passages,
    from_row,
    packed_group,
    sample_bar,
)
from sparse_coverage.vocabulary.sampler import (
    GROUP_CHARACTERS,
    Draws,
    Sampler,
    Threshold,
    check_same,
    grouped,
    sections_of,
)
from sparse_coverage.vocabulary.sampling import sample_by_year
from sparse_coverage.vocabulary.span_sample import SAMPLE, ShardFolder


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
    on from there. Encoding is shared out; the centers are chosen on this machine, which takes minutes where that took days.
    """
    method = get_preset(preset) if by is None else replace(get_preset(preset), by=by)
    max_spans = max_spans or sample_size(method, size, sizes)
    check_settings(size=size, sizes=sizes, tau=tau, seed=seed, selection=selection, max_spans=max_spans)
    work = Path(work).absolute()
    names = [str(path) for path in paths]
    running = load_encoder(encoder, runtime=runtime, precision=precision, threads=cluster.threads)
    spec = EncoderSpec.of(running, runtime, cluster.threads)
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
    return SparseCoverage(running, vocabulary, method.activation, method.scoring, method.by, without=method.without)


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
        _encode_groups(cluster, state, groups, spec, config)
        write_json(finished, {"groups": len(groups)})
    if encoded.exists() and finished.exists():
        if (work / "shards").exists():
            ShardFolder(work / "shards").remove()  # of a local run that did not end
        remove_partial_files(encoded)
        encoded.replace(work / "shards")
    return draw_sample(work, (), encoder, get_unit(config.unit), config)


def require_of_cluster(work: Path, finished: Path) -> None:
    """Refuse a sample that a run on one machine finished: a cluster cannot check which documents it was drawn from."""
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
            shard = sampler.encode(group, spec.load(), get_unit(config.unit))
            local = ShardFolder(Path(folder) / "group")
            local.write(0, shard)
            with new_file(path) as partial:
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


def _encode_groups(
    cluster: Cluster, state: Path, groups: list[list[Place]], spec: EncoderSpec, config: SampleConfig
) -> None:
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


Chose = tuple[int, int, int]
"""A chosen passage: its shard, its document there, its number in the document."""


@dataclass(frozen=True, slots=True)
class PassageDraws:
    """Tells what each passage of a document draws, and how long it is."""

    by: By
    seed: int
    translations: bool

    def __call__(self, patent: Patent) -> tuple[int, ...]:
        """Return draw and length, passage after passage."""
        drawn = drawn_passages(patent, self.by, self.translations)
        found = ((draw_of(one.text, self.seed), len(one.text)) for one in drawn)
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
    draws = PassageDraws(by, config.seed, config.translations)
    readings = read_shards(cluster, documents, paths, language, draws, report)
    listed = sampled_documents(readings, config)
    draw: PassageDraw[Chose] = PassageDraw(CHARACTERS_A_SPAN * config.max_spans)
    for document, (shard, number) in listed:
        for passage in range(len(document.sizes) // 2):
            drawn, characters = document.sizes[2 * passage : 2 * passage + 2]
            draw.add(drawn, characters, (shard, number, passage))
    sampler = PassageSampler(work, config.max_spans)
    rows = _encode_chosen(cluster, documents, sampler, draw, spec, config, by)
    first = listed[0][0].id if listed else ""
    chosen = Chosen([from_row(row) for row in rows], len(listed), first)
    sampler.keep(chosen)
    write_json(finished, {"passages": len(rows)})
    sampler.finish(chosen, config.dimension)
    return SpanSample(work)


def _encode_chosen(
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
        for number, group in enumerate(windows(draw.chosen(), lambda one: one[0], passage_sampling.GROUP_CHARACTERS)):
            if spans >= config.max_spans:
                return
            target = str(sampler.groups.path(number))
            yield str(documents), target, [one for _, one in group], spec, config.unit, config.dimension, by

    with sample_bar(len(draw.chosen()), config.max_spans) as add:
        for count, found in cluster.run(encode_chosen, calls()):
            if spans < config.max_spans:
                spans, groups, rows = spans + count, groups + 1, rows + found
                add(len(found), count)
    remove_partial_files(sampler.groups.path(0).parent)
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
        found = encode_passages(group, spec.load(), get_unit(unit))
        with new_file(path) as partial:
            partial.write_bytes(packed_group(found, dimension))
    with safe_open(path, framework="numpy") as file:
        count = int(file.get_tensor("counts").sum())
    return count, [as_row(passage) for passage in group]
