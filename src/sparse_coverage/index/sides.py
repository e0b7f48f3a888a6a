"""Sides of an index: what is kept beside the postings of each passage, for other systems and for claim charts.

    my-index/sides/splade/side.json                which side, made with what
    my-index/sides/splade/3f2a…/                   one block for each segment, named by the segment's checksum
    my-index/sides/splade/3f2a…/block.json         the checksums of the block's arrays, one `.npy` file each

Segments never change, so blocks never change either. Deleted documents are those of the index. When segments come, go or
are merged, `refresh_side` makes the blocks that are missing and removes those of segments that are gone; rows that an old
block has are copied from it instead of being computed again. A block has its name only when all of it is written.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sparse_coverage.errors import IndexStoreError, InputError, MismatchError, SparseCoverageError
from sparse_coverage.files import as_typed, checksum_of, has_sha256, new_folder, read_json, sha256_of, write_json
from sparse_coverage.index.manifest import read_manifest
from sparse_coverage.index.segment import Segment, SegmentEntry
from sparse_coverage.index.store import IndexStore
from sparse_coverage.kernels import Array, Mask
from sparse_coverage.patents.passages import text_key
from sparse_coverage.progress import progress_bar

SIDES, SIDE, RECORD = "sides", "side.json", "block.json"
FORMAT = 1
KEYS = "keys"
"""The array of every block that has the key of each passage's text."""

_SMALL = 4096
_SOUND: set[tuple[str, int, int, int, int, str]] = set()
"""Files that this process has found sound: a server opens those that stay again with every change of its index."""
_REMEMBERED = 10_000


class Side(ABC):
    """Something kept of each passage: texts become rows, rows are packed into the arrays of a block."""

    kind: ClassVar[str]

    @classmethod
    def made_with(cls, settings: Mapping[str, Any], threads: int | None) -> Side:
        """Return the side that has these `settings`, or without any, the one for an index that has none of this kind."""
        return cls()

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What the kept arrays depend on. Blocks made with other settings do not go together."""

    @abstractmethod
    def rows(self, texts: Iterable[str]) -> Iterator[Any]:
        """Yield what is kept of each text, in order. Streams."""

    @abstractmethod
    def pack(self, rows: Iterable[Any]) -> dict[str, Array]:
        """Return the arrays of a block."""

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[Any] | None:
        """Return the rows of a block again, so that they need not be made from the texts; None where that is as quick."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What a side keeps of the passages of a segment: arrays in a folder; `live` says which passages still count."""

    folder: Path
    arrays: Mapping[str, Array]
    live: Mask

    def __len__(self) -> int:
        return len(self.live)


def sides_of(folder: Path) -> list[str]:
    """Return the kinds of sides that an index has, finished or not."""
    return sorted(path.parent.name for path in (folder / SIDES).glob(f"*/{SIDE}"))


def side_settings(folder: Path, kind: str) -> dict[str, Any]:
    """Return the settings that a side of an index was made with."""
    path = folder / SIDES / kind / SIDE
    if not path.is_file():
        known = ", ".join(sides_of(folder)) or "none"
        raise InputError(
            f"{folder} has no {kind} side (it has: {known}). Add one with: "
            f"sparse-coverage index refresh {as_typed(folder)} --with {kind}"
        )
    settings: dict[str, Any] = _read_record(path)["settings"]
    return settings


def require_same(folder: Path, side: Side) -> None:
    """Refuse a side whose settings differ from those of the side of the same kind in the index."""
    there, here = side_settings(folder, side.kind), side.settings
    # The same weights may have another name or lie in another folder now: their fingerprint tells.
    other = [name for name in {**there, **here} if name != "encoder" and there.get(name) != here.get(name)]
    if other:
        name = other[0]
        raise MismatchError(
            f"{folder}: the {side.kind} side was made with {name} {there.get(name)!r}, this is {here.get(name)!r}. "
            f"Use the same, or remove {folder / SIDES / side.kind} and make the side again."
        )


def refresh_side(store: IndexStore, side: Side, *, repair: bool = False) -> int:
    """Make what a side lacks for the segments of an index, and drop what it holds for no segment. Return blocks made.

    The first time it makes the side. Interrupted, it goes on with the segment where it stopped. With `repair`, every block is read, and
    damaged ones are made again.
    """
    home = store.folder / SIDES / side.kind
    try:
        home.mkdir(parents=True, exist_ok=True)
        from filelock import FileLock

        with FileLock(home / ".lock"):
            return _refreshed(store, side, home, repair)
    except OSError as error:
        raise IndexStoreError(
            f"{home}: cannot be written ({error}). Is the disk full? What was made before stays; free some space and run "
            f"the same command again, or: sparse-coverage index refresh {as_typed(store.folder)}"
        ) from error


