"""The manifest: which segments are the index. Replacing this one file, in one step, is the only commit there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sparse_coverage.errors import IndexStoreError, NoIndexError
from sparse_coverage.files import as_typed, checksum_of, read_json, write_json
from sparse_coverage.index.segment import SegmentEntry

FORMAT = 8
MANIFEST, LOCK = "manifest.json", "write.lock"


class OtherFormatError(IndexStoreError):
    """An index that is sound, but of another version of this package."""


class BeingWrittenError(IndexStoreError):
    """An index that another writer is changing."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The committed state of an index.

    `generation` counts commits. `complete` is false while a build is under way; then some segments may hold words alone, and
    `centers` is 0 until the vocabulary is known. `words` says whether the words of passages are kept, `dimension` how long the
    vector of a whole passage is (0: none is kept). `about` is whatever the builder of the index wants to find again.
    """

    generation: int
    centers: int
    complete: bool
    segments: tuple[SegmentEntry, ...]
    about: Mapping[str, Any]
    words: bool = False
    dimension: int = 0

    @property
    def documents(self) -> int:
        """The number of live documents."""
        return sum(entry.documents - entry.deleted_documents for entry in self.segments)

    @property
    def passages(self) -> int:
        """The number of live passages."""
        return sum(entry.passages - entry.deleted_passages for entry in self.segments)

    @property
    def encoded_documents(self) -> int:
        """The number of live documents whose passages have centers (and vectors, where these are kept)."""
        return sum(entry.documents - entry.deleted_documents for entry in self.segments if entry.encoded)

    @property
    def encoded_passages(self) -> int:
        """The number of live passages that have centers."""
        return sum(entry.passages - entry.deleted_passages for entry in self.segments if entry.encoded)

    @property
    def encoding_note(self) -> str:
        """How much is encoded while a build is under way, for people; nothing where the index is complete."""
        if self.complete:
            return ""
        return (
            f"The index is being built: {self.encoded_documents:,} of {self.documents:,} documents encoded; "
            "the rest ranked by words."
        )

    def next(self, segments: tuple[SegmentEntry, ...], complete: bool) -> Manifest:
        """Return the manifest of the next commit."""
        return replace(self, generation=self.generation + 1, segments=segments, complete=complete)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Commit."""
    content = {"format": FORMAT, **asdict(manifest), "segments": [asdict(entry) for entry in manifest.segments]}
    write_json(folder / MANIFEST, {**content, "sha256": checksum_of(content)})


def read_manifest(folder: Path) -> Manifest:
    """Read the committed state of an index."""
    path = folder / MANIFEST
    if not path.is_file():
        raise NoIndexError(folder)
    content = read_json(path)
    if not isinstance(content, dict) or "format" not in content:
        raise IndexStoreError(f"{path}: this is not the manifest of an index.")
    # The checksum first: a damaged version number is damage, not another version.
    if content.pop("sha256", None) != checksum_of(content):
        raise IndexStoreError(f"{path}: damaged (wrong sha256). Restore it from a copy, or build the index again.")
    version = content.pop("format")
    if version != FORMAT:
        raise OtherFormatError(
            f"{folder}: index format {version}, this version reads format {FORMAT}. Build the index again: "
            f"sparse-coverage index PATENTS -o {as_typed(folder)}"
        )
    segments = tuple(SegmentEntry(**entry) for entry in content.pop("segments"))
    return Manifest(segments=segments, **content)


def require_finished(folder: Path, manifest: Manifest) -> None:
    """Refuse an index whose build is under way or was interrupted."""
    if not manifest.complete and not manifest.documents:
        raise IndexStoreError(
            f"{folder}: the files for this index are being read, and nothing can be found yet. Try again in a few seconds; if no build is "
            "running, give the same `sparse-coverage index` command again."
        )
    if not manifest.complete:
        raise IndexStoreError(
            f"{folder}: the build of this index did not finish; {manifest.encoded_documents:,} of {manifest.documents:,} documents "
            "in it are encoded. If it is not running, give the same `sparse-coverage index` command again: it goes on where it stopped."
        )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the right to write for the time of a block: one writer at a time.

    The lock belongs to the process: the system lets go of it when the process ends, however it ends.
    """
    from filelock import FileLock, Timeout  # not for those who only read

    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BeingWrittenError(
            f"{folder}: another process is writing to this index. Wait until it has finished; reading is possible meanwhile."
        ) from None
    except (OSError, NotImplementedError) as error:
        raise IndexStoreError(
            f"{folder}: this index cannot be changed here ({error}). Changing it needs the right to write into its folder, "
            "on a file system that knows locks; reading needs neither."
        ) from None
    try:
        yield
    finally:
        lock.release()
