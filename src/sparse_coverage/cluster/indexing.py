"""`index` on a cluster: shards of patents in, segments out, one manifest over them: the index that a local build makes.

An encoder works through a stream of texts window by window and sorts each window into batches; in another batch a vector
differs in its last bits. So the plan cuts runs where a local build cuts its windows, wherever documents end, and each worker
computes exactly the batches that one machine would have computed. Segments are cut between documents, where a local build cuts them.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from sparse_coverage.cluster.connection import Cluster, EncoderSpec, require_same_run
from sparse_coverage.cluster.documents import (
    DocumentSize,
    Report,
    documents_from,
    input_digest,
    read_shards,
    without_repeats,
)
from sparse_coverage.encoding.batching import WINDOW_TOKENS
from sparse_coverage.errors import InputError
from sparse_coverage.files import new_file, new_folder, require_free
from sparse_coverage.index import IndexWriter
from sparse_coverage.index.manifest import Manifest, read_manifest, write_manifest
from sparse_coverage.index.postings import MAX_PASSAGES
from sparse_coverage.index.segment import SEGMENTS, SegmentEntry
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import progress_bar
from sparse_coverage.search import Index, ScoringConfig
from sparse_coverage.search.building import add_documents, kept_parts
from sparse_coverage.search.own_model import MODEL_FOLDER, vocabulary_digest
from sparse_coverage.vectors import SparseVector

WINDOWS_PER_RUN = 4
"""How many windows a task encodes: what the loss of a worker costs, and no more."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive passages to encode: they start at a passage of a document of a shard; `first` is the first one's number."""

    shard: int
    document: int
    passage: int
    first: int
    passages: int


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """Consecutive documents, those without text included, that make a segment; `first` is the number of their first passage."""

    shard: int
    document: int
    documents: int
    first: int
    passages: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All runs and all segments of an index, each in order."""

    runs: list[Run]
    parts: list[SegmentPlan]

    def runs_of(self, part: SegmentPlan) -> list[int]:
        """Return the numbers of the runs that hold passages of a segment."""
        last = part.first + part.passages
        return [n for n, run in enumerate(self.runs) if run.first < last and part.first < run.first + run.passages]


def make_plan(shards: Iterable[list[DocumentSize]]) -> Plan:
    """Cut a collection, given the number of tokens of each passage of each document."""
    runs, parts = _Runs(), _SegmentPlanner()
    for shard, documents in enumerate(shards):
        for number, document in enumerate(documents):
            parts.add(shard, number, document)
            for passage, tokens in enumerate(document.sizes):
                runs.add(shard, number, passage, tokens)
    return Plan(runs.finish(), parts.finish())


class _Runs:
    def __init__(self) -> None:
        self._found: list[Run] = []
        self._start: tuple[int, int, int] | None = None
        self._first = self._passages = self._held = self._windows = 0

    def add(self, shard: int, document: int, passage: int, tokens: int) -> None:
        if self._start is None:
            self._start = (shard, document, passage)
        self._passages += 1
        self._held += max(1, tokens)  # as `Batcher` counts
        if self._held >= WINDOW_TOKENS:
            self._held = 0
            self._windows += 1
            if self._windows == WINDOWS_PER_RUN:
                self._close()

    def finish(self) -> list[Run]:
        self._close()
        return self._found

    def _close(self) -> None:
        if self._start is not None:
            self._found.append(Run(*self._start, self._first, self._passages))
        self._first += self._passages
        self._start, self._passages, self._windows = None, 0, 0


class _SegmentPlanner:
    def __init__(self) -> None:
        self._found: list[SegmentPlan] = []
        self._start = (0, 0)
        self._first = self._passages = self._documents = 0

    def add(self, shard: int, number: int, document: DocumentSize) -> None:
        if self._passages + len(document.sizes) > MAX_PASSAGES:
            self._close()
        if not self._documents:
            self._start = (shard, number)
        self._documents += 1
        self._passages += len(document.sizes)

    def finish(self) -> list[SegmentPlan]:
        self._close()
        return self._found

    def _close(self) -> None:
        if self._passages:
            self._found.append(SegmentPlan(*self._start, self._documents, self._first, self._passages))
        self._first += self._passages
        self._passages = self._documents = 0


def build_on_cluster(
    cluster: Cluster,
    folder: str | Path,
    model: SparseCoverage,
    paths: Sequence[str | Path],
    *,
    work: str | Path | None = None,
    language: str = "en",
    runtime: str = "auto",
    by: By | None = None,
    without: Sequence[str] | None = None,
    scoring: ScoringConfig | None = None,
    on_problem: Report | None = None,
    on_repeat: Callable[[str], None] | None = None,
) -> Index:
    """Index the patents in some files into a new folder: segments and model as `Index.build` makes them, byte for byte.

    All nodes must see the files and the folder `work` (a hidden one beside the index by default, removed at the end),
    which keeps the state of the run: interrupted, the same call goes on from there.
    """
    target = Path(folder).absolute()
    require_free(Path(folder))
    state = Path(work).absolute() / "index" if work is not None else target.with_name(f".{target.name}.work")
    state.mkdir(parents=True, exist_ok=True)
    cluster.check_folder(state)
    names = [str(path) for path in paths]
    by = by or model.by
    about = {"by": by, "vocabulary": vocabulary_digest(model)}
    words, dimension = kept_parts(model, without)
    settings = {"language": language, "words": words, "dimension": dimension, **about}
    require_same_run(state, {"input": input_digest(names), **settings})
    spec = EncoderSpec.of(model.encoder, runtime, cluster.threads)
    shards = read_shards(cluster, state / "documents", names, language, PassageTokens(spec, by), on_problem)
    plan = make_plan(without_repeats(state / "documents", shards, on_repeat))
    if not plan.parts:
        shutil.rmtree(state)
        raise InputError("There is nothing to index: the input holds no text.")
    if not (state / MODEL_FOLDER).exists():
        model.save(state / MODEL_FOLDER)
    _encode(cluster, state, plan, spec, by)
    draft = Manifest(0, len(model.vocabulary), False, (), about, words, dimension)
    _build_segments(cluster, state, plan, draft)
    _bring_together(state, target, draft, len(plan.parts))
    shutil.rmtree(state)
    return Index.open(folder, scoring=scoring, encoder=model.encoder)


@dataclass(frozen=True, slots=True)
class PassageTokens:
    """Counts the encoder's tokens in each passage of a document."""

    spec: EncoderSpec
    by: By

    def __call__(self, patent: Patent) -> tuple[int, ...]:
        """Return the counts, in order."""
        encoder = self.spec.load()
        return tuple(len(encoder.tokenize(passage.text)) for passage in passages(patent, by=self.by))


