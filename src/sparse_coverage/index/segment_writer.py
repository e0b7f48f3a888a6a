"""Writing segments: new ones from documents, and neighbours joined into one without what was deleted.

A segment is written into a folder of its own, which no manifest names until everything is on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.files import sha256_of, sync_file, sync_folder
from sparse_coverage.index.manifest import Manifest
from sparse_coverage.index.pages import page_sums
from sparse_coverage.index.passage_parts import PackedVectors, WordListsBuilder, join_packed
from sparse_coverage.index.postings import MAX_PASSAGES, Postings, live_frequencies, merge_postings, no_postings
from sparse_coverage.index.segment import (
    FACTS,
    FILES,
    HEADER,
    POSTINGS,
    SPANS,
    TERMS,
    TEXTS,
    VECTORS,
    WORD_LISTS,
    WORD_PLACES,
    WORD_POSTINGS,
    WORDS,
    Segment,
    SegmentEntry,
    id_key,
    lacks_files,
    open_segment,
    too_few_files,
)
from sparse_coverage.index.stored_fields import DocumentRecord, PassageRecord, StoredFieldsWriter, collect_columns
from sparse_coverage.index.words import WordWriter
from sparse_coverage.kernels import Array, Int64s, Mask, Uint32s
from sparse_coverage.text import index_terms
from sparse_coverage.vocabulary.points import padded


class SegmentWriter:
    """Takes documents with their passages, then the postings, and gives the entry for a manifest.

    With `words` the words of the passages are kept; with a `dimension` each passage comes with a vector of that length. What is not
    `encoded` has neither postings nor vectors.
    """

    def __init__(self, folder: Path, *, words: bool = False, dimension: int = 0, encoded: bool = True) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._texts = StoredFieldsWriter(folder / TEXTS)
        self._words = WordWriter()
        # Filters look at metadata only once the segment is written, so titles need not be kept.
        self._records: list[DocumentRecord] = []
        self._starts = [0]
        self._span_counts: list[int] = []
        self._uncovered: list[int] = []
        self._added: list[int] = []
        self._sections: list[int] = []
        self._document_keys: list[int] = []
        self._passage_keys: list[int] = []
        self._section_names: dict[str, int] = {}
        self._word_lists = WordListsBuilder() if words else None
        self._dimension = dimension if encoded else 0
        self.encoded = encoded
        """Whether the passages come with centers."""
        self._vectors: list[PackedVectors] = []

    @property
    def passages(self) -> int:
        """How many passages were added."""
        return self._starts[-1]

    def add(
        self,
        record: DocumentRecord,
        passages: Sequence[PassageRecord],
        span_counts: Sequence[int],
        uncovered: int,
        added: int,
        vectors: PackedVectors | None = None,
        *,
        words: bool = True,
    ) -> None:
        """Add a document with all its passages; `added` is the generation of the index that it came with.

        Without `words` those of the passages are left to `copy_words`.
        """
        if self.passages + len(passages) > MAX_PASSAGES:
            raise IndexStoreError(f"A segment holds at most {MAX_PASSAGES} passages.")
        self._texts.add_document(len(self._records), record)
        self._texts.add_passages(self.passages, passages)
        self._words.add(len(self._records), record, passages)
        if self._word_lists is not None and words:
            for passage in passages:
                self._word_lists.add(index_terms(passage.text))
        if vectors is not None:
            self._vectors.append(vectors)
        self._records.append(DocumentRecord(record.id, "", record.metadata))
        self._starts.append(self.passages + len(passages))
        self._span_counts.extend(span_counts)
        self._uncovered.append(uncovered)
        self._added.append(added)
        self._document_keys.append(id_key(record.id))
        self._passage_keys.extend(id_key(passage.id) for passage in passages)
        self._sections.extend(
            self._section_names.setdefault(passage.section, len(self._section_names)) for passage in passages
        )

    def copy_words(self, segment: Segment, numbers: Int64s) -> bool:
        """Take the words of a segment's passages from its lists, by their new numbers (-1: left out); tell whether it has lists."""
        if self._word_lists is None or segment.word_lists is None:
            return False
        self._word_lists.copy(segment.word_lists, numbers)
        return True

    def finish(self, postings: Postings) -> SegmentEntry:
        """Write everything, make it durable, and return the segment's entry."""
        self._texts.finish()
        files = list(FILES)
        self._write_words(WORDS, WORD_PLACES, *self._words.build())
        if self._word_lists is not None:
            self._write_words(WORD_LISTS, WORD_POSTINGS, *self._word_lists.build())
            files += [WORD_LISTS, WORD_POSTINGS]
        facts = collect_columns(self._records)
        arrays = {
            "offsets": postings.offsets,
            "far": postings.far,
            "postings_sums": page_sums(postings.packed),
            "spans_sums": page_sums(postings.spans),
            "span_counts": np.asarray(self._span_counts, dtype=np.uint32),
            "uncovered": np.asarray(self._uncovered, dtype=np.uint32),
            "document_starts": np.asarray(self._starts, dtype=np.uint32),
            "sections": np.asarray(self._sections, dtype=np.uint16),
            "document_keys": np.asarray(self._document_keys, dtype=np.uint64),
            "passage_keys": np.asarray(self._passage_keys, dtype=np.uint64),
            "dates": facts.dates,
            "term_offsets": facts.term_offsets,
            "term_documents": facts.term_documents,
        }
        if self._dimension:
            vectors = join_packed(self._vectors, padded(self._dimension))
            _write(self._folder / VECTORS, vectors.rows)
            arrays |= {"vector_scales": vectors.scales, "vectors_sums": page_sums(vectors.rows)}
            files.append(VECTORS)
        (self._folder / FACTS).write_bytes(save({name: np.ascontiguousarray(value) for name, value in arrays.items()}))
        (self._folder / TERMS).write_text(json.dumps(list(facts.terms), ensure_ascii=False), encoding="utf-8")
        for name, values in ((POSTINGS, postings.packed), (SPANS, postings.spans)):
            _write(self._folder / name, values)
        header: dict[str, Any] = {
            "documents": len(self._records),
            "passages": self.passages,
            "postings": len(postings),
            "centers": len(postings.offsets) - 1,
            "vector_dimension": self._dimension,
            "sections": list(self._section_names),
            "added": [[generation, len(list(group))] for generation, group in groupby(self._added)],
            "files": {
                name: {"bytes": (self._folder / name).stat().st_size, "sha256": sha256_of(self._folder / name)}
                for name in files
            },
        }
        content = json.dumps(header, indent=1).encode()
        (self._folder / HEADER).write_bytes(content)
        for name in (*files, HEADER):
            sync_file(self._folder / name)
        sync_folder(self._folder)
        sync_folder(self._folder.parent)
        digest = sha256(content).hexdigest()
        return SegmentEntry(self._folder.name, len(self._records), self.passages, digest, self.encoded)

    def abandon(self) -> None:
        """Let go of the files."""
        self._texts.abandon()

    def _write_words(self, small: str, large: str, arrays: dict[str, Array], lists: Array) -> None:
        (self._folder / small).write_bytes(save({**arrays, "sums": page_sums(lists)}))
        _write(self._folder / large, lists)


