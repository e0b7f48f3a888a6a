"""A uniform sample of all spans of a stream of documents, straight to disk, that an interruption cannot change.

Each span draws a number that depends on the seed, its passage and its place there; the spans with the lowest draws are
the sample. So every span of every document and section has the same chance, the sections are represented in proportion,
and it does not matter where the stream was cut into groups, or how often it was taken up again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sparse_coverage.encoding.batching import windows
from sparse_coverage.encoding.encoder import Encoder
from sparse_coverage.errors import MismatchError
from sparse_coverage.files import read_json, write_json
from sparse_coverage.kernels import Array, Uint64s
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By, as_patent
from sparse_coverage.progress import progress_bar
from sparse_coverage.spans import SpanUnit
from sparse_coverage.vocabulary.passage_sample import PassageSampler, choose_passages
from sparse_coverage.vocabulary.sampling import hash64
from sparse_coverage.vocabulary.span_sample import (
    SAMPLE,
    Shard,
    ShardFolder,
    SpanSample,
    require_numbers,
    write_sample,
)

GROUP_CHARACTERS = 500_000
"""Documents are encoded in groups of this much text: what an interruption can cost, and no more."""
SLACK = 1.5
"""How many times the wanted number of spans may lie on disk before the ones with high draws are thrown away."""
_GOLDEN = 0x9E3779B97F4A7C15


Draws = Uint64s
Group = list[tuple[Patent | str, list[Passage]]]
"""Documents that are encoded together, each with its sections."""


@dataclass(frozen=True, slots=True)
class SampleConfig:
    """What determines a sample, beside the documents themselves.

    `by` is how documents are cut into passages, of which whole ones are taken; nothing, where spans are taken from sections.
    `only` says which documents were left out, in words. Without `translations`, what a patent has in other languages too is not drawn.
    """

    fingerprint: str
    precision: str
    dimension: int
    unit: str
    max_spans: int
    max_documents: int | None
    seed: int
    by: By | Literal[""] = ""
    only: str = ""
    translations: bool = True


def draw_sample(
    folder: Path,
    documents: Iterable[Patent | str],
    encoder: Encoder,
    unit: SpanUnit,
    config: SampleConfig,
    *,
    total: int | None = None,
) -> SpanSample:
    """Draw a sample into a folder, or take up what an interrupted run left there, or open the finished sample.

    A finished sample is recognised by its settings and its first document; the other documents are not read again. `total`
    is how many documents there are, if that is known: for the estimate of the time left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    check_same(folder / "sampling.json", config)
    if config.by:
        return _draw_passages(folder, documents, encoder, unit, config, config.by, total)
    if not (folder / SAMPLE).exists():
        sampler = Sampler(folder, config)
        sampler.run(documents, encoder, unit, total)
        sampler.finish()
        return SpanSample(folder)
    if (folder / "shards").exists():
        ShardFolder(folder / "shards").remove()  # a kill came between the last two steps
    sample = SpanSample(folder)
    for document in documents:
        _check_first(folder, sample.first, named(document))
        break
    return sample


def _draw_passages(
    folder: Path,
    documents: Iterable[Patent | str],
    encoder: Encoder,
    unit: SpanUnit,
    config: SampleConfig,
    by: By,
    total: int | None,
) -> SpanSample:
    sampler = PassageSampler(folder, config.max_spans)
    chosen = sampler.restore()
    if chosen is None:
        chosen = choose_passages(documents, by, config.max_spans, config.seed, total, translations=config.translations)
        sampler.keep(chosen)
    else:
        for number, document in enumerate(documents):
            _check_first(folder, chosen.first, as_patent(document, number).id)
            break
    if not (folder / SAMPLE).exists():
        sampler.run(chosen, encoder, unit)
        sampler.finish(chosen, config.dimension)
    return SpanSample(folder)


