"""Deleted documents of a segment, and the document frequencies that remain without them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load, save

from sparse_coverage.kernels.arrays import Uint32s


@dataclass(frozen=True, slots=True, eq=False)
class Tombstones:
    """The numbers of the deleted documents, rising, and for each center how many live passages it has left."""

    documents: Uint32s
    frequencies: npt.NDArray[np.int64]


def dump_tombstones(tombstones: Tombstones) -> bytes:
    """Return the content of a file of tombstones."""
    return save({"documents": tombstones.documents, "frequencies": tombstones.frequencies})


def read_tombstones(content: bytes) -> Tombstones:
    """Read a file of tombstones."""
    arrays = load(content)
    return Tombstones(arrays["documents"], arrays["frequencies"])
