"""What crosses the door of this room: units of retrieval with their sparse vectors in, postings and texts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.vectors.types import SparseVector

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Uint32s = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document's id, title and metadata (anything JSON can hold).

    Filters read these entries of the metadata, where they are: `publication_date`, `priority_date`, `ipc`, `cpc`,
    `country`, `kind`, `language`, `family`, `family_members`.
    """

    id: str
    title: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """One indexed unit, usually a passage."""

    id: str
    document: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class IndexedUnit:
    """A unit together with its sparse vector."""

    unit: UnitRecord
    vector: SparseVector
