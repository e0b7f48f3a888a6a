"""Changing an index: documents are added, deleted, replaced, segments merged; all of it shows at once, with `commit`."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import AlreadyThereError, IndexStoreError, NoDocumentError, SparseCoverageError
from sparse_coverage.index.manifest import MANIFEST, Manifest, read_manifest, require_finished, write_manifest, writing
from sparse_coverage.index.passage_parts import PackedVectors, pack_vectors
from sparse_coverage.index.postings import DEFAULT_MEMORY, MAX_PASSAGES, PostingsBuffer, no_postings
from sparse_coverage.index.segment import (
    SEGMENTS,
    Segment,
    SegmentEntry,
    lacks_files,
    missing_file,
    segments_at_once,
    too_few_files,
)
from sparse_coverage.index.segment_writer import (
    MERGED_BYTES,
    LiveSegment,
    SegmentWriter,
    Size,
    groups_to_merge,
    merge_parts,
)
from sparse_coverage.index.store import find_document, near
from sparse_coverage.index.stored_fields import DocumentRecord, IndexedPassage, PassageRecord, require_storable
from sparse_coverage.kernels import Mask
from sparse_coverage.progress import tracked

_SMALLEST_MERGE = 64 << 20


class IndexWriter:
    """The one writer of an index. Use it in a `with` block; what was not committed when the block ends is dropped.

        with IndexWriter.open(folder) as writer:
            writer.delete("EP-0661903-A2")
            writer.add(document, passages)
            writer.commit()

    `memory` bounds, in bytes, the postings that are held at a time: before they are written as a segment, and when segments
    are merged (there it counts as at least 64 MiB).
    """

    def __init__(self, folder: Path, memory: int = DEFAULT_MEMORY) -> None:
        self._folder = folder
        self._memory = memory
        self._held = ExitStack()
        read_manifest(folder)  # where there is no index, not even a lock is left behind
        self._held.enter_context(writing(folder))
        try:
            self.manifest = read_manifest(folder)
            self._discard_leftovers()
            self._files: dict[LiveSegment, Segment] = {}
            self._parts = [self._open(entry) for entry in self.manifest.segments]
        except BaseException as error:
            self._held.close()
            if isinstance(error, FileNotFoundError):
                raise missing_file(error) from None
            if lacks_files(error):
                raise too_few_files(folder, 1) from None
            raise
        self._largest = Size(MAX_PASSAGES, max(memory, _SMALLEST_MERGE) // MERGED_BYTES)
        self._failed = False
        self._draft: SegmentWriter | None = None
        self._draft_ids: set[str] = set()
        self._buffer = PostingsBuffer(self.manifest.centers)

    @classmethod
    def create(
        cls,
        folder: Path,
        centers: int,
        about: Mapping[str, Any],
        *,
        memory: int = DEFAULT_MEMORY,
        words: bool = False,
        dimension: int = 0,
    ) -> IndexWriter:
        """Start an index without documents; it counts as unfinished until the first `commit`.

        With `words` it keeps the words of passages, with a `dimension` a vector of that length for each whole passage.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists():
            raise IndexStoreError(f"{folder}: there is an index here already.")
        with _failure_is_clear(folder, 0):
            write_manifest(folder, Manifest(0, centers, False, (), dict(about), words, dimension))
        return cls(folder, memory)

    @classmethod
    def open(cls, folder: Path, *, memory: int = DEFAULT_MEMORY) -> IndexWriter:
        """Open an index for changing it. Only one process can at a time."""
        return cls(folder, memory)

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, id_: str) -> bool:
        """Whether a document with this id is in the state to come."""
        return id_ in self._draft_ids or self._find(id_) is not None

    def add(self, document: DocumentRecord, passages: Iterable[IndexedPassage]) -> None:
        """Add a document with all its passages. Its id must be new."""
        indexed = list(passages)
        self._require_new(document, [one.passage for one in indexed])
        parts = [self._buffer.prepare(one.vector) for one in indexed]
        vectors = self._packed(document, indexed)
        counts = [one.vector.span_count for one in indexed]
        uncovered = sum(one.vector.uncovered for one in indexed)
        with self._drafted(document, len(indexed), encoded=True) as draft:
            for part in parts:
                self._buffer.add(part)
            records = [one.passage for one in indexed]
            draft.add(document, records, counts, uncovered, self._coming, vectors)
        if self._buffer.bytes_needed >= self._memory:
            self.flush()

    def add_words(self, document: DocumentRecord, passages: Iterable[PassageRecord]) -> None:
        """Add a document that is found by its words alone until `replace` puts it there with its centers. Its id must be new."""
        records = list(passages)
        self._require_new(document, records)
        with self._drafted(document, len(records), encoded=False) as draft:
            draft.add(document, records, [0] * len(records), 0, self._coming)

    @property
    def _coming(self) -> int:
        """The generation that a document comes with; all that a first build commits on its way is one."""
        return self.manifest.generation + 1 if self.manifest.complete else 1

    def waiting(self) -> Iterator[tuple[DocumentRecord, list[PassageRecord]]]:
        """Yield the documents that only their words are known of, in corpus order; each may be replaced as it comes."""
        self.flush()
        for part in [part for part in self._parts if not part.encoded]:
            for number in np.flatnonzero(part.live).tolist():
                segment = part.segment  # a commit opens it again
                first, last = segment.document_starts[number : number + 2].tolist()
                yield segment.texts.document(number), segment.texts.passages_between(first, last)

    def begin_encoding(self, centers: int, dimension: int, about: Mapping[str, Any], *, words: bool = True) -> None:
        """Say how passages are encoded, and whether their words stay, in an index that holds words alone so far."""
        self.flush()
        self.manifest = replace(self.manifest, centers=centers, dimension=dimension, about=dict(about), words=words)
        self._buffer = PostingsBuffer(centers)

    def _require_new(self, document: DocumentRecord, passages: Sequence[PassageRecord]) -> None:
        """Refuse, before anything is changed, a document that is there already or that cannot be kept."""
        if document.id in self:
            raise AlreadyThereError(
                f"The document '{document.id}' is in the index already, or comes twice in the input. "
                "Use replace to put a new version in its place, or give it another id."
            )
        if len(passages) > MAX_PASSAGES:
            raise IndexStoreError(
                f"The document '{document.id}' has {len(passages)} passages; at most {MAX_PASSAGES} are possible. Index larger passages."
            )
        ids = [one.id for one in passages]
        if len(set(ids)) < len(ids):
            twice = next(id_ for id_ in ids if ids.count(id_) > 1)
            raise IndexStoreError(f"The passage '{twice}' comes twice in the document '{document.id}'.")
        require_storable(document, passages)

    @contextmanager
    def _drafted(self, document: DocumentRecord, passages: int, *, encoded: bool) -> Iterator[SegmentWriter]:
        """Give the segment that a document is to be added to."""
        draft = self._draft
        if draft is not None and (draft.encoded != encoded or draft.passages + passages > MAX_PASSAGES):
            self.flush()
        with self._writing():
            if self._draft is None:
                kept: dict[str, Any] = {"words": self.manifest.words, "dimension": self.manifest.dimension}
                self._draft = SegmentWriter(self._new_name(), **kept, encoded=encoded)
            yield self._draft
        self._draft_ids.add(document.id)

    def _packed(self, document: DocumentRecord, indexed: Sequence[IndexedPassage]) -> PackedVectors | None:
        """Return the vectors of whole passages as the index keeps them."""
        dimension = self.manifest.dimension
        if not dimension:
            return None
        wholes = [one.whole for one in indexed if one.whole is not None and len(one.whole) == dimension]
        if len(wholes) < len(indexed):
            raise IndexStoreError(
                f"The document '{document.id}' has passages without a vector of {dimension} numbers, which this index keeps."
            )
        return pack_vectors(np.asarray(wholes, dtype=np.float32).reshape(-1, dimension))

    def delete(self, id_: str) -> bool:
        """Delete a document; return whether there was one."""
        if id_ in self._draft_ids:
            self.flush()
        found = self._find(id_)
        if found is not None:
            part, number = found
            part.live[number] = False
        return found is not None

    def delete_all(self, ids: Iterable[str]) -> str:
        """Delete documents, whose publication numbers may be spelled in any way; return what to tell about those not there."""
        self.flush()
        searched = _Searched(self._parts)
        places = {id_: find_document(searched, id_) for id_ in ids}
        for place, number in filter(None, places.values()):
            self._parts[place].live[number] = False
        return ", ".join(id_ + near(searched, id_) for id_, place in places.items() if place is None)

    def replace(self, document: DocumentRecord, passages: Iterable[IndexedPassage]) -> bool:
        """Put a new version in the place of a document, or add it; it becomes the last of the corpus. Return if there was one."""
        existed = self.delete(document.id)
        self.add(document, passages)
        return existed

    @property
    def pending(self) -> bool:
        """Whether there are documents that no segment holds yet."""
        return self._draft is not None

    def flush(self) -> None:
        """Write the documents held in memory as a segment. It joins the index with the next commit."""
        if self._draft is None:
            return
        draft, self._draft = self._draft, None
        try:
            with self._writing():
                postings = self._buffer.build() if draft.encoded else no_postings()
                self._parts.append(self._open(draft.finish(postings)))
        except BaseException:
            draft.abandon()
            raise
        self._draft_ids.clear()
        self._buffer = PostingsBuffer(self.manifest.centers)

    def commit(self, *, complete: bool = True) -> Manifest:
        """Make all changes the state of the index, in one step. Small segments at its end are merged first."""
        self.flush()
        self._parts = [part for part in self._parts if part.live.any()]
        with self._writing():
            # Like a binary counter: a segment is rewritten about log2(n) times while the index grows by n.
            while len(self._parts) > 1 and self._belong_together(*self._parts[-2:]):
                self._merge(len(self._parts) - 2, len(self._parts))
            entries = tuple(part.entry(self.manifest.generation + 1) for part in self._parts)
            manifest = self.manifest.next(entries, complete)
            write_manifest(self._folder, manifest)
        self.manifest = manifest
        try:
            for part, entry in zip(self._parts, entries, strict=True):
                part.renew(entry)
            self._discard_leftovers()
        except OSError:  # what is committed is committed; this writer alone can do no more
            self._failed = True
        return manifest

    def _belong_together(self, before: LiveSegment, last: LiveSegment) -> bool:
        alike = before.encoded == last.encoded and before.passages <= 2 * last.passages
        return alike and self._largest.holds(before.size + last.size)

    def merge(self, *, complete: bool = True) -> Manifest:
        """Commit, with as few segments as possible and nothing that was deleted."""
        self.flush()
        self._parts = [part for part in self._parts if part.live.any()]
        groups = groups_to_merge(
            [part.size for part in self._parts],
            [not part.live.all() for part in self._parts],
            self._largest,
            [part.encoded for part in self._parts],
        )
        with self._writing():
            for first, last in tracked(reversed(groups), "Merging segments", len(groups)):
                self._merge(first, last)
        return self.commit(complete=complete)

    def close(self) -> None:
        """Let go of the index; drop what was not committed."""
        if self._draft is not None:
            self._draft.abandon()
            self._draft = None
        for part in self._parts:
            part.close()
        try:
            # A manifest that cannot be read is told to whoever opens the index next.
            with suppress(SparseCoverageError, OSError):
                self._discard_leftovers()
        finally:
            self._held.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Guard a change of files. After one that failed the writer knows no longer what it holds, so it does nothing more."""
        if self._failed:
            raise IndexStoreError(
                f"{self._folder}: an earlier change failed. Open the index again and repeat all changes."
            )
        self._failed = True
        with _failure_is_clear(self._folder, self.manifest.generation):
            (self._folder / MANIFEST).stat()  # or a folder that somebody removed would be made again, without its model
            yield
        self._failed = False

    def stored(self, id_: str) -> tuple[Segment, int] | None:
        """Return where a document lies, its segment and its number there; None where it is new, or not yet in a segment."""
        found = self._find(id_)
        return None if found is None else (found[0].segment, found[1])

    def _find(self, id_: str) -> tuple[LiveSegment, int] | None:
        for part in reversed(self._parts):
            for number in part.find(id_):
                return part, number
        return None

    def _merge(self, first: int, last: int) -> None:
        """Make one of some segments: all at once, or where no more files may be opened, some after the other."""
        for part in self._parts:
            part.close()
        room = segments_at_once()
        while first < last:
            begin = max(first, last - room)
            chosen = self._parts[begin:last]
            entry = merge_parts(chosen, self._new_name(), self.manifest)
            for part in chosen:
                part.close()
            self._parts[begin:last] = [self._open(entry)]
            last = begin + (begin > first)

    def _open(self, entry: SegmentEntry) -> LiveSegment:
        return LiveSegment.open(self._folder / SEGMENTS / entry.name, entry, self.manifest.centers, self._files)

    def _new_name(self) -> Path:
        number = 0
        while (path := self._folder / SEGMENTS / f"{self.manifest.generation + 1:06d}-{number:03d}").exists():
            number += 1
        return path

    def _discard_leftovers(self) -> None:
        """Remove files that no manifest names: merged segments, and leftovers of a writer that crashed. Open readers keep their files.

        The manifest on disk decides: a commit that was interrupted after its last step is in force, though nobody was told.
        """
        named = {entry.name: entry.tombstones for entry in read_manifest(self._folder).segments}
        for folder in (self._folder / SEGMENTS).glob("*"):
            if folder.name not in named:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            for path in folder.glob("deleted-*.safetensors"):
                if path.name != named[folder.name]:
                    path.unlink(missing_ok=True)


class _Searched(Sequence[tuple[Segment, Mask]]):
    """The segments of a writer with their documents that were live at first, each opened when it is looked at."""

    def __init__(self, parts: Sequence[LiveSegment]) -> None:
        self._parts = [(part, part.live.copy()) for part in parts]

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, place: Any) -> Any:
        part, live = self._parts[place]
        return part.segment, live


@contextmanager
def _failure_is_clear(folder: Path, generation: int) -> Iterator[None]:
    """Say what a failed write means: nothing was lost but the work since the last commit."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        gone = isinstance(error, FileNotFoundError | sqlite3.OperationalError) and not (folder / MANIFEST).is_file()
        if gone:
            raise IndexStoreError(
                f"{folder}: the folder of the index, or its {MANIFEST}, was removed or moved while it was written to ({error}). "
                "What was in it is gone from there; move it back, or build it again."
            ) from error
        if lacks_files(error):
            raise too_few_files(folder, 1) from error
        state = f"The index is as it was after its last commit (number {generation}). "
        state += "Free some space and run the same command again."
        with suppress(SparseCoverageError, OSError):
            if read_manifest(folder).generation > generation:
                state = "This change is in force, but a crash of the machine may undo it."
        raise IndexStoreError(f"{folder}: cannot be written ({error}). Is the disk full? {state}") from error


def delete_documents(folder: Path, ids: Sequence[str]) -> Manifest:
    """Delete documents by publication id, all or none: an id that is not there is an error. Return the committed state."""
    with IndexWriter.open(folder) as writer:
        require_finished(folder, writer.manifest)  # else the build, when it goes on, would bring them back
        if missing := writer.delete_all(ids):
            raise NoDocumentError(f"Not in the index: {missing}. Nothing was deleted.")
        return writer.commit()


def merge_index(folder: Path) -> None:
    """Rewrite an index with as few segments as possible and without what was deleted."""
    with IndexWriter.open(folder) as writer:
        writer.merge(complete=writer.manifest.complete)
