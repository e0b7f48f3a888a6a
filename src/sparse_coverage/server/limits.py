"""Bounds of requests that the settings of a server say: checked in one place, and written into its description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.server.settings import ServerLimits
from sparse_coverage.workspace.fields import LIMIT_KEY, limits_of

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
