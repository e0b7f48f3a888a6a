"""Vectors as lines of JSON: what Anserini's JsonVectorCollection and Seismic read, and what SPLADE-like encoders write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.formats.source import Quantiser, Rows, Source
from sparse_coverage.kernels import Floats
from sparse_coverage.progress import tracked


def write_lines(
    path: Path, blocks: Iterable[Rows], names: Sequence[str], quantiser: Quantiser | None = None, text: str = "content"
) -> None:
    """Write one object a line: `id`, a field of text (empty: the texts stay in the index) and `vector`."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for id_, terms, weights in chain.from_iterable(blocks):
            values = _floats(weights) if quantiser is None else quantiser(weights).tolist()
            vector = dict(zip((names[term] for term in terms.tolist()), values, strict=True))
            out.write(json.dumps({"id": id_, text: "", "vector": vector}, ensure_ascii=False) + "\n")


def _floats(weights: Floats) -> list[float]:
    """Nine digits are enough to find a single-precision number again."""
    return [float(f"{weight:.9g}") for weight in weights.tolist()]


def write_seismic(source: Source, folder: Path, queries: Rows | None) -> None:
    """Write `documents.jsonl`, for `SeismicIndex.build("documents.jsonl")`, and `queries.jsonl`; weights are floats."""
    blocks = tracked(source.blocks(), "Writing segments", len(source.store.segments))
    write_lines(folder / "documents.jsonl", blocks, source.names)
    if queries is not None:
        write_lines(folder / "queries.jsonl", [queries], source.names)


def write_anserini(source: Source, folder: Path, queries: Rows | None, bits: int) -> dict[str, float]:
    """Write `corpus/part-00000.jsonl` and so on, a file a segment, and `queries.tsv`. Return the scales.

    Weights are whole-number impacts, which Anserini indexes as repeated terms (`-impact -pretokenized`).
    """
    if spaced := next((name for name in source.names if name.split() != [name]), None):
        raise InputError(f"Anserini takes terms without white space; '{spaced}' has some. Choose another format.")
    quantiser = Quantiser(bits, source.largest)
    (folder / "corpus").mkdir()
    for number, rows in enumerate(tracked(source.blocks(), "Writing segments", len(source.store.segments))):
        path = folder / "corpus" / f"part-{number:05d}.jsonl"
        write_lines(path, [rows], source.names, quantiser, "contents")
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
