"""What the fields of requests have in common: what they mean, their bounds, and how an interface describes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

from sparse_coverage.dataclass_json import Bounds, check_dataclass, record
from sparse_coverage.errors import InputError


class RequestError(InputError):
    """A request has a field of a wrong kind or size; the message names it."""


@dataclass(frozen=True, slots=True)
class Says:
    """Stands at a field of a request: what it means, and by which of its limits a server may bound it.

    `limit` bounds a number, or the size of a text, list or object; `each` bounds what a list or object holds.
    """

    text: str = ""
    limit: str = ""
    each: str = ""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the description with what the field means; a server puts numbers in the place of the names of limits."""
        told = {"description": self.text} if self.text else {}
        return {**handler(schema), **told, **({LIMIT_KEY: [self.limit, self.each]} if self.limit else {})}


LIMIT_KEY = "x-limit"
_HALF = re.compile("[\ud800-\udfff]")
MOST_ID = 300
Id = Annotated[str, Bounds(1, MOST_ID)]
Words = Annotated[str, Bounds(1, 2000)]
Text = Annotated[str, Bounds(1, blank=False), Says(limit="characters")]
ClaimNumbers = Annotated[str, Bounds(1, 200)]


def public_name(name: str) -> str:
    """Return what a field is called outside of Python: `not_` is `not`."""
    return name.rstrip("_")


AS_BODY: Any = {"extra": "forbid", "populate_by_name": True, "alias_generator": public_name}
"""How pydantic reads a request: a field that it does not know is refused, so that a misspelt wish is not passed over in silence."""


class Request:
    """Base of all requests: checked when one is made."""

    __slots__ = ()
    __pydantic_config__ = AS_BODY
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        try:
            check_dataclass(self)
        except InputError as error:
            raise RequestError(str(error)) from None
        for name in self.__dataclass_fields__:
            if isinstance(value := getattr(self, name), str) and _HALF.search(value):
                raise RequestError(
                    f"{public_name(name)} holds half of a character, which no text can. Send it as UTF-8."
                )


def request_record(request: Any) -> dict[str, Any]:
    """Return a request as plain values under the names that are used outside of Python; what was not asked for is left out.

    >>> from sparse_coverage.workspace import Filters
    >>> request_record(Filters(not_=("valve",)))
    {'undated': 'drop', 'not': ['valve']}
    """
    values = ((public_name(one.name), getattr(request, one.name)) for one in fields(request))
    return {
        name: request_record(value) if is_dataclass(value) else record(value)
        for name, value in values
        if value is not None and value != ()
    }


def limits_of(request: Any, place: str = "") -> Iterator[tuple[str, Any, Says]]:
    """Yield the fields that a server may bound, also of requests within: where each stands, its value, and what bounds it."""
    hints = get_type_hints(type(request), include_extras=True)
    for one in fields(request):
        value, where = getattr(request, one.name), f"{place}{public_name(one.name)}"
        if value is not None:
            yield from ((where, value, mark) for mark in _said(hints[one.name]) if mark.limit)
        for inner in [value, *(value if isinstance(value, tuple) else ())]:
            if is_dataclass(inner):
                yield from limits_of(inner, f"{where}.")


def _said(hint: Any) -> Iterator[Says]:
    """Yield what stands at a field: at its type itself, or at one of several that it may have."""
    if get_origin(hint) is Annotated:
        yield from (one for one in get_args(hint)[1:] if isinstance(one, Says))
        yield from _said(get_args(hint)[0])
    elif get_origin(hint) in (Union, UnionType):
        for one in get_args(hint):
            yield from _said(one)
