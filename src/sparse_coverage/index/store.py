"""Reading an index: a snapshot of the state that its manifest named when it was opened. Later commits do not touch it.

Documents are found by their publication numbers, however these are spelled."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import IndexStoreError, SparseCoverageError
from sparse_coverage.index.manifest import FORMAT, MANIFEST, Manifest, OtherFormatError, read_manifest, require_finished
from sparse_coverage.index.segment import (
    OPEN_FILES,
    SEGMENTS,
    Segment,
    damaged_segment_files,
    files_allowed,
    lacks_files,
    missing_file,
    open_segment,
    too_few_files,
)
from sparse_coverage.index.stored_fields import NUMBER_FIELD, DocumentRecord, PassageRecord
from sparse_coverage.kernels import Int64s, Mask
from sparse_coverage.patents.numbers import PublicationNumber, meant_numbers, parse_number, spellings
from sparse_coverage.progress import tracked

Searched = Sequence[tuple[Segment, Mask]]
"""Segments, each with those of its documents that count."""
_NEAR = 5


def find_document(segments: Searched, id_: str) -> tuple[int, int] | None:
    """Return the place of a document: that of its segment, and its number there.

    The id as it is comes first, then other spellings of the same publication number. A number without a kind, or with the
    letter of one alone, finds a publication that is the only one of these, and so do digits without an office. One that is kept
    without a kind is found by any.
    """
    for name in spellings(id_):
        for place, (segment, live) in enumerate(segments):
            for number in segment.document_numbers(name, live):
                return place, number
    found = [(place, one, wanted) for wanted in meant_numbers(id_) for place, one in _publications(segments, wanted)]
    for same in (
        [place for place, one, wanted in found if one.kind == wanted.kind],
        [place for place, one, wanted in found if len(wanted.kind) < 2 and one.kind.startswith(wanted.kind)],
        [place for place, one, _ in found if not one.kind],
    ):
        if same:
            return same[0] if len(same) == 1 else None
    return None


def near_ids(segments: Searched, id_: str) -> list[str]:
    """Return ids like one that is not there: other publications of the same number, else those that begin most alike."""
    wanted = parse_number(id_)
    if wanted is not None and (found := _publications(segments, wanted)):
        return [segments[place][0].texts.document(number).id for (place, number), _ in found[:_NEAR]]
    asked = str(wanted) if wanted else id_.strip()
    alike = {other for segment, live in segments for other in _neighbours(segment, live, asked)}
    same = {other: (one == two for one, two in zip(asked, other, strict=False)) for other in alike}
    shared = {other: sum(takewhile(bool, letters)) for other, letters in same.items()}
    least = max(3, len(asked.rpartition("-")[0] if wanted and wanted.kind else asked) - 2)
    return sorted((other for other in alike if shared[other] >= least), key=lambda one: (-shared[one], one))[:_NEAR]


def near(segments: Searched, id_: str) -> str:
    """Return a note for an error about an unknown id: " (near it: …)" with similar ids, or an empty text where there are none."""
    found = near_ids(segments, id_)
    return f" (near it: {', '.join(found)})" if found else ""


def _publications(segments: Searched, wanted: PublicationNumber) -> list[tuple[tuple[int, int], PublicationNumber]]:
    """Return the places of all publications of a number, of whatever kind."""
    name = f"{wanted.country}-{wanted.number}"
    found = []
    for place, (segment, live) in enumerate(segments):
        facts = segment.facts
        mask = facts.with_term(NUMBER_FIELD, name) | facts.with_term("id", name)
        for number in np.flatnonzero(mask & live).tolist():
            publication = parse_number(segment.texts.document(number).id)
            if publication and (publication.country, publication.number) == (wanted.country, wanted.number):
                found.append(((place, number), publication))
    return found


def _neighbours(segment: Segment, live: Mask, asked: str) -> list[str]:
    """Return the ids beside which one would stand among those of a segment."""
    terms, begin = segment.facts.terms, f"id={asked}"
    place = bisect_left(terms, begin)
    ids = [term[3:] for term in terms[max(0, place - 2) : place + 3] if term.startswith("id=")]
    return [id_ for id_ in ids if segment.document_numbers(id_, live)]


_ATTEMPTS = 20
_RECENT = 1024  # passages that stay in memory: about a megabyte


@dataclass(frozen=True, eq=False)
class IndexStore:
    """An opened index. Passages and documents are numbered through all segments in corpus order, deleted ones included."""

    folder: Path
    state: Manifest
    segments: tuple[Segment, ...]

    @property
    def size(self) -> int:
        """How many numbers passages have, deleted ones included."""
        return sum(len(segment) for segment in self.segments)

    @cached_property
    def document_starts(self) -> Int64s:
        """The number of the first passage of each document, and the number of passages."""
        starts = [part.document_starts[:-1].astype(np.int64) + part.first_passage for part in self.segments]
        return np.concatenate([*starts, np.asarray([self.size], dtype=np.int64)])

    @cached_property
    def live_passages(self) -> Mask:
        """Which passages are not deleted."""
        return np.concatenate([np.zeros(0, dtype=bool), *(segment.live_passages for segment in self.segments)])

    @cached_property
    def encoded_passages(self) -> Mask:
        """Which passages have centers; while an index is built, the others have words alone."""
        parts = [np.full(len(segment), segment.entry.encoded) for segment in self.segments]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])

    @cached_property
    def frequencies(self) -> Int64s:
        """The number of live passages of each center."""
        zero = np.zeros(self.state.centers, dtype=np.int64)
        return sum((segment.frequencies for segment in self.segments), start=zero)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the index holds, as plain values."""
        return {
            "format": FORMAT,
            "generation": self.state.generation,
            "complete": self.state.complete,
            "documents": self.state.documents,
            "encoded_documents": self.state.encoded_documents,
            "passages": self.state.passages,
            "postings": int(self.frequencies.sum()),
            "centers": self.state.centers,
            "segments": len(self.segments),
            "deleted_documents": sum(entry.deleted_documents for entry in self.state.segments),
            "spans": sum(int(segment.span_counts[segment.live_passages].sum()) for segment in self.segments),
            "uncovered_spans": sum(int(part.uncovered[part.live_documents].sum()) for part in self.segments),
            **self.state.about,
        }

    def passage(self, number: int) -> PassageRecord:
        """Return a passage by number. The last ones are kept in memory: a search reads those that it shows several times."""
        recent = self._recent
        record = recent.get(number)
        if record is None:
            segment = self.segment_of_passage(number)
            record = segment.texts.passage(number - segment.first_passage)
            if len(recent) >= _RECENT:
                recent.clear()
                self._recent_numbers.clear()
            recent[number] = record
            if self.live_passages[number]:
                self._recent_numbers[record.id] = number
        return record

    @cached_property
    def _recent(self) -> dict[int, PassageRecord]:
        return {}

    @cached_property
    def _recent_numbers(self) -> dict[str, int]:
        return {}

    def document(self, number: int) -> DocumentRecord:
        """Return a document by number."""
        segment = self.segment_of_document(number)
        return segment.texts.document(number - segment.first_document)

    def passages_of(self, document: int) -> range:
        """Return the numbers of a document's passages, in corpus order."""
        segment = self.segment_of_document(document)
        first, last = segment.document_starts[document - segment.first_document :][:2].tolist()
        return range(segment.first_passage + first, segment.first_passage + last)

    def find_document(self, id_: str) -> int | None:
        """Return the number of a live document, by its id or another spelling of its publication number, or None."""
        found = find_document(self.searched, id_)
        return None if found is None else self.segments[found[0]].first_document + found[1]

    def find_passage(self, id_: str) -> int | None:
        """Return the number of a live passage, or None. The document may be spelled otherwise, as in `find_document`."""
        recent = self._recent_numbers.get(id_)
        if recent is not None:
            return recent
        for segment in self.segments:
            for number in segment.passage_numbers(id_):
                return segment.first_passage + number
        for place in (place for place, letter in enumerate(id_) if letter == "/"):
            document = self.find_document(id_[:place])
            if document is not None and (own := self.document(document).id) != id_[:place]:
                return self.find_passage(own + id_[place:])
        return None

    def near(self, id_: str) -> str:
        """Return a note for an error about an unknown id: " (near it: …)" with similar ids, or an empty text where there are none."""
        return near(self.searched, id_)

    @property
    def searched(self) -> Searched:
        """The segments, each with its live documents."""
        return [(segment, segment.live_documents) for segment in self.segments]

    def segment_of_passage(self, number: int) -> Segment:
        """Return the segment that holds a passage."""
        return self.segments[bisect_right([segment.first_passage for segment in self.segments], number) - 1]

    def segment_of_document(self, number: int) -> Segment:
        """Return the segment that holds a document."""
        return self.segments[bisect_right([segment.first_document for segment in self.segments], number) - 1]

    def close(self) -> None:
        """Close the files."""
        for segment in self.segments:
            segment.close()


