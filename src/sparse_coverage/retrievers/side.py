"""What every baseline is made of: a side, which keeps something of each text, and a scorer, which ranks by what was kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float32]

BLOCK_PASSAGES = 65_536
"""The largest number of texts in one block: that of a segment of an index."""


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
        """Return the score of every text; minus infinity where nothing speaks for it.

        Texts that `allowed` leaves out may get any score: the caller leaves them out too. They need not be computed.
        """
        ...

    def cost(self, query: str) -> int:
        """Return what the query costs: postings scanned, or similarities computed."""
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
