"""A block on disk: one `.npy` file for each array, and their checksums. It has its name only when all of it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.files import new_folder, read_json, sha256_of, write_json
from sparse_coverage.retrievers.side import Array, Block, Mask

RECORD = "block.json"


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
    return [name for name, sum_ in files.items() if not (folder / name).is_file() or sha256_of(folder / name) != sum_]


def _mapped(path: Path) -> Array:
    # Nothing of no length can be mapped, and NumPy's own view of a map costs time in every small slice.
    loaded: Array = np.load(path, mmap_mode="r" if path.stat().st_size > 4096 else None, allow_pickle=False)
    return np.asarray(loaded)