def open_store(folder: Path, *, unfinished: bool = False) -> IndexStore:
    """Open an index for reading; its large files are mapped, so this takes little time whatever its size.

    An index whose build is not finished is refused, unless `unfinished` is allowed.
    """
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(folder)
        if not unfinished:
            require_finished(folder, manifest)
        try:
            return IndexStore(folder, manifest, _open_segments(folder, manifest))
        except FileNotFoundError as error:
            # A writer may have merged a segment away between our two looks; then there is a newer manifest.
            if read_manifest(folder).generation == manifest.generation:
                raise missing_file(error) from None
        except OSError as error:
            if lacks_files(error):
                raise too_few_files(folder, len(manifest.segments)) from None
            raise
    raise IndexStoreError(f"{folder}: the index changes faster than it can be opened. Try again.")


def damaged_files(folder: Path) -> list[str]:
    """Return the files of an index that are missing or whose content changed since it was written. Reads all of them."""
    for _ in range(_ATTEMPTS):
        try:
            manifest = read_manifest(folder)
        except OtherFormatError:
            raise
        except SparseCoverageError:
            if not (folder / MANIFEST).is_file():
                raise
            return [MANIFEST]
        damaged = [
            f"{SEGMENTS}/{entry.name}/{name}"
            for entry in tracked(manifest.segments, "Verifying segments", len(manifest.segments))
            for name in damaged_segment_files(folder / SEGMENTS / entry.name, entry)
        ]
        # What a writer merged away meanwhile is missing, but it is no part of the index any more.
        if not damaged or _generation(folder) == manifest.generation:
            return damaged
    raise IndexStoreError(f"{folder}: the index changes faster than it can be verified. Try again.")


def _generation(folder: Path) -> int | None:
    try:
        return read_manifest(folder).generation
    except SparseCoverageError:
        return None


def _open_segments(folder: Path, manifest: Manifest) -> tuple[Segment, ...]:
    if OPEN_FILES * len(manifest.segments) >= files_allowed():  # said at once
        raise too_few_files(folder, len(manifest.segments))
    opened: list[Segment] = []
    passages = documents = 0
    try:
        for entry in manifest.segments:
            opened.append(open_segment(folder / SEGMENTS / entry.name, entry, manifest.centers, passages, documents))
            passages += entry.passages
            documents += entry.documents
    except BaseException:
        for segment in opened:
            segment.close()
        raise
    return tuple(opened)
