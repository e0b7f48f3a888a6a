"""From an index folder and the name of a system to something that searches it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.index import open_store
from sparse_coverage.retrievers.baseline import Baseline
from sparse_coverage.retrievers.bm25 import Bm25
from sparse_coverage.retrievers.colbert import Colbert
from sparse_coverage.retrievers.dense import Dense
from sparse_coverage.retrievers.fusion import Fuse, FusionLevel
from sparse_coverage.retrievers.fusion_scores import FusionRule
from sparse_coverage.retrievers.side import Side
from sparse_coverage.retrievers.sides import (
    drop_leftovers,
    refresh_side,
    segments_lacking,
    side_settings,
    sides_of,
)
from sparse_coverage.retrievers.splade import Splade
from sparse_coverage.search import Index

HYBRID = ("bm25", "dense")
"""The sides that `hybrid` joins with Sparse Coverage."""

_MAKERS: dict[str, Callable[[dict[str, Any], int | None], Side]] = {
    "bm25": lambda settings, threads: Bm25(),
    "dense": lambda settings, threads: Dense(settings["encoder"], pooling=settings.get("pooling"), threads=threads),
    "splade": lambda settings, threads: Splade(settings["encoder"], threads=threads),
    "colbert": lambda settings, threads: Colbert(settings["encoder"], threads=threads),
}
KINDS = tuple(_MAKERS)


def load_side(folder: str | Path, kind: str, *, encoder: Encoder | None = None, threads: int | None = None) -> Side:
    """Return a side of an index as it was made. A running `encoder` is used again where it is the side's own."""
    settings = side_settings(Path(folder), known_kind(kind))
    if kind == "dense" and encoder is not None and encoder.fingerprint == settings["fingerprint"]:
        return Dense(encoder, pooling=settings["pooling"])
    return _MAKERS[kind](settings, threads)


def refresh_sides(
    folder: str | Path, new: Sequence[Side] = (), *, encoder: Encoder | None = None, threads: int | None = None
) -> dict[str, int]:
    """Add new sides to an index, and bring those it has up to date. Return how many blocks each lacked."""
    store = open_store(Path(folder))
    try:
        made = {side.kind: refresh_side(store, side) for side in new}
        for kind in sides_of(store.folder):
            if kind in made:
                continue
            if segments_lacking(store, kind):
                made[kind] = refresh_side(store, load_side(folder, kind, encoder=encoder, threads=threads))
            else:  # nothing to make, so no model need be loaded
                drop_leftovers(store, kind)
                made[kind] = 0
        return made
    finally:
        store.close()


def open_baseline(
    folder: str | Path, kind: str, *, encoder: Encoder | None = None, threads: int | None = None
) -> Baseline:
    """Open an index by one of its sides, whatever it was made with."""
    return Baseline.open(folder, load_side(folder, kind, encoder=encoder, threads=threads))


def open_hybrid(
    index: Index, *, how: FusionRule = "rrf", level: FusionLevel = "document", threads: int | None = None
) -> Fuse:
    """Join Sparse Coverage with the BM25 and dense sides of the same folder."""
    folder = index.store.folder
    parts = [open_baseline(folder, kind, encoder=index.model.encoder, threads=threads) for kind in HYBRID]
    return Fuse(index, *parts, how=how, level=level)


def known_kind(kind: str) -> str:
    """Return the name of a side, or refuse it and list the known ones."""
    if kind not in KINDS:
        raise InputError(f"There is no side '{kind}'. There are: {', '.join(KINDS)}.")
    return kind