def _refreshed(store: IndexStore, side: Side, home: Path, repair: bool) -> int:
    if repair:
        _remove_damaged(home)
    if not (home / SIDE).exists():
        for block in _blocks(home):  # made with nobody knows what
            shutil.rmtree(block)
        record = {"format": FORMAT, "kind": side.kind, "settings": side.settings}
        write_json(home / SIDE, {**record, "sha256": checksum_of(record)})
    require_same(store.folder, side)
    for leftover in home.glob(".*.partial-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    missing = segments_without(store, side.kind)
    if missing:
        rows = _KnownRows(side, [path.parent for path in sorted(home.glob(f"*/{RECORD}"))])
        with progress_bar(f"Making the {side.kind} side", sum(map(len, missing))) as advance:
            for segment in missing:
                block = home / _block_name(segment.entry)
                if block.exists():  # without its record, it cannot be used
                    shutil.rmtree(block)
                write_block(block, _arrays(side, segment, rows, advance))
    drop_leftovers(store, side.kind)
    return len(missing)


def _remove_damaged(home: Path) -> None:
    try:
        if (home / SIDE).exists():
            _read_record(home / SIDE)
    except SparseCoverageError:
        (home / SIDE).unlink()
    for block in _blocks(home):
        if damaged_block_files(block):
            shutil.rmtree(block)


def segments_without(store: IndexStore, kind: str) -> list[Segment]:
    """Return the segments of an index that a side holds nothing of."""
    return [segment for segment in store.segments if not (block_folder(store, kind, segment) / RECORD).is_file()]


def block_folder(store: IndexStore, kind: str, segment: Segment) -> Path:
    """Return where a side keeps what it has of a segment."""
    return store.folder / SIDES / kind / _block_name(segment.entry)


def drop_leftovers(store: IndexStore, kind: str) -> None:
    """Remove the blocks of segments that are no longer there. Readers keep their open files.

    Another process may have committed since this state was opened, and made blocks for it: they stay.
    """
    here = {_block_name(segment.entry) for segment in store.segments}
    for block in _blocks(store.folder / SIDES / kind):
        if block.name not in here and not _is_named(store.folder, block.name):
            shutil.rmtree(block, ignore_errors=True)


def open_blocks(store: IndexStore, side: Side) -> list[Block]:
    """Return what a side holds of each segment of a snapshot; a side that lacks a segment is refused."""
    require_same(store.folder, side)
    if missing := segments_without(store, side.kind):
        passages = sum(len(segment) for segment in missing)
        raise MismatchError(
            f"{store.folder}: the {side.kind} side lacks {passages:,} of the {store.size:,} passages of the index, which changed "
            f"without it. Bring it up to date with: sparse-coverage index refresh {as_typed(store.folder)}"
        )
    return [open_block(block_folder(store, side.kind, one), one.live_passages) for one in store.segments]


def is_damaged(folder: Path, kind: str) -> bool:
    """Tell whether any file of a side is damaged. Reads all of them."""
    return any(Path(name).parts[1] == kind for name in damaged_side_files(folder))


def damaged_side_files(folder: Path) -> list[str]:
    """Return the files of an index's sides that are missing or changed since they were written, relative to it."""
    damaged = []
    for home in sorted(path for path in (folder / SIDES).glob("*") if path.is_dir()):
        blocks = _blocks(home)
        if (home / SIDE).is_file():
            try:
                _read_record(home / SIDE)
            except SparseCoverageError:
                damaged.append(home / SIDE)
        elif blocks:
            damaged.append(home / SIDE)
        for block in blocks:
            found = damaged_block_files(block)
            # Blocks of segments that are gone may be on their way out, file by file.
            if found and _is_named(folder, block.name):
                damaged += [block / name for name in found]
    return [str(path.relative_to(folder)) for path in damaged]


def sides_behind(folder: Path) -> dict[str, int]:
    """Return the sides that lack passages of an index, each with how many."""
    lacking = {}
    for kind in sides_of(folder):
        home = folder / SIDES / kind
        segments = read_manifest(folder).segments
        count = sum(entry.passages for entry in segments if not (home / _block_name(entry)).is_dir())
        if count:
            lacking[kind] = count
    return lacking


def write_block(folder: Path, arrays: Mapping[str, Array]) -> None:
    """Write the arrays of a block into a new folder."""
    with new_folder(folder) as partial:
        for name, array in arrays.items():
            np.save(partial / f"{name}.npy", array, allow_pickle=False)
        files = {f"{name}.npy": sha256_of(partial / f"{name}.npy") for name in arrays}
        write_json(partial / RECORD, {"files": files})


def open_block(folder: Path, live: Mask) -> Block:
    """Open a block. Its arrays are mapped; the first time in a process, they are read once to see that they are sound."""
    arrays = {}
    for name, sum_ in _files_of(folder).items():
        try:
            arrays[name.removesuffix(".npy")] = _mapped(folder / name, sum_)
        except (OSError, ValueError, TypeError) as error:
            raise _unusable(folder / name, f"cannot be read ({error})") from None
    return Block(folder, arrays, live)


def damaged_block_files(folder: Path) -> list[str]:
    """Return the files of a block that are missing or whose content changed since it was written."""
    try:
        files = _files_of(folder)
    except SparseCoverageError:
        return [RECORD]
    return [name for name, sum_ in files.items() if not has_sha256(folder / name, sum_)]


def _unusable(path: Path, what: str) -> IndexStoreError:
    return IndexStoreError(
        f"{path}: {what}. If the index was changed since it was opened, open it again; else mend it with: "
        "sparse-coverage index refresh INDEX"
    )


def _files_of(folder: Path) -> dict[str, str]:
    """Return the names of a block's files and their checksums."""
    try:
        record = read_json(folder / RECORD)
    except OSError as error:
        raise _unusable(folder / RECORD, f"cannot be read ({error.strerror or error})") from None
    files = record.get("files") if isinstance(record, dict) else None
    if not isinstance(files, dict) or not all(isinstance(sum_, str) for sum_ in files.values()):
        raise _unusable(folder / RECORD, "damaged (it names no files)")
    return files


def _mapped(path: Path, sum_: str) -> Array:
    """Map an array whose file must have this sha256. The same open file is checked and mapped, so nothing can replace it in between."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        # Little is not worth a map, and nothing cannot be mapped.
        content = mmap(file.fileno(), 0, access=ACCESS_READ) if found.st_size > _SMALL else file.read()
        seen = (str(path), found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size, sum_)
        if seen not in _SOUND:
            if sha256(content).hexdigest() != sum_:
                raise ValueError("wrong sha256: damaged")
            if len(_SOUND) > _REMEMBERED:
                _SOUND.clear()
            _SOUND.add(seen)
        file.seek(0)
        if (version := np.lib.format.read_magic(file)) != (1, 0):
            raise ValueError(f"version {version} of the format of arrays")
        shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
        array: Array = np.ndarray(shape, kind, content, file.tell(), order="F" if by_columns else "C")
        return array


def _read_record(path: Path) -> dict[str, Any]:
    """Read what a side says of itself."""
    record: dict[str, Any] = read_json(path)
    sound = isinstance(record, dict) and record.pop("sha256", None) == checksum_of(record)
    if not sound or not isinstance(record.get("settings"), dict):
        raise IndexStoreError(
            f"{path}: damaged (wrong sha256). Restore it from a copy, or remove {path.parent} and make it again."
        )
    if record.get("format") != FORMAT:
        raise IndexStoreError(
            f"{path}: side format {record.get('format')}, this version reads format {FORMAT}. Remove {path.parent} and make it "
            f"again with: sparse-coverage index refresh {as_typed(path.parents[2])} --with {path.parent.name}"
        )
    return record


def _blocks(home: Path) -> list[Path]:
    return sorted(path for path in home.glob("*") if path.is_dir() and not path.name.startswith("."))


def _is_named(folder: Path, block: str) -> bool:
    """Tell whether the newest state of an index wants a block."""
    try:
        return block in map(_block_name, read_manifest(folder).segments)
    except SparseCoverageError:  # nobody can tell
        return True


def _block_name(entry: SegmentEntry) -> str:
    return entry.sha256[:20]


def _arrays(side: Side, segment: Segment, known: _KnownRows, advance: Any) -> dict[str, Array]:
    texts = [passage.text for passage in segment.texts.passages_between(0, len(segment))]
    keys = [text_key(text) for text in texts]
    absent = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}

    def rows() -> Iterator[Any]:
        fresh = iter(side.rows(absent.values())) if absent else iter(())
        made: dict[bytes, Any] = {}
        last = dict(zip(keys, range(len(keys)), strict=True))
        for place, key in enumerate(keys):
            if key in absent and key not in made:  # texts that come again are made once
                made[key] = next(fresh)
            yield made[key] if key in made else known[key]
            if last[key] == place:
                made.pop(key, None)
            advance()

    arrays = side.pack(rows())
    return {**arrays, KEYS: np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(-1, 2)}


class _KnownRows:
    """Rows of blocks that are there already, by the key of their text."""

    def __init__(self, side: Side, folders: Sequence[Path]) -> None:
        self._rows: list[Sequence[Any]] = []
        self._places: dict[bytes, tuple[int, int]] = {}
        for folder in folders:
            if damaged_block_files(folder):
                continue  # what was damaged must not be copied
            arrays = open_block(folder, np.zeros(0, dtype=bool)).arrays
            rows = side.unpack(arrays)
            if rows is not None:
                for place, key in enumerate(arrays[KEYS]):
                    self._places[key.tobytes()] = (len(self._rows), place)
                self._rows.append(rows)

    def __contains__(self, key: bytes) -> bool:
        return key in self._places

    def __getitem__(self, key: bytes) -> Any:
        block, place = self._places[key]
        return self._rows[block][place]
