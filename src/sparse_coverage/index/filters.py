"""Filters: which documents and passages may be found at all. They are applied before ranking, never after.

Filters are values that combine with `&`, `|` and `~`:

    published(before="2001-05-01") & classified("H04N", "G06F 3/01") & ~country("US")

A document without a date meets no condition on that date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index.facts import DATES, NUMBER_FIELD, family_names, normal
from sparse_coverage.index.filter_kinds import (
    Both,
    Dates,
    Document,
    Family,
    Filter,
    Not,
    Section,
    Term,
    Undated,
    Words,
    conditions_in,
)
from sparse_coverage.index.words import wanted_words
from sparse_coverage.kernels import Bytes, Mask
from sparse_coverage.patents.numbers import parse_number, spellings
from sparse_coverage.patents.values import iso_date

if TYPE_CHECKING:
    from sparse_coverage.index.store import IndexStore

_DATE = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?")
_SUBCLASS = re.compile(r"([A-HY](?:\d{2}[A-Z]?)?)\s*(\d.*)?")
_LAST = 9999_99_99

__all__ = [
    "Both",
    "Dates",
    "Document",
    "Family",
    "Filter",
    "Not",
    "Section",
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
    "undated",
    "words",
]


def allowed_passages(store: IndexStore, filter_: Filter) -> Bytes:
    """Return 1 for every passage of the index that may be found and 0 for the others."""
    bound = filter_.bound(store)
    allowed = np.empty(store.size, dtype=np.uint8)
    for segment in store.segments:
        mask, by_passage = bound.mask(segment)
        allowed[segment.first_passage : segment.first_passage + len(segment)] = (
            mask if by_passage else segment.spread(mask)
        )
    return allowed


def allowed_documents(store: IndexStore, filter_: Filter) -> Mask:
    """Return which documents of the index may be found: those that are live and have a passage that may be."""
    found = (allowed_passages(store, filter_) > 0) & store.live_passages
    starts = store.document_starts
    counts = np.concatenate([[0], np.cumsum(found)])
    return np.asarray(counts[starts[1:]] > counts[starts[:-1]])


def keeping_undated(filter_: Filter) -> Filter:
    """Return a filter that lets documents without a date through wherever it asks for that date."""
    if isinstance(filter_, Both):
        return Both(keeping_undated(filter_.left), keeping_undated(filter_.right), filter_.join)
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
    if date not in ("published", "priority"):
        raise InputError(f"There is no date '{date}'. Use published or priority.")
    return Undated(("published", "priority").index(date))


def classified(*prefixes: str, scheme: str = "") -> Filter:
    """IPC or CPC symbols that begin with one of the prefixes: `H`, `H04`, `H04N`, `H04N 5` (the whole group), `H04N 5/44`.

    `scheme` is `ipc` or `cpc`; without it both count.
    """
    if scheme not in ("", "ipc", "cpc"):
        raise InputError(f"There is no classification '{scheme}' here. Use ipc, cpc, or neither for both.")
    symbols = tuple(_class_prefix(prefix) for prefix in _some("a class", prefixes))
    return any_of(Term(field, value, True) for field in ([scheme] if scheme else ["ipc", "cpc"]) for value in symbols)


def country(*codes: str) -> Filter:
    """Countries of publication, such as EP, WO, US."""
    return any_of(Term("country", normal("country", code)) for code in _some("a country", codes))


def kind(*codes: str) -> Filter:
    """Kind codes. A letter alone stands for all its codes: `A` for A1, A2 and so on."""
    return any_of(Term("kind", normal("kind", code), len(code.strip()) == 1) for code in _some("a kind", codes))


def language(*codes: str) -> Filter:
    """Languages, such as en, de, fr."""
    return any_of(Term("language", normal("language", code)) for code in _some("a language", codes))


def document(*ids: str) -> Filter:
    """Documents by publication number, however it is spelled. One without a kind stands for all its publications."""
    return any_of(Document(id_.strip(), _publication(id_)) for id_ in _some("a document", ids))


def words(*phrases: str, field: str = "text") -> Filter:
    """Documents that hold one of these in a field: `text` (title and all passages), `title`, `claims`, `applicant`, `inventor`.

    A word alone is found in all its forms (English stems; not so in names), several in a row as they stand: `phase change`,
    `lead-acid`. `batter*` finds whatever begins so. Capitals and accents do not count.
    """
    return any_of(Words(wanted_words(phrase, field)) for phrase in _some("a word", phrases))


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
    number = parse_number(id_)
    exact = [Term("id", name) for name in spellings(id_)]
    if number is None:
        return exact[0]
    exact.append(Term(NUMBER_FIELD, str(number)))
    if len(number.kind) == 2:
        return any_of(exact)
    # All publications of the number, those of the kinds with this letter; segments of older versions know ids alone.
    every = f"{number.country}-{number.number}"
    kinds: Filter = Term(NUMBER_FIELD, every)
    if number.kind:
        kinds = kinds & Term("kind", number.kind, prefix=True)
    return any_of([*exact, kinds, Term("id", f"{every}-{number.kind}", prefix=True)])


def _dates(column: int, before: str, after: str, since: str, until: str) -> Filter:
    if not (before or after or since or until):
        raise InputError(f"A filter on the {DATES[column].replace('_', ' ')} needs before, after, since or until.")
    firsts = [_day(since, 0) if since else 0, _day(after, 99) + 1 if after else 0]
    lasts = [_day(until, 99) if until else _LAST, _day(before, 0) - 1 if before else _LAST]
    return Dates(column, max(firsts), min(lasts))


def _day(date: str, missing: int) -> int:
    """Return a date as a number; a missing month or day becomes 00 or 99, before or after all of them."""
    match = _DATE.fullmatch(iso_date(date) or date.strip())
    if match is None or not 1 <= int(match[2] or 1) <= 12 or not 1 <= int(match[3] or 1) <= 31:
        raise InputError(f"'{date}' is not a date. Write 2001-05-17 (or 17.05.2001), 2001-05 or 2001.")
    return int(match[1]) * 10_000 + int(match[2] or missing) * 100 + int(match[3] or missing)


def _class_prefix(prefix: str) -> str:
    match = _SUBCLASS.fullmatch(prefix.strip().upper())
    if match is None or (match[2] and len(match[1]) < 4):
        raise InputError(f"'{prefix}' is not the beginning of a class. Write H, H04, H04N, H04N 5 or H04N 5/44.")
    if not match[2]:
        return match[1]
    group = "".join(match[2].split())
    return f"{match[1]} {group}" if "/" in group else f"{match[1]} {group}/"


def any_of(filters: Iterable[Filter]) -> Filter:
    """Return the filter that is met where any of several is."""
    return reduce(or_, filters)


def all_of(filters: Iterable[Filter]) -> Filter:
    """Return the filter that is met where all of several are."""
    return reduce(and_, filters)


def _some(what: str, values: Iterable[str]) -> list[str]:
    given = list(values)
    if not given or not all(value.strip() for value in given):
        raise InputError(f"A filter needs at least {what}, and none that is empty.")
    return given
