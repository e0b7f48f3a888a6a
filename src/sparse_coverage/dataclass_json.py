"""Dataclasses as plain values and back: one shape of every result for programs, and JSON from outside that is measured and checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from sparse_coverage.errors import InputError
from sparse_coverage.printing import visible

T = TypeVar("T")
DEPTH = 64
"""How deeply lists and objects may be nested in JSON from outside; what the program writes itself has at most a dozen levels."""
_NOT_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
_PIECE = 1 << 16
_SCHEMA_BOUNDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
    "integer": ("minimum", "maximum"),
}
_SHOWN = 60
_HINT = "The file is damaged or not one of ours."
# What a record holds beside the fields, by the name of the class: to import the classes would slow down every `--json`.
_COMPUTED = {"Explanation": ("score",)}
_PLAIN = frozenset((str, int, float, bool, type(None)))


def record(result: Any) -> Any:
    """Return a result, or several in lists and dictionaries, as plain values; a dataclass becomes a dictionary of its fields.

    >>> from sparse_coverage.search.results import Place, Unsearched
    >>> record({"unsearched": Unsearched(common=(Place("valve", 2, 7),))})
    {'unsearched': {'uncovered': [], 'common': [{'text': 'valve', 'start': 2, 'end': 7}]}}
    """
    kind: Any = type(result)
    if kind in _PLAIN:
        return result
    if isinstance(result, Enum):
        return result.value
    if names := _names(kind):
        return {name: record(getattr(result, name)) for name in names}
    if isinstance(result, Mapping):
        return {name: record(value) for name, value in result.items()}
    if isinstance(result, list | tuple):
        return [record(value) for value in result]
    return result


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return what the record of a dataclass holds; nothing of another class."""
    computed = _COMPUTED.get(kind.__name__, ())
    return (*computed, *(field.name for field in fields(kind))) if is_dataclass(kind) else ()


def to_json(result: Any, indent: int | None = None) -> str:
    """Return the record of a result as JSON, in the letters of its own script, ready to be written as UTF-8.

    >>> print(to_json({"unit": "γ-alumina"}))
    {"unit": "γ-alumina"}
    """
    return plain_json(record(result), indent)


def plain_json(values: Any, indent: int | None = None) -> str:
    """Return plain values, such as those of a record, as JSON in the same way."""
    # As their escapes: half of a surrogate pair, which nothing else can hold, and what would do something to a terminal.
    return visible(json.dumps(values, ensure_ascii=False, indent=indent))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Stands in an `Annotated` type: the least and the most of a number, or of the length of a text, list or object.

    A text that may not be `blank` holds more than white space. The description of an interface gets the same bounds.
    """

    least: int = 0
    most: int = 2**53 - 1  # what JavaScript can count to; SQLite keeps it, too
    blank: bool = True

    def check(self, value: Any, where: str) -> None:
        """Refuse a value beyond the bounds."""
        size = value if isinstance(value, int) else len(value)
        if not self.least <= size <= self.most:
            what = "is" if isinstance(value, int) else "has the length"
            raise InputError(f"{where} {what} {size:,}; it may be {self.least:,} to {self.most:,}.")
        if not self.blank and not value.strip():
            raise InputError(f"{where} is blank.")

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the description of a value within these bounds; pydantic asks for it."""
        found: dict[str, Any] = dict(handler(schema))
        for branch in found.get("anyOf", [found]):
            if (names := _SCHEMA_BOUNDS.get(branch.get("type", ""))) is not None:
                branch[names[0]], branch[names[1]] = self.least, self.most
                branch |= {} if self.blank else {"pattern": r"\S"}
        return found


