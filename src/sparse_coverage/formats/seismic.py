"""Seismic's JSON Lines: weights as floats, for `SeismicIndex.build("documents.jsonl")`."""

from __future__ import annotations

from pathlib import Path

from sparse_coverage.formats.lines import put_lines
from sparse_coverage.formats.source import Rows, Source
from sparse_coverage.progress import tracked


def write_seismic(source: Source, folder: Path, queries: Rows | None) -> None:
    """Write `documents.jsonl` and `queries.jsonl`."""
    with (folder / "documents.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        for rows in tracked(source.blocks(), "Writing segments", len(source.store.segments)):
            put_lines(out, rows, source.names, "content")
    if queries is not None:
        with (folder / "queries.jsonl").open("w", encoding="utf-8", newline="\n") as out:
            put_lines(out, queries, source.names, "content")
