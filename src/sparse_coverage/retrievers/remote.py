"""A server of Sparse Coverage as a retriever: what ranks there can be evaluated and joined here like anything else."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit

from sparse_coverage.errors import InputError, NoDocumentError, SparseCoverageError
from sparse_coverage.index import Filter
from sparse_coverage.index.filter_syntax import filter_text
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Searcher

_AT_ONCE, _SHOWN = 100, 20_000
"""So many queries, and passages that may be found, in one request."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 10.0


class RemoteError(SparseCoverageError):
    """A server cannot be reached, or cannot answer."""


class Client(Searcher):
    """Searches an index on a server that `sparse-coverage serve` runs.

        client = Client("http://127.0.0.1:8765", "my-index")
        client.search("A valve comprising a plunger biased by a spring", k=10)

    It is a retriever: `Fuse(client, ...)` and evaluation take it. The other methods return what the command line prints with
    `--json`. `key` is the server's, where it wants one. A server that is busy is asked again, for up to `patience` seconds.
    """

    def __init__(
        self,
        address: str,
        index: str | None = None,
        *,
        key: str | None = None,
        ranking: str = "combined",
        patience: float = 60.0,
        timeout: float = 1800.0,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"'{address}' is not the address of a server. Write http://127.0.0.1:8765")
        self.address = address.rstrip("/")
        self.ranking = ranking
        self._parts = parts
        self._headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
        self._patience = patience
        self._timeout = timeout
        self._idle: deque[HTTPConnection] = deque()  # one for each thread that asks at the same time
        self.index = index if index is not None else self._only_index()

    def indexes(self) -> list[dict[str, Any]]:
        """Return what the server holds."""
        found: list[dict[str, Any]] = self._ask("GET", "/v1/indexes")
        return found

    def find(self, query: str, **wishes: Any) -> dict[str, Any]:
        """Search, with whatever `POST /v1/indexes/{name}/search` takes, and return the whole answer."""
        return self._post("search", {"query": query, "ranking": self.ranking, **wishes})

    def read(self, id_: str, **wishes: Any) -> dict[str, Any]:
        """Return a document in full; with `claim=`, its best passages and why they match."""
        return self._post("read", {"id": id_, **wishes})

    def chart(self, claim: str, documents: Sequence[str] = (), **wishes: Any) -> dict[str, Any]:
        """Set each element of a claim against documents."""
        return self._post("chart", {"claim": claim, "documents": list(documents), **wishes})

    def combine(self, claim: str, **wishes: Any) -> dict[str, Any]:
        """Find the fewest documents that together disclose a claim."""
        return self._post("combine", {"claim": claim, **wishes})

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        filters = {} if condition is None else {"filter": filter_text(condition)}
        wishes = {"k": k, "passages": passages, "ranking": self.ranking, "filters": filters}
        found: list[list[Hit]] = []
        at_once = max(1, min(_AT_ONCE, _SHOWN // (k * passages)))
        for part in _parts(queries, at_once):
            asked = {str(place): query for place, query in enumerate(part)}
            rankings = self._post("batch", {"queries": asked, **wishes})["rankings"]
            found += [[_hit(one) for one in rankings[place]] for place in asked]
        return found

    def _post(self, what: str, body: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self._ask("POST", f"/v1/indexes/{quote(self.index, safe='')}/{what}", body)
        return answer

    def _only_index(self) -> str:
        names = [str(one["name"]) for one in self.indexes()]
        if len(names) != 1:
            raise InputError(f"The server has several indexes. Choose one: {', '.join(names)}.")
        return names[0]

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        begun, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            try:
                response, text = self._exchange(method, path, content)
            except (OSError, HTTPException) as error:
                failure = f"{self.address} cannot be reached ({error or type(error).__name__})"
            else:
                if response.status == 200:
                    return json.loads(text)
                failure = _told(text, response.status)
                if response.status not in (429, 503):
                    raise _error(response.status, failure)
                pause = max(pause, float(response.headers.get("retry-after") or 0))
            if time.monotonic() - begun + pause > self._patience:
                raise RemoteError(f"{failure}. It was tried for {time.monotonic() - begun:.0f} s.")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _exchange(self, method: str, path: str, content: bytes | None) -> tuple[HTTPResponse, bytes]:
        """Send a request over a connection that is kept; one that the server has closed meanwhile is opened anew."""
        while True:
            try:
                connection, kept = self._idle.pop(), True
            except IndexError:
                connection, kept = self._connection(), False
            try:
                connection.request(method, self._parts.path.rstrip("/") + path, content, self._headers)
                response = connection.getresponse()
                text = response.read()
            except (OSError, HTTPException):
                connection.close()
                if not kept:
                    raise
                continue
            except BaseException:
                connection.close()
                raise
            self._idle.append(connection)
            return response, text

    def _connection(self) -> HTTPConnection:
        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        assert self._parts.hostname is not None
        return kind(self._parts.hostname, self._parts.port, timeout=self._timeout)

    def close(self) -> None:
        """Close the connections that are kept. They are opened anew where they are needed."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        if hasattr(self, "_idle"):
            self.close()


def _parts(queries: list[str], size: int) -> Iterator[list[str]]:
    for place in range(0, len(queries), size):
        yield queries[place : place + size]


def _hit(found: Mapping[str, Any]) -> Hit:
    passages = tuple(PassageHit(**passage) for passage in found["passages"])
    return Hit(**{**found, "passages": passages, "members": tuple(found["members"])})


def _told(text: bytes, status: int) -> str:
    try:
        error = json.loads(text)["error"]
        return " ".join(filter(None, (str(error["message"]), error.get("what_to_do") or "")))
    except (ValueError, KeyError, TypeError):
        return f"The server answers with status {status}"


def _error(status: int, message: str) -> SparseCoverageError:
    if status == 404:
        return NoDocumentError(message)
    return InputError(message) if 400 <= status < 500 else RemoteError(message)