def _write(path: Path, array: Array) -> None:
    path.write_bytes(array.astype(array.dtype.newbyteorder("<"), copy=False).data)


MERGED_BYTES = 6
"""What a merge holds of each posting."""


_LET_GO = 3  # segments, so that there is room for what is written, too


@dataclass(frozen=True, slots=True)
class Size:
    """How much is to be merged."""

    passages: int = 0
    postings: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.passages + other.passages, self.postings + other.postings)

    def holds(self, other: Size) -> bool:
        """Whether so much is not more than this."""
        return other.passages <= self.passages and other.postings <= self.postings


@dataclass(slots=True, eq=False)
class LiveSegment:
    """A segment of the state to come, and which of its documents are live in it. Its files are open only while they are needed."""

    folder: Path
    committed: SegmentEntry
    centers: int
    live: Mask
    held: dict[LiveSegment, Segment]
    keys: Array
    _starts: Uint32s
    _postings: int
    _committed_live: Mask

    @classmethod
    def open(cls, folder: Path, entry: SegmentEntry, centers: int, held: dict[LiveSegment, Segment]) -> LiveSegment:
        """Take up a segment as it was committed. Of the `held` ones files are open, the one used last is the last."""
        segment = open_segment(folder, entry, centers)
        live, keys = segment.live_documents, segment.document_keys
        segment.close()
        return cls(
            folder, entry, centers, live.copy(), held, keys, segment.document_starts, len(segment.postings), live
        )

    @property
    def segment(self) -> Segment:
        """Its files, opened when they are needed; where no more may be opened, those that were used longest ago are closed."""
        found = self.held.pop(self, None)
        while found is None:
            try:
                found = open_segment(self.folder, self.committed, self.centers)
            except OSError as error:
                if not lacks_files(error):
                    raise
                if not self.held:
                    raise too_few_files(self.folder.parent.parent, 1) from None
                for oldest in list(self.held)[:_LET_GO]:
                    oldest.close()
        self.held[self] = found
        return found

    def close(self) -> None:
        """Close its files."""
        if (found := self.held.pop(self, None)) is not None:
            found.close()

    def find(self, id_: str) -> list[int]:
        """Return the live documents with an id; no file is opened for what is not there."""
        there = bool((self.live & (self.keys == np.uint64(id_key(id_)))).any())
        return self.segment.document_numbers(id_, self.live) if there else []

    def renew(self, entry: SegmentEntry) -> None:
        """Take note that it was committed."""
        if self.changed:
            self.close()
        self.committed, self._committed_live = entry, self.live.copy()

    @property
    def encoded(self) -> bool:
        """Whether its passages have centers."""
        return self.committed.encoded

    @property
    def passages(self) -> int:
        """How many passages are live."""
        return int(np.diff(self._starts)[self.live].sum())

    @property
    def size(self) -> Size:
        """What a merge has to hold of it: as if nothing were deleted, which is at least what there is."""
        return Size(self.passages, self._postings)

    @property
    def changed(self) -> bool:
        """Whether documents were deleted since the last commit."""
        return not np.array_equal(self.live, self._committed_live)

    def entry(self, generation: int) -> SegmentEntry:
        """Return how the manifest of a generation names this part, after writing its tombstones if they changed."""
        if not self.changed:
            return self.committed
        segment = self.segment
        segment.packed.check_all()
        live = segment.spread(self.live)
        deleted = np.flatnonzero(~self.live).astype(np.uint32)
        frequencies = live_frequencies(segment.postings, live) if self.encoded else np.zeros(0, np.int64)
        content = save({"documents": deleted, "frequencies": frequencies})
        path = segment.folder / f"deleted-{generation:06d}.safetensors"
        path.write_bytes(content)
        sync_file(path)
        sync_folder(segment.folder)
        return replace(
            segment.entry,
            tombstones=path.name,
            tombstones_sha256=sha256(content).hexdigest(),
            deleted_documents=len(deleted),
            deleted_passages=int((~live).sum()),
        )


