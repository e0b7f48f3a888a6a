"""The kinds of conditions that a filter is made of, and how they are joined. `filters` makes them from what a user says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index.facts import FAMILY_FIELD
from sparse_coverage.index.words import Wanted, no_words
from sparse_coverage.kernels import Mask

if TYPE_CHECKING:
    from sparse_coverage.index.segment import Segment
    from sparse_coverage.index.store import IndexStore


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
class Undated(Filter):
    """Documents without a date."""

    column: int

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        return segment.facts.dates[:, self.column] == 0, False


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
class Document(Filter):
    """A document by its publication number, as a user wrote it; `terms` are met where it is."""

    id: str
    terms: Filter

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        return self.terms.mask(segment)


@dataclass(frozen=True)
class Words(Filter):
    """Documents that hold some words in a field."""

    wanted: Wanted

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        if segment.words is None:
            raise no_words(segment.folder.parent.parent)
        if self.wanted.field == "claims" and "document" in segment.section_names:
            raise InputError("This index holds whole documents as one text, so claims cannot be told apart. Use text:")
        return segment.words.documents(self.wanted, len(segment.document_starts) - 1), False


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


def conditions_in(filter_: Filter) -> Iterator[Filter]:
    """Yield the conditions that a filter joins."""
    if isinstance(filter_, Both):
        yield from conditions_in(filter_.left)
        yield from conditions_in(filter_.right)
    elif isinstance(filter_, Not):
        yield from conditions_in(filter_.inner)
    else:
        yield filter_
