"""From an index folder and the name of a system to something that searches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.files import as_typed
from sparse_coverage.index import open_store
from sparse_coverage.retrievers.baseline import Baseline
from sparse_coverage.retrievers.fusion import Fuse
from sparse_coverage.retrievers.reranking import ByRetriever, Rerank, Reranker
from sparse_coverage.retrievers.side import Side
from sparse_coverage.retrievers.sides import drop_leftovers, refresh_side, segments_lacking, side_settings, sides_of
from sparse_coverage.search import Index, Retriever, ScoringConfig
from sparse_coverage.systems import HYBRID, KINDS, SYSTEMS, FusionLevel, FusionRule

WEIGHTS = (2.0, 1.0, 1.0)
"""Of the scores that hybrid joins where it joins scores: Sparse Coverage counts half, BM25 and dense vectors a quarter each."""
Scoring = ScoringConfig | Mapping[str, float | str | None]
"""How to score: all settings, or by name those that differ from the model's (None: as the model says)."""
RerankerMaker = Callable[[Path, Encoder | None, int | None], Reranker]
"""Makes a reranker of an index folder, a running encoder that it may use again, and a number of threads."""


def open_retriever(
    folder: str | Path,
    system: str = "coverage",
    *,
    rerank: str | Reranker | None = None,
    top: int = 100,
    fuse: FusionRule = "rrf",
    level: FusionLevel = "document",
    scoring: Scoring | None = None,
    encoder: Encoder | None = None,
    threads: int | None = None,
) -> Retriever:
    """Open an index to be searched by one of the `SYSTEMS`, ready for its first query.

        open_retriever("my-index")                                # Sparse Coverage, as an `Index`
        open_retriever("my-index", "hybrid", fuse="weighted")     # joined with BM25 and dense vectors, as a `Fuse`
        open_retriever("my-index", rerank="dense", top=200)       # the best 200 ranked again by dense vectors

    `rerank`: what ranks the `top` documents again, by name (one of `RERANKERS`) or as an object. `fuse` and `level` say how
    `hybrid` joins, as in `Fuse`. `scoring` is how Sparse Coverage ranks, where it does. A running `encoder` of
    the index saves loading it again.
    """
    if system not in SYSTEMS:
        raise InputError(f"There is no system '{system}'. There are: {', '.join(SYSTEMS)}.")
    make = _reranker_maker(rerank)
    retriever: Retriever
    if system in KINDS:
        rank = scoring.rank if isinstance(scoring, ScoringConfig) else (scoring or {}).get("rank")
        retriever = _open_side(folder, system, rank=str(rank or "best"), encoder=encoder, threads=threads)
    else:
        index = open_index(folder, scoring=scoring, encoder=encoder, threads=threads)
        encoder = index.model.encoder
        retriever = retriever_over(index, system, fuse=fuse, level=level, threads=threads)
    return retriever if make is None else Rerank(retriever, make(Path(folder), encoder, threads), top)


def retriever_over(
    index: Index,
    system: str,
    *,
    fuse: FusionRule = "rrf",
    level: FusionLevel = "document",
    threads: int | None = None,
) -> Retriever:
    """Return what ranks, by one of the `SYSTEMS`, the very state of an index that is open here, whatever is on disk by now."""
    if system == "coverage":
        return index
    if system == "hybrid":
        return _open_hybrid(index, how=fuse, level=level, threads=threads)
    return _side_over(index, system, rank="best", threads=threads)


def open_index(
    folder: str | Path, *, scoring: Scoring | None = None, encoder: Encoder | None = None, threads: int | None = None
) -> Index:
    """Open the Sparse Coverage of an index, ready for its first query. It ranks as its model says, but for `scoring`."""
    index = Index.open(folder, encoder=encoder, threads=threads)
    if isinstance(scoring, Mapping):
        given: dict[str, Any] = {name: value for name, value in scoring.items() if value is not None}
        scoring = replace(index.model.scoring, **given)
    if scoring not in (None, index.model.scoring):
        index = Index(index.store, index.model, scoring, threads)
    return index


def coverage_of(retriever: Retriever) -> Index | None:
    """Return the index of Sparse Coverage that a retriever searches with, if any: it can explain what was found."""
    if isinstance(retriever, Index):
        return retriever
    parts: Sequence[Retriever] = ()
    if isinstance(retriever, Fuse):
        parts = retriever.parts
    elif isinstance(retriever, Rerank):
        parts = [retriever.retriever]
    return next((found for part in parts if (found := coverage_of(part)) is not None), None)


