"""An index as one sparse matrix, a row a passage and a column a center: SciPy's `.npz`, or safetensors.

Both hold the arrays `data`, `indices`, `indptr` and `shape`; row i is line i of `units.tsv` or `queries.txt`. The matrix is
made in memory: 8 bytes a posting.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from sparse_coverage.formats.source import Rows, Source
from sparse_coverage.kernels import Array, Floats, Int32s, Int64s
from sparse_coverage.progress import tracked

Arrays = dict[str, Array]


def write_csr(source: Source, folder: Path, queries: Rows | None) -> None:
    """Write `documents.npz` and `queries.npz`, as `scipy.sparse.load_npz` reads them."""
    _write(source, folder, queries, "npz", _save_npz)


def write_safetensors(source: Source, folder: Path, queries: Rows | None) -> None:
    """Write `documents.safetensors` and `queries.safetensors`."""
    _write(source, folder, queries, "safetensors", lambda path, arrays: path.write_bytes(save(arrays)))


def _write(
    source: Source, folder: Path, queries: Rows | None, suffix: str, put: Callable[[Path, Arrays], object]
) -> None:
    put(folder / f"documents.{suffix}", _documents(source))
    if queries is not None:
        shape = np.asarray([len(queries), len(source.names)], np.int64)
        put(folder / f"queries.{suffix}", _arrays(queries.weights, queries.terms, queries.starts, shape))
        (folder / "queries.txt").write_text("".join(f"{id_}\n" for id_ in queries.ids), encoding="utf-8")


def _documents(source: Source) -> Arrays:
    data, indices = np.empty(source.postings, np.float32), np.empty(source.postings, np.int32)
    indptr = np.zeros(len(source) + 1, np.int64)
    row = place = 0
    for rows in tracked(source.blocks(), "Gathering segments", len(source.store.segments)):
        data[place : place + len(rows.terms)] = rows.weights
        indices[place : place + len(rows.terms)] = rows.terms
        indptr[row + 1 : row + 1 + len(rows)] = place + rows.starts[1:]
        row, place = row + len(rows), place + len(rows.terms)
    return _arrays(data, indices, indptr, np.asarray([len(source), len(source.names)], np.int64))


def _arrays(data: Floats, indices: Int32s, indptr: Int64s, shape: Any) -> Arrays:
    # SciPy wants row starts and columns in one type, and copies both otherwise.
    if indptr[-1] <= np.iinfo(np.int32).max:
        return {"data": data, "indices": indices, "indptr": indptr.astype(np.int32), "shape": shape}
    return {"data": data, "indices": indices.astype(np.int64), "indptr": indptr, "shape": shape}


def _save_npz(path: Path, arrays: Arrays) -> None:
    np.savez(path, format=np.asarray(b"csr"), _is_array=np.asarray(True), **arrays)  # type: ignore[arg-type]
