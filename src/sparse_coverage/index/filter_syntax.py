"""Filters as text, for the command line: `published<2001-05-01 and ipc:H04N,G06F and not country:US`.

condition   field:value[,value...]      any of the values; a value with spaces or brackets stands in "quotes"
            date<2001-05-17             also <=, >, >=, and : for "within"; a month or a year stands for all its days
            date:none                   documents without this date, which no other condition on it lets through
fields      published, priority         dates
            ipc, cpc, class             prefixes of symbols; class is both
            country, kind, language, section, document, family
            text, title, claims         words: one in all its forms, several as a phrase, batter* for what begins so
            applicant, inventor         words of a name
combined    and (or nothing), or, not, ( )
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from sparse_coverage.errors import InputError
from sparse_coverage.index import filters
from sparse_coverage.index.filters import Filter
from sparse_coverage.index.words import FIELDS

_TOKEN = re.compile(r'\s*(?:(?P<mark>[()])|(?P<sign><=|>=|[<>:=,])|"(?P<quoted>[^"]*)"|(?P<word>[^\s()<>:=,"]+))')
_DATES: Mapping[str, Callable[..., Filter]] = {"published": filters.published, "priority": filters.priority}
_DEEPEST = 50  # brackets and nots inside each other
_BOUNDS = {"<": "before", ">": "after", ">=": "since", "<=": "until"}


def _words(field: str, values: list[str]) -> Filter:
    return filters.words(*values, field=field)


_FIELDS: Mapping[str, Callable[[list[str]], Filter]] = {
    "ipc": lambda values: filters.classified(*values, scheme="ipc"),
    "cpc": lambda values: filters.classified(*values, scheme="cpc"),
    "class": lambda values: filters.classified(*values),
    "country": lambda values: filters.country(*values),
    "kind": lambda values: filters.kind(*values),
    "language": lambda values: filters.language(*values),
    "section": lambda values: filters.section(*values),
    "document": lambda values: filters.document(*values),
    "family": lambda values: filters.any_of(filters.family(value) for value in values),
    **{field: partial(_words, field) for field in FIELDS},
}


def parse_filter(text: str) -> Filter:
    """Read a filter.

    >>> parse_filter("country:EP,WO not kind:B") == filters.country("EP", "WO") & ~filters.kind("B")
    True
    """
    return _Reader(text).read()


class _Reader:
    """Reads an expression from left to right; one method for each rule of the syntax."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str, int]] = []
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None:
                raise self._wrong("a quotation mark that nothing closes", place)
            kind = match.lastgroup or ""
            self._tokens.append((kind, match[kind], match.start(kind)))
            place = match.end()
        self._next = 0
        self._depth = 0

    def read(self) -> Filter:
        if not self._tokens:
            raise InputError("The filter is empty. Write for example: published<2001-05-01 and ipc:H04N")
        found = self._either()
        if self._next < len(self._tokens):
            raise self._wrong(f"'{self._tokens[self._next][1]}' is not expected here", self._tokens[self._next][2])
        return found

    def _either(self) -> Filter:
        found = self._all()
        while self._take("word", "or"):
            found = found | self._all()
        return found

    def _all(self) -> Filter:
        found = self._one()
        while self._take("word", "and") or not (self._ends() or self._sees("word", "or") or self._sees("mark", ")")):
            found = found & self._one()
        return found

    def _one(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(f"more than {_DEEPEST} brackets and nots inside each other", 0)
        found = self._inner()
        self._depth -= 1
        return found

    def _inner(self) -> Filter:
        if self._take("word", "not"):
            return ~self._one()
        if self._take("mark", "("):
            found = self._either()
            if not self._take("mark", ")"):
                raise self._wrong("a bracket that nothing closes", len(self._text))
            return found
        return self._condition()

    def _condition(self) -> Filter:
        name, place = self._value("a condition such as ipc:H04N")
        field = name.lower()
        if field not in _DATES and field not in _FIELDS:
            raise self._wrong(f"there is no field '{name}'; there are {', '.join([*_DATES, *_FIELDS])}", place)
        sign = self._tokens[self._next][1] if not self._ends() and self._tokens[self._next][0] == "sign" else ""
        allowed = [":", "=", *_BOUNDS] if field in _DATES else [":", "="]
        if sign not in allowed:
            raise self._wrong(f"after '{name}' one of {' '.join(allowed)} is expected", place)
        self._next += 1
        if field in _DATES:
            date, _ = self._value("a date such as 2001-05-17")
            if sign in (":", "=") and date.lower() == "none":
                return filters.undated(field)
            bounds = {_BOUNDS[sign]: date} if sign in _BOUNDS else {"since": date, "until": date}
            return _DATES[field](**bounds)
        values = [self._value(f"a value for {name}")[0]]
        while self._take("sign", ","):
            values.append(self._value(f"a value for {name}")[0])
        return _FIELDS[field](values)

    def _value(self, wanted: str) -> tuple[str, int]:
        if self._ends() or self._tokens[self._next][0] not in ("word", "quoted"):
            place = len(self._text) if self._ends() else self._tokens[self._next][2]
            raise self._wrong(f"{wanted} is expected", place)
        _, value, place = self._tokens[self._next]
        self._next += 1
        return value, place

    def _sees(self, kind: str, value: str) -> bool:
        return not self._ends() and self._tokens[self._next][:2] == (kind, value)

    def _take(self, kind: str, value: str) -> bool:
        found = self._sees(kind, value)
        self._next += found
        return found

    def _ends(self) -> bool:
        return self._next >= len(self._tokens)

    def _wrong(self, what: str, place: int) -> InputError:
        return InputError(f"The filter cannot be read: {what}.\n  {self._text}\n  {' ' * place}^")
