"""The indexes that a server holds open, each in a state that one request sees from its beginning to its end, and what they answer.

A changed index is opened again beside the old state: requests that began before go on with what they began with.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.dataclass_json import record
from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import IndexStoreError, InputError, MismatchError, NoDocumentError, SparseCoverageError
from sparse_coverage.index import open_store
from sparse_coverage.index.manifest import MANIFEST
from sparse_coverage.present.page_view import DocumentView, document_view
from sparse_coverage.search import Index
from sparse_coverage.search.own_model import require_fit
from sparse_coverage.server.settings import ServerSettings, check, require_at_most
from sparse_coverage.systems import get_system
from sparse_coverage.workspace import (
    BatchRequest,
    ChartRequest,
    CombineRequest,
    ExplainRequest,
    OpenIndex,
    ReadRequest,
    SearchRequest,
)
from sparse_coverage.workspace.preparing import PreparedQuery, PrepareRequest
from sparse_coverage.workspace.requests import ElementsRequest, QuotationRequest
from sparse_coverage.workspace.reranking import can_rank_again

logger = logging.getLogger("sparse_coverage.server")
Record = dict[str, Any]

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
        self._choosing = threading.Lock()
        self._seen = self._signature()
        self._newest = self._open(self._read(), self._seen).__enter__()
        self._former: OpenIndex | None = None
        self._replaced = 0.0

    @contextmanager
    def opened(self, ranking: str = "combined") -> Iterator[OpenIndex]:
        """Lend the newest state that can be ranked so, and with it what ranks it, for the time of a block.

        A state that was replaced is closed when the last block that it was lent to ends.
        """
        for left in reversed(range(_LOOKS)):
            with self._ranked_by(ranking) as found:
                try:
                    found.retriever(ranking)
                except MismatchError:  # before its side was opened, that was brought to a newer state than this one
                    if not left:
                        raise
                else:
                    yield found
                    return
            sleep(_BETWEEN_LOOKS)

    @contextmanager
    def _ranked_by(self, ranking: str) -> Iterator[OpenIndex]:
        if self._signature() != self._seen and self._lock.acquire(blocking=False):
            try:
                self._refresh()
            except (IndexStoreError, OSError) as error:  # a build under way, say: what was there before is still whole
                logger.warning(
                    "The index %s changed and cannot be opened; its former state is served: %s", self.name, error
                )
            finally:
                self._lock.release()
        with self._choosing:
            chosen = self._chosen(ranking).__enter__()
        try:
            yield chosen
        finally:
            chosen.__exit__()

    def _chosen(self, ranking: str) -> OpenIndex:
        newest, former = self._newest, self._former
        if former is not None:  # its sides are being brought up to date
            newest.rankings = newest.rankings_now()
            if ranking not in newest.rankings and ranking in former.rankings:
                return former
            if set(newest.rankings) >= set(former.rankings) or monotonic() - self._replaced > _PATIENCE:
                self._former = None
                former.__exit__()
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
            try:
                require_fit(self.folder, store.state, former.index.model)
                index = Index(store, former.index.model, former.index.statistics.config)
            except MismatchError:  # another index, with a model of its own, took the place of the one before
                store.close()
                index = self._read()
                store = index.store
            newest = self._open(index, seen).__enter__()
        except BaseException:
            store.close()
            raise
        behind = not set(newest.rankings) >= set(former.rankings)
        left = (self._former, None if behind else former)
        with self._choosing:
            self._former = former if behind else None
            self._seen, self._newest, self._replaced = seen, newest, monotonic()
        for one in filter(None, left):
            one.__exit__()

    def _read(self) -> Index:
        index = Index.open(self.folder)
        known = self._encoders.setdefault(index.model.encoder.fingerprint, index.model.encoder)
        if known is index.model.encoder:
            return index
        # Two indexes of one encoder need its weights once.
        return Index(index.store, index.model.encoded_by(known), index.statistics.config)

    def _open(self, index: Index, seen: tuple[int, int, int]) -> OpenIndex:
        return OpenIndex(
            index.store,
            {"combined": index},
            name=self.name,
            calibration=self._calibration,
            changed=seen[0] / 1e9,
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
            with self.opened(name) as opened:
                for reranker in offered:
                    opened.reranker(reranker)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def served(self, name: str) -> ServedIndex:
        """Return an index by name."""
        if name not in self._held:
            raise UnknownIndexError(f"There is no index '{name}' here. There are: {', '.join(self._held)}.")
        return self._held[name]

    def opened(self, name: str, ranking: str = "combined") -> AbstractContextManager[OpenIndex]:
        """Lend the newest state of an index that can be ranked so, for the time of a block."""
        return self.served(name).opened(ranking)

    def about(self) -> list[dict[str, Any]]:
        """Return what each index holds, in short; of one that cannot be read any more, why."""
        return [self._about(name) for name in self._held]

    def _about(self, name: str) -> dict[str, Any]:
        try:
            with self.opened(name) as opened:
                return _about(opened)
        except (SparseCoverageError, OSError) as error:
            nothing = {"documents": 0, "encoded": 0, "passages": 0, "rankings": [], "rerankers": [], "model": ""}
            why = str(error).replace(str(self._held[name].folder), name)
            return {"name": name, **nothing, "changed": 0.0, "missing": why}

    def warm_up(self) -> None:
        """Compile or load, and look at, all that the first request of each index would wait for."""
        for name in self._held:
            with self.opened(name) as opened:
                opened.index.warm_up()
                for hit in opened.index.search("A device.", 1, passages=1):
                    opened.index.explain("A device.", hit.passages[0].id)


def _public_names(rerankers: Sequence[str]) -> dict[str, str]:
    """Return the names to ask for rerankers by: a model by the last part of its folder or hub id, so that no path is told."""
    found: dict[str, str] = {}
    for one in rerankers:
        if not can_rank_again(one) or get_system(one).side is not None:
            raise InputError(
                f"--rerank {one} cannot be offered: sides of an index rank again by themselves, and nothing else but cross-encoders "
                "can. Give --rerank cross-encoder:NAME, an ONNX folder or hub id."
            )
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


class Service:
    """Searches, explains, reads, charts and combines. Each answer is what `--json` prints on the command line, and notes."""

    def __init__(self, indexes: ServedIndexes, settings: ServerSettings) -> None:
        self.indexes = indexes
        self.settings = settings

    def search(self, name: str, request: SearchRequest) -> Record:
        """Find prior art."""
        self._accept(request, request.k * request.passages)
        with self.indexes.opened(name, request.ranking) as opened:
            found = opened.search(request, matches=False)
        return {**found.record(), "notes": self._notes(found.notes, found.nothing, request.query)}

    def batch(self, name: str, request: BatchRequest) -> Record:
        """Rank the documents of many queries."""
        self._accept(request, len(request.queries) * request.k * request.passages)
        with self.indexes.opened(name, request.ranking) as opened:
            found = opened.batch(request)
        return {"rankings": found.rankings, "about": found.about, "notes": found.notes}

    def explain(self, name: str, request: ExplainRequest) -> Record:
        """Say why a query finds a passage, or a document."""
        self._accept(request)
        with self.indexes.opened(name, request.ranking) as opened:
            found = opened.explain(request)
        return {**record(found.explanation), "notes": self._notes(found.notes, found.nothing, request.query)}

    def read(self, name: str, request: ReadRequest) -> Record:
        """Return a document in full."""
        self._accept(request)
        with self.indexes.opened(name) as opened:
            return opened.read(request).record()

    def view(self, name: str, request: ReadRequest, elements: Sequence[str]) -> DocumentView:
        """Return a document as the page shows it."""
        self._accept(request)
        with self.indexes.opened(name) as opened:
            found, relatives = opened.read(request), opened.relatives
            return document_view(
                found, request.claim or "", elements, lambda text: relatives.mentioned(text, found.document.id)
            )

    def chart(self, name: str, request: ChartRequest) -> Record:
        """Set each element of a claim against documents."""
        self._accept_claim(request)
        with self.indexes.opened(name) as opened:
            found = opened.chart(request)
        return {**record(found.chart), "notes": self._notes(found.notes, found.nothing)}

    def combine(self, name: str, request: CombineRequest) -> Record:
        """Find the fewest documents that together disclose a claim."""
        self._accept_claim(request)
        with self.indexes.opened(name) as opened:
            found = opened.combine(request)
        notes = self._notes(found.notes, found.nothing)
        return {"combinations": found.combinations, "chart": found.chart, "notes": notes}

    def quotation(self, name: str, request: QuotationRequest) -> Record:
        """Say whether a text stands in a document word for word, and where."""
        self._accept(request)
        try:
            with self.indexes.opened(name) as opened:
                return {"found": True, "quotation": record(opened.quotation(request))}
        except NoDocumentError:
            raise
        except InputError as error:
            return {"found": False, "quotation": None, "why": str(error)}

    def elements(self, request: ElementsRequest) -> Record:
        """Split a claim, or several that are numbered, into elements."""
        self._accept(request)
        claims = read_claims(request.claim)
        return {"claims": claims, "elements": chart_elements(claims)}

    def prepare(self, name: str, request: PrepareRequest) -> PreparedQuery:
        """Make what a user typed ready to be searched with."""
        self._accept(request)
        with self.indexes.opened(name) as opened:
            return opened.prepare(request)

    def find(self, name: str, number: str) -> Record:
        """Return the documents of an index that a publication number as typed names."""
        with self.indexes.opened(name) as opened:
            ids, near = opened.find(number)
        return {"ids": ids, "near": near}

    def _accept(self, request: Any, shown: int = 0) -> None:
        """Refuse more than the limits allow."""
        check(request, self.settings.limits)
        require_at_most(shown, self.settings.limits.shown, "what k and passages ask for")

    def _accept_claim(self, request: ChartRequest | CombineRequest) -> None:
        self._accept(request)
        if request.elements is None:
            count = len(chart_elements(read_claims(request.claim)))
            require_at_most(count, self.settings.limits.ids, "the number of elements of the claim")

    def _notes(self, notes: Sequence[str], nothing: str, query: str | None = None) -> list[str]:
        """Return what is told beside an answer: also why nothing can be found, and that a long query takes its turn."""
        limits = self.settings.limits
        long = (
            f"The query has {len(query or ''):,} characters. With over {limits.short:,} it takes its turn with charts and "
            "batches, so that other searches need not wait for it; a shorter one, such as a claim, is answered sooner."
        )
        return [*notes, *([nothing] if nothing else []), *([long] if limits.is_long(query) else [])]
