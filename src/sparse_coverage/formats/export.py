"""Writing an index for other engines: one folder an export, with the files of the format and what is needed to read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.files import new_folder, write_json
from sparse_coverage.formats.ciff import write_ciff_export
from sparse_coverage.formats.csr import write_csr, write_safetensors
from sparse_coverage.formats.json_lines import write_anserini, write_seismic
from sparse_coverage.formats.source import Rows, Source
from sparse_coverage.version import __version__

QUANTISED: dict[str, tuple[Callable[[Source, Path, Rows | None, int], dict[str, float]], int]] = {
    "anserini": (write_anserini, 8),
    "ciff": (write_ciff_export, 16),
}
"""Formats of whole numbers, and how many bits they have unless told otherwise. Anserini repeats a term as often as it weighs."""

FLOATS: dict[str, Callable[[Source, Path, Rows | None], None]] = {
    "seismic": write_seismic,
    "csr": write_csr,
    "safetensors": write_safetensors,
}
"""Formats of floats. A new format is one file and one line here, or above."""
FORMATS = (*QUANTISED, *FLOATS)


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
    format: str,  # noqa: A002 - the word a user looks for
    *,
    queries: Rows | None = None,
    bits: int | None = None,
) -> Exported:
    """Write an index, and the query side of some queries, into a new folder.

    score = dot product / (`document_scale` * `query_scale`), apart from rounding. Beside the files of the format there are
    `export.json` (the scales, and how the weights were made), `terms.tsv` (what each term means) and `units.tsv` (which
    document each passage belongs to, so that documents can be ranked by their best passage).
    """
    if format not in FORMATS:
        raise InputError(f"There is no format '{format}'. The formats are {', '.join(FORMATS)}.")
    if bits is not None and format not in QUANTISED:
        raise InputError(f"The weights of '{format}' are floats; bits are for {' and '.join(QUANTISED)}.")
    scales: dict[str, float] = {}
    with new_folder(Path(folder)) as partial:
        if format in QUANTISED:
            write, usual = QUANTISED[format]
            bits = usual if bits is None else bits
            scales = write(source, partial, queries, bits)
        else:
            FLOATS[format](source, partial, queries)
        exported = Exported(
            format,
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
