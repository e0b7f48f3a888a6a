"""The vocabularies of a sweep, kept in a folder: one sample for all sizes, one traversal for all that were planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import VocabularyError
from sparse_coverage.experiments.cache import alone, code_key, content_key
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Patent
from sparse_coverage.patents.passages import By
from sparse_coverage.presets import Preset
from sparse_coverage.spans import get_unit
from sparse_coverage.vocabulary import SpanSample, Vocabulary, load_vocabulary
from sparse_coverage.vocabulary.sampling import Restriction
from sparse_coverage.vocabulary.sampling.sample import SAMPLE
from sparse_coverage.vocabulary.selection.registry import NESTED


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
            unit=get_unit(options.unit).name,  # complete: it names the tagger too, where there is a choice
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
            sizes=sizes,
            tau=key.tau,
            max_documents=key.max_documents,
            max_spans=key.max_spans,
            seed=key.seed,
            preset=Preset(key.common, key.activation, key.scoring, self._origin.by, key.learn),
            selection=key.selection,
            threads=self._threads,
            work=folder / "sample",
            only=self._origin.only,
        )
        if save:
            model.save(folder / save)
        return model.vocabulary


def _same_vocabulary(one: SystemOptions, other: SystemOptions) -> bool:
    names = ("encoder", "unit", "tau", "selection", "seed", "max_spans", "max_documents", "common", "learn")
    return all(getattr(one, name) == getattr(other, name) for name in names)
