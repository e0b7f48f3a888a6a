"""Learning a model for an index that is about to be built: the passages it is learned from are encoded once for both."""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.files import require_free
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents.passages import By
from sparse_coverage.patents.text_keys import text_key
from sparse_coverage.presets import DEFAULT_PRESET, Preset
from sparse_coverage.progress import progress_bar
from sparse_coverage.search.building import is_unfinished
from sparse_coverage.search.known_vectors import KnownVectors
from sparse_coverage.search.own_model import MODEL_FOLDER
from sparse_coverage.spans import Spans
from sparse_coverage.vectors import trace
from sparse_coverage.vocabulary import SpanSample
from sparse_coverage.vocabulary.sampling import Documents
from sparse_coverage.vocabulary.sampling.passages import kept_passages
from sparse_coverage.vocabulary.sampling.sample import SAMPLE

_AT_ONCE = 1 << 14  # spans that are activated together: about a second's worth


def learning_folder(index: str | Path) -> Path:
    """Return the hidden folder beside an index where its model is learned, until the index is there."""
    path = Path(index).absolute()
    return path.with_name(f".{path.name}.learning")


def learn_for(
    index: str | Path,
    documents: Documents,
    *,
    encoder: str | Encoder = DEFAULT_ENCODER,
    preset: str | Preset = DEFAULT_PRESET,
    by: By | None = None,
    threads: int | None = None,
) -> SparseCoverage:
    """Learn a model from documents that an index is to hold, and keep the encoded passages for it.

    Interrupted, it goes on where it stopped; a model that an unfinished index has already is taken as it is.
    """
    if is_unfinished(index) and (Path(index) / MODEL_FOLDER).is_dir():
        running = None if isinstance(encoder, str) else encoder
        return SparseCoverage.load(Path(index) / MODEL_FOLDER, encoder=running, threads=threads)
    require_free(Path(index))  # before hours of work, not after
    folder = learning_folder(index)
    return SparseCoverage.fit(documents, encoder=encoder, preset=preset, by=by, threads=threads, work=folder)


def documents_read(index: str | Path) -> int | None:
    """Return how many documents a model was learned from for an index, where that was counted."""
    folder = learning_folder(index)
    return SpanSample(folder).documents if (folder / SAMPLE).is_file() else None


def remember_sample(index: str | Path, model: SparseCoverage, known: KnownVectors) -> None:
    """Put the vectors of the passages that a model was learned from among the known ones."""
    folder = learning_folder(index)
    if not (folder / SAMPLE).is_file():
        return
    threads = getattr(model.encoder, "threads", None)
    with progress_bar("Activating the sample", len(SpanSample(folder))) as advance:
        for group in chain.from_iterable(windows(group, _spans_of, _AT_ONCE) for group in kept_passages(folder)):
            keys = [text_key(text) for text, _ in group]
            spans = [spans for _, spans in group]
            if not all(key in known for key in keys):
                traced = trace(spans, model.vocabulary, model.activation, threads=threads)
                known.add({key: one.vector for key, [one] in zip(keys, traced, strict=True)})
            advance(sum(map(len, spans)))


def _spans_of(passage: tuple[str, Spans]) -> int:
    return len(passage[1])


def forget_sample(index: str | Path) -> None:
    """Remove what learning left beside an index."""
    shutil.rmtree(learning_folder(index), ignore_errors=True)