@dataclass(frozen=True, slots=True)
class RegistryName:
    """Stands in an `Annotated` type: the names of a registry, one of which a text must be.

    `get` finds further names, such as those that packages add, and raises an `InputError` for one that nobody has.
    """

    names: tuple[str, ...]
    get: Callable[[str], object] | None = None

    def check(self, value: Any, where: str) -> None:
        """Refuse a name that is none of them."""
        if value in self.names:
            return
        if self.get is not None:
            self.get(value)
        else:
            raise InputError(f"{where} must be one of {', '.join(self.names)}, not '{str(value)[:_SHOWN]}'.")

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the description of such a name; pydantic asks for it."""
        return {**handler(schema), "enum": list(self.names)}


class JsonScan:
    """Counts the values of JSON text and how deeply they are nested without building any of them.

    Text is fed piece by piece; the first piece beyond a bound is an `InputError`. Whether it is JSON at all is for the parser.
    """

    def __init__(self, values: int, depth: int = DEPTH) -> None:
        self._values, self._most_values = 1, values
        self._depth, self._most_depth = 0, depth
        self._inside = 0  # 1 within a string
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + piece
        escapes = len(data) - len(data.rstrip(b"\\"))
        data, self._rest = (data[:-1], b"\\") if escapes % 2 else (data, b"")
        # Without the escaped ones, each quotation mark begins or ends a string.
        parts = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        structure = b"".join(parts[self._inside :: 2]).translate(None, _NOT_STRUCTURE)
        self._inside ^= (len(parts) - 1) & 1
        self._values += len(structure) - structure.count(b"]") - structure.count(b"}")
        if self._values > self._most_values:
            raise InputError(f"It holds more than {self._most_values:,} values. Send less at a time.")
        for letter in structure:
            self._depth += 1 if letter in b"[{" else -1 if letter in b"]}" else 0
            if self._depth > self._most_depth:
                raise InputError(f"It is nested more than {self._most_depth} levels deep.")


def parse_json(data: bytes, values: int, depth: int = DEPTH) -> Any:
    """Parse JSON, with limits on the number of values and on the depth. NaN and Infinity are refused: they are not JSON."""
    scan = JsonScan(values, depth)
    for start in range(0, len(data), _PIECE):
        scan.feed(data[start : start + _PIECE])
    return json.loads(data, parse_constant=_refuse_constant)


def require_depth(value: Any, where: str) -> None:
    """Refuse plain values that are nested deeper than JSON from outside may be: they could be written and never read again."""
    level = [value]
    for _ in range(DEPTH + 1):
        lists = [one for one in level if isinstance(one, list | tuple | Mapping)]
        level = [inner for one in lists for inner in (one.values() if isinstance(one, Mapping) else one)]
        if not level:
            return
    raise InputError(f"{where} is nested more than {DEPTH} levels deep.")


def from_json(kind: type[T], value: Any, where: str = "") -> T:
    """Return the object of a class that a record was made of; what does not fit is an error that names the place.

    `where` is what to call the record itself, such as the name of its file; without it, that is the name of the class.

    >>> from sparse_coverage.search.results import Place
    >>> from_json(Place, {"text": "valve", "start": 2, "end": 7})
    Place(text='valve', start=2, end=7)
    """
    try:
        found: T = _from(kind, value, where or kind.__name__)
    except InputError as error:
        raise InputError(str(error) if _HINT in str(error) else f"{error} {_HINT}") from None
    return found


def check_dataclass(value: T) -> T:
    """Check the kinds and bounds of an object's fields as `from_json` checks what it reads; returns the object."""
    kind: Any = type(value)
    hints = _hints(kind)
    for one in fields(kind):
        _from(hints[one.name], getattr(value, one.name), one.name)
    return value


def _from(kind: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        found = _from(inner[0], value, where)
        for one in inner[1:]:
            if isinstance(one, Bounds | RegistryName) and found is not None:
                one.check(found, where)
        return found
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value, where)
    if origin in (Union, UnionType):
        return _either(inner, value, where)
    if origin is Literal:
        return _checked(value in inner, value, where, f"one of {', '.join(map(str, inner))}")
    if origin is tuple:
        _checked(isinstance(value, list | tuple), value, where, "a list")
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_from(inner[0], one, f"{where}[{place}]") for place, one in enumerate(value))
        _checked(len(value) == len(inner), value, where, f"a list of {len(inner)}")
        return tuple(_from(one, each, where) for one, each in zip(inner, value, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        _checked(isinstance(value, Mapping), value, where, "an object")
        return {str(name): _from(inner[1], one, f"{where}.{name}") for name, one in value.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        values = [one.value for one in kind]
        names = ", ".join(map(str, values))
        return kind(_checked(value in values, value, where, f"one of {names}"))
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
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
            given[one.name] = _from(hints[one.name], value[one.name], f"{where}.{one.name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise InputError(f"{where}: '{one.name}' is missing.")
    try:
        return kind(**given)
    except InputError as error:  # the class knows what is wrong, not where it was read
        raise InputError(f"{where}: {error}") from None


def _either(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and NoneType in kinds:
        return None
    problem: InputError | None = None
    for kind in kinds:
        if kind is not NoneType:
            try:
                return _from(kind, value, where)
            except InputError as error:
                problem = error
    raise problem or InputError(f"{where}: nothing fits.")


def _checked(fits: bool, value: Any, where: str, wanted: str) -> Any:
    if not fits:
        given = str(value)[:_SHOWN] if isinstance(value, str | float) else type(value).__name__
        raise InputError(f"{where} must be {wanted}, not {given!r}.")
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)
