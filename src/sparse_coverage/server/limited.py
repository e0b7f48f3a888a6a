"""Bounds of requests that the settings of a server say: checked in one place, and written into its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from sparse_coverage.errors import InputError
from sparse_coverage.server.settings import Limits

_KEY = "x-limit"
_BOUNDS = {"string": "maxLength", "array": "maxItems", "object": "maxProperties", "integer": "maximum"}


class BeyondLimitsError(InputError):
    """A request asks for more than the server allows."""


@dataclass(frozen=True, slots=True)
class Limited:
    """Stands at a field of a body: a number, or the size of a text, list or dictionary, is at most the limit of that name.

    `each` is the name of the limit of what a list or dictionary holds.
    """

    limit: str
    each: str = ""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Leave a mark in the description, which `describe` turns into a number."""
        return {**handler(schema), _KEY: [self.limit, self.each]}


def check(body: BaseModel, limits: Limits, place: str = "") -> None:
    """Refuse a body that asks for more than the limits allow."""
    for name, field in type(body).model_fields.items():
        value, where = getattr(body, name), f"{place}{field.alias or name}"
        for mark in field.metadata:
            if isinstance(mark, Limited):
                _require(value, getattr(limits, mark.limit), where)
                for one in _inside(value) if mark.each else ():
                    _require(one, getattr(limits, mark.each), where)
        for one in [value, *_inside(value)]:
            if isinstance(one, BaseModel):
                check(one, limits, f"{where}.")


def _require(value: Any, most: int, where: str) -> None:
    if value is None:
        return
    if isinstance(value, int):
        require_at_most(value, most, where)
    elif len(value) > most:
        what = "characters" if isinstance(value, str) else "entries"
        raise BeyondLimitsError(f"{where} has {len(value):,} {what}; here it may have at most {most:,}.")


def require_at_most(value: int, most: int, what: str) -> None:
    """Refuse a number beyond a limit."""
    if value > most:
        raise BeyondLimitsError(f"{what} is {value:,}; here it may be at most {most:,}.")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def describe(schema: Any, limits: Limits) -> Any:
    """Return a description of an interface with the numbers in the place of the marks."""
    if isinstance(schema, list):
        return [describe(one, limits) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: describe(value, limits) for name, value in schema.items() if name != _KEY}
    if _KEY in schema:
        limit, each = schema[_KEY]
        for branch in found.get("anyOf", [found]):
            _bound(branch, getattr(limits, limit))
            if each:
                _bound(branch.get("items") or branch.get("additionalProperties") or {}, getattr(limits, each))
    return found


def _bound(schema: dict[str, Any], most: int) -> None:
    if (bound := _BOUNDS.get(schema.get("type", ""))) is not None:
        schema[bound] = min(most, schema.get(bound, most))
