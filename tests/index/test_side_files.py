"""The files of sides: verified, made again where they are damaged or missing, never half written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import Made, build

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index import IndexWriter, merge_index, open_store, sides
from sparse_coverage.index.sides import Side, damaged_side_files, open_blocks, refresh_side, sides_behind
from sparse_coverage.kernels import Array

ONE, TWO = (Made(id_, (({1: 0.5}, 3), ({2: 0.5}, 3))) for id_ in ("A", "B"))


class Lengths(Side):
    """Keeps the length of each text."""

    kind = "lengths"
    read: list[str]

    def __init__(self) -> None:
        self.read = []

    @property
    def settings(self) -> dict[str, Any]:
        return {"unit": "letter"}

    def rows(self, texts: Iterable[str]) -> Iterator[int]:
        for text in texts:
            self.read.append(text)
            yield len(text)

    def pack(self, rows: Iterable[int]) -> dict[str, Array]:
        return {"lengths": np.asarray(list(rows))}

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[int]:
        return arrays["lengths"].tolist()  # type: ignore[no-any-return]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path / "index", [ONE])
    refresh_side(open_store(tmp_path / "index"), Lengths())
    return tmp_path / "index"


def block_of(folder: Path) -> Path:
    [block] = (path for path in (folder / "sides" / "lengths").iterdir() if path.is_dir())
    return block


def test_every_flipped_byte_and_every_missing_file_is_found(folder: Path) -> None:
    """Missing records passed as sound: nothing looked for what was not there."""
    assert damaged_side_files(folder) == []
    for path in [folder / "sides" / "lengths" / "side.json", *sorted(block_of(folder).iterdir())]:
        sound, name = path.read_bytes(), str(path.relative_to(folder))
        path.unlink()
        assert damaged_side_files(folder) == [name]
        for place in range(0, len(sound), 7):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
            assert damaged_side_files(folder), f"{name}, byte {place}"
        path.write_bytes(sound)
    assert damaged_side_files(folder) == []


@pytest.mark.parametrize("name", ["lengths.npy", "block.json", "../side.json"])
@pytest.mark.parametrize("content", [None, b"{}"])
def test_what_is_damaged_or_missing_is_made_again(folder: Path, name: str, content: bytes | None) -> None:
    path, side = block_of(folder) / name, Lengths()
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert refresh_side(open_store(folder), side, repair=True) == 1
    assert damaged_side_files(folder) == []
    assert len(side.read) == 2


def test_a_side_that_is_sound_is_left_alone(folder: Path) -> None:
    side = Lengths()
    assert refresh_side(open_store(folder), side, repair=True) == 0
    assert side.read == []


def test_a_side_that_an_index_was_changed_without_is_told(folder: Path) -> None:
    assert sides_behind(folder) == {}
    with IndexWriter.open(folder) as writer:
        writer.add(TWO.record, TWO.indexed)
        writer.commit()
    assert sides_behind(folder) in ({"lengths": 2}, {"lengths": 4})  # a commit may have merged both segments
    refresh_side(open_store(folder), Lengths())
    assert sides_behind(folder) == {}


def test_a_reader_from_before_a_merge_is_told_to_open_the_index_again(folder: Path) -> None:
    before = open_store(folder)
    with IndexWriter.open(folder) as writer:
        writer.add(TWO.record, TWO.indexed)
        writer.delete("A")
        writer.commit()
    merge_index(folder)
    refresh_side(open_store(folder), Lengths())
    block = sides.block_folder(before, "lengths", before.segments[0])
    with pytest.raises(IndexStoreError, match="open it again"):
        sides.open_block(block, before.segments[0].live_passages)


def test_a_full_disk_is_told_and_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy does not say that the disk is full, only how many numbers it wrote."""

    def full(path: Path, *_: object, **__: object) -> None:
        Path(path).write_bytes(b"half")
        raise OSError("4 requested and 1 written")

    with IndexWriter.open(folder) as writer:
        writer.add(TWO.record, TWO.indexed)
        writer.delete("A")
        writer.commit()
    monkeypatch.setattr(sides.np, "save", full)
    with pytest.raises(IndexStoreError, match="disk full"):
        refresh_side(open_store(folder), Lengths())
    monkeypatch.undo()
    assert damaged_side_files(folder) == []
    refresh_side(open_store(folder), Lengths())
    [block] = open_blocks(open_store(folder), Lengths())[-1:]
    assert block.arrays["lengths"].tolist() == [len("text 0 of B"), len("text 1 of B")]
