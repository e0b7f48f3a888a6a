"""A segment: at most 65,536 passages with their postings, facts and texts. Immutable once written.

| file | holds |
| --- | --- |
| `postings.bin`, `spans.bin` | the inverted lists (see `postings.py`), memory-mapped, checked page by page |
| `facts.safetensors` | small arrays: offsets of the lists, span counts, documents, sections, keys of ids, columns for filters, page sums |
| `terms.json` | the terms that filters look up |
| `texts.sqlite` | documents and passages |
| `words.safetensors`, `word_places.bin` | the words of all texts with their places (see `words.py`) |
| `word_lists.safetensors`, `word_postings.bin` | the words of passages with their counts, where the index keeps them |
| `passage_vectors.bin` | a vector for each whole passage, where the index keeps them |
| `segment.json` | counts, names of sections, and size and sha256 of every file above |

Documents that were deleted later are named in a file of their own beside these (see `Tombstones`).
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import sys
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from hashlib import sha256 as new_sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.files import has_sha256
from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.index.passage_parts import PassageVectors, WordLists
from sparse_coverage.index.postings import WEIGHT_SCALE, Postings
from sparse_coverage.index.stored_fields import DocumentColumns, StoredFieldsReader
from sparse_coverage.index.words import WordReader
from sparse_coverage.kernels import Array, Doubles, Int32s, Int64s, Mask, Uint16s, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.postings import FAR_SPAN, postings_of, spread
from sparse_coverage.vocabulary.points import padded

SEGMENTS = "segments"
HEADER, FACTS, TERMS, TEXTS = "segment.json", "facts.safetensors", "terms.json", "texts.sqlite"
POSTINGS, SPANS = "postings.bin", "spans.bin"
WORDS, WORD_PLACES = "words.safetensors", "word_places.bin"
WORD_LISTS, WORD_POSTINGS = "word_lists.safetensors", "word_postings.bin"
VECTORS = "passage_vectors.bin"
FILES = (FACTS, TERMS, TEXTS, POSTINGS, SPANS, WORDS, WORD_PLACES)
"""The files of every segment."""
_COLUMNS = ("dates", "term_offsets", "term_documents", "document_keys", "passage_keys")


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """How a manifest names a segment: its folder, what it holds, the checksum of its header, and its tombstones.

    A segment that is not `encoded` holds the words of its passages, but neither centers nor vectors: a build is under way.
    """

    name: str
    documents: int
    passages: int
    sha256: str
    encoded: bool = True
    tombstones: str = ""
    tombstones_sha256: str = ""
    deleted_documents: int = 0
    deleted_passages: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Tombstones:
    """The numbers of the deleted documents, rising, and for each center how many live passages it has left."""

    documents: Uint32s
    frequencies: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class _MappedWords:
    """Two files with lists of words, mapped: the small arrays, read when they are first asked for, and the lists."""

    path: Path
    content: Array
    sha256: str
    lists: Array

    def load(self) -> dict[str, Array]:
        """Return the small arrays, verified."""
        return _loaded(verified(self.content.tobytes(), self.path, self.sha256), self.path)


@dataclass(frozen=True, eq=False)
class Segment:
    """An opened segment. `added` is the generation of the index that each document came with, however it was merged since.

    Its passages are numbered from 0; `document_starts[d]:document_starts[d + 1]` are those of document d, and in the whole
    index they follow `first_passage` passages and `first_document` documents of the segments before it.
    """

    entry: SegmentEntry
    folder: Path
    first_passage: int
    first_document: int
    postings: Postings
    packed: GuardedArray
    spans: GuardedArray
    span_counts: Uint32s
    uncovered: Uint32s
    added: Uint32s
    document_starts: Uint32s
    sections: Uint16s
    section_names: tuple[str, ...]
    texts: StoredFieldsReader
    tombstones: Tombstones | None
    vectors: PassageVectors | None
    _columns: dict[str, Array] = field(repr=False)
    _terms: Array = field(repr=False)
    _terms_sha256: str
    _words: _MappedWords = field(repr=False)
    _word_lists: _MappedWords | None = field(repr=False)

    def __len__(self) -> int:
        return len(self.span_counts)

    @cached_property
    def frequencies(self) -> Int64s:
        """The number of live passages of each center."""
        if self.tombstones is not None and self.entry.encoded:
            return self.tombstones.frequencies
        return self.postings.frequencies

    @cached_property
    def live_documents(self) -> Mask:
        """Which documents are not deleted."""
        mask = np.ones(len(self.document_starts) - 1, dtype=bool)
        if self.tombstones is not None:
            mask[self.tombstones.documents] = False
        return mask

    @cached_property
    def live_passages(self) -> Mask:
        """Which passages are not deleted."""
        return np.ones(len(self), dtype=bool) if self.tombstones is None else self.spread(self.live_documents)

    @cached_property
    def facts(self) -> DocumentColumns:
        """The columns that filters read."""
        content = verified(self._terms.tobytes(), self.folder / TERMS, self._terms_sha256)
        columns = self._columns
        return DocumentColumns(
            columns["dates"], json.loads(content), columns["term_offsets"], columns["term_documents"]
        )

    @cached_property
    def words(self) -> WordReader:
        """The words of all texts with their places."""
        arrays = self._words.load()
        return WordReader(arrays, self._words.lists, self.folder / WORD_PLACES, self.document_starts)

    @cached_property
    def word_lists(self) -> WordLists | None:
        """The words of passages, where the index keeps them."""
        if self._word_lists is None:
            return None
        arrays = self._word_lists.load()
        return WordLists(arrays, self._word_lists.lists, arrays["sums"], self.folder / WORD_POSTINGS)

    def close(self) -> None:
        """Close the files."""
        self.texts.close()

    @property
    def document_keys(self) -> Array:
        """The keys of the ids of its documents (see `id_key`)."""
        return self._columns["document_keys"]

    def spread(self, documents: Mask) -> Mask:
        """Turn a mask over documents into one over their passages."""
        passages = np.empty(len(self), dtype=bool)
        quick = machine_code(0.0)
        (spread if quick else plain.spread)(self.document_starts, documents, passages)
        return passages

    def document_numbers(self, id_: str, live: Mask | None = None) -> list[int]:
        """Return the live documents with an id (one at most, unless something is wrong). `live`: other ones than committed."""
        found = np.flatnonzero(self._columns["document_keys"] == np.uint64(id_key(id_)))
        mask = self.live_documents if live is None else live
        return [number for number in found[mask[found]].tolist() if self.texts.document(number).id == id_]

    def passage_numbers(self, id_: str) -> list[int]:
        """Return the live passages with an id."""
        found = np.flatnonzero(self._columns["passage_keys"] == np.uint64(id_key(id_)))
        return [number for number in found[self.live_passages[found]].tolist() if self.texts.passage(number).id == id_]

    def find(self, centers: Int64s, first: int, last: int) -> Int64s:
        """Return the postings of the passages from `first` up to `last` in the lists of some centers.

        One row each: (place in `centers`, passage, fixed-point weight, ordinal of the span), by center, then passage.
        """
        begins, ends = self._runs(centers)
        lows, highs = (
            _first_from(self.postings.packed, begins, ends, np.int64(bound) << 16) for bound in (first, last)
        )
        counts = highs - lows
        places = np.repeat(np.arange(len(centers)), counts)
        return self._rows(
            centers, places, np.arange(counts.sum()) + np.repeat(lows - np.cumsum(counts) + counts, counts)
        )

    def find_in(self, centers: Int64s, passages: Int64s) -> Int64s:
        """Return the same for single passages, all at once: by the order of `passages`, then center."""
        begins, ends = (np.tile(bounds, len(passages)) for bounds in self._runs(centers))
        wanted = np.repeat(passages, len(centers))
        lows = _first_from(self.postings.packed, begins, ends, wanted << 16)
        there = np.flatnonzero(lows < ends)
        there = there[self.postings.packed[lows[there]] >> np.uint32(16) == wanted[there]]
        return self._rows(centers, there % max(1, len(centers)), lows[there])

    def _runs(self, centers: Int64s) -> tuple[Int64s, Int64s]:
        """Return where the lists of centers begin and end, checked."""
        offsets = self.postings.offsets
        self.packed.check_runs(offsets, centers)
        self.spans.check_runs(offsets, centers)
        return offsets[centers].astype(np.int64), offsets[centers + 1].astype(np.int64)

    def _rows(self, centers: Int64s, places: Int64s, postings: Int64s) -> Int64s:
        found = self.postings.packed[postings]
        passages, spans = (found >> np.uint32(16)).astype(np.int64), self.postings.spans[postings].astype(np.int64)
        for row in np.flatnonzero(spans == FAR_SPAN).tolist():
            far = self.postings.far
            spans[row] = far[(far[:, 0] == centers[places[row]]) & (far[:, 1] == passages[row]), 2][0]
        return np.stack([places, passages, (found & np.uint32(0xFFFF)).astype(np.int64), spans], axis=1)

    def weight(self, fixed: int) -> float:
        """Return the weight that a fixed-point number stands for."""
        return fixed / WEIGHT_SCALE

    def weights(self, fixed: Int64s) -> Doubles:
        """Return the weights that fixed-point numbers stand for."""
        return fixed / WEIGHT_SCALE

    def passage_vector(self, passage: int) -> tuple[Int32s, Doubles]:
        """Return the centers of a passage, rising, and their weights: one quick pass over all lists."""
        self.packed.check_all()
        packed = self.postings.packed
        found = np.empty(len(self.postings.offsets), dtype=np.int64)
        quick = machine_code(plain.check_seconds(self.packed.data))
        places = found[: (postings_of if quick else plain.postings_of)(packed, np.uint32(passage), found)]
        centers = np.searchsorted(self.postings.offsets, places, side="right") - 1
        fixed = packed[places] & np.uint32(0xFFFF)
        return centers.astype(np.int32), fixed / WEIGHT_SCALE

    def load_passage_vector(self) -> None:
        """Load or compile the pass of `passage_vector`, without making it."""
        postings_of(self.postings.packed[:0], np.uint32(0), np.empty(0, dtype=np.int64))


def _first_from(packed: Array, begins: Int64s, ends: Int64s, bounds: Int64s | np.int64) -> Int64s:
    """Return for each of some rising runs of postings where the first is that is no smaller than its bound: all runs at once."""
    low: Int64s = begins.copy()
    high: Int64s = ends.copy()
    bound = np.broadcast_to(bounds, low.shape)
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) >> 1
        smaller = packed[middle] < bound[open_]
        low[open_[smaller]] = middle[smaller] + 1
        high[open_[~smaller]] = middle[~smaller]
    return low


def open_segment(
    folder: Path, entry: SegmentEntry, centers: int, first_passage: int = 0, first_document: int = 0
) -> Segment:
    """Open a segment. Small files are read and verified; large ones are mapped and verified as they are used.

    A segment that is not encoded has an empty list for each of so many `centers`.
    """
    header = json.loads(read_verified(folder / HEADER, entry.sha256))
    sums = {name: facts["sha256"] for name, facts in header["files"].items()}
    for name, facts in header["files"].items():
        if (folder / name).stat().st_size != facts["bytes"]:
            raise IndexStoreError(
                f"{folder / name}: {(folder / name).stat().st_size} bytes, expected {facts['bytes']}. "
                "The file was cut short or changed. Restore it from a copy, or build the index again."
            )
    facts = _loaded(read_verified(folder / FACTS, sums[FACTS]), folder / FACTS)
    count = header["postings"]
    packed = _mapped(folder / POSTINGS, "<u4", (count,))
    offsets = facts["offsets"] if entry.encoded else np.zeros(centers + 1, np.uint32)
    postings = Postings(offsets, packed, _mapped(folder / SPANS, "<u2", (count,)), facts["far"])
    tombstones = None
    if entry.tombstones:
        tombstones = Tombstones(**load(read_verified(folder / entry.tombstones, entry.tombstones_sha256)))
    vectors = None
    if VECTORS in sums:
        dimension = header["vector_dimension"]
        rows = _mapped(folder / VECTORS, "i1", (header["passages"], padded(dimension)))
        vectors = PassageVectors(rows, dimension, facts["vector_scales"], facts["vectors_sums"], folder / VECTORS)
    return Segment(
        entry=entry,
        folder=folder,
        first_passage=first_passage,
        first_document=first_document,
        postings=postings,
        packed=GuardedArray(postings.packed, facts["postings_sums"], folder / POSTINGS),
        spans=GuardedArray(postings.spans, facts["spans_sums"], folder / SPANS),
        span_counts=facts["span_counts"],
        uncovered=facts["uncovered"],
        added=np.repeat(*np.asarray(header["added"], dtype=np.uint32).reshape(-1, 2).T),
        document_starts=facts["document_starts"],
        sections=facts["sections"],
        section_names=tuple(header["sections"]),
        texts=StoredFieldsReader(folder / TEXTS),
        tombstones=tombstones,
        vectors=vectors,
        _columns={name: facts[name] for name in _COLUMNS},
        _terms=_mapped(folder / TERMS, "u1", (header["files"][TERMS]["bytes"],)),
        _terms_sha256=sums[TERMS],
        _words=_map_words(folder, header, WORDS, WORD_PLACES),
        _word_lists=_map_words(folder, header, WORD_LISTS, WORD_POSTINGS) if WORD_LISTS in sums else None,
    )


def _map_words(folder: Path, header: dict[str, Any], small: str, lists: str) -> _MappedWords:
    files = header["files"]
    content = _mapped(folder / small, "u1", (files[small]["bytes"],))
    return _MappedWords(
        folder / small, content, files[small]["sha256"], _mapped(folder / lists, "<u4", (files[lists]["bytes"] // 4,))
    )


def _loaded(content: bytes, path: Path) -> dict[str, Array]:
    try:
        return load(content)
    except SafetensorError as error:
        raise IndexStoreError(f"{path}: cannot be read ({error}).") from None


def id_key(id_: str) -> int:
    """Return the 64 bits that an id is looked up by; the row they lead to has the id itself.

    >>> f"{id_key('EP-0661903-A2'):016x}"
    '8842d130c9f14aac'
    """
    return int.from_bytes(blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def read_verified(path: Path, sha256: str) -> bytes:
    """Read a small file and compare its checksum."""
    return verified(path.read_bytes(), path, sha256)


OPEN_FILES = 9
"""How many files of a segment a reader holds open: six are mapped, two are read by SQLite, one of them to be checked once."""
_OTHER_FILES = 40  # what a merge writes, and whatever else is opened meanwhile


def files_allowed() -> int:
    """Return how many files this process may have open."""
    if sys.platform == "win32":
        return 8192
    import resource

    allowed: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if allowed == resource.RLIM_INFINITY else allowed


def segments_at_once() -> int:
    """Return how many segments can be opened beside what is open already, two at least."""
    used = 0 if sys.platform == "win32" else len(list(Path("/dev/fd").iterdir()))
    return max(2, (files_allowed() - used - _OTHER_FILES) // OPEN_FILES)


def lacks_files(error: BaseException | None = None) -> bool:
    """Tell whether an error is that no more files may be opened; SQLite does not say why it cannot open one, so it is tried."""
    if error is None or isinstance(error, sqlite3.Error):
        try:
            with Path(os.devnull).open("rb"), Path(os.devnull).open("rb"):
                return False
        except OSError as tried:
            error = tried
    return isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)


def too_few_files(folder: Path, segments: int) -> IndexStoreError:
    """Return what to tell where an index of so many segments takes more open files than a process may have."""
    count, allowed = OPEN_FILES * segments, files_allowed()
    return IndexStoreError(
        f"{folder}: reading this index takes {count:,} open files, and a process may have {allowed:,} here. "
        f"Allow more (`ulimit -n {2 * max(count, allowed)}`), then try again."
    )


def missing_file(error: FileNotFoundError) -> IndexStoreError:
    """Return what to tell about a file that is not there."""
    return IndexStoreError(
        f"{error.filename or error}: the file is missing. Restore it from a copy, or build the index again."
    )


def verified(content: bytes, path: Path, sha256: str) -> bytes:
    """Return the content of a file after comparing its checksum."""
    if new_sha256(content).hexdigest() != sha256:
        raise IndexStoreError(
            f"{path}: damaged (wrong sha256). Restore the file from a copy, or build the index again."
        )
    return content


def damaged_segment_files(folder: Path, entry: SegmentEntry) -> list[str]:
    """Return the names of a segment's files that are missing or whose content changed."""
    expected = {HEADER: entry.sha256}
    if entry.tombstones:
        expected[entry.tombstones] = entry.tombstones_sha256
    damaged = [name for name, sha256 in expected.items() if not has_sha256(folder / name, sha256)]
    if HEADER in damaged:
        # Without its header nothing says what the other files should be.
        return damaged
    try:
        files: dict[str, dict[str, Any]] = json.loads((folder / HEADER).read_bytes())["files"]
    except FileNotFoundError:  # removed a moment ago
        return [*damaged, HEADER]
    return damaged + [name for name, facts in files.items() if not has_sha256(folder / name, facts["sha256"])]


def _mapped(path: Path, dtype: str, shape: tuple[int, ...]) -> Array:
    if not shape[0]:
        return np.zeros(shape, dtype=dtype)  # nothing of no length can be mapped
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", shape=shape))
