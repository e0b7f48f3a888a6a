"""What every baseline is made of: a side, which keeps something of each text, and a scorer, which ranks by what was kept.

What is kept of some texts is a block: on disk one `.npy` file for each array, and their checksums. A block has its name only
when all of it is written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.files import new_folder, read_json, sha256_of, write_json
from sparse_coverage.kernels import Array, Floats, Mask
from sparse_coverage.search.results import Match, Place

Scores = Floats

BLOCK_PASSAGES = 65_536
"""The largest number of texts in one block: that of a segment of an index."""

RECORD = "block.json"


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
    """Open a block; its arrays are mapped, so this takes little time whatever their size."""
    return Block(folder, open_arrays(folder), live)


def open_arrays(folder: Path) -> dict[str, Array]:
    """Return the mapped arrays of a block."""
    arrays = {}
    for name in read_json(folder / RECORD)["files"]:
        try:
            arrays[name.removesuffix(".npy")] = _mapped(folder / name)
        except (OSError, ValueError) as error:
            raise IndexStoreError(
                f"{folder / name}: cannot be read ({error}). Remove {folder} and run: sparse-coverage index refresh"
            ) from None
    return arrays


def damaged_block_files(folder: Path) -> list[str]:
    """Return the files of a block that are missing or whose content changed since it was written."""
    try:
        files: dict[str, str] = read_json(folder / RECORD)["files"]
    except Exception:
        return [RECORD]
    return [name for name, sum_ in files.items() if not _is_sound(folder / name, sum_)]


def _is_sound(path: Path, sum_: str) -> bool:
    try:
        return sha256_of(path) == sum_
    except (FileNotFoundError, IsADirectoryError):
        return False


def _mapped(path: Path) -> Array:
    # Nothing of no length can be mapped, and NumPy's own view of a map costs time in every small slice.
    loaded: Array = np.load(path, mmap_mode="r" if path.stat().st_size > 4096 else None, allow_pickle=False)
    return np.asarray(loaded)
