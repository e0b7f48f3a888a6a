"""A server of Sparse Coverage as a retriever: what ranks there can be evaluated and joined here like anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_before_delay, wait_exponential

from sparse_coverage.errors import InputError, NoDocumentError, SparseCoverageError
from sparse_coverage.index import Filter
from sparse_coverage.index.filter_syntax import filter_text
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Searcher

_AT_ONCE, _SHOWN = 100, 20_000
"""So many queries, and passages that may be found, in one request."""
_PAUSES = wait_exponential(multiplier=0.1, max=10)


class RemoteError(SparseCoverageError):
    """A server cannot be reached, or cannot answer."""


class _BusyError(Exception):
    """A server that may answer later; it may say after how many seconds."""

    def __init__(self, told: str, after: float = 0) -> None:
        super().__init__(told)
        self.after = after


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
        try:
            url = httpx.URL(address)
        except httpx.InvalidURL:
            url = httpx.URL("")
        if url.scheme not in ("http", "https") or not url.host:
            raise InputError(f"'{address}' is not the address of a server. Write http://127.0.0.1:8765")
        self.address = address.rstrip("/")
        self.ranking = ranking
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=self.address, headers=headers, timeout=timeout, trust_env=False)
        self._retrying = Retrying(
            retry=retry_if_exception_type(_BusyError), stop=stop_before_delay(patience), wait=_pause, reraise=True
        )
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
        retrying = self._retrying.copy()
        try:
            return retrying(self._exchange, method, path, body)
        except _BusyError as error:
            raise RemoteError(
                f"{error}. It was tried for {retrying.statistics['delay_since_first_attempt']:.0f} s."
            ) from None

    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        try:
            response = self._http.request(method, path, json=body)
        except httpx.TransportError as error:
            raise _BusyError(f"{self.address} cannot be reached ({error or type(error).__name__})") from None
        if response.status_code == 200:
            return response.json()
        failure = _told(response)
        if response.status_code in (429, 503):
            raise _BusyError(failure, float(response.headers.get("retry-after") or 0))
        raise _error(response.status_code, failure)

    def close(self) -> None:
        """Close the connections that are kept."""
        self._http.close()

    def __del__(self) -> None:
        if hasattr(self, "_http"):
            self.close()


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return max(_PAUSES(state), error.after if isinstance(error, _BusyError) else 0)


def _parts(queries: list[str], size: int) -> Iterator[list[str]]:
    for place in range(0, len(queries), size):
        yield queries[place : place + size]


def _hit(found: Mapping[str, Any]) -> Hit:
    passages = tuple(PassageHit(**passage) for passage in found["passages"])
    return Hit(**{**found, "passages": passages, "members": tuple(found["members"])})


def _told(response: httpx.Response) -> str:
    try:
        error = response.json()["error"]
        return " ".join(filter(None, (str(error["message"]), error.get("what_to_do") or "")))
    except (ValueError, KeyError, TypeError):
        return f"The server answers with status {response.status_code}"


def _error(status: int, message: str) -> SparseCoverageError:
    if status == 404:
        return NoDocumentError(message)
    return InputError(message) if 400 <= status < 500 else RemoteError(message)