class Sampler:
    """Draws a sample group by group; what is on disk is never encoded again."""

    def __init__(self, folder: Path, config: SampleConfig) -> None:
        self._folder = folder
        self._config = config
        self._shards = ShardFolder(folder / "shards")
        self.threshold = Threshold(config.max_spans)
        self._firsts: list[str] = []
        for shard in self._shards:
            self.threshold.add(shard.draws)
            self._firsts.append(shard.first)
        self._clean_disk()

    def run(self, documents: Iterable[Patent | str], encoder: Encoder, unit: SpanUnit, total: int | None) -> None:
        """Encode the documents group by group; groups that are on disk already are only read, not encoded."""
        with progress_bar("Encoding documents", total) as advance:
            for number, group in enumerate(grouped(documents)):
                if number < len(self._firsts):
                    _check_first(self._folder, self._firsts[number], named(group[0][0]))
                else:
                    shard = self.encode(group, encoder, unit)
                    self._shards.write(number, shard)
                    self.threshold.add(shard.draws)
                    self._clean_disk()
                advance(len(group))

    def finish(self) -> None:
        """Put the sample's spans into one matrix on disk, in the order they came, and drop the shards."""
        self.threshold.lower(slack=1)
        seen: Counter[str] = Counter()
        about: dict[str, Any] = {"documents": 0, "first": "", "seen": seen}

        def parts() -> Iterator[tuple[Array, list[bytes]]]:
            for shard in self._shards:
                kept = shard.below(self.threshold.value)
                seen.update(kept.seen)
                about["first"] = about["first"] or kept.first
                about["documents"] += kept.documents
                yield kept.vectors, kept.anchors

        write_sample(self._folder, parts(), self._config.dimension, about)
        self._shards.remove()

    def encode(self, group: Group, encoder: Encoder, unit: SpanUnit) -> Shard:
        """Return the spans of a group of documents that may still come into the sample."""
        sections = [section for _, parts in group for section in parts]
        texts = [section.text for section in sections]
        seen: Counter[str] = Counter()
        vectors = [np.empty((0, self._config.dimension), dtype=np.float16)]
        draws = [np.empty(0, dtype=np.uint64)]
        anchors: list[bytes] = []
        for section, spans in zip(sections, unit.pool_many(texts, encoder.encode(texts)), strict=True):
            require_numbers(spans.vectors, section.id)
            seen[section.section] += len(spans)
            drawn = draws_of(hash64(self._config.seed, section.id), len(spans))
            has_direction = spans.vectors.any(axis=1)  # some encoders know words that they give a vector of zeros
            kept = np.flatnonzero((drawn <= np.uint64(self.threshold.value)) & has_direction)
            vectors.append(spans.vectors[kept].astype(np.float16))
            draws.append(drawn[kept])
            for row in kept:
                text = section.text[spans.starts[row] : spans.ends[row]]
                anchors.append(json.dumps([text, section.document, section.id]).encode())
        first = named(group[0][0])
        return Shard(np.concatenate(vectors), np.concatenate(draws), anchors, dict(seen), len(group), first)

    def _clean_disk(self) -> None:
        """Throw away the spans with high draws once there are too many."""
        if not self.threshold.lower():
            return
        for number, shard in enumerate(self._shards):
            kept = shard.below(self.threshold.value)
            if len(kept.draws) < len(shard.draws):
                self._shards.write(number, kept)


class Threshold:
    """The draw above which a span is surely not among the `wanted` spans of lowest draws."""

    def __init__(self, wanted: int) -> None:
        self.value = (1 << 64) - 1
        self._wanted = wanted
        self._draws: list[Draws] = []

    def add(self, draws: Draws) -> None:
        """Take the draws of more spans."""
        self._draws.append(draws[draws <= np.uint64(self.value)])

    def lower(self, slack: float = SLACK) -> bool:
        """Lower it as far as the draws allow, once there are `slack` times as many as wanted; say whether there were."""
        if sum(map(len, self._draws)) <= slack * self._wanted:
            return False
        together = np.concatenate(self._draws)
        self.value = int(np.partition(together, self._wanted - 1)[self._wanted - 1])
        self._draws = [together[together <= np.uint64(self.value)]]
        return True


def draws_of(key: int, count: int) -> Draws:
    """Return one well-mixed 64-bit number for each span of a passage (SplitMix64)."""
    mixed = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GOLDEN) + np.uint64(key)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    final: Draws = mixed ^ (mixed >> np.uint64(31))
    return final


def grouped(documents: Iterable[Patent | str]) -> Iterator[Group]:
    """Cut a stream of documents into groups that depend on the documents alone."""
    every = ((document, sections_of(document, number)) for number, document in enumerate(documents))
    return windows(every, lambda one: sum(len(section.text) for section in one[1]), GROUP_CHARACTERS)


def sections_of(document: Patent | str, number: int) -> list[Passage]:
    """Return the sections of a patent (title and abstract, claims, description), or a plain text as one."""
    if isinstance(document, str):
        return [Passage(f"text-{number}", f"text-{number}", "document", "/", document, 0, len(document))]
    return list(passages(document, by="section"))


def named(document: Patent | str) -> str:
    """Return what tells a document from others: a patent's id, or the beginning of a plain text and its digest."""
    return f"'{document[:40]}' ({hash64(0, document):016x})" if isinstance(document, str) else document.id


def _check_first(folder: Path, there: str, here: str) -> None:
    """Refuse documents that are not those of the run whose work lies in the folder, as far as one can tell."""
    if there and there != here:
        raise MismatchError(
            f"{folder} holds the sample of other documents: {there} stands there where {here} stands here. Choose another "
            "folder for these, or give the same documents in the same order to take that run up again."
        )


def check_same(path: Path, config: SampleConfig) -> None:
    """Write down what determines a sample; refuse a folder where something else is written."""
    facts = {name: getattr(config, name) for name in SampleConfig.__slots__}
    if not path.exists():
        write_json(path, facts)
        return
    found = read_json(path)
    different = [
        f"{name} {found.get(name)!r} there, {facts[name]!r} here" for name in facts if found.get(name) != facts[name]
    ]
    if different:
        raise MismatchError(
            f"{path.parent} holds the sample of another run: {'; '.join(different)}. "
            "Choose another folder for this one, or use the same settings to take that run up again."
        )
