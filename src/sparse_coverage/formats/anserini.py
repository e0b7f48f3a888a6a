"""Anserini's JsonVectorCollection: whole-number impacts, which it indexes as repeated terms (`-impact -pretokenized`)."""

from __future__ import annotations

from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.formats.lines import put_lines
from sparse_coverage.formats.quantise import Quantiser
from sparse_coverage.formats.source import Rows, Source
from sparse_coverage.progress import tracked


def write_anserini(source: Source, folder: Path, queries: Rows | None, bits: int) -> dict[str, float]:
    """Write `corpus/part-00000.jsonl` and so on, a file a segment, and `queries.tsv`. Return the scales."""
    if spaced := next((name for name in source.names if name.split() != [name]), None):
        raise InputError(f"Anserini takes terms without white space; '{spaced}' has some. Choose another format.")
    quantiser = Quantiser(bits, source.largest)
    (folder / "corpus").mkdir()
    for number, rows in enumerate(tracked(source.blocks(), "Writing segments", len(source.store.segments))):
        path = folder / "corpus" / f"part-{number:05d}.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as out:
            put_lines(out, rows, source.names, "contents", quantiser)
    scales = {"document_scale": quantiser.scale}
    if queries is not None:
        scales["query_scale"] = _write_queries(folder / "queries.tsv", source, queries, bits)
    return scales


def _write_queries(path: Path, source: Source, queries: Rows, bits: int) -> float:
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