def merge_parts(parts: Sequence[LiveSegment], folder: Path, manifest: Manifest) -> SegmentEntry:
    """Write the live documents of some segments, all encoded or none, in corpus order, as one new segment.

    Every byte read is verified.
    """
    encoded = parts[0].encoded
    draft = SegmentWriter(folder, words=manifest.words, dimension=manifest.dimension, encoded=encoded)
    try:
        joined = []
        for part in parts:
            part.segment.packed.check_all()
            part.segment.spans.check_all()
            passages = part.segment.spread(part.live)
            numbers = np.where(passages, draft.passages + np.cumsum(passages) - 1, -1)
            joined.append((part.segment.postings, numbers))
            copied = draft.copy_words(part.segment, numbers)
            _copy_documents(part.segment, part.live, draft, words=not copied)
        return draft.finish(merge_postings(joined, manifest.centers) if encoded else no_postings())
    except BaseException:
        draft.abandon()
        raise


def groups_to_merge(
    sizes: Sequence[Size], dead: Sequence[bool], largest: Size, encoded: Sequence[bool] = ()
) -> list[tuple[int, int]]:
    """Return the ranges of neighbours to rewrite: as many as `largest` holds, and any that holds something dead.

    Where `encoded` says which segments are, a range has none but these, or none of these.

    >>> sizes = [Size(passages, 10 * passages) for passages in (100, 200, 65_000, 400, 7)]
    >>> groups_to_merge(sizes, [False, False, False, False, True], Size(65_536, 1_000_000))
    [(0, 3), (3, 5)]
    """
    ranges, first, total = [], 0, Size()
    for place, size in enumerate(sizes):
        other = bool(encoded) and encoded[place] != encoded[first]
        if place > first and (other or not largest.holds(total + size)):
            ranges.append((first, place))
            first, total = place, Size()
        total = total + size
    ranges.append((first, len(sizes)))
    return [(first, last) for first, last in ranges if last - first > 1 or any(dead[first:last])]


def _copy_documents(segment: Segment, live: Mask, draft: SegmentWriter, *, words: bool) -> None:
    vectors = None if segment.vectors is None else segment.vectors.packed()
    for number in np.flatnonzero(live).tolist():
        first, last = (int(place) for place in segment.document_starts[number : number + 2])
        spans = segment.span_counts[first:last].tolist()
        draft.add(
            segment.texts.document(number),
            segment.texts.passages_between(first, last),
            spans,
            int(segment.uncovered[number]),
            int(segment.added[number]),
            None if vectors is None else PackedVectors(vectors.rows[first:last], vectors.scales[first:last]),
            words=words,
        )
