"""Processes that change the index as a program does, through the library. They live until they are killed, and are then begun anew."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from documents import State, Version, id_of, patent_of

_LIBRARY = ["sparse_coverage", "sparse_coverage.retrievers", "sparse_coverage.encoding.openvino_encoder", "documents"]


class KilledError(Exception):
    """The process is no more."""


class Worker:
    """A process that does one thing at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(_LIBRARY)
        self._start()

    def _start(self) -> None:
        self._here, there = self._context.Pipe()
        self._process = self._context.Process(target=_work, args=(there, self._folder), daemon=True)
        self._process.start()
        there.close()
        self._here.recv()

    def do(self, what: str, *about: Any, kill_after: float | None = None) -> tuple[str, Any]:
        """Let it do something: `done` and what came of it, `error` and our message, or `broken` and the trace of any other error.

        With `kill_after` it is killed after so many seconds, unless it was done before.
        """
        self._here.send((what, about))
        try:
            if kill_after is not None and not self._here.poll(kill_after):
                self._process.kill()
                raise KilledError
            found: tuple[str, Any] = self._here.recv()
        except (EOFError, KilledError):
            self._process.join()
            self._here.close()
            status = self._process.exitcode
            self._start()
            if kill_after is None:
                return "broken", f"the process ended by itself (exit status {status})"
            raise KilledError from None
        return found

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.join()


def _work(there: Connection, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - lines of progress
    from sparse_coverage import Index
    from sparse_coverage.errors import SparseCoverageError

    index: list[Index] = []
    there.send("ready")
    while True:
        try:
            what, about = there.recv()
        except EOFError:
            return
        try:
            if not index and what in ("add", "replace", "delete", "merge"):
                index.append(Index.open(folder))
            made = _DO[what](folder, index, *about)
            there.send(("done", made))
        except SparseCoverageError as error:
            index.clear()
            there.send(("error", f"{type(error).__name__}: {error}"))
        except Exception:
            index.clear()
            there.send(("broken", traceback.format_exc()))


def _add(folder: Path, index: list[Any], versions: list[Version], replace: bool) -> None:
    index[0].add([patent_of(one) for one in versions], replace=replace)


def _delete(folder: Path, index: list[Any], numbers: list[int]) -> None:
    index[0].delete([id_of(one) for one in numbers])


def _merge(folder: Path, index: list[Any]) -> None:
    index[0].merge()


def _verify(folder: Path, _: list[Any], other: Path | None = None) -> list[str]:
    from sparse_coverage.index import damaged_files
    from sparse_coverage.search.own_model import damaged_model_files

    folder = other or folder
    return [str(one) for one in damaged_files(folder) + damaged_model_files(folder)]


def _probe(_: Path, __: list[Any], folder: Path, seed: int, asked: list[tuple[str, Any]], after: str) -> list[Any]:
    """Ask an index, which may be damaged, as a fresh process does; with `after`, change it first."""
    from truth import NAME, answered

    from sparse_coverage import Index
    from sparse_coverage.errors import SparseCoverageError
    from sparse_coverage.server.indexes import ServedIndexes, Service
    from sparse_coverage.server.settings import ServerSettings

    Random(seed).shuffle(asked)
    if after == "merge":
        index = Index.open(folder)
        index.merge()
    settings = ServerSettings({NAME: folder}, calibration=folder.parent / "calibration.npz")
    service = Service(ServedIndexes(settings.indexes, settings.calibration), settings)
    found: list[Any] = []
    for kind, body in asked:
        try:
            found.append((kind, body, *answered(service, kind, body)))
        except SparseCoverageError as error:
            found.append((kind, body, 503, str(error)))
    return found


_DO = {"add": _add, "delete": _delete, "merge": _merge, "verify": _verify, "probe": _probe}
__all__ = ["KilledError", "State", "Worker"]
