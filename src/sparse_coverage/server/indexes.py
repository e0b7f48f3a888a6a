"""The indexes that a server holds open, each in a state that one request sees from its beginning to its end.

A changed index is opened again beside the old state: requests that began before go on with what they began with.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import IndexStoreError, InputError, MismatchError
from sparse_coverage.index import open_store
from sparse_coverage.index.manifest import MANIFEST
from sparse_coverage.search import Index
from sparse_coverage.search.own_model import require_fit
from sparse_coverage.workspace import OpenIndex

logger = logging.getLogger("sparse_coverage.server")

_PATIENCE = 600.0
"""So many seconds a side may be behind its index; until then its ranking ranks the state before, later it is refused."""
_LOOKS, _BETWEEN_LOOKS = 40, 0.05
"""How often, and after how many seconds each time, a side is looked for that is just being brought up to date."""


class UnknownIndexError(InputError):
    """There is no index with that name."""


class ServedIndex:
    """An index by name: its newest state, opened again when its manifest changes."""

    def __init__(
        self,
        name: str,
        folder: Path,
        calibration: Path | None,
        encoders: dict[str, Encoder],
        offered: Mapping[str, str],
    ) -> None:
        self.name = name
        self.folder = folder
        self._calibration = calibration
        self._encoders = encoders
        self._offered = offered
        self._lock = threading.Lock()
        self._seen = self._signature()
        self._newest = self._open(self._read())
        self._former: OpenIndex | None = None
        self._replaced = 0.0

    def opened(self, ranking: str = "combined") -> OpenIndex:
        """Return the newest state that can be ranked so, and with it what ranks it."""
        for _ in range(_LOOKS):
            found = self._ranked_by(ranking)
            try:
                found.retriever(ranking)
                return found
            except MismatchError:  # before its side was opened, that was brought to a newer state than this one
                sleep(_BETWEEN_LOOKS)
        found.retriever(ranking)
        return found

    def _ranked_by(self, ranking: str) -> OpenIndex:
        if self._signature() != self._seen and self._lock.acquire(blocking=False):
            try:
                self._refresh()
            except IndexStoreError as error:  # a build under way, say: what was there before is still whole
                logger.warning(
                    "The index %s changed and cannot be opened; its former state is served: %s", self.name, error
                )
            finally:
                self._lock.release()
        newest, former = self._newest, self._former
        if former is not None:  # its sides are being brought up to date
            newest.rankings = newest.rankings_now()
            if ranking not in newest.rankings and ranking in former.rankings:
                return former
            if set(newest.rankings) >= set(former.rankings) or monotonic() - self._replaced > _PATIENCE:
                self._former = None
        if ranking in newest.rankings:
            return newest
        raise InputError(
            f"The index {self.name} cannot be ranked by {ranking}; it can by: {', '.join(newest.rankings)}. "
            "A side that is missing is added with: sparse-coverage index refresh INDEX --with NAME"
        )

    def refresh(self) -> None:
        """Show the newest committed state from now on."""
        with self._lock:
            self._refresh()

    def _refresh(self) -> None:
        seen = self._signature()
        former, store = self._newest, open_store(self.folder, unfinished=True)
        try:
            require_fit(self.folder, store.state, former.index.model)
            index = Index(store, former.index.model, former.index.statistics.config)
        except MismatchError:  # another index, with a model of its own, took the place of the one before
            index = self._read()
        self._seen = seen
        self._former, self._replaced = former, monotonic()
        self._newest = self._open(index)

    def _read(self) -> Index:
        index = Index.open(self.folder)
        known = self._encoders.setdefault(index.model.encoder.fingerprint, index.model.encoder)
        if known is index.model.encoder:
            return index
        # Two indexes of one encoder need its weights once.
        return Index(index.store, index.model.encoded_by(known), index.statistics.config)

    def _open(self, index: Index) -> OpenIndex:
        return OpenIndex(
            index.store,
            {"combined": index},
            name=self.name,
            calibration=self._calibration,
            changed=self._seen[0] / 1e9,
            offered=self._offered,
        )

    def _signature(self) -> tuple[int, int, int]:
        try:
            found = (self.folder / MANIFEST).stat()
        except OSError as error:
            raise IndexStoreError(f"The index {self.name} cannot be read any more ({error.strerror}).") from None
        return found.st_mtime_ns, found.st_ino, found.st_size


class ServedIndexes:
    """The indexes of a server by name, and what may rank documents of theirs again."""

    def __init__(
        self, indexes: Mapping[str, Path], calibration: Path | None = None, rerankers: Sequence[str] = ()
    ) -> None:
        encoders: dict[str, Encoder] = {}
        offered = _public_names(rerankers)
        self._held = {
            name: ServedIndex(name, folder, calibration, encoders, offered) for name, folder in indexes.items()
        }
        for name in self._held:  # what cannot be loaded is said now, not to the first who asks for it
            for reranker in offered:
                self.opened(name).reranker(reranker)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def served(self, name: str) -> ServedIndex:
        """Return an index by name."""
        if name not in self._held:
            raise UnknownIndexError(f"There is no index '{name}' here. There are: {', '.join(self._held)}.")
        return self._held[name]

    def opened(self, name: str, ranking: str = "combined") -> OpenIndex:
        """Return the newest state of an index that can be ranked so."""
        return self.served(name).opened(ranking)

    def about(self) -> list[dict[str, Any]]:
        """Return what each index holds, in short."""
        return [_about(self.opened(name)) for name in self._held]

    def warm_up(self) -> None:
        """Compile or load, and look at, all that the first request of each index would wait for."""
        for name in self._held:
            index = self.opened(name).index
            index.warm_up()
            for hit in index.search("A device.", 1, passages=1):
                index.explain("A device.", hit.passages[0].id)


def _public_names(rerankers: Sequence[str]) -> dict[str, str]:
    """Return the names to ask for rerankers by: a model by the last part of its folder or hub id, so that no path is told."""
    found: dict[str, str] = {}
    for one in rerankers:
        kind, _, model = one.partition(":")
        name = f"{kind}:{Path(model).name}" if model else kind
        if name in found:
            raise InputError(f"Two rerankers would be called {name}. Rename the folder of one of them.")
        found[name] = one
    return found


def _about(opened: OpenIndex) -> dict[str, Any]:
    """Return what an index holds, in short."""
    config = opened.index.model.vocabulary.config
    return {
        "name": opened.name,
        "documents": opened.store.state.documents,
        "encoded": opened.store.state.encoded_documents,
        "passages": opened.store.state.passages,
        "rankings": list(opened.rankings),
        "rerankers": list(opened.rerankers),
        "model": f"{config.encoder}, {config.unit}, V={config.size:,}",
        "changed": opened.changed,
    }
