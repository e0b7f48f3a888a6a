"""Answers say nothing about the files of the server: of the file that a document was read from they give only the name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath, PureWindowsPath
from typing import Any

from sparse_coverage.dataclass_json import record
from sparse_coverage.server.settings import ServerSettings

_HOLD_DOCUMENTS = ("hits", "documents", "rankings", "chart")


def public(answer: Any) -> Any:
    """Return the record of an answer without folders in it."""
    found = record(answer)
    _strip(found)
    return found


def public_message(message: str, settings: ServerSettings) -> str:
    """Return a message that calls each index by its name instead of by its folder."""
    for name, folder in settings.indexes.items():
        for path in {str(folder), str(folder.resolve())}:
            message = message.replace(path, name)
    return message


def _strip(value: Any) -> None:
    if isinstance(value, list):
        for one in value:
            _strip(one)
    elif isinstance(value, Mapping):
        known = value.get("metadata")
        if isinstance(known, dict) and isinstance(known.get("source"), str):
            known["source"] = _name(known["source"])
        for name in _HOLD_DOCUMENTS:
            inner = value.get(name)
            _strip(list(inner.values()) if name == "rankings" and isinstance(inner, Mapping) else inner)


def _name(path: str) -> str:
    """Return the last part of a path of any system.

    >>> _name("/data/patents/EP-1.xml"), _name("C:\\\\data\\\\EP-1.xml")
    ('EP-1.xml', 'EP-1.xml')
    """
    return (PureWindowsPath(path) if "\\" in path else PurePath(path)).name
