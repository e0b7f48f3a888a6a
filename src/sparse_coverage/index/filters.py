"""Filters: which documents and passages may be found at all. They are applied before ranking, never after.

Filters are values that combine with `&`, `|` and `~`:

    published(before="2001-05-01") & classified("H04N", "G06F 3/01") & ~country("US")

A document without a date meets no condition on that date.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index.facts import DATES, FAMILY_FIELD, family_names, normal
from sparse_coverage.kernels import Bytes, Mask

if TYPE_CHECKING:
    from sparse_coverage.index.segment import Segment
    from sparse_coverage.index.store import IndexStore

_DATE = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?")
_SUBCLASS = re.compile(r"([A-HY](?:\d{2}[A-Z]?)?)\s*(\d.*)?")
_LAST = 9999_99_99


class Filter(ABC):
    """A condition on documents or passages."""

    @abstractmethod
    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """Return what meets the condition in a segment, and whether that is a mask of passages rather than of documents."""

    def bound(self, store: IndexStore) -> Filter:
        """Return this filter with everything looked up that only the whole index can tell."""
        return self

    def __and__(self, other: Filter) -> Filter:
        return Both(self, other, np.logical_and)

    def __or__(self, other: Filter) -> Filter:
        return Both(self, other, np.logical_or)

    def __invert__(self) -> Filter:
        return Not(self)


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


def published(*, before: str = "", after: str = "", since: str = "", until: str = "") -> Filter:
    """Publication date: strictly `before` or `after`, or from `since` and up to `until`, these included.

    A date is `2001-05-17`, `2001-05` or `2001`; a month or year stands for all of its days, so before 2001 is before its first
    day and after 2001 is after its last.
    """
    return _dates(0, before, after, since, until)


def priority(*, before: str = "", after: str = "", since: str = "", until: str = "") -> Filter:
    """Priority date; see `published`."""
    return _dates(1, before, after, since, until)


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
    """Documents by publication id."""
    return any_of(Term("id", id_.strip()) for id_ in _some("a document", ids))


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


@dataclass(frozen=True)
class Both(Filter):
    """Two filters joined by `and` or `or`."""

    left: Filter
    right: Filter
    join: Callable[[Mask, Mask], Mask]

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        left, left_by_passage = self.left.mask(segment)
        right, right_by_passage = self.right.mask(segment)
        if left_by_passage != right_by_passage:
            left = left if left_by_passage else segment.spread(left)
            right = right if right_by_passage else segment.spread(right)
        return self.join(left, right), left_by_passage or right_by_passage

    def bound(self, store: IndexStore) -> Filter:
        """As `Filter.bound`."""
        return Both(self.left.bound(store), self.right.bound(store), self.join)


@dataclass(frozen=True)
class Not(Filter):
    """The contrary of a filter."""

    inner: Filter

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        mask, by_passage = self.inner.mask(segment)
        return ~mask, by_passage

    def bound(self, store: IndexStore) -> Filter:
        """As `Filter.bound`."""
        return Not(self.inner.bound(store))


@dataclass(frozen=True)
class Dates(Filter):
    """A date between two days, both included."""

    column: int
    first: int
    last: int

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        dates = segment.facts.dates[:, self.column]
        return (dates >= max(self.first, 1)) & (dates <= self.last), False


@dataclass(frozen=True)
class Term(Filter):
    """A term of a field, or one that begins so."""

    field: str
    value: str
    prefix: bool = False

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        find = segment.facts.with_prefix if self.prefix else segment.facts.with_term
        return find(self.field, self.value), False


@dataclass(frozen=True)
class Section(Filter):
    """Passages of some sections."""

    names: tuple[str, ...]

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        wanted = np.asarray([name.lower() in self.names for name in segment.section_names] or [False])
        return wanted[segment.sections], True


@dataclass(frozen=True)
class Family(Filter):
    """The family of a document: all documents that share one of its names, such as the id of a member."""

    id: str
    names: tuple[str, ...]

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        found = [segment.facts.with_term(FAMILY_FIELD, name) for name in self.names]
        return np.logical_or.reduce(found), False

    def bound(self, store: IndexStore) -> Filter:
        """As `Filter.bound`."""
        number = store.find_document(self.id)
        if number is None:
            return self
        segment = store.segment_of_document(number)
        known = segment.facts.terms_of(number - segment.first_document, FAMILY_FIELD)
        return Family(self.id, (*self.names, *known))


def _dates(column: int, before: str, after: str, since: str, until: str) -> Filter:
    if not (before or after or since or until):
        raise InputError(f"A filter on the {DATES[column].replace('_', ' ')} needs before, after, since or until.")
    firsts = [_day(since, 0) if since else 0, _day(after, 99) + 1 if after else 0]
    lasts = [_day(until, 99) if until else _LAST, _day(before, 0) - 1 if before else _LAST]
    return Dates(column, max(firsts), min(lasts))


def _day(date: str, missing: int) -> int:
    """Return a date as a number; a missing month or day becomes 00 or 99, before or after all of them."""
    match = _DATE.fullmatch(date.strip())
    if match is None or not 1 <= int(match[2] or 1) <= 12 or not 1 <= int(match[3] or 1) <= 31:
        raise InputError(f"'{date}' is not a date. Write 2001-05-17, 2001-05 or 2001.")
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
