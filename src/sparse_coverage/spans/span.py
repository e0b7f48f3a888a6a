"""The spans of a text with their vectors: what a unit makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The spans of one text in text order: L2-normalised vectors and character offsets into the original text."""

    vectors: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts)
