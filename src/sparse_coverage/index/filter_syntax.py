"""The language of filters: from what a user types to a filter, and back.

    (battery OR accumulator) near/5 lithium AND ti:cell* NOT pa:Bosch AND ipc:H01M10/05* AND pd:1995..2001

Words, phrases in quotation marks, `near/N` and `adj/N` are found in one text: a passage, a title, a name. AND, OR and NOT join what
whole documents hold. `docs/expressions.md` has all of it with examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import filters
from sparse_coverage.index.filters import (
    DATE_NAMES,
    LAST_DAY,
    Dates,
    Document,
    Family,
    Filter,
    Joined,
    Not,
    Section,
    Term,
    Undated,
    Words,
)
from sparse_coverage.index.stored_fields import TERM_FIELDS, family_names
from sparse_coverage.index.words import MOST_APART, WORD_FIELDS, Either, Near, Phrase, Wanted, wanted_words

_TOKEN = re.compile(r'(?P<mark>[()])|(?P<sign><=|>=|[<>:=,])|"(?P<quoted>[^"]*)"|(?P<open>")|(?P<word>[^\s()<>:=,"]+)')
_APART = re.compile(r"(near|adj)/(\d{1,4})", re.IGNORECASE)
_OPERATORS = ("and", "or", "not")
_DATES: Mapping[str, Callable[..., Filter]] = {"published": filters.published, "priority": filters.priority}
_DEEPEST = 50  # brackets and nots inside each other
_BOUNDS = {"<": "before", ">": "after", ">=": "since", "<=": "until"}
_GROUP = re.compile(r"\d{1,4}(/\d*)?\*?")
_OTHERS: Mapping[str, Callable[[str], Filter]] = {
    "class": filters.classified,
    "section": filters.section,
    "document": filters.document,
    "family": filters.family,
}
_SHORT = {"pd": "published", "pr": "priority", "pn": "document", "cc": "country", "la": "language"}


class FilterError(InputError):
    """An expression that cannot be read: what is wrong, and at which character of it."""

    def __init__(self, what: str, text: str, place: int) -> None:
        line = re.sub(r"\s", " ", text)
        super().__init__(f"The filter cannot be read: {what}.\n  {line}\n  {' ' * place}^")
        self.place = place


def field_names() -> dict[str, str]:
    """Return every field of the language with its short name, if it has one."""
    rows = {row.name: row.short for row in WORD_FIELDS.values()}
    short = {name: short for short, name in _SHORT.items()}
    return rows | {name: short.get(name, "") for name in (*TERM_FIELDS, *_DATES, *_OTHERS)}


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
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or ""
            if kind == "open":
                raise FilterError("a quotation mark that nothing closes", text, match.start(kind))
            self._tokens.append((kind, match[kind], match.start(kind)))
        self._next = 0
        self._depth = 0
        self._field = ""  # of the brackets that are being read: ti:(battery or cell)

    def read(self) -> Filter:
        if not self._tokens:
            raise InputError("The filter is empty. Write for example: battery near/5 lithium and pd<2001-05-01")
        found = self._either()
        if not self._ends():
            raise self._wrong(f"'{self._tokens[self._next][1]}' is not expected here")
        return found

    def _either(self) -> Filter:
        found = [self._all()]
        while self._take("or"):
            found.append(self._all())
        return filters.any_of(found)

    def _all(self) -> Filter:
        found = [self._one()]
        while self._take("and") or not (self._ends() or self._sees("or") or self._sees(")")):
            found.append(self._one())
        return filters.all_of(found)

    def _one(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(f"more than {_DEEPEST} brackets and nots inside each other")
        found = ~self._one() if self._take("not") else self._near()
        self._depth -= 1
        return found

    def _near(self) -> Filter:
        """Read conditions joined by near/N and adj/N, from left to right."""
        begin = self._next
        found = self._operand()
        while not self._ends() and (match := self._apart()):
            apart = int(match[2])
            if not 1 <= apart <= MOST_APART:
                raise self._wrong(f"words can be 1 to {MOST_APART} apart")
            self._next += 1
            left = self._words(found, begin)
            second = self._next
            right = self._words(self._operand(), second)
            if left.field != right.field:
                raise self._wrong(f"{match[1]} joins words of one field, not of {left.field} and {right.field}", second)
            ordered = match[1].lower() == "adj"
            found = Words(left.field, Near(left.wanted, right.wanted, apart, ordered))
        return found

    def _apart(self) -> re.Match[str] | None:
        kind, value, _ = self._tokens[self._next]
        match = _APART.fullmatch(value) if kind == "word" else None
        if match is None and kind == "word" and value.lower() in ("near", "adj"):
            raise self._wrong(f'{value} needs a number, as in {value}/5; the word itself is "{value}"')
        return match

    def _words(self, found: Filter, place: int) -> Words:
        """Return what near/N joins: words, phrases, several of them with `or` between, or another near/N."""
        if isinstance(found, Words):
            return found
        if isinstance(found, Joined) and found.join is np.logical_or:
            parts = [self._words(part, place) for part in found.parts]
            if len({part.field for part in parts}) == 1:
                return Words(parts[0].field, Either(tuple(part.wanted for part in parts)))
        raise self._wrong("near and adj join words and phrases of one field, with `or` between them at the most", place)

    def _operand(self) -> Filter:
        if self._take("("):
            found = self._either()
            if not self._take(")"):
                raise self._wrong("a bracket that nothing closes")
            return found
        return self._condition()

    def _condition(self) -> Filter:
        if not self._ends():
            kind, value, _ = self._tokens[self._next]
            if kind == "word" and (value.lower() in _OPERATORS or self._apart()):
                raise self._wrong(f"a word or a condition is expected before '{value}'")
            follows = self._tokens[self._next + 1] if self._next + 1 < len(self._tokens) else ("", "", 0)
            if kind == "word" and follows[0] == "sign" and follows[1] != ",":
                return self._named(value)
        if self._field in _DATES:
            return self._date(self._field, ":")
        return self._values(self._field or "text")

    def _named(self, name: str) -> Filter:
        """Read a condition that begins with a field."""
        names = {short: long for long, short in field_names().items() if short}
        field = names.get(name.lower(), name.lower())
        if field not in field_names():
            known = ", ".join(f"{long} ({short})" if short else long for long, short in field_names().items())
            raise self._wrong(f"there is no field '{name}'; there are {known}")
        if self._field:
            raise self._wrong(f"a field inside the brackets of {self._field}")
        sign = self._tokens[self._next + 1][1]
        allowed = [":", "=", *_BOUNDS] if field in _DATES else [":", "="]
        if sign not in allowed:
            raise self._wrong(f"after '{name}' one of {' '.join(allowed)} is expected", self._next + 1)
        self._next += 2
        if sign in (":", "=") and self._sees("("):
            self._field = field
            found = self._operand()
            self._field = ""
            return found
        return self._date(field, sign) if field in _DATES else self._values(field)

    def _date(self, field: str, sign: str) -> Filter:
        place = self._next
        _, value = self._value("a date such as 2001-05-17, or 1995..2001")
        with self._pointing(place):
            if sign in _BOUNDS:
                return _DATES[field](**{_BOUNDS[sign]: value})
            if value.lower() == "none":
                return filters.undated(field)
            first, dots, last = value.partition("..")
            return _DATES[field](since=first, until=last if dots else first)

    def _values(self, field: str) -> Filter:
        """Read one value, or several with commas between."""
        found = [self._single(field)]
        while self._take(","):
            found.append(self._single(field))
        return filters.any_of(found)

    def _single(self, field: str) -> Filter:
        place = self._next
        kind, value = self._value("a word" if field == "text" else f"a value for {field}")
        if field in ("ipc", "cpc", "class") and kind == "word" and len(value) == 4 and not self._ends():
            following, group, _ = self._tokens[self._next]
            if following == "word" and _GROUP.fullmatch(group):  # H04N 5/44
                value, self._next = f"{value} {group}", self._next + 1
        with self._pointing(place):
            if field in WORD_FIELDS:
                return Words(field, wanted_words(value, field, exact=kind == "quoted"))
            return filters.term(field, value) if field in TERM_FIELDS else _OTHERS[field](value)

    @contextmanager
    def _pointing(self, place: int) -> Iterator[None]:
        """Say where the value stands that cannot be used."""
        try:
            yield
        except InputError as error:
            raise self._wrong(str(error).rstrip("."), place) from None

    def _value(self, wanted: str) -> tuple[str, str]:
        if self._ends() or self._tokens[self._next][0] not in ("word", "quoted"):
            raise self._wrong(f"{wanted} is expected")
        kind, value, _ = self._tokens[self._next]
        self._next += 1
        return kind, value

    def _sees(self, value: str) -> bool:
        return (
            not self._ends()
            and self._tokens[self._next][0] != "quoted"
            and self._tokens[self._next][1].lower() == value
        )

    def _take(self, value: str) -> bool:
        found = self._sees(value)
        self._next += found
        return found

    def _ends(self) -> bool:
        return self._next >= len(self._tokens)

    def _wrong(self, what: str, token: int | None = None) -> FilterError:
        """Return the error that points at a token: the next one, unless another is given."""
        number = self._next if token is None else token
        place = self._tokens[number][2] if number < len(self._tokens) else len(self._text)
        return FilterError(what, self._text, place)


def filter_text(filter_: Filter) -> str:
    """Return a text that lets the same documents through when it is read.

    >>> from sparse_coverage.index.filters import country, published
    >>> filter_text(published(before="2001") & ~country("US"))
    '(published<=2000-12-31 and not country:"US")'
    """
    if isinstance(filter_, Joined):
        join = " and " if filter_.join is np.logical_and else " or "
        return f"({join.join(map(filter_text, filter_.parts))})"
    if isinstance(filter_, Not):
        return f"not {filter_text(filter_.inner)}"
    if isinstance(filter_, Dates):
        return _dates(filter_)
    if isinstance(filter_, Undated):
        return f"{DATE_NAMES[filter_.column]}:none"
    if isinstance(filter_, Document):
        return f"document:{_quoted(filter_.id)}"
    if isinstance(filter_, Family) and set(filter_.names) == family_names(filter_.id.strip(), {}):
        return f"family:{_quoted(filter_.id)}"
    if isinstance(filter_, Words):
        return _wanted(filter_.wanted, filter_.field)
    if isinstance(filter_, Section):
        return f"section:{','.join(map(_quoted, filter_.names))}"
    if isinstance(filter_, Term) and filter_.field in TERM_FIELDS:
        field = TERM_FIELDS[filter_.field]
        cut = field.prefix == "class" and filter_.prefix and " " in filter_.value and not filter_.value.endswith("/")
        return f"{filter_.field}:{_quoted(filter_.value + '*' * cut)}"
    raise InputError(f"A filter of the kind {type(filter_).__name__} cannot be written as text.")


def _wanted(wanted: Wanted, field: str) -> str:
    if isinstance(wanted, Phrase):
        return f"{field}:{wanted.words[0]}" if wanted.any_form else f"{field}:{_quoted(' '.join(wanted.words))}"
    if isinstance(wanted, Either):
        return f"({' or '.join(_wanted(part, field) for part in wanted.parts)})"
    word = "adj" if wanted.ordered else "near"
    return f"({_wanted(wanted.left, field)} {word}/{wanted.apart} {_wanted(wanted.right, field)})"


def _dates(dates: Dates) -> str:
    name = DATE_NAMES[dates.column]
    bounds = []
    if dates.first > 1:
        bounds.append(f"{name}>={_day(_up(dates.first))}")
    if dates.last < LAST_DAY:
        bounds.append(f"{name}<={_day(_down(dates.last))}")
    return f"({' and '.join(bounds)})" if len(bounds) == 2 else bounds[0] if bounds else f"not {name}:none"


def _up(day: int) -> int:
    """Return the first number from `day` on that is a day of a month of up to 31."""
    year, month, date = day // 10_000, day // 100 % 100, day % 100
    if date > 31:
        month, date = month + 1, 1
    if month > 12:
        year, month, date = year + 1, 1, 1
    if month == 0:
        month, date = 1, 1
    return year * 10_000 + month * 100 + max(date, 1)


def _down(day: int) -> int:
    """Return the last number up to `day` that is a day of a month of up to 31."""
    year, month, date = day // 10_000, day // 100 % 100, min(day % 100, 31)
    if date == 0:
        month, date = month - 1, 31
    if month <= 0:
        year, month, date = year - 1, 12, 31
    if month > 12:
        month, date = 12, 31
    return year * 10_000 + month * 100 + date


def _day(day: int) -> str:
    return f"{day // 10_000:04d}-{day // 100 % 100:02d}-{day % 100:02d}"


def _quoted(value: str) -> str:
    if '"' in value:
        raise InputError(f"A filter on {value} cannot be written as text: it holds a quotation mark.")
    return f'"{value}"'
