"""Which field of a patent a column of a table, or a name in JSON, holds. The names themselves are in `fields.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.files import read_toml

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_PLURAL = re.compile(r"\((s|n|en|es|e)\)", re.I)
_APART = re.compile(r"[^\w]+|_+")
_PREFIX = re.compile(r"^(?:g|exch|ops|ftxt|bib) (?=\w)")


_IPC_PARTS = frozenset({"ipc_section", "ipc_class", "ipc_subclass", "ipc_group", "ipc_subgroup"})
NUMBER_FIELDS = frozenset({"id", "us_number", "number"})
"""The fields that say which patent a row is."""


@dataclass(frozen=True, slots=True)
class Names:
    """The known names: of each the field and how much it is preferred; and the rules for those that are not listed."""

    fields: Mapping[str, tuple[str, int]]
    qualifiers: frozenset[str]
    languages: Mapping[str, str]
    prefixes: Mapping[str, str]
    comma_separated: frozenset[str]
    nothing: frozenset[str]
    other_documents: frozenset[str]
    lists: frozenset[str]
    inner: frozenset[str]
    values: tuple[str, ...]
    paths: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UsedColumn:
    """A column that is used: where it is, what it is called, what it holds. `rank` 0 is preferred to 1."""

    position: int
    name: str
    field: str
    language: str = ""
    rank: int = 0


@cache
def names() -> Names:
    """Return the known names, read once."""
    data = read_toml(Path(__file__).with_name("fields.toml"))
    rules = data["rules"]
    return Names(
        {plain_name(name): (field, rank) for field, all_ in data["names"].items() for rank, name in enumerate(all_)},
        frozenset(rules["qualifiers"]),
        {word: code for code, words in rules["languages"].items() for word in words},
        {prefix: field for field, all_ in rules["prefixes"].items() for prefix in all_},
        frozenset(rules["comma_separated"]),
        frozenset(rules["nothing"]),
        frozenset(rules["other_documents"]),
        frozenset(rules["lists"]),
        frozenset(rules["inner"]),
        tuple(rules["values"]),
        data["paths"],
    )


def plain_name(name: str) -> str:
    """Return a name in the form in which names are compared.

    >>> plain_name("Publication Number(s)"), plain_name("inventionTitle"), plain_name("IPC - Current")
    ('publication numbers', 'invention title', 'ipc current')
    """
    return _APART.sub(" ", _CAMEL.sub(" ", _PLURAL.sub(r"\1", name))).strip().lower()


@cache
def field_of(name: str) -> tuple[str, str, int]:
    """Return the field, the language and the rank of a column name (lower is preferred); an unknown name has an empty field.

    >>> field_of("Title (English)")[:2], field_of("IPC - Current - DWPI")[0], field_of("Legal status")
    (('title', 'en'), 'ipc', ('', '', 0))
    """
    known = names()
    plain = _PREFIX.sub("", plain_name(name))
    language, rank = "", 0
    while plain:
        if found := known.fields.get(plain):
            return found[0], language, found[1] + rank
        for prefix, field in known.prefixes.items():
            if plain.startswith(prefix):
                return field, language, 1000
        first, _, rest = plain.partition(" ")
        if first in known.languages and rest in known.fields:
            return known.fields[rest][0], known.languages[first], known.fields[rest][1]
        plain, _, last = plain.rpartition(" ")
        if last in known.languages:
            language, rank = language or known.languages[last], rank + 1
        elif last in known.qualifiers:
            rank += 10
        else:
            break
    return "", "", 0


def columns_of(header: Sequence[str], chosen: Mapping[str, str]) -> list[UsedColumn]:
    """Return the columns of a table that are used. `chosen` names a column, or its position from 1, for a field itself."""
    found = []
    taken = {wanted.strip().lower(): field for field, wanted in chosen.items()}
    for position, name in enumerate(header):
        text = name.strip().lstrip("\ufeff")
        own = taken.get(text.lower()) or taken.get(str(position + 1))
        field, language, rank = (own, "", -1) if own else field_of(text)
        if field and (own or field not in chosen):
            found.append(UsedColumn(position, text, field, language, rank))
    whole = {column.field for column in found} >= _IPC_PARTS  # else a section may be one of anything
    return [column for column in found if whole or column.field not in _IPC_PARTS - {"ipc_class"}]


def is_header(columns: Sequence[UsedColumn]) -> bool:
    """Tell whether columns make a header: one that says which patent it is, and another one."""
    fields = {column.field for column in columns}
    return bool(fields & NUMBER_FIELDS) and len(fields) > 1


def known_fields() -> tuple[str, ...]:
    """Return the fields that a column can be chosen for."""
    return tuple(dict.fromkeys(field for field, _ in names().fields.values()))


def chosen_columns(text: str) -> dict[str, str]:
    """Read `title=Titel,abstract=Kurztext` as a user gives it.

    >>> chosen_columns("title=Titel, id=Nummer")
    {'title': 'Titel', 'id': 'Nummer'}
    """
    chosen = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        field, sign, column = (piece.strip() for piece in part.partition("="))
        if not sign or not column or field not in known_fields():
            raise InputError(
                f"'{part}' names no column. Give a field, = and the name (or the number) of its column, with commas between: "
                f"title=Titel,abstract=3. Fields are {', '.join(known_fields())}."
            )
        chosen[field] = column
    return chosen
