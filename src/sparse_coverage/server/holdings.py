"""The indexes that a server holds open, each as a snapshot that one request sees from its beginning to its end.

A changed index gets a new snapshot beside the old one: requests that began before go on with what they began with.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import IndexStoreError, InputError, MismatchError
from sparse_coverage.index import open_store
from sparse_coverage.index.manifest import MANIFEST
from sparse_coverage.retrievers import retriever_over
from sparse_coverage.retrievers.sides import segments_lacking, sides_of
from sparse_coverage.search import Index, Retriever
from sparse_coverage.search.own_model import require_fit
from sparse_coverage.systems import HYBRID, KINDS

if TYPE_CHECKING:
    from sparse_coverage.charts.charting import Charts

logger = logging.getLogger("sparse_coverage.server")

_PATIENCE = 600.0
"""So many seconds a side may be behind its index; until then its system ranks the state before, later it is refused."""
_LOOKS, _BETWEEN_LOOKS = 40, 0.05
"""How often, and after how many seconds each time, a side is looked for that is just being brought up to date."""


class UnknownIndexError(InputError):
    """There is no index with that name."""


class Snapshot:
    """One committed state of an index: its texts, what ranks them, and what charts them. It never changes."""

    def __init__(self, name: str, index: Index, changed: float, calibration: Path | None) -> None:
        self.name = name
        self.index = index
        self.store = index.store
        self.changed = changed
        self.systems = self.systems_now()
        self._calibration = calibration
        self._retrievers: dict[str, Retriever] = {}
        self._lock = threading.Lock()

    def systems_now(self) -> tuple[str, ...]:
        """Return what can rank this state: Sparse Coverage, and the systems whose sides have all of it by now."""
        folder = self.store.folder
        sides = [kind for kind in sides_of(folder) if not segments_lacking(self.store, kind)]
        hybrid = ["hybrid"] if set(HYBRID) <= set(sides) else []
        return ("coverage", *(kind for kind in KINDS if kind in sides), *hybrid)

    def retriever(self, system: str) -> Retriever:
        """Return what ranks by a system, opened when it is first asked for."""
        with self._lock:
            if system not in self._retrievers:
                self._retrievers[system] = retriever_over(self.index, system)
            return self._retrievers[system]

    @cached_property
    def charts(self) -> Charts:
        """What makes claim charts of this state."""
        from sparse_coverage.charts.charting import Charts

        return Charts(self.index, self._calibration)

    def about(self) -> dict[str, Any]:
        """Return what the index holds, in short."""
        config = self.index.model.vocabulary.config
        return {
            "name": self.name,
            "documents": self.store.state.documents,
            "passages": self.store.state.passages,
            "systems": list(self.systems),
            "model": f"{config.encoder}, {config.unit}, V={config.size:,}",
            "changed": self.changed,
        }


class Holding:
    """An index by name: its newest snapshot, opened again when its manifest changes."""

    def __init__(self, name: str, folder: Path, calibration: Path | None, encoders: dict[str, Encoder]) -> None:
        self.name = name
        self.folder = folder
        self._calibration = calibration
        self._encoders = encoders
        self._lock = threading.Lock()
        self._seen = self._signature()
        self._newest = self._snapshot(self._opened())
        self._former: Snapshot | None = None
        self._replaced = 0.0

    def snapshot(self, system: str = "coverage") -> Snapshot:
        """Return the newest state that can be ranked by a system, and with it what ranks it."""
        for _ in range(_LOOKS):
            found = self._ranked_by(system)
            try:
                found.retriever(system)
                return found
            except MismatchError:  # before its side was opened, that was brought to a newer state than this one
                sleep(_BETWEEN_LOOKS)
        found.retriever(system)
        return found

    def _ranked_by(self, system: str) -> Snapshot:
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
            newest.systems = newest.systems_now()
            if system not in newest.systems and system in former.systems:
                return former
            if set(newest.systems) >= set(former.systems) or monotonic() - self._replaced > _PATIENCE:
                self._former = None
        if system in newest.systems:
            return newest
        raise InputError(
            f"The index {self.name} cannot be ranked by {system}; it can by: {', '.join(newest.systems)}. "
            "Add what is missing with: sparse-coverage index refresh INDEX --hybrid"
        )

    def refresh(self) -> None:
        """Show the newest committed state from now on."""
        with self._lock:
            self._refresh()

    def _refresh(self) -> None:
        seen = self._signature()
        former, store = self._newest, open_store(self.folder)
        try:
            require_fit(self.folder, store.state, former.index.model)
            index = Index(store, former.index.model, former.index.statistics.config)
        except MismatchError:  # another index, with a model of its own, took the place of the one before
            index = self._opened()
        self._seen = seen
        self._former, self._replaced = former, monotonic()
        self._newest = self._snapshot(index)

    def _opened(self) -> Index:
        index = Index.open(self.folder)
        known = self._encoders.setdefault(index.model.encoder.fingerprint, index.model.encoder)
        if known is index.model.encoder:
            return index
        # Two indexes of one encoder need its weights once.
        return Index(index.store, index.model.encoded_by(known), index.statistics.config)

    def _snapshot(self, index: Index) -> Snapshot:
        return Snapshot(self.name, index, self._seen[0] / 1e9, self._calibration)

    def _signature(self) -> tuple[int, int, int]:
        try:
            found = (self.folder / MANIFEST).stat()
        except OSError as error:
            raise IndexStoreError(f"The index {self.name} cannot be read any more ({error.strerror}).") from None
        return found.st_mtime_ns, found.st_ino, found.st_size


class Holdings:
    """The indexes of a server by name."""

    def __init__(self, indexes: Mapping[str, Path], calibration: Path | None = None) -> None:
        encoders: dict[str, Encoder] = {}
        self._held = {name: Holding(name, folder, calibration, encoders) for name, folder in indexes.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def holding(self, name: str) -> Holding:
        """Return an index by name."""
        if name not in self._held:
            raise UnknownIndexError(f"There is no index '{name}' here. There are: {', '.join(self._held)}.")
        return self._held[name]

    def snapshot(self, name: str, system: str = "coverage") -> Snapshot:
        """Return the newest state of an index that can be ranked by a system."""
        return self.holding(name).snapshot(system)

    def about(self) -> list[dict[str, Any]]:
        """Return what each index holds, in short."""
        return [self.snapshot(name).about() for name in self._held]

    def warm_up(self) -> None:
        """Compile or load, and look at, all that the first request of each index would wait for."""
        for name in self._held:
            index = self.snapshot(name).index
            index.warm_up()
            for hit in index.search("A device.", 1, passages=1):
                index.explain("A device.", hit.passages[0].id)
