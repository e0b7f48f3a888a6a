"""The vocabulary: centers, each with its radius and the span that anchors it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats
from sparse_coverage.vocabulary.nearest import Cells
from sparse_coverage.vocabulary.points import Centers, CommonPart


@dataclass(frozen=True, slots=True)
class Anchor:
    """The span that a center is: its text, and the passage and document it stands in."""

    text: str
    document: str
    passage: str


@dataclass(frozen=True, slots=True)
class Selection:
    """How centers are chosen among the sampled spans, and how far each of them reaches.

    `method`: one of `SELECTIONS`. `sizes`: smaller numbers of centers to measure radii for as well (`Vocabulary.truncate`).
    `tau`: the percentile of the distances in a center's cell that becomes its radius.

    >>> Selection(sizes=(1_000, 5_000)).method
    'farthest-first'
    """

    method: str = "farthest-first"
    sizes: Sequence[int] = ()
    tau: float = 99.0


@dataclass(frozen=True, slots=True)
class VocabularyConfig:
    """How a vocabulary was made. Saved beside it, and compared when something built with another is loaded.

    `size` is V; `tau` the percentile of the radii; `spans` the number of span vectors that the centers were chosen from,
    out of `documents` documents. `common`: how many common directions were removed from the vectors beside their mean; None
    where the vectors are as the encoder made them. `only`: what the documents had to be, in words; nothing where all counted.
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
    documents: int = 0
    common: int | None = None
    only: str = ""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """V centers in the order in which they were chosen, so that the first V' are the vocabulary of size V'.

    `levels` holds the cells of every size that was fitted, this one included; `gaps` how far each center was from the
    centers before it when farthest-first chose it. Both are empty where nobody measured them. `common` is what was removed
    from all span vectors, and must be removed from those that are compared with the centers (`prepared`).
    """

    centers: Floats
    radii: Floats
    anchors: tuple[Anchor, ...]
    config: VocabularyConfig
    levels: Mapping[int, Cells] = field(default_factory=dict)
    gaps: Floats = field(default_factory=lambda: np.empty(0, dtype=np.float32))
    common: CommonPart | None = None

    def __post_init__(self) -> None:
        if not len(self.centers) == len(self.radii) == len(self.anchors) == self.config.size:
            raise InputError(
                f"A vocabulary of size {self.config.size} needs as many centers, radii and anchors; "
                f"there are {len(self.centers)}, {len(self.radii)} and {len(self.anchors)}."
            )

    def __len__(self) -> int:
        return len(self.centers)

    @cached_property
    def packed(self) -> Centers:
        """The centers as the kernels want them, made at the first use."""
        return Centers.of(np.ascontiguousarray(self.centers, dtype=np.float32))

    def prepared(self, vectors: Floats) -> Floats:
        """Return span vectors as they are compared with the centers."""
        ready = vectors if self.common is None else self.common.remove(vectors)
        return np.ascontiguousarray(ready, dtype=np.float32)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that `truncate` can give."""
        return tuple(sorted({*self.levels, len(self)}))

    def truncate(self, size: int) -> Vocabulary:
        """Return the vocabulary of the first `size` centers, with the radii of its own cells.

        Radii belong to a size: with fewer centers each cell is larger. They were measured for the sizes named at fitting.
        """
        if size == len(self):
            return self
        if size not in self.levels:
            raise InputError(
                f"This vocabulary has no radii for {size:,} centers, only for {', '.join(f'{s:,}' for s in self.sizes)}. "
                f"Fit it again and name the size: sparse-coverage fit … --sizes {size}"
            )
        return Vocabulary(
            centers=self.centers[:size],
            radii=self.levels[size].radii,
            anchors=self.anchors[:size],
            config=replace(self.config, size=size),
            levels={smaller: cells for smaller, cells in self.levels.items() if smaller <= size},
            gaps=self.gaps[:size],
            common=self.common,
        )
