"""What crosses the door of this room: the vocabulary of centers, each with its radius and the span that anchors it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError


@dataclass(frozen=True, slots=True)
class Anchor:
    """The span that a center is: its text, and the passage and document it stands in."""

    text: str
    document: str
    passage: str


@dataclass(frozen=True, slots=True)
class VocabularyConfig:
    """How a vocabulary was made. Saved beside it, and compared when something built with another is loaded.

    `size` is V; `tau` the percentile of the radii; `spans` the number of span vectors that the centers were chosen from.
    """

    encoder: str
    fingerprint: str
    precision: str
    dimension: int
    unit: str
    size: int
    tau: float
    selection: str
    seed: int
    spans: int


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """V centers in the order in which farthest-first chose them, so that the first V' are the vocabulary of size V'."""

    centers: npt.NDArray[np.float32]
    radii: npt.NDArray[np.float32]
    anchors: tuple[Anchor, ...]
    config: VocabularyConfig

    def __post_init__(self) -> None:
        if not len(self.centers) == len(self.radii) == len(self.anchors) == self.config.size:
            raise InputError(
                f"A vocabulary of size {self.config.size} needs as many centers, radii and anchors; "
                f"there are {len(self.centers)}, {len(self.radii)} and {len(self.anchors)}."
            )

    def __len__(self) -> int:
        return len(self.centers)

    def with_radii(self, radii: npt.NDArray[np.float32], tau: float) -> Vocabulary:
        """Return the same centers with other radii."""
        return replace(self, radii=radii, config=replace(self.config, tau=tau))
