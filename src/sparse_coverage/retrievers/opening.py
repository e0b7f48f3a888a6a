"""From an index folder and the name of a ranking to something that searches it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.index import IndexStore, open_store
from sparse_coverage.index.sides import (
    Side,
    drop_leftovers,
    is_damaged,
    refresh_side,
    segments_without,
    side_settings,
    sides_of,
)
from sparse_coverage.retrievers.baseline import Baseline
from sparse_coverage.retrievers.joining import ByRetriever, Rerank, Reranker
from sparse_coverage.search import Index, Retriever, ScoringConfig
from sparse_coverage.systems import RERANKERS, System, load_maker, require_system

Scoring = ScoringConfig | Mapping[str, float | str | None]
"""How to score: all settings, or by name those that differ from the model's (None: as the model says)."""


@dataclass(frozen=True)
class SystemContext:
    """What rankings are made from: the folder of an index, or an index that is `opened`, and how to rank."""

    folder: Path
    opened: Index | None = None
    scoring: Scoring | None = None
    encoder: Encoder | None = None
    threads: int | None = None

    @cached_property
    def index(self) -> Index:
        """The index, opened when it is first asked for."""
        if self.opened is not None:
            return self.opened
        return open_index(self.folder, scoring=self.scoring, encoder=self.encoder, threads=self.threads)

    @cached_property
    def store(self) -> IndexStore:
        """The state of the index that all rankings of this context search."""
        return self.index.store if self._has_index else open_store(self.folder)

    @property
    def rank(self) -> str:
        """How passages make a document's score, where a side ranks."""
        given = self.scoring.rank if isinstance(self.scoring, ScoringConfig) else (self.scoring or {}).get("rank")
        return str(given or "best")

    @property
    def _has_index(self) -> bool:
        return self.opened is not None or "index" in self.__dict__

    def retriever(self, ranking: str | System) -> Retriever:
        """Return what ranks the index by a ranking."""
        row = require_system(ranking)
        if row.retriever is None:
            raise InputError(f"'{row.name}' cannot rank an index by itself: it ranks the documents of others again.")
        made: Retriever = load_maker(row.retriever)(self, row)
        return made

    def reranker(self, wanted: str | System | Reranker) -> Reranker:
        """Return what ranks documents again: by name, by a row of one's own, or the object that was given."""
        if not isinstance(wanted, str | System):
            return wanted
        row = require_system(wanted, "reranker")
        if row.reranker is None:
            raise InputError(f"'{row.name}' cannot rank documents again. There are: {', '.join(RERANKERS)}.")
        made: Reranker = load_maker(row.reranker)(self, row)
        return made


def open_retriever(
    folder: str | Path,
    ranking: str | System = "combined",
    *,
    rerank: str | System | Reranker | None = None,
    top: int = 100,
    scoring: Scoring | None = None,
    encoder: Encoder | None = None,
    threads: int | None = None,
) -> Retriever:
    """Open an index to be searched by one of the `RANKINGS`, ready for its first query.

        open_retriever("my-index")                                # an `Index` that ranks by all that it keeps
        open_retriever("my-index", "words")                       # by words alone
        open_retriever("my-index", rerank="splade", top=200)      # the best 200 ranked again by a side of the index

    `rerank`: what ranks the `top` documents again, by name (one of `RERANKERS`) or as an object. `scoring` is how centers rank, where
    they do. A running `encoder` of the index saves loading it again.
    """
    if rerank is not None and isinstance(rerank, str | System):
        require_system(rerank, "reranker")
    context = SystemContext(Path(folder), None, scoring, encoder, threads)
    retriever = context.retriever(ranking)
    return retriever if rerank is None else Rerank(retriever, context.reranker(rerank), top)


def retriever_over(index: Index, ranking: str | System, *, threads: int | None = None) -> Retriever:
    """Return a retriever, by one of the `RANKINGS`, for the open state of an index, even if the files on disk have changed since."""
    return SystemContext(index.store.folder, index, threads=threads).retriever(ranking)


def open_index(
    folder: str | Path, *, scoring: Scoring | None = None, encoder: Encoder | None = None, threads: int | None = None
) -> Index:
    """Open an index, ready for its first query. Centers rank as its model says, but for `scoring`."""
    index = Index.open(folder, encoder=encoder, threads=threads)
    if isinstance(scoring, Mapping):
        given: dict[str, Any] = {name: value for name, value in scoring.items() if value is not None}
        scoring = replace(index.model.scoring, **given)
    if scoring not in (None, index.model.scoring):
        index = Index(index.store, index.model, scoring, threads)
    return index


def open_ranked(context: SystemContext, row: System) -> Index:
    """Make the ranking `combined`, or one by a part of it."""
    return context.index.ranked_by(row.name)


def open_side(context: SystemContext, row: System, rank: str = "") -> Baseline:
    """Make a ranking by a side of the index, whatever the side was made with."""
    side = load_side(context.folder, row, threads=context.threads)
    return Baseline(context.store, side, rank or context.rank)  # type: ignore[arg-type]


def side_reranker(context: SystemContext, row: System) -> Reranker:
    """Make a reranker that ranks by a side of the index."""
    return ByRetriever(open_side(context, row, "best"))


def load_side(folder: str | Path, kind: str | System, *, new: bool = False, threads: int | None = None) -> Side:
    """Return a side of an index as it was made, or a `new` one."""
    row = require_system(kind, "side")
    if row.side is None:
        raise InputError(f"'{row.name}' is not a side: an index keeps nothing under that name.")
    made: Side = load_maker(row.side).made_with({} if new else side_settings(Path(folder), row.name), threads)
    return made


def refresh_sides(
    folder: str | Path,
    new: Sequence[str | Side] = (),
    *,
    threads: int | None = None,
    repair: bool = False,
) -> dict[str, int]:
    """Add `new` sides to an index, by name or as objects, and bring those it has up to date. Return how many blocks each lacked.

    `repair` makes damaged blocks again (see `refresh_side`). A name of a side that is there already stands for that one.
    """
    store = open_store(Path(folder))
    try:
        made = {}
        for one in new:
            there = isinstance(one, str) and one in sides_of(store.folder)
            side = load_side(folder, one, new=not there, threads=threads) if isinstance(one, str) else one
            made[side.kind] = refresh_side(store, side, repair=repair)
        for kind in sides_of(store.folder):
            if kind in made:
                continue
            if segments_without(store, kind) or (repair and is_damaged(store.folder, kind)):
                side = load_side(folder, kind, threads=threads)
                made[kind] = refresh_side(store, side, repair=repair)
            else:  # nothing to make, so no model need be loaded
                drop_leftovers(store, kind)
                made[kind] = 0
        return made
    finally:
        store.close()
