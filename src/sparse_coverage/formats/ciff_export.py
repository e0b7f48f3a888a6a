"""An index as a CIFF file: impacts in place of term frequencies, to be scored as they are (PISA: `quantized`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sparse_coverage.formats.ciff import CiffDocument, CiffHeader, CiffList, write_ciff
from sparse_coverage.formats.lines import put_lines
from sparse_coverage.formats.quantise import Quantiser
from sparse_coverage.formats.source import Rows, Source
from sparse_coverage.progress import tracked


def write_ciff_export(source: Source, folder: Path, queries: Rows | None, bits: int) -> dict[str, float]:
    """Write `index.ciff`, and `queries.jsonl` with whole numbers too, since PISA repeats terms. Return the scales."""
    quantiser = Quantiser(bits, source.largest)
    # The header comes first and holds totals, so the lists are walked through twice.
    lengths = np.zeros(len(source), np.int64)
    count = 0
    for _, passages, weights in source.lists():
        lengths[passages] += quantiser(weights)
        count += 1
    total = int(lengths.sum())
    header = CiffHeader(count, len(source), total, total / max(len(source), 1), "sparse-coverage: impacts of centers")

    def lists() -> Iterator[CiffList]:
        for term, passages, weights in tracked(source.lists(), "Writing lists", count):
            yield CiffList(term, passages, quantiser(weights))

    documents = (
        CiffDocument(number, passage.id, int(lengths[number])) for number, passage in enumerate(source.passages())
    )
    write_ciff(folder / "index.ciff", header, lists(), documents)
    scales = {"document_scale": quantiser.scale}
    if queries is not None:
        whole = Quantiser.for_queries(bits, queries.weights)
        scales["query_scale"] = whole.scale
        with (folder / "queries.jsonl").open("w", encoding="utf-8", newline="\n") as out:
            put_lines(out, queries, source.names, "content", whole)
    return scales