def load_side(folder: str | Path, kind: str, *, encoder: Encoder | None = None, threads: int | None = None) -> Side:
    """Return a side of an index as it was made. A running `encoder` is used again where it is the side's own."""
    if kind not in KINDS:
        raise InputError(f"There is no side '{kind}'. There are: {', '.join(KINDS)}.")
    settings = side_settings(Path(folder), kind)
    if kind == "dense" and encoder is not None and encoder.fingerprint == settings["fingerprint"]:
        side: Side = _class("Dense")(encoder, pooling=settings["pooling"])
        return side
    return _MAKERS[kind](settings, threads)


def _class(name: str) -> Any:
    """Return a class of this package, which loads it when it is wanted: whoever searches by Sparse Coverage alone needs none."""
    return getattr(import_module(__package__), name)


_MAKERS: dict[str, Callable[[dict[str, Any], int | None], Side]] = {
    "bm25": lambda settings, threads: _class("Bm25")(),
    "dense": lambda settings, threads: _class("Dense")(
        settings["encoder"], pooling=settings.get("pooling"), threads=threads
    ),
    "splade": lambda settings, threads: _class("Splade")(settings["encoder"], threads=threads),
    "colbert": lambda settings, threads: _class("Colbert")(settings["encoder"], threads=threads),
}


def refresh_sides(
    folder: str | Path,
    new: Sequence[Side] = (),
    *,
    encoder: Encoder | None = None,
    threads: int | None = None,
    kept: Mapping[str, Callable[[bytes], Any]] | None = None,
) -> dict[str, int]:
    """Add new sides to an index, and bring those it has up to date. Return how many blocks each lacked.

    `kept` gives, for some kinds, the rows of texts that were made before, by their keys (see `refresh_side`).
    """
    store, rows = open_store(Path(folder)), kept or {}
    try:
        made = {side.kind: refresh_side(store, side, rows.get(side.kind)) for side in new}
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


def _open_side(
    folder: str | Path, kind: str, *, rank: str = "best", encoder: Encoder | None = None, threads: int | None = None
) -> Baseline:
    """Open an index by one of its sides, whatever it was made with."""
    return Baseline.open(folder, load_side(folder, kind, encoder=encoder, threads=threads), rank=rank)


def _open_hybrid(
    index: Index, *, how: FusionRule = "rrf", level: FusionLevel = "document", threads: int | None = None
) -> Fuse:
    """Join Sparse Coverage with the BM25 and dense sides of the same folder."""
    folder = index.store.folder
    if missing := [kind for kind in HYBRID if kind not in sides_of(folder)]:
        raise InputError(
            f"{folder} has no {' and no '.join(missing)} side. Hybrid needs {' and '.join(HYBRID)} beside Sparse Coverage; add "
            f"what is missing with: sparse-coverage index refresh {as_typed(folder)} --hybrid"
        )
    rank = index.statistics.config.rank
    parts = [_side_over(index, kind, rank=rank, threads=threads) for kind in HYBRID]
    return Fuse(index, *parts, how=how, level=level, weights=WEIGHTS if how == "weighted" else None)


def _side_over(index: Index, kind: str, *, rank: str, threads: int | None) -> Baseline:
    """Search the state that an index shows by one of its sides."""
    side = load_side(index.store.folder, kind, encoder=index.model.encoder, threads=threads)
    return Baseline(index.store, side, rank)


def _side_reranker(kind: str, folder: Path, encoder: Encoder | None, threads: int | None) -> Reranker:
    return ByRetriever(_open_side(folder, kind, encoder=encoder, threads=threads))


RERANKERS: dict[str, RerankerMaker] = {
    **{kind: partial(_side_reranker, kind) for kind in KINDS},
}
"""Rerankers by name. A new one is one file and one line here."""


def _reranker_maker(wanted: str | Reranker | None) -> RerankerMaker | None:
    if isinstance(wanted, str):
        if wanted not in RERANKERS:
            raise InputError(f"There is no reranker '{wanted}'. There are: {', '.join(RERANKERS)}.")
        return RERANKERS[wanted]
    return None if wanted is None else lambda *_: wanted
