"""Writing an index for other engines: one folder an export, with the files of the format and what is needed to read them.

A format is one function and one row of `FORMATS`; in Python an `ExportFormat` of one's own is taken, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.files import new_folder, write_json
from sparse_coverage.formats.source import Quantiser, Rows, Source, write_lines
from sparse_coverage.kernels import Array, Floats, Int32s, Int64s
from sparse_coverage.package import __version__
from sparse_coverage.progress import tracked

Arrays = dict[str, Array]


def write_matrix(source: Source, folder: Path, queries: Rows | None, bits: int) -> dict[str, float]:
    """Write `documents.npz` and `queries.npz`, as `scipy.sparse.load_npz` reads them."""
    _save_npz(folder / "documents.npz", _documents(source))
    if queries is not None:
        shape = np.asarray([len(queries), len(source.names)], np.int64)
        _save_npz(folder / "queries.npz", _arrays(queries.weights, queries.terms, queries.starts, shape))
        (folder / "queries.txt").write_text("".join(f"{id_}\n" for id_ in queries.ids), encoding="utf-8")
    return {}


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


def write_anserini(source: Source, folder: Path, queries: Rows | None, bits: int) -> dict[str, float]:
    """Write `corpus/part-00000.jsonl` and so on, a file a segment, and `queries.tsv`. Return the scales.

    Weights are whole-number impacts, which Anserini indexes as repeated terms (`-impact -pretokenized`).
    """
    quantiser = Quantiser(bits, source.largest)
    (folder / "corpus").mkdir()
    for number, rows in enumerate(tracked(source.blocks(), "Writing segments", len(source.store.segments))):
        path = folder / "corpus" / f"part-{number:05d}.jsonl"
        write_lines(path, rows, source.names, quantiser)
    scales = {"document_scale": quantiser.scale}
    if queries is not None:
        scales["query_scale"] = _write_anserini_queries(folder / "queries.tsv", source, queries, bits)
    return scales


def _write_anserini_queries(path: Path, source: Source, queries: Rows, bits: int) -> float:
    """Write lines of id, tab and terms; Anserini's way to weigh a term of a query is to repeat it."""
    quantiser = Quantiser.for_queries(bits, queries.weights)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for id_, terms, weights in queries:
            repeated = (
                f"{source.names[term]} " * count
                for term, count in zip(terms.tolist(), quantiser(weights).tolist(), strict=True)
            )
            out.write(f"{id_}\t{''.join(repeated).rstrip()}\n")
    return quantiser.scale


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format by its name, with a label for people and what writes it into a folder and returns the scales of its weights.

    `bits` is the usual precision of a format of whole numbers; 0 means that its weights are floats.
    """

    name: str
    label: str
    write: Callable[[Source, Path, Rows | None, int], Mapping[str, float]]
    bits: int = 0


FORMATS = {
    one.name: one
    for one in (
        ExportFormat(
            "anserini", "JsonVectorCollection, whole numbers; queries.tsv repeats terms", write_anserini, bits=8
        ),
        ExportFormat("csr", "documents.npz, floats, for scipy.sparse.load_npz", write_matrix),
    )
}
"""The formats. A new one is one function and one row."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds. The scales are those of quantised weights; where weights are floats they are 1."""

    format: str
    passages: int
    postings: int
    queries: int
    bits: int | None
    document_scale: float
    query_scale: float


def export_index(
    source: Source,
    folder: str | Path,
    format: str | ExportFormat,  # noqa: A002 - the word a user looks for
    *,
    queries: Rows | None = None,
    bits: int | None = None,
) -> Exported:
    """Write an index, and the query side of some queries, into a new folder. `format` is the name of a format, or one of your own.

    score = dot product / (`document_scale` * `query_scale`), apart from rounding. Beside the files of the format there are
    `export.json` (the scales, and how the weights were made), `terms.tsv` (what each term means) and `units.tsv` (which
    document each passage belongs to, so that documents can be ranked by their best passage).
    """
    chosen = check_format(format, bits)
    bits = bits or chosen.bits or None
    with new_folder(Path(folder)) as partial:
        scales = chosen.write(source, partial, queries, bits or 0)
        exported = Exported(
            chosen.name,
            len(source),
            source.postings,
            0 if queries is None else len(queries),
            bits,
            scales.get("document_scale", 1.0),
            scales.get("query_scale", 1.0),
        )
        write_json(partial / "export.json", _description(source, exported))
        _write_terms(partial / "terms.tsv", source)
        with (partial / "units.tsv").open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{passage.id}\t{passage.document}\n" for passage in source.passages())
    return exported


def check_format(given: str | ExportFormat, bits: int | None) -> ExportFormat:
    """Return the format of that name, or the format itself; refuse an unknown one, and bits where weights are floats."""
    chosen = given if isinstance(given, ExportFormat) else FORMATS.get(given)
    if chosen is None:
        raise InputError(f"There is no format '{given}'. The formats are {', '.join(FORMATS)}.")
    if bits is not None and not chosen.bits:
        whole = [one.name for one in FORMATS.values() if one.bits]
        raise InputError(f"The weights of '{chosen.name}' are floats; bits are for {' and '.join(whole)}.")
    return chosen


def _description(source: Source, exported: Exported) -> dict[str, Any]:
    return {
        "made_by": f"sparse-coverage {__version__}",
        "format": exported.format,
        "units": exported.passages,
        "terms": len(source.names),
        "postings": exported.postings,
        "queries": exported.queries,
        "bits": exported.bits,
        "document_scale": exported.document_scale,
        "query_scale": exported.query_scale,
        "parts": ["centers"],
        "score": "dot product / (document_scale * query_scale)",
        **source.about,
    }


def _write_terms(path: Path, source: Source) -> None:
    """Write a line a term: its name, in how many passages it is, its idf, `stop` if it is left out, and what it stands for."""
    frequencies, statistics = source.store.frequencies, source.statistics
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for number, name in enumerate(source.names):
            label = " ".join(source.labels[number].split()) if source.labels else ""
            stop = "stop" if statistics.stop[number] else ""
            out.write(f"{name}\t{frequencies[number]}\t{statistics.idf[number]:.6g}\t{stop}\t{label}\n")
