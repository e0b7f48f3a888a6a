"""Changing an index: documents are added, deleted, replaced, segments merged; all of it shows at once, with `commit`."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from sparse_coverage.errors import AlreadyThereError, IndexStoreError, SparseCoverageError
from sparse_coverage.index.drafting import SegmentDraft
from sparse_coverage.index.finding import find_document, near
from sparse_coverage.index.manifest import MANIFEST, Manifest, read_manifest, write_manifest, writing
from sparse_coverage.index.merging import MERGED_BYTES, Part, Size, groups_to_merge, merge_parts
from sparse_coverage.index.postings import DEFAULT_MEMORY, MAX_PASSAGES, PostingsBuffer, WeightBits
from sparse_coverage.index.records import DocumentRecord, IndexedPassage
from sparse_coverage.index.segment import SEGMENTS, Segment, SegmentEntry, missing_file, open_segment
from sparse_coverage.index.texts import require_storable
from sparse_coverage.patents.numbers import spellings
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
            self._parts = [self._open(entry) for entry in self.manifest.segments]
        except BaseException as error:
            self._held.close()
            if isinstance(error, FileNotFoundError):
                raise missing_file(error) from None
            raise
        self._largest = Size(MAX_PASSAGES, max(memory, _SMALLEST_MERGE) // MERGED_BYTES)
        self._inherits = bool(self._parts)
        self._failed = False
        self._draft: SegmentDraft | None = None
        self._draft_ids: set[str] = set()
        self._buffer = PostingsBuffer(self.manifest.centers, self.manifest.weight_bits)

    @classmethod
    def create(
        cls,
        folder: Path,
        centers: int,
        about: Mapping[str, Any],
        *,
        weight_bits: WeightBits = 16,
        memory: int = DEFAULT_MEMORY,
    ) -> IndexWriter:
        """Start an index without documents; it counts as unfinished until the first `commit`."""
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists():
            raise IndexStoreError(f"{folder}: there is an index here already.")
        if weight_bits not in (8, 16):
            raise IndexStoreError(f"A weight takes 8 or 16 bits, not {weight_bits}.")
        with _failure_is_clear(folder, 0):
            write_manifest(folder, Manifest(0, centers, weight_bits, False, (), dict(about)))
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
        if document.id in self:
            raise AlreadyThereError(
                f"The document '{document.id}' is in the index already, or comes twice in the input. "
                "Use replace to put a new version in its place, or give it another id."
            )
        indexed = list(passages)
        if len(indexed) > MAX_PASSAGES:
            raise IndexStoreError(
                f"The document '{document.id}' has {len(indexed)} passages; at most {MAX_PASSAGES} are possible. Index larger passages."
            )
        ids = [one.passage.id for one in indexed]
        if len(set(ids)) < len(ids):
            twice = next(id_ for id_ in ids if ids.count(id_) > 1)
            raise IndexStoreError(f"The passage '{twice}' comes twice in the document '{document.id}'.")
        if len(self._buffer) + len(indexed) > MAX_PASSAGES:
            self.flush()
        # Everything that can be wrong with the input shows here, before anything is changed.
        require_storable(document, [one.passage for one in indexed])
        parts = [self._buffer.prepare(one.vector) for one in indexed]
        with self._writing():
            if self._draft is None:
                self._draft = SegmentDraft(self._new_name())
            for part in parts:
                self._buffer.add(part)
            counts = [one.vector.span_count for one in indexed]
            uncovered = sum(one.vector.uncovered for one in indexed)
            self._draft.add(document, [one.passage for one in indexed], counts, uncovered)
        self._draft_ids.add(document.id)
        if self._buffer.bytes_needed >= self._memory:
            self.flush()

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
        searched = [(part.segment, part.live.copy()) for part in self._parts]
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
                self._parts.append(self._open(draft.finish(self._buffer.build())))
        except BaseException:
            draft.abandon()
            raise
        self._draft_ids.clear()
        self._buffer = PostingsBuffer(self.manifest.centers, self.manifest.weight_bits)

    def commit(self, *, complete: bool = True) -> Manifest:
        """Make all changes the state of the index, in one step. Small segments at its end are merged first."""
        self.flush()
        self._parts = [part for part in self._parts if part.live.any()]
        with self._writing():
            # Like a binary counter: a segment is rewritten about log2(n) times while the index grows by n.
            while len(self._parts) > 1 and self._parts[-2].passages <= 2 * self._parts[-1].passages:
                if not self._largest.holds(self._parts[-2].size + self._parts[-1].size):
                    break
                self._merge(len(self._parts) - 2, len(self._parts))
            entries = tuple(part.entry(self.manifest.generation + 1) for part in self._parts)
            manifest = self.manifest.next(entries, complete)
            write_manifest(self._folder, manifest)
        self.manifest = manifest
        for part, entry in zip(self._parts, entries, strict=True):
            if part.changed:
                part.segment.close()
                part.segment = open_segment(part.segment.folder, entry)
        self._discard_leftovers()
        return manifest

    def merge(self, *, complete: bool = True) -> Manifest:
        """Commit, with as few segments as possible and nothing that was deleted."""
        self.flush()
        self._parts = [part for part in self._parts if part.live.any()]
        groups = groups_to_merge(
            [part.size for part in self._parts], [not part.live.all() for part in self._parts], self._largest
        )
        with self._writing():
            for first, last in tracked(reversed(groups), "Merging segments", len(groups)):
                self._merge(first, last)
        return self.commit(complete=complete)

    def rewrite_old(self) -> int:
        """Write the segments that an older version left without words anew, to be committed; return how many there were."""
        self.flush()
        old = [place for place, part in enumerate(self._parts) if part.segment.words is None and part.live.any()]
        with self._writing():
            for place in tracked(old, "Adding words to segments", len(old)):
                self._merge(place, place + 1)
        return len(old)

    def close(self) -> None:
        """Let go of the index; drop what was not committed."""
        if self._draft is not None:
            self._draft.abandon()
            self._draft = None
        for part in self._parts:
            part.segment.close()
        try:
            # A manifest that cannot be read is told to whoever opens the index next.
            with suppress(SparseCoverageError):
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

    def _find(self, id_: str) -> tuple[Part, int] | None:
        # An older version kept ids as a table spelled them: what it has must not come in a second time.
        for name in spellings(id_) if self._inherits else (id_,):
            for part in reversed(self._parts):
                for number in part.segment.document_numbers(name, part.live):
                    return part, number
        return None

    def _merge(self, first: int, last: int) -> None:
        chosen = self._parts[first:last]
        entry = merge_parts(chosen, self._new_name(), self.manifest.centers)
        for part in chosen:
            part.segment.close()
        self._parts[first:last] = [self._open(entry)]

    def _open(self, entry: SegmentEntry) -> Part:
        return Part.open(self._folder / SEGMENTS / entry.name, entry)

    def _new_name(self) -> Path:
        number = 0
        while (path := self._folder / SEGMENTS / f"{self.manifest.generation + 1:06d}-{number:03d}").exists():
            number += 1
        return path

    def _discard_leftovers(self) -> None:
        """Remove what no manifest names: of merged segments, of an earlier writer that crashed. Readers keep their open files.

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
        raise IndexStoreError(
            f"{folder}: cannot be written ({error}). Is the disk full? The index is as it was after its last commit "
            f"(number {generation}). Free some space and run the same command again."
        ) from error
