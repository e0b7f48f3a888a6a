"""Plain values back into the dataclasses that they were the record of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from sparse_coverage.errors import InputError

T = TypeVar("T")


def restored(kind: type[T], value: Any, where: str = "") -> T:
    """Return the object of a class that a record was made of; what does not fit is an error that names the place.

    `where` is what to call the record itself, such as the name of its file; without it, that is the name of the class.

    >>> from sparse_coverage.search.results import Place
    >>> restored(Place, {"text": "valve", "start": 2, "end": 7})
    Place(text='valve', start=2, end=7)
    """
    found: T = _restored(kind, value, where or kind.__name__)
    return found


def _restored(kind: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value, where)
    if origin in (Union, UnionType):
        return _either(inner, value, where)
    if origin is Literal:
        return _checked(value in inner, value, where, f"one of {', '.join(map(str, inner))}")
    if origin is tuple:
        _checked(isinstance(value, list | tuple), value, where, "a list")
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_restored(inner[0], one, f"{where}[{place}]") for place, one in enumerate(value))
        _checked(len(value) == len(inner), value, where, f"a list of {len(inner)}")
        return tuple(_restored(one, each, where) for one, each in zip(inner, value, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        _checked(isinstance(value, Mapping), value, where, "an object")
        return {str(name): _restored(inner[1], one, f"{where}.{name}") for name, one in value.items()}
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(_checked(number, value, where, "a number"))
    return _checked(
        isinstance(value, kind) and (kind is bool or not isinstance(value, bool)), value, where, kind.__name__
    )


def _dataclass(kind: type, value: Any, where: str) -> Any:
    if isinstance(value, kind):
        return value  # a part that is no plain value, such as arrays, was restored before
    _checked(isinstance(value, Mapping), value, where, "an object")
    hints, given = _hints(kind), {}
    for one in fields(kind):
        if one.name in value:
            given[one.name] = _restored(hints[one.name], value[one.name], f"{where}.{one.name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise InputError(f"{where}: '{one.name}' is missing. The file is damaged or not one of ours.")
    return kind(**given)


def _either(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and NoneType in kinds:
        return None
    problem: InputError | None = None
    for kind in kinds:
        if kind is not NoneType:
            try:
                return _restored(kind, value, where)
            except InputError as error:
                problem = error
    raise problem or InputError(f"{where}: nothing fits.")


def _checked(fits: bool, value: Any, where: str, wanted: str) -> Any:
    if not fits:
        raise InputError(f"{where} must be {wanted}, not {str(value)[:60]!r}. The file is damaged or not one of ours.")
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
