"""Sentence vectors kept with an index, so that a chart need not encode its documents again.

    my-index/charts/sentences/about.json     the encoder
    my-index/charts/sentences/3f2a…/         one block for each segment, named by the segment's checksum

A vector is kept as bytes, each dimension a share of the vector's largest. Segments never change, so blocks never do.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator

import numpy as np
from filelock import FileLock

from sparse_coverage.charts.sentences import Sentences, each_sentences, joined
from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import MismatchError
from sparse_coverage.files import read_json, write_json
from sparse_coverage.index import IndexStore, Segment
from sparse_coverage.kernels import Array
from sparse_coverage.progress import progress_bar
from sparse_coverage.retrievers.side import RECORD, open_arrays, write_block

_FOLDER = ("charts", "sentences")
_ABOUT = "about.json"


def keep_sentences(store: IndexStore, encoder: Encoder) -> int:
    """Encode the passages of an index that nothing is kept of yet. Interrupted, it goes on where it stopped. Return blocks made."""
    home = store.folder.joinpath(*_FOLDER)
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home / ".lock"):
        if not (home / _ABOUT).exists():
            write_json(home / _ABOUT, {"encoder": encoder.name, "fingerprint": encoder.fingerprint})
        _require_same(store, encoder)
        missing = [segment for segment in store.segments if not (home / _name(segment) / RECORD).is_file()]
        with progress_bar("Keeping sentences", sum(map(len, missing))) as advance:
            for segment in missing:
                texts = [passage.text for passage in segment.texts.passages_between(0, len(segment))]
                write_block(home / _name(segment), _packed(each_sentences(texts, encoder), encoder.dimension, advance))
        named = {_name(segment) for segment in store.segments}
        for path in home.glob(f"*/{RECORD}"):
            if path.parent.name not in named:
                shutil.rmtree(path.parent, ignore_errors=True)
    return len(missing)


class KeptSentences:
    """Reads the kept sentences of an index."""

    def __init__(self, store: IndexStore, encoder: Encoder) -> None:
        self._store = store
        self._dimension = encoder.dimension
        self._blocks: dict[str, dict[str, Array]] = {}
        _require_same(store, encoder)

    @classmethod
    def open(cls, store: IndexStore, encoder: Encoder) -> KeptSentences | None:
        """Return what is kept, or None where an index keeps none or lacks those of a segment."""
        home = store.folder.joinpath(*_FOLDER)
        if not (home / _ABOUT).is_file():
            return None
        complete = all((home / _name(segment) / RECORD).is_file() for segment in store.segments)
        return cls(store, encoder) if complete else None

    def of(self, document: int) -> Sentences:
        """Return the sentences of a document by its number."""
        segment = self._store.segment_of_document(document)
        name = _name(segment)
        if name not in self._blocks:
            self._blocks[name] = open_arrays(self._store.folder.joinpath(*_FOLDER, name))
        arrays = self._blocks[name]
        numbers = self._store.passages_of(document)
        first = numbers.start - segment.first_passage
        offsets = arrays["offsets"][first : first + len(numbers) + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        means = arrays["bytes"][rows].astype(np.float32) * arrays["scales"][rows][:, None]
        passages = np.repeat(np.arange(len(numbers), dtype=np.int32), np.diff(offsets))
        places = arrays["places"][rows]
        return Sentences(means, arrays["counts"][rows].astype(np.float32), passages, places[:, 0], places[:, 1])


def _packed(parts: Iterable[Sentences], dimension: int, advance: object) -> dict[str, Array]:
    sizes: list[int] = []

    def counted() -> Iterator[Sentences]:
        for part in parts:
            sizes.append(len(part))
            advance()  # type: ignore[operator]
            yield part

    every = joined(list(counted()), dimension)
    scales = np.maximum(np.abs(every.means).max(1, initial=0.0), 1e-9) / 127
    return {
        "bytes": np.rint(every.means / scales[:, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "counts": every.counts.astype(np.uint32),
        "places": np.stack([every.starts, every.ends], axis=1).astype(np.int32).reshape(-1, 2),
        "offsets": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    }


def _require_same(store: IndexStore, encoder: Encoder) -> None:
    about = read_json(store.folder.joinpath(*_FOLDER, _ABOUT))
    if about["fingerprint"] != encoder.fingerprint:
        raise MismatchError(
            f"{store.folder}: the kept sentences were encoded by '{about['encoder']}', the index by '{encoder.name}'. "
            f"Remove {store.folder.joinpath(*_FOLDER)} and keep them again."
        )


def _name(segment: Segment) -> str:
    return segment.entry.sha256[:20]
