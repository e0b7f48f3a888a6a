"""What is true: which documents the index may hold at a moment, and what a fresh index of the same documents answers."""

from __future__ import annotations

import json
import shutil
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from documents import State, patent_of, version_of
from pydantic import TypeAdapter

from sparse_coverage import Index, SparseCoverage, workspace
from sparse_coverage.dataclass_json import plain_json
from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.index import open_store
from sparse_coverage.server.answering import public
from sparse_coverage.server.errors import refusal_of
from sparse_coverage.server.indexes import ServedIndexes, Service
from sparse_coverage.server.routes.searching import FeedbackBody
from sparse_coverage.server.settings import ServerSettings

NAME = "devices"
LAG = 15.0
"""So many seconds after a commit an answer may still be of the state before: it takes a while to open an index anew."""
_KEPT = 24


@dataclass
class Possible:
    """A state that the index had, from the beginning of the change that made it to the end of the change after it."""

    state: State
    begun: float
    ended: float | None = None


class Ledger:
    """The states of the index. One change at a time: `begin`, then `settle` with what became of it."""

    def __init__(self, state: State) -> None:
        self._lock = threading.Condition()
        self._past = [Possible(state, monotonic())]
        self._next: Possible | None = None

    @property
    def state(self) -> State:
        """The last acknowledged state."""
        return self._past[-1].state

    def begin(self, state: State) -> None:
        """From now on the index may have this state."""
        with self._lock:
            self._next = Possible(state, monotonic())

    def settle(self, state: State) -> None:
        """Say which state the index has: that of before or that of `begin`."""
        with self._lock:
            assert self._next is not None
            if state == self._next.state != self._past[-1].state:
                self._past[-1].ended = monotonic()
                self._past.append(self._next)
            self._next = None
            self._lock.notify_all()

    def candidates(self, begun: float, ended: float, lag: float) -> list[State]:
        """Return the states of which an answer can be, the newest first. Waits until that is known."""
        with self._lock:
            while self._next is not None and self._next.begun <= ended:
                self._lock.wait(1.0)
            past = [one for one in self._past if one.ended is None or one.ended >= begun - lag]
            return list(dict.fromkeys(one.state for one in reversed(past) if one.begun <= ended))


class References:
    """Fresh indexes of states, the last few of them kept."""

    def __init__(self, folder: Path, model: SparseCoverage, calibration: Path) -> None:
        self._folder, self._model, self._calibration = folder, model, calibration
        self._lock = threading.Lock()
        self._services: OrderedDict[State, tuple[Path, Service]] = OrderedDict()
        self._made = 0

    def answer(self, state: State, kind: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and the content of the answer that a fresh index of a state gives."""
        with self._lock:
            service = self._service(state)
            return answered(service, kind, body)

    def _service(self, state: State) -> Service:
        if state not in self._services:
            self._made += 1
            folder = self._folder / f"fresh-{self._made}"
            build(folder, self._model, state)
            settings = ServerSettings({NAME: folder}, calibration=self._calibration)
            self._services[state] = folder, Service(ServedIndexes(settings.indexes, self._calibration), settings)
        self._services.move_to_end(state)
        while len(self._services) > _KEPT:
            _, (folder, _) = self._services.popitem(last=False)
            shutil.rmtree(folder)
        return self._services[state][1]

    @property
    def made(self) -> int:
        """How many fresh indexes were built."""
        return self._made


def build(folder: Path, model: SparseCoverage, state: State) -> None:
    """Build an index of a state from nothing."""
    Index.build(folder, model, [patent_of(one) for one in state])


def answered(service: Service, kind: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Return the status and the content of the answer to a request."""
    made: dict[str, Any] = {
        "search": (workspace.SearchRequest, service.search),
        "feedback": (FeedbackBody, service.search),
        "batch": (workspace.BatchRequest, service.batch),
        "explain": (workspace.ExplainRequest, service.explain),
        "read": (workspace.ReadRequest, service.read),
        "chart": (workspace.ChartRequest, service.chart),
        "combine": (workspace.CombineRequest, service.combine),
    }
    if kind == "similar":
        kind, body = "search", {**body, "like": body["id"]}
        del body["id"]
    form, function = made[kind]
    try:
        return 200, comparable(json.loads(plain_json(public(function(NAME, TypeAdapter(form).validate_python(body))))))
    except SparseCoverageError as error:
        return refusal_of(error, service.settings).status, None


def comparable(answer: Any) -> Any:
    """Return an answer without what says when it was given, from how many changes of the index, and from which file a document was read."""
    if isinstance(answer, list):
        return [comparable(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    return {name: comparable(one) for name, one in answer.items() if name not in ("date", "source", "state")}


def held(folder: Path) -> State:
    """Return what an index holds, read from its files."""
    store = open_store(folder)
    try:
        return tuple(
            version_of(segment.texts.document(number).title)
            for segment in store.segments
            for number in segment.live_documents.nonzero()[0].tolist()
        )
    finally:
        store.close()
