"""Sides of an index: folders inside it that hold, for each of its segments, what a baseline needs of that segment's texts.

    my-index/sides/dense/side.json                which side, made with what
    my-index/sides/dense/3f2a…/                   one block for each segment, named by the segment's checksum

Segments never change, so blocks never change either. Deleted documents are those of the index. When segments come, go or
are merged, `refresh` makes the blocks that are missing and removes those that belong to nothing any more; texts that an old
block has are copied from it instead of being encoded again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import IndexStoreError, InputError, MismatchError, SparseCoverageError
from sparse_coverage.files import as_typed, checksum_of, read_json, write_json
from sparse_coverage.index import IndexStore, Segment
from sparse_coverage.index.manifest import read_manifest
from sparse_coverage.index.segment import SegmentEntry
from sparse_coverage.kernels import Array
from sparse_coverage.patents.text_keys import text_key
from sparse_coverage.progress import progress_bar
from sparse_coverage.retrievers.side import (
    RECORD,
    Scorer,
    Side,
    damaged_block_files,
    open_arrays,
    open_block,
    write_block,
)

SIDES = "sides"
SIDE = "side.json"
KEYS = "keys"
FORMAT = 1


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


def _read_record(path: Path) -> dict[str, Any]:
    """Read what a side says of itself. Earlier versions wrote no checksum beside it."""
    record: dict[str, Any] = read_json(path)
    sound = isinstance(record, dict) and record.pop("sha256", None) in (None, checksum_of(record))
    if not sound or not isinstance(record.get("settings", {}), dict):
        raise IndexStoreError(
            f"{path}: damaged (wrong sha256). Restore it from a copy, or remove {path.parent} and make it again."
        )
    if record.get("format") != FORMAT or "settings" not in record:
        raise IndexStoreError(
            f"{path}: format {record.get('format')}, this version reads {FORMAT}. Remove {path.parent} and make it again."
        )
    return record


def refresh_side(store: IndexStore, side: Side, kept: Callable[[bytes], Any] | None = None) -> int:
    """Make what a side lacks for the segments of an index, and drop what it holds for no segment. Return blocks made.

    The first time it makes the side. Interrupted, it goes on with the segment where it stopped. `kept` gives the rows of texts,
    by their keys, that were made before; None for others.
    """
    home = store.folder / SIDES / side.kind
    home.mkdir(parents=True, exist_ok=True)
    from filelock import FileLock

    with FileLock(home / ".lock"):
        if not (home / SIDE).exists():
            record = {"format": FORMAT, "kind": side.kind, "settings": side.settings}
            write_json(home / SIDE, {**record, "sha256": checksum_of(record)})
        _require_same(store.folder, side)
        for leftover in home.glob(".*.partial-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        missing = segments_lacking(store, side.kind)
        if missing:
            known = _KnownRows(side, [path.parent for path in sorted(home.glob(f"*/{RECORD}"))], kept)
            with progress_bar(f"Making the {side.kind} side", sum(map(len, missing))) as advance:
                for segment in missing:
                    write_block(home / _block_name(segment.entry), _arrays(side, segment, known, advance))
        drop_leftovers(store, side.kind)
    return len(missing)


def segments_lacking(store: IndexStore, kind: str) -> list[Segment]:
    """Return the segments of an index that a side holds nothing of."""
    home = store.folder / SIDES / kind
    return [segment for segment in store.segments if not (home / _block_name(segment.entry) / RECORD).is_file()]


def drop_leftovers(store: IndexStore, kind: str) -> None:
    """Remove the blocks of segments that are no longer there. Readers keep their open files.

    Another process may have committed since this state was opened, and made blocks for it: they stay.
    """
    named = {_block_name(segment.entry) for segment in store.segments} | _named(store.folder)
    for path in (store.folder / SIDES / kind).glob(f"*/{RECORD}"):
        if path.parent.name not in named:
            shutil.rmtree(path.parent, ignore_errors=True)


def side_scorer(store: IndexStore, side: Side) -> Scorer:
    """Return the scorer of a side over the snapshot of an index; a side that lacks a segment is refused."""
    _require_same(store.folder, side)
    home = store.folder / SIDES / side.kind
    if missing := segments_lacking(store, side.kind):
        passages = sum(len(segment) for segment in missing)
        raise MismatchError(
            f"{store.folder}: the {side.kind} side lacks {passages:,} of the {store.size:,} passages of the index, which changed "
            f"without it. Bring it up to date with: sparse-coverage index refresh {as_typed(store.folder)}"
        )
    return side.scorer(
        [open_block(home / _block_name(segment.entry), segment.live_passages) for segment in store.segments]
    )


def damaged_side_files(folder: Path) -> list[str]:
    """Return the files of an index's sides that are missing or changed since they were written, relative to it."""
    damaged = []
    for path in sorted((folder / SIDES).glob(f"*/{SIDE}")):
        try:
            _read_record(path)
        except SparseCoverageError:
            damaged.append(path)
    for block in [path.parent for path in sorted((folder / SIDES).glob(f"*/*/{RECORD}"))]:
        found = damaged_block_files(block)
        # Blocks of segments that are gone may be on their way out, file by file.
        if found and _is_named(folder, block.name):
            damaged += [block / name for name in found]
    return [str(path.relative_to(folder)) for path in damaged]


def _require_same(folder: Path, side: Side) -> None:
    there, here = side_settings(folder, side.kind), side.settings
    # The same weights may have another name or lie in another folder now: their fingerprint tells.
    other = [name for name in {**there, **here} if name != "encoder" and there.get(name) != here.get(name)]
    if other:
        name = other[0]
        raise MismatchError(
            f"{folder}: the {side.kind} side was made with {name} {there.get(name)!r}, this is {here.get(name)!r}. "
            f"Use the same, or remove {folder / SIDES / side.kind} and make the side again."
        )


def _named(folder: Path) -> set[str]:
    """Return the names of the blocks that the newest state of an index wants."""
    return {_block_name(entry) for entry in read_manifest(folder).segments}


def _is_named(folder: Path, block: str) -> bool:
    try:
        return block in _named(folder)
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
    """Rows of blocks that are there already, and those that were kept for them, by the key of their text."""

    def __init__(self, side: Side, folders: Sequence[Path], kept: Callable[[bytes], Any] | None) -> None:
        self._kept = kept or (lambda key: None)
        self._rows: list[Sequence[Any]] = []
        self._places: dict[bytes, tuple[int, int]] = {}
        for folder in folders:
            if damaged_block_files(folder):
                continue  # what was damaged must not be copied
            arrays: Mapping[str, Array] = open_arrays(folder)
            rows = side.unpack(arrays)
            if rows is not None:
                for place, key in enumerate(arrays[KEYS]):
                    self._places[key.tobytes()] = (len(self._rows), place)
                self._rows.append(rows)

    def __contains__(self, key: bytes) -> bool:
        return key in self._places or self._kept(key) is not None

    def __getitem__(self, key: bytes) -> Any:
        if key not in self._places:
            return self._kept(key)
        block, place = self._places[key]
        return self._rows[block][place]
