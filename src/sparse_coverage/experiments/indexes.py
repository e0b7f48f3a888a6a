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

import numpy as np

from sparse_coverage.encoding import Encoder, TokenVectors
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import VocabularyError
from sparse_coverage.experiments.cache import alone
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.index import DEFAULT_MEMORY, DocumentRecord, IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.index.manifest import MANIFEST
from sparse_coverage.kernels import Floats
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import progress_bar
from sparse_coverage.search.building import is_unfinished
from sparse_coverage.search.own_model import MODEL_FOLDER, vocabulary_digest
from sparse_coverage.spans.span import normalise
from sparse_coverage.vectors import ActivationConfig, SparseVector, trace
from sparse_coverage.vocabulary import SpanSample, Vocabulary, load_vocabulary
from sparse_coverage.vocabulary.build import NESTED
from sparse_coverage.vocabulary.span_sample import SAMPLE

_SAME = ("encoder", "unit", "tau", "selection", "seed", "max_spans", "max_documents", "common", "learn")
"""Settings in which vocabularies are alike that one traversal can choose, whatever their sizes."""


class Vocabularies:
    """Vocabularies by the options they depend on. What cannot be made is tried once.

    `folder` says where those of one sample of spans are kept, `fit` fits a model with some sizes and its sample in a folder, and
    `planned` are all options that will be asked for.
    """

    def __init__(
        self,
        folder: Callable[[SystemOptions], Path],
        fit: Callable[[SystemOptions, list[int], Path], SparseCoverage],
        planned: Iterable[SystemOptions],
    ) -> None:
        self._folder = folder
        self._fit_model = fit
        self._planned = planned
        self._known: dict[SystemOptions, Vocabulary | VocabularyError] = {}

    def get(self, options: SystemOptions) -> Vocabulary:
        """Return the vocabulary of some options: a saved one, or one fitted with all the sizes that were planned."""
        key = replace(options, k=5, assignment="soft")
        if key not in self._known:
            try:
                with alone(self._folder(key), "this vocabulary"):
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
        return SpanSample(self._folder(options) / "sample")

    def _fitted(self, key: SystemOptions) -> Vocabulary:
        """Return a vocabulary that has the wanted size, perhaps among others."""
        folder = self._folder(key)
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
            planned = (
                one.size for one in self._planned if all(getattr(one, name) == getattr(key, name) for name in _SAME)
            )
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
        model = self._fit_model(key, sizes, folder / "sample")
        if save:
            model.save(folder / save)
        return model.vocabulary


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
    with ExitStack() as held:
        writers = {
            folder: held.enter_context(_writer(folder, model, by, DEFAULT_MEMORY // len(missing)))
            for folder, model in missing.items()
        }

        def vectors(texts: list[str], needed: Sequence[Path]) -> dict[Path, list[SparseVector]]:
            return vectors_of(texts, {folder: missing[folder] for folder in needed}, encoder)

        _fill(writers, "Indexing documents", documents, by, total, vectors)


def vectors_of(
    texts: Sequence[str], models: Mapping[Path, SparseCoverage], encoder: Encoder, *, query: bool = False
) -> dict[Path, list[SparseVector]]:
    """Return the sparse vectors of texts under several models of one encoder: tokens, spans and activations are shared."""
    tokens = list(encoder.encode(texts))
    found: dict[Path, list[SparseVector]] = {}
    for unit in {model.unit.name: model.unit for model in models.values()}.values():
        spans = list(unit.pool_many(texts, tokens))
        mine = {path: model for path, model in models.items() if model.unit.name == unit.name}
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

    def vectors(texts: list[str], needed: Sequence[Path]) -> dict[Path, list[SparseVector]]:
        if encoder is None:
            return {folder: [nothing] * len(texts)}
        return {folder: [replace(nothing, whole=whole_vector(tokens)) for tokens in encoder.encode(texts)]}

    dimension = encoder.dimension if encoder else 0
    with IndexWriter.create(folder, 1, {"by": by}, words=not encoder, dimension=dimension) as writer:
        _fill({folder: writer}, "Indexing vectors" if encoder else "Indexing words", documents, by, total, vectors)


def _fill(
    writers: Mapping[Path, IndexWriter],
    what: str,
    documents: Iterable[Patent],
    by: By,
    total: int | None,
    vectors: Callable[[list[str], Sequence[Path]], Mapping[Path, Iterable[SparseVector]]],
) -> None:
    """Add to each writer the documents that it does not hold; texts are kept only as long as words are made of them."""
    last = monotonic()
    every = ((patent, list(passages(patent, by=by))) for patent in documents)
    with progress_bar(what, total) as advance:
        for group in windows(filter(itemgetter(1), every), _length_of, _GROUP):
            needed = [folder for folder, writer in writers.items() if any(one.id not in writer for one, _ in group)]
            made = vectors([part.text for _, parts in group for part in parts], needed) if needed else {}
            for folder in needed:
                writer, mine = writers[folder], iter(made[folder])
                for patent, parts in group:
                    indexed = [_indexed(part, next(mine), keep_text=writer.manifest.words) for part in parts]
                    if patent.id not in writer:
                        writer.add(DocumentRecord(patent.id, patent.title, {}), indexed)
            advance(len(group))
            if monotonic() - last > SECONDS_BETWEEN_COMMITS:
                for writer in writers.values():
                    writer.commit(complete=False)
                last = monotonic()
    for writer in writers.values():
        writer.merge()


def _indexed(passage: Passage, vector: SparseVector, *, keep_text: bool) -> IndexedPassage:
    text = passage.text if keep_text else ""
    return IndexedPassage(PassageRecord(passage.id, passage.document, passage.section, text), vector, vector.whole)


def whole_vector(tokens: TokenVectors) -> Floats:
    """Return the vector of a text as a whole, of length one."""
    return np.asarray(normalise(tokens.chunk_totals().sum(axis=0, keepdims=True))[0])


def _alike(models: Mapping[Path, SparseCoverage]) -> Iterator[dict[Path, SparseCoverage]]:
    """Put models together that differ in K alone: the first K of more active centers are those that K alone would give."""
    groups: dict[tuple[str, ActivationConfig], dict[Path, SparseCoverage]] = {}
    for path, model in models.items():
        digest = vocabulary_digest(SparseCoverage(model.encoder, model.vocabulary, unit=model.unit))
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
