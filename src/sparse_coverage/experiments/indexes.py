"""The vocabularies and indexes of a sweep, each made once and kept in a folder.

One sample of spans serves all sizes of a vocabulary, one traversal all sizes that were planned, and one pass over the collection fills all
the indexes that one encoder needs. The indexes are the product's own, without the texts: the collection has those.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Protocol

import numpy as np

from sparse_coverage.encoding import Encoder, TokenVectors
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import VocabularyError
from sparse_coverage.experiments.cache import alone, code_key, content_key, unit_key
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.index import DEFAULT_MEMORY, DocumentRecord, IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.index.manifest import MANIFEST
from sparse_coverage.kernels import Floats
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.presets import Preset
from sparse_coverage.progress import progress_bar
from sparse_coverage.search.building import is_unfinished
from sparse_coverage.search.own_model import MODEL_FOLDER, vocabulary_digest
from sparse_coverage.spans import get_unit
from sparse_coverage.spans.span import normalise
from sparse_coverage.vectors import ActivationConfig, SparseVector, trace
from sparse_coverage.vocabulary import Sampling, Selection, SpanSample, Vocabulary, load_vocabulary
from sparse_coverage.vocabulary.build import NESTED
from sparse_coverage.vocabulary.sampling import Restriction
from sparse_coverage.vocabulary.span_sample import SAMPLE


class LearnsFrom(Protocol):
    """What vocabularies are learned from, and with what."""

    @property
    def source(self) -> str:
        """Identifies the documents."""
        ...

    def sources(self) -> Iterator[Patent]:
        """Start a new reading of the documents."""
        ...

    def encoder(self, name: str) -> Encoder:
        """Return a running encoder."""
        ...

    @property
    def by(self) -> By:
        """How documents are cut into passages."""
        ...

    only: Restriction
    """Which of the documents count."""


class Vocabularies:
    """Vocabularies by the options they depend on. What cannot be made is tried once."""

    def __init__(
        self,
        cache: Path,
        origin: LearnsFrom,
        planned: Callable[[], Iterable[SystemOptions]],
        threads: int | None = None,
    ) -> None:
        self._cache = cache
        self._origin = origin
        self._planned = planned
        self._threads = threads
        self._known: dict[SystemOptions, Vocabulary | VocabularyError] = {}

    def get(self, options: SystemOptions) -> Vocabulary:
        """Return the vocabulary of some options: a saved one, or one fitted with all the sizes that were planned."""
        key = replace(options, k=5, assignment="soft", uncovered="drop")
        if key not in self._known:
            try:
                with alone(self.folder(key), "this vocabulary"):
                    fitted = self._fitted(key)
                self._known[key] = fitted.truncate(key.size) if key.size else fitted
            except VocabularyError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, VocabularyError):
            raise found
        return found

    def sample(self, options: SystemOptions) -> SpanSample:
        """Return the spans that the vocabulary of some options was chosen from."""
        self.get(options)
        return SpanSample(self.folder(options) / "sample")

    def folder(self, options: SystemOptions) -> Path:
        """Return where the vocabularies of one sample of spans are kept, whatever their size, selection and radii."""
        encoder = self._origin.encoder(options.encoder)
        key = content_key(
            code=code_key("kernels", "encoding", "spans", "vocabulary", "model.py"),
            documents=self._origin.source,
            encoder=encoder.fingerprint,
            precision=encoder.precision,
            unit=unit_key(options.unit),
            seed=options.seed,
            max_spans=options.max_spans,
            max_documents=options.max_documents,
            by=self._origin.by if options.learn == "passages" else "",
        )
        return self._cache / "vocabularies" / key

    def _fitted(self, key: SystemOptions) -> Vocabulary:
        """Return a vocabulary that has the wanted size, perhaps among others."""
        folder = self.folder(key)
        # Always named, so that a pattern for the one never finds the other.
        kind = f"{key.selection}-{key.tau:g}-{'plain' if key.common is None else f'common{key.common}'}"
        for saved in sorted(folder.glob(f"{kind}-*/vocabulary.json")):
            kept = load_vocabulary(saved.parent)
            if key.size in kept.sizes if key.size else saved.parent.name == f"{kind}-default":
                return kept
        if key.size is None:
            return self._fit(key, folder, [], save=f"{kind}-default")
        sizes = [key.size]
        if key.selection in NESTED:
            planned = (one.size for one in self._planned() if _same_vocabulary(one, key))
            sizes = sorted({key.size, *(size for size in planned if size)})
            spans = self._spans(key, folder, sizes[0])
            if key.size > spans:
                raise VocabularyError(f"{key.size:,} centers cannot be chosen from {spans:,} spans. Use a smaller V.")
            sizes = [size for size in sizes if size <= spans]
        try:
            return self._fit(key, folder, sizes, save=f"{kind}-{'-'.join(map(str, sizes))}")
        except VocabularyError:
            if sizes == [key.size]:
                raise
            return self._fit(key, folder, [key.size], save=f"{kind}-{key.size}")  # a larger one was too large

    def _spans(self, key: SystemOptions, folder: Path, size: int) -> int:
        """Return how many spans there are to choose from; a first, small fit draws the sample."""
        if not (folder / "sample" / SAMPLE).is_file():
            self._fit(key, folder, [size])
        return len(SpanSample(folder / "sample"))

    def _fit(self, key: SystemOptions, folder: Path, sizes: list[int], save: str = "") -> Vocabulary:
        model = SparseCoverage.fit(
            self._origin.sources,
            encoder=self._origin.encoder(key.encoder),
            unit=key.unit,
            size=sizes[-1] if sizes else None,
            sampling=Sampling(key.max_documents, key.max_spans, self._origin.only),
            selection=Selection(key.selection, sizes, key.tau),
            seed=key.seed,
            preset=Preset(key.common, key.activation, key.scoring, self._origin.by, key.learn),
            threads=self._threads,
            work=folder / "sample",
        )
        if save:
            model.save(folder / save)
        return model.vocabulary


def _same_vocabulary(one: SystemOptions, other: SystemOptions) -> bool:
    names = ("encoder", "unit", "tau", "selection", "seed", "max_spans", "max_documents", "common", "learn")
    return all(getattr(one, name) == getattr(other, name) for name in names)


SECONDS_BETWEEN_COMMITS = 120.0
_GROUP = 500_000  # characters of text that are encoded at once


def is_complete(folder: Path) -> bool:
    """Tell whether an index is there and finished."""
    return (folder / MANIFEST).is_file() and not is_unfinished(folder)


def build_indexes(
    wanted: Mapping[Path, SparseCoverage],
    encoder: Encoder,
    documents: Iterable[Patent],
    by: By,
    total: int | None = None,
) -> None:
    """Build the indexes that are not complete yet, all in one pass. Interrupted, it goes on from the last commit."""
    missing = {folder: model for folder, model in wanted.items() if not is_complete(folder)}
    if not missing:
        return
    with ExitStack() as held, progress_bar("Indexing documents", total) as advance:
        writers = {
            folder: held.enter_context(_writer(folder, model, by, DEFAULT_MEMORY // len(missing)))
            for folder, model in missing.items()
        }
        last = monotonic()
        every = ((patent, list(passages(patent, by=by))) for patent in documents)
        for group in windows(filter(itemgetter(1), every), _length_of, _GROUP):
            needed = {f: m for f, m in missing.items() if any(patent.id not in writers[f] for patent, _ in group)}
            vectors = vectors_of([part.text for _, parts in group for part in parts], needed, encoder) if needed else {}
            for folder in needed:
                _add(writers[folder], group, iter(vectors[folder]))
            advance(len(group))
            if monotonic() - last > SECONDS_BETWEEN_COMMITS:
                for writer in writers.values():
                    writer.commit(complete=False)
                last = monotonic()
        for writer in writers.values():
            writer.merge()


def vectors_of(
    texts: Sequence[str], models: Mapping[Path, SparseCoverage], encoder: Encoder, *, query: bool = False
) -> dict[Path, list[SparseVector]]:
    """Return the sparse vectors of texts under several models of one encoder: tokens, spans and activations are shared."""
    tokens = list(encoder.encode(texts))
    found: dict[Path, list[SparseVector]] = {}
    for unit in dict.fromkeys(model.vocabulary.config.unit for model in models.values()):
        spans = list(get_unit(unit).pool_many(texts, tokens))
        mine = {path: model for path, model in models.items() if model.vocabulary.config.unit == unit}
        for members in _alike(mine):
            first = next(iter(members.values()))
            ks = [model.activation.k for model in members.values()]
            traced = list(trace(spans, first.vocabulary, first.activation, query=query, ks=ks, threads=None))
            found |= {path: [one[place].vector for one in traced] for place, path in enumerate(members)}
    return found


def build_part(
    folder: Path, encoder: Encoder | None, documents: Iterable[Patent], by: By, total: int | None = None
) -> None:
    """Build an index that keeps no centers, but the words of all passages, or with an encoder their vectors; once."""
    if is_complete(folder):
        return
    shutil.rmtree(
        folder, ignore_errors=True
    )  # what an interruption left: it takes seconds, or what is known of the encoder
    folder.mkdir(parents=True)
    none, numbers = np.zeros(0, np.float32), np.zeros(0, np.int32)
    nothing = SparseVector(numbers, none, numbers, numbers, numbers, 1, 0)
    every = ((patent, list(passages(patent, by=by))) for patent in documents)
    created = IndexWriter.create(
        folder, 1, {"by": by}, words=not encoder, dimension=encoder.dimension if encoder else 0
    )
    with created as writer, progress_bar("Indexing words" if not encoder else "Indexing vectors", total) as advance:
        for group in windows(filter(itemgetter(1), every), _length_of, _GROUP):
            texts = [part.text for _, parts in group for part in parts]
            wholes = iter(
                [whole_vector(tokens) for tokens in encoder.encode(texts)] if encoder else [None] * len(texts)
            )
            for patent, parts in group:
                mine = [
                    IndexedPassage(PassageRecord(one.id, one.document, one.section, one.text), nothing, next(wholes))
                    for one in parts
                ]
                writer.add(DocumentRecord(patent.id, patent.title, {}), mine)
            advance(len(group))
        writer.merge()


def whole_vector(tokens: TokenVectors) -> Floats:
    """Return the vector of a text as a whole, of length one."""
    return np.asarray(normalise(tokens.chunk_totals().sum(axis=0, keepdims=True))[0])


def _alike(models: Mapping[Path, SparseCoverage]) -> Iterator[dict[Path, SparseCoverage]]:
    """Put models together that differ in K alone: the first K of more active centers are those that K alone would give."""
    groups: dict[tuple[str, ActivationConfig], dict[Path, SparseCoverage]] = {}
    for path, model in models.items():
        digest = vocabulary_digest(SparseCoverage(model.encoder, model.vocabulary))
        groups.setdefault((digest, replace(model.activation, k=1)), {})[path] = model
    yield from groups.values()


def _length_of(one: tuple[Patent, list[Passage]]) -> int:
    return sum(len(part.text) for part in one[1])


def _writer(folder: Path, model: SparseCoverage, by: By, memory: int) -> IndexWriter:
    about = {"by": by, "vocabulary": vocabulary_digest(model)}
    begun = (folder / MANIFEST).is_file()
    if not begun:
        folder.mkdir(parents=True, exist_ok=True)
    writer = (
        IndexWriter.open(folder, memory=memory)
        if begun
        else IndexWriter.create(folder, len(model.vocabulary), about, memory=memory)
    )
    if not (folder / MODEL_FOLDER / "model.json").is_file():
        (folder / MODEL_FOLDER).mkdir(exist_ok=True)
        model.write_into(folder / MODEL_FOLDER)
    return writer


def _add(writer: IndexWriter, group: Sequence[tuple[Patent, list[Passage]]], vectors: Iterator[SparseVector]) -> None:
    for patent, parts in group:
        mine = [
            IndexedPassage(PassageRecord(part.id, part.document, part.section, ""), next(vectors)) for part in parts
        ]
        if patent.id not in writer:
            writer.add(DocumentRecord(patent.id, patent.title, {}), mine)