def build_segment(
    documents: str, vectors: list[str], skip: int, part: SegmentPlan, draft: Manifest, target: str
) -> None:
    """Write a segment, on a worker, as an index of its own."""
    path = Path(target)
    if path.exists():
        return
    partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(4)}")
    found = chain.from_iterable(read_run(Path(name)) for name in vectors)
    known = islice(found, skip, None)

    def replayed(texts: Iterable[str]) -> Iterator[SparseVector]:
        return (next(known) for _ in texts)

    patents = islice(documents_from(Path(documents), part.shard, part.document), part.documents)
    try:
        writer = IndexWriter.create(
            partial,
            draft.centers,
            draft.about,
            words=draft.words,
            dimension=draft.dimension,
        )
        with writer:
            add_documents(writer, replayed, patents, draft.about["by"], replace=False)
            writer.merge()
        if not path.exists():  # a worker thought dead may have come first
            partial.replace(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _encode(cluster: Cluster, state: Path, plan: Plan, spec: EncoderSpec, by: By) -> None:
    (state / "vectors").mkdir(exist_ok=True)
    calls = (
        (str(state / "documents"), str(state / MODEL_FOLDER), spec, by, run, _vectors(state, number))
        for number, run in enumerate(plan.runs)
    )
    with progress_bar("Encoding passages", sum(run.passages for run in plan.runs)) as advance:
        for run, _ in zip(plan.runs, cluster.run(encode_run, calls), strict=True):
            advance(run.passages)


def _build_segments(cluster: Cluster, state: Path, plan: Plan, draft: Manifest) -> None:
    (state / SEGMENTS).mkdir(exist_ok=True)

    def calls() -> Iterator[tuple[Any, ...]]:
        for number, part in enumerate(plan.parts):
            runs = plan.runs_of(part)
            vectors = [_vectors(state, run) for run in runs]
            skip = part.first - plan.runs[runs[0]].first
            yield str(state / "documents"), vectors, skip, part, draft, str(_segment(state, number))

    with progress_bar("Building segments", len(plan.parts)) as advance:
        for _ in cluster.run(build_segment, calls()):
            advance()


def _bring_together(state: Path, target: Path, draft: Manifest, count: int) -> None:
    """Put the segments into one index."""
    with new_folder(target) as partial:
        entries: list[SegmentEntry] = []
        for number in range(count):
            part = _segment(state, number)
            for entry in read_manifest(part).segments:
                named = replace(entry, name=f"{draft.generation + 1:06d}-{len(entries):03d}")
                shutil.copytree(part / SEGMENTS / entry.name, partial / SEGMENTS / named.name, copy_function=_place)
                entries.append(named)
        shutil.copytree(state / MODEL_FOLDER, partial / MODEL_FOLDER, copy_function=_place)
        write_manifest(partial, draft.next(tuple(entries), complete=True))


def _place(source: str, target: str) -> None:
    """Give a finished file a second name, or copy it where the file system cannot."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _vectors(state: Path, run: int) -> str:
    return str(state / "vectors" / f"{run:06d}.safetensors")


def _segment(state: Path, number: int) -> Path:
    return state / SEGMENTS / f"{number:06d}"


def encode_run(documents: str, model: str, spec: EncoderSpec, by: By, run: Run, target: str) -> None:
    """Encode the passages of a run, on a worker."""
    if Path(target).exists():
        return
    patents = documents_from(Path(documents), run.shard, run.document)
    every = chain.from_iterable(passages(patent, by=by) for patent in patents)
    texts = (passage.text for passage in islice(every, run.passage, run.passage + run.passages))
    found = _loaded(model, spec).encode_document(texts)
    none = np.zeros(0, dtype=np.int32)
    arrays = {
        "lengths": np.asarray([len(vector) for vector in found], dtype=np.int64),
        "centers": np.concatenate([none, *(vector.centers for vector in found)]),
        "weights": np.concatenate([none.astype(np.float32), *(vector.weights for vector in found)]),
        "spans": np.concatenate([none, *(vector.spans for vector in found)]),
        "span_counts": np.asarray([vector.span_count for vector in found], dtype=np.int64),
        "uncovered": np.asarray([vector.uncovered for vector in found], dtype=np.int64),
        "wholes": np.asarray([vector.whole for vector in found], dtype=np.float32),
    }
    with new_file(Path(target)) as partial:
        save_file(arrays, partial)


def read_run(path: Path) -> Iterator[SparseVector]:
    """Yield the vectors of a run, without the places of their spans in the text, which no index keeps."""
    arrays = load_file(path)
    ends = np.cumsum(arrays["lengths"])
    for number, (end, length) in enumerate(zip(ends.tolist(), arrays["lengths"].tolist(), strict=True)):
        part = slice(end - length, end)
        nowhere = np.zeros(length, dtype=np.int32)
        yield SparseVector(
            arrays["centers"][part],
            arrays["weights"][part],
            arrays["spans"][part],
            nowhere,
            nowhere,
            int(arrays["span_counts"][number]),
            int(arrays["uncovered"][number]),
            arrays["wholes"][number],
        )


@lru_cache(maxsize=1)
def _loaded(folder: str, spec: EncoderSpec) -> SparseCoverage:
    return SparseCoverage.load(folder, encoder=spec.load())
