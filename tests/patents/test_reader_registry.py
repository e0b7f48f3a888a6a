"""Readers of one's own: given as an object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent, Problem, read_patents, readers
from sparse_coverage.patents.reading.context import Piece, ReadContext, Reader


def recognises(head: bytes) -> bool:
    return head.startswith(b"MINE ")


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    for number, line in enumerate(stream, 1):
        yield Piece(line, number)


def read(piece: Piece, context: ReadContext) -> Patent:
    assert isinstance(piece.content, bytes)
    return Patent(piece.content.split()[-1].decode(), title="mine", format="Mine")


MINE = Reader("mine", "My lines", recognises, pieces, read)


def test_a_reader_of_ones_own_is_taken_where_names_are(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("one EP-1-A1\ntwo EP-2-A1\n", encoding="utf-8")
    assert [patent.id for patent in read_patents(path, reader=MINE)] == ["EP-1-A1", "EP-2-A1"]


def test_an_unknown_name_is_an_error_that_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown format 'papyrus'\. Known are xml, aps, json, table"):
        read_patents(tmp_path, reader="papyrus")


def test_what_is_no_patent_names_what_would_be(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("Dear all, here is some text.", encoding="utf-8")
    problems: list[Problem] = []
    assert list(read_patents(path, on_problem=problems.append)) == []
    assert all(reader.label in problems[0].cause for reader in readers.BUILT_IN)
