"""Filters: which documents and passages may be found at all. They are applied before ranking, never after.

Filters are values that combine with `&`, `|` and `~`:

    published(before="2001-05-01") & classified("H04N", "G06F 3/01") & ~country("US")

A document without a date meets no condition on that date."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index.conditions import (
    STATE,
    Dates,
    Document,
    Family,
    Filter,
    Joined,
    Not,
    Section,
    Since,
    Term,
    Undated,
    Words,
    allowed_documents,
    allowed_passages,
    conditions_in,
    joined,
    state_of,
)
from sparse_coverage.index.stored_fields import DATES, NUMBER_FIELD, TERM_FIELDS, family_names
from sparse_coverage.index.words import wanted_words
from sparse_coverage.patents.numbers import PublicationNumber, meant_numbers, spellings
from sparse_coverage.patents.values import iso_date

__all__ = [
    "Dates",
    "Document",
    "Family",
    "Filter",
    "Joined",
    "Not",
    "Section",
    "Since",
    "Term",
    "Undated",
    "Words",
    "all_of",
    "allowed_documents",
    "allowed_passages",
    "any_of",
    "classified",
    "conditions_in",
    "country",
    "document",
    "family",
    "keeping_undated",
    "kind",
    "language",
    "priority",
    "published",
    "section",
    "since",
    "state_of",
    "term",
    "undated",
    "words",
]

DATE_NAMES = ("published", "priority")
"""What users call the dates of `columns.DATES`."""
LAST_DAY = 9999_99_99
_DATE = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?")
_CLASS = re.compile(r"([A-HY](?:\d{2}[A-Z]?)?)\s*(\d{1,4}(?:\s*/\s*\d*)?)?(\*?)")


def keeping_undated(filter_: Filter) -> Filter:
    """Return a filter that lets documents without a date through wherever it asks for that date."""
    if isinstance(filter_, Joined):
        return Joined(tuple(map(keeping_undated, filter_.parts)), filter_.join)
    return filter_ | Undated(filter_.column) if isinstance(filter_, Dates) else filter_


def published(*, before: str = "", after: str = "", since: str = "", until: str = "") -> Filter:
    """Publication date: strictly `before` or `after`, or from `since` and up to `until`, these included.

    A date is `2001-05-17`, `2001-05` or `2001`; a month or year stands for all of its days, so before 2001 is before its first
    day and after 2001 is after its last.
    """
    return _dates(0, before, after, since, until)


def priority(*, before: str = "", after: str = "", since: str = "", until: str = "") -> Filter:
    """Priority date; see `published`."""
    return _dates(1, before, after, since, until)


def undated(date: str = "published") -> Filter:
    """Documents without a publication date, or without a `priority` date: no condition on a date is met by these."""
    if date not in DATE_NAMES:
        raise InputError(f"There is no date '{date}'. Use published or priority.")
    return Undated(DATE_NAMES.index(date))


def term(name: str, *values: str) -> Filter:
    """Documents that have one of these values in a field of `TERM_FIELDS`."""
    field = TERM_FIELDS[name]
    wanted = _some(field.wanted, values)
    if field.prefix == "class":
        return any_of(_class(name, value) for value in wanted)
    return any_of(
        Term(name, field.normal(value), field.prefix == "letter" and len(value.strip()) == 1) for value in wanted
    )


def classified(*symbols: str, scheme: str = "") -> Filter:
    """IPC or CPC symbols: `H`, `H04`, `H04N`, `H04N 5` (the whole main group), `H04N 5/44` (itself), `H04N 5/4*` (all that begin so).

    `scheme` is `ipc` or `cpc`; without it both count.
    """
    if scheme not in ("", "ipc", "cpc"):
        raise InputError(f"There is no classification '{scheme}' here. Use ipc, cpc, or neither for both.")
    return any_of(term(name, *symbols) for name in ([scheme] if scheme else ["ipc", "cpc"]))


def country(*codes: str) -> Filter:
    """Countries of publication, such as EP, WO, US."""
    return term("country", *codes)


def kind(*codes: str) -> Filter:
    """Kind codes. A letter alone stands for all its codes: `A` for A1, A2 and so on."""
    return term("kind", *codes)


def language(*codes: str) -> Filter:
    """Languages, such as en, de, fr."""
    return term("language", *codes)


def document(*ids: str) -> Filter:
    """Documents by publication number, however it is spelled. One without a kind stands for all its publications."""
    return any_of(Document(id_.strip(), _publication(id_)) for id_ in _some("a document", ids))


def words(*phrases: str, field: str = "text") -> Filter:
    """Documents that hold one of these in a field of `WORD_FIELDS`: `text` (title and all passages), `title`, `abstract`, and so on.

    A word alone is found in all its forms (stems; not so in names), several in a row as they stand: `phase change`,
    `lead-acid`. `batter*` finds whatever begins so, `wom?n` any letter there. Capitals and accents do not count.
    """
    return any_of(Words(field, wanted_words(phrase, field)) for phrase in _some("a word", phrases))


def since(state: str) -> Filter:
    """Documents that came into the index after a state that an earlier answer names (`about.state`)."""
    if STATE.fullmatch(state) is None:
        raise InputError(
            f"'{state}' is not a state of an index. Use `state` of what an earlier search says about itself."
        )
    return Since(state)


def section(*names: str) -> Filter:
    """Passages of these sections: abstract, claims, description, title."""
    return Section(tuple(name.strip().lower() for name in _some("a section", names)))


def family(id_: str, name: str = "", members: Iterable[str] = ()) -> Filter:
    """Documents of one family: that of the document `id_`, which need not be indexed.

    To it belong the document itself, the `members`, documents whose family has the same `name`, and those that name one of
    these among their own members. If the document is indexed, what the index knows of its family is added. The natural use
    is to leave one's own family out: `~family("EP-1246167-A1")`.
    """
    (id_,) = _some("a document", [id_])
    names = family_names(id_.strip(), {"family": name, "family_members": tuple(members)})
    return Family(id_, tuple(sorted(names)))


def _publication(id_: str) -> Filter:
    return any_of([*(Term("id", name) for name in spellings(id_)), *map(_published_as, meant_numbers(id_))])


def _published_as(number: PublicationNumber) -> Filter:
    every = f"{number.country}-{number.number}"
    exact: list[Filter] = [Term(NUMBER_FIELD, str(number))]
    if len(number.kind) == 2:  # or a document whose kind is not known
        return any_of([*exact, *(Term("id", name) for name in spellings(every))])
    # All publications of the number, those of the kinds with this letter, by the metadata or by the id.
    kinds: Filter = Term(NUMBER_FIELD, every)
    if number.kind:
        kinds = kinds & Term("kind", number.kind, prefix=True)
    return any_of([*exact, kinds, Term("id", f"{every}-{number.kind}", prefix=True)])


def _dates(column: int, before: str, after: str, since: str, until: str) -> Filter:
    if not (before or after or since or until):
        raise InputError(f"A filter on the {DATES[column].replace('_', ' ')} needs before, after, since or until.")
    firsts = [_day(since, 0) if since else 0, _day(after, 99) + 1 if after else 0]
    lasts = [_day(until, 99) if until else LAST_DAY, _day(before, 0) - 1 if before else LAST_DAY]
    return Dates(column, max(firsts), min(lasts))


def _day(date: str, missing: int) -> int:
    """Return a date as a number; a missing month or day becomes 00 or 99, before or after all of them."""
    match = _DATE.fullmatch(iso_date(date) or date.strip())
    if match is None or not 1 <= int(match[2] or 1) <= 12 or not 1 <= int(match[3] or 1) <= 31:
        raise InputError(f"'{date}' is not a date. Write 2001-05-17 (or 17.05.2001), 2001-05 or 2001.")
    return int(match[1]) * 10_000 + int(match[2] or missing) * 100 + int(match[3] or missing)


def _class(field: str, symbol: str) -> Filter:
    match = _CLASS.fullmatch(symbol.strip().upper())
    if match is None or (match[2] and len(match[1]) < 4):
        raise InputError(
            f"'{symbol}' is not a class or the beginning of one. Write H, H04, H04N, H04N 5, H04N 5/44 or H04N5/4*."
        )
    begin, group, cut = match[1], "".join((match[2] or "").split()).lstrip("0"), bool(match[3])
    if not group:
        return Term(field, begin, prefix=True)
    if not cut and not group.endswith("/"):
        cut, group = "/" not in group, group if "/" in group else f"{group}/"
        return Term(field, f"{begin} {group}", prefix=cut)
    return Term(field, f"{begin} {group}", prefix=True)


def any_of(filters: Iterable[Filter]) -> Filter:
    """Return the filter that is met where any of several is."""
    return joined(filters, np.logical_or)


def all_of(filters: Iterable[Filter]) -> Filter:
    """Return the filter that is met where all of several are."""
    return joined(filters, np.logical_and)


def _some(what: str, values: Iterable[str]) -> list[str]:
    given = list(values)
    if not given or not all(value.strip() for value in given):
        raise InputError(f"A filter needs at least {what}, and none that is empty.")
    return given
