"""What ranks the best documents of a search again: a side of the index, or a model that reads query and passage together."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from sparse_coverage.errors import InputError
from sparse_coverage.index import IndexStore
from sparse_coverage.retrievers import Reranker, SystemContext
from sparse_coverage.search import Index
from sparse_coverage.systems import get_system


class Rerankers:
    """What can rank documents of one state of an index again, each loaded when it is first asked for.

    `offered` is what a server has beside the sides of the index, by the name to ask for. None stands for whatever can be loaded, as
    on the command line: nobody else may make a server load a model.
    """

    def __init__(self, store: IndexStore, offered: Mapping[str, str] | None, threads: int | None) -> None:
        self._store = store
        self._offered = offered
        self._threads = threads
        self._loaded: dict[str, Reranker] = {}
        self._lock = threading.Lock()

    def names(self, rankings: Sequence[str]) -> tuple[str, ...]:
        """Return what can be asked for, where these can rank the index."""
        return (*filter(can_rank_again, rankings), *(self._offered or ()))

    def get(self, name: str, rankings: Sequence[str], index: Index | None) -> Reranker:
        """Return what ranks again."""
        if self._offered is not None and name not in (names := self.names(rankings)):
            raise InputError(
                f"Documents cannot be ranked again by {name} here; they can by: {', '.join(names) or 'nothing yet'}. "
                "Ask for what is named, or start the server with --rerank cross-encoder:NAME."
            )
        with self._lock:
            if name not in self._loaded:
                context = SystemContext(self._store.folder, index, threads=self._threads)
                self._loaded[name] = context.reranker((self._offered or {}).get(name, name))
            return self._loaded[name]


def can_rank_again(name: str) -> bool:
    """Tell whether what has this name ranks documents again; it may be of a package that is not installed here."""
    try:
        return get_system(name).reranker is not None
    except InputError:
        return False
