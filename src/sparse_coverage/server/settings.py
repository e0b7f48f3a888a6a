"""How a server is set up: which indexes, where it listens, who may ask, and how much; and what goes beyond that is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import usable_cores
from sparse_coverage.workspace.requests import LIMIT_KEY, limits_of

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names by which a machine reaches itself, and nobody else does."""

SHORTEST_KEY = 16
_KEY = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The most that a request may ask for, and that a server does at a time.

    `characters` are those of a query or a claim; a query of more than `short` is long work, so that it keeps no other search
    waiting. `documents` are those of a chart, `combined` those that a combination looks at, `ids` those of a list of ids, words
    or elements. `shown` passages are in an answer at most, over all queries and documents.
    `body` and `upload` are bytes of a request. `concurrency` is how many requests are worked on at a time, `waiting` how many
    more may wait; whatever comes beyond is refused and may come again. A request gives up after `seconds`, long work (charts,
    combinations, batches, changes, long queries) after `long_seconds`.
    """

    characters: int = 200_000
    short: int = 20_000
    k: int = 1000
    passages: int = 100
    batch: int = 1000
    documents: int = 50
    combined: int = 500
    ids: int = 1000
    shown: int = 20_000
    body: int = 16 << 20
    upload: int = 64 << 20
    concurrency: int = field(default_factory=usable_cores)
    waiting: int = 64
    seconds: float = 60.0
    long_seconds: float = 1800.0

    def is_long(self, text: str | None) -> bool:
        """Tell whether a query of this text is long work."""
        return len(text or "") > self.short


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server. `hosts` are further names that it answers to, such as that of a proxy before it.

    `rerankers` may rank documents again beside the sides of an index: cross-encoders, as the command line names them.
    """

    indexes: Mapping[str, Path]
    projects: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8765
    hosts: tuple[str, ...] = ()
    key: str | None = None
    allow_changes: bool = False
    calibration: Path | None = None
    rerankers: tuple[str, ...] = ()
    limits: ServerLimits = field(default_factory=ServerLimits)

    def __post_init__(self) -> None:
        beyond = [name for name in (self.host, *self.hosts) if name.lower() not in LOOPBACK]
        if beyond and self.key is None:
            raise InputError(
                f"To be reached as {beyond[0]}, by others than this machine, a server needs a key. Write a long random one into "
                "a file that only you can read, and give it with --key-file."
            )
        if self.key is not None and not _KEY.fullmatch(self.key):
            raise InputError(
                "The key holds a blank or a letter beyond ASCII, which a header of a request cannot carry. Use letters, digits "
                "and signs of ASCII only."
            )
        if self.key is not None and len(self.key) < SHORTEST_KEY:
            raise InputError(f"The key has fewer than {SHORTEST_KEY} characters. Use a long random one.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the server answers to, without a port."""
        own = () if self.host in ("0.0.0.0", "::") else (self.host,)
        return tuple(dict.fromkeys((*LOOPBACK, *own, *self.hosts)))


_BOUNDS = {"string": "maxLength", "array": "maxItems", "object": "maxProperties", "integer": "maximum"}


class BeyondLimitsError(InputError):
    """A request asks for more than the server allows."""


def check(request: Any, limits: ServerLimits) -> None:
    """Refuse a request that asks for more than the limits allow."""
    for where, value, said in limits_of(request):
        _require(value, getattr(limits, said.limit), where)
        if said.each:
            for one in value.values() if isinstance(value, Mapping) else value:
                _require(one, getattr(limits, said.each), where)


def _require(value: Any, most: int, where: str) -> None:
    if isinstance(value, int):
        require_at_most(value, most, where)
    elif len(value) > most:
        what = "characters" if isinstance(value, str) else "entries"
        raise BeyondLimitsError(f"{where} has {len(value):,} {what}; here it may have at most {most:,}.")


def require_at_most(value: int, most: int, what: str) -> None:
    """Refuse a number beyond a limit."""
    if value > most:
        raise BeyondLimitsError(f"{what} is {value:,}; here it may be at most {most:,}.")


def describe(schema: Any, limits: ServerLimits) -> Any:
    """Return a description of an interface with the numbers in the place of the marks."""
    if isinstance(schema, list):
        return [describe(one, limits) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: describe(value, limits) for name, value in schema.items() if name != LIMIT_KEY}
    if LIMIT_KEY in schema:
        limit, each = schema[LIMIT_KEY]
        for branch in found.get("anyOf", [found]):
            _bound(branch, getattr(limits, limit))
            if each:
                _bound(branch.get("items") or branch.get("additionalProperties") or {}, getattr(limits, each))
    return found


def _bound(schema: dict[str, Any], most: int) -> None:
    if (bound := _BOUNDS.get(schema.get("type", ""))) is not None:
        schema[bound] = min(most, schema.get(bound, most))
