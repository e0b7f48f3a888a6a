"""What every baseline is made of: a side, which keeps something of each text, and a scorer, which ranks by what was kept.

What is kept of some texts is a block: on disk one `.npy` file for each array, and their checksums. A block has its name only
when all of it is written.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from sparse_coverage.errors import IndexStoreError, SparseCoverageError
from sparse_coverage.files import new_folder, read_json, sha256_of, write_json
from sparse_coverage.kernels import Array, Floats, Mask
from sparse_coverage.search.results import Match, Place

Scores = Floats

BLOCK_PASSAGES = 65_536
"""The largest number of texts in one block: that of a segment of an index."""

RECORD = "block.json"

_SMALL = 4096
_SOUND: set[tuple[str, int, int, int, int, str]] = set()
"""Files that this process has found sound: a server opens those that stay again with every change of its index."""
_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What a side keeps of some texts, as arrays that lie in a folder; `live` says which of the texts still count."""

    folder: Path
    arrays: Mapping[str, Array]
    live: Mask

    def __len__(self) -> int:
        return len(self.live)


class Scorer(Protocol):
    """Scores every text of some blocks for a query, in order."""

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the score of every text; minus infinity where it has nothing of the query.

        Texts that `allowed` leaves out may get any score: the caller leaves them out too. They need not be computed.
        """
        ...

    def cost(self, query: str) -> int:
        """Return what the query costs: postings scanned, or similarities computed."""
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a score is made of: matches of words in query and text, or what words of the text alone add (`words`)."""

    matches: tuple[Match, ...] = ()
    words: tuple[tuple[Place, float], ...] = ()


@runtime_checkable
class EvidentScorer(Scorer, Protocol):
    """A scorer that can say what the score of a text is made of."""

    def evidence(self, query: str, number: int, text: str) -> Evidence:
        """Return what adds to the score of the text of that number; what it does not name is wording in general."""
        ...


class Side(ABC):
    """One way to rank texts. Texts become rows, rows are packed into the arrays of a block, a scorer reads blocks."""

    kind: ClassVar[str]

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

    @abstractmethod
    def scorer(self, blocks: Sequence[Block]) -> Scorer:
        """Return a scorer over blocks, one after the other."""


def write_block(folder: Path, arrays: Mapping[str, Array]) -> None:
    """Write the arrays of a block into a new folder."""
    with new_folder(folder) as partial:
        for name, array in arrays.items():
            np.save(partial / f"{name}.npy", array, allow_pickle=False)
        files = {f"{name}.npy": sha256_of(partial / f"{name}.npy") for name in arrays}
        write_json(partial / RECORD, {"files": files})


def open_block(folder: Path, live: Mask) -> Block:
    """Open a block. Its arrays are mapped; the first time in a process, they are read once to see that they are sound."""
    return Block(folder, open_arrays(folder), live)


def open_arrays(folder: Path) -> dict[str, Array]:
    """Return the mapped arrays of a block; what was damaged is refused, since it would rank, and rank otherwise."""
    arrays = {}
    for name, sum_ in _files_of(folder).items():
        try:
            arrays[name.removesuffix(".npy")] = _mapped(folder / name, sum_)
        except (OSError, ValueError, TypeError) as error:
            raise IndexStoreError(
                f"{folder / name}: cannot be read ({error}). Remove {folder} and run: sparse-coverage index refresh"
            ) from None
    return arrays


def damaged_block_files(folder: Path) -> list[str]:
    """Return the files of a block that are missing or whose content changed since it was written."""
    try:
        files = _files_of(folder)
    except (SparseCoverageError, OSError):
        return [RECORD]
    return [name for name, sum_ in files.items() if not _is_sound(folder / name, sum_)]


def _files_of(folder: Path) -> dict[str, str]:
    """Return the names of a block's files and their checksums."""
    record = read_json(folder / RECORD)
    files = record.get("files") if isinstance(record, dict) else None
    if not isinstance(files, dict) or not all(isinstance(sum_, str) for sum_ in files.values()):
        raise IndexStoreError(
            f"{folder / RECORD}: damaged (it names no files). Remove {folder} and run: sparse-coverage index refresh"
        )
    return files


def _is_sound(path: Path, sum_: str) -> bool:
    try:
        return sha256_of(path) == sum_
    except (FileNotFoundError, IsADirectoryError):
        return False


def _mapped(path: Path, sum_: str) -> Array:
    """Map an array, whose file must have that sha256. What is checked is what is mapped, whatever takes its place meanwhile."""
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
