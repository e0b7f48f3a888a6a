"""Results for programs: one shape of hits, explanations, answers, costs and settings, whichever command gives them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

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
    text = json.dumps(values, ensure_ascii=False, indent=indent)
    # Half of a surrogate pair, as in a file name that is not UTF-8, can only be written as its escape.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
