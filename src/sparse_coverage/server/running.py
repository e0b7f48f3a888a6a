"""A server that runs until it is told to stop: one process that answers, and one that starts it again should it die.

The listening socket belongs to the second: while the first is started again, connections wait and are not refused.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import monotonic, sleep
from typing import Any

from sparse_coverage.errors import InputError, MissingExtraError, SparseCoverageError
from sparse_coverage.server.settings import ServerSettings

_READY_WITHIN = 600.0
_TO_FINISH = 30
_TO_ANSWER = 60
"""So many seconds without a sign of life, and the process that answers is started again."""
_CONNECTIONS = 512
_STARTUP_FAILURE = 3  # what uvicorn takes for an application that will never start

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "sparse_coverage.printing.VisibleFormatter",
            "format": "%(asctime)s %(levelname)s %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "loggers": {
        "uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "sparse_coverage.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
    },
}


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_CONNECTIONS)
    except OSError as error:
        found.close()
        raise InputError(
            f"Nothing can listen at {host}, port {port} ({error.strerror or error}). Choose another with --port; 0 is any that is free."
        ) from None
    found.set_inheritable(True)
    return found


def serve(settings: ServerSettings, factory: Callable[[ServerSettings], Any], ready: Callable[[str], None]) -> None:
    """Serve the application that `factory` makes of the settings until this process is told to stop.

    `ready` is told the address as soon as it can be opened. Running answers finish before the end.
    """
    try:
        from uvicorn import Config
        from uvicorn.supervisors import Multiprocess

        from sparse_coverage.server.connections import Connection
    except ImportError:
        raise MissingExtraError("Serving", "server") from None
    listening = listen(settings.host, settings.port)
    settings = replace(settings, port=listening.getsockname()[1])
    config = Config(
        partial(application, factory, settings),
        factory=True,
        http=Connection,
        log_config=LOGGING,
        access_log=False,  # its lines would hold the addresses, and these may hold words of a claim
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=_TO_FINISH,
        timeout_worker_healthcheck=_TO_ANSWER,
    )
    running = Multiprocess(config, [listening])
    address = address_of(settings)
    threading.Thread(target=_tell_when_ready, args=(address, running.should_exit, ready), daemon=True).start()
    try:
        running.run()
    finally:
        listening.close()
    if any(process.exitcode == _STARTUP_FAILURE for process in running.processes):
        sys.exit(1)


@contextmanager
def serving(app: Any, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve an application in a thread of this process for the time of a block, and give its address."""
    import uvicorn

    from sparse_coverage.server.connections import Connection

    listening = listen(host, port)
    config = uvicorn.Config(app, http=Connection, log_config=None, access_log=False, server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), name="server", daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise InputError("The server did not start; its log says why.")
            sleep(0.01)
        yield f"http://{host}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def application(factory: Callable[[ServerSettings], Any], settings: ServerSettings) -> Any:
    """Make the application, in the process that answers. What a user can act on is told without a traceback."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        return factory(settings)
    except SparseCoverageError as error:
        print(f"Error: {error}", file=sys.stderr, flush=True)
        sys.exit(_STARTUP_FAILURE)


def _end_with_parent() -> None:
    """End this process in good order when its parent process is gone, for any reason: nothing else would stop it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def address_of(settings: ServerSettings) -> str:
    """Return the address of the page."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/"


def open_browser(address: str) -> None:
    """Open a page, where there is something to open it with."""
    webbrowser.open(address)


def _tell_when_ready(address: str, ended: threading.Event, ready: Callable[[str], None]) -> None:
    until = monotonic() + _READY_WITHIN
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while monotonic() < until and not ended.is_set():
        try:
            with opener.open(f"{address}v1/health", timeout=10):
                ready(address)
                return
        except (OSError, urllib.error.URLError):
            sleep(0.1)
