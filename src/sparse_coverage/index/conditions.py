"""The conditions that filters are made of: what each lets through in a segment, and in a whole index.

The functions of `filters` make them from what a user says.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.files import checksum_of
from sparse_coverage.index.stored_fields import FAMILY_FIELD, family_names
from sparse_coverage.index.words import WORD_FIELDS, Wanted
from sparse_coverage.kernels import Bytes, Int64s, Mask

if TYPE_CHECKING:
    from sparse_coverage.index.segment import Segment
    from sparse_coverage.index.store import IndexStore

STATE = re.compile(r"(\d{1,9})\.(\d{1,12})\.([0-9a-f]{8})")
"""How `state_of` names the state of an index."""


class Filter(ABC):
    """A condition on documents or passages."""

    @abstractmethod
    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """Return what meets the condition in a segment, and whether that is a mask of passages rather than of documents."""

    def bound(self, store: IndexStore) -> Filter:
        """Return this filter with everything looked up that only the whole index can tell."""
        return self

    def __and__(self, other: Filter) -> Filter:
        return joined((self, other), np.logical_and)

    def __or__(self, other: Filter) -> Filter:
        return joined((self, other), np.logical_or)

    def __invert__(self) -> Filter:
        return Not(self)


@dataclass(frozen=True)
class Joined(Filter):
    """Filters joined by `and` or `or`."""

    parts: tuple[Filter, ...]
    join: Callable[[Mask, Mask], Mask]

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        found, by_passage = self.parts[0].mask(segment)
        for part in self.parts[1:]:  # one at a time: thousands of masks would not fit into memory
            mask, by = part.mask(segment)
            if by != by_passage:
                found, mask = (mask, segment.spread(found)) if by else (found, segment.spread(mask))
                by_passage = True
            found = self.join(found, mask)
        return found, by_passage

    def bound(self, store: IndexStore) -> Filter:
        """As `Filter.bound`."""
        return Joined(tuple(part.bound(store) for part in self.parts), self.join)


def joined(filters: Iterable[Filter], join: Callable[[Mask, Mask], Mask]) -> Filter:
    """Join filters; a long row of them stays flat, and one alone is left as it is."""
    parts: list[Filter] = []
    for one in filters:
        parts += one.parts if isinstance(one, Joined) and one.join is join else (one,)
    return Joined(tuple(parts), join) if len(parts) > 1 else parts[0]


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
    """Documents that hold words in a field: all that is wanted in one text of it (see `index/words.py`)."""

    field: str
    wanted: Wanted

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        field = WORD_FIELDS[self.field]
        if field.sections and "document" in segment.section_names:
            raise InputError(
                f"This index holds whole documents as one text, so {self.field} cannot be told apart. Use text:"
            )
        sections = np.asarray([name.lower() in field.sections for name in segment.section_names] or [False])
        return segment.words.documents(field, self.wanted, sections[segment.sections]), False


@dataclass(frozen=True)
class Since(Filter):
    """Documents that came into the index after a state of it, as `state_of` names it."""

    state: str
    generation: int = 0

    def mask(self, segment: Segment) -> tuple[Mask, bool]:
        """As `Filter.mask`."""
        return segment.added > self.generation, False

    def bound(self, store: IndexStore) -> Filter:
        """As `Filter.bound`. In an index that was built anew everything is new."""
        return Since(self.state, 0 if self.built_anew(store) else int(self.state.split(".")[0]))

    def built_anew(self, store: IndexStore) -> bool:
        """Tell whether this is another index than the one that had the state: another model, or more documents as old as that."""
        generation, documents, model = STATE.fullmatch(self.state).groups()  # type: ignore[union-attr]
        older = sum(
            int((segment.live_documents & (segment.added <= int(generation))).sum()) for segment in store.segments
        )
        return model != _model_of(store) or store.state.generation < int(generation) or older > int(documents)


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
        mask = np.zeros(len(segment.facts), dtype=bool)
        mask[self.numbers(segment)] = True
        return mask, False

    def numbers(self, segment: Segment) -> Int64s:
        """Return the numbers of its documents in a segment, rising: the lists of all names joined, however many there are."""
        return segment.facts.documents_with(FAMILY_FIELD, self.names)

    def bound(self, store: IndexStore) -> Filter:
        """As `Filter.bound`."""
        number = store.find_document(self.id)
        if number is None:
            return self
        record = store.document(number)
        return Family(self.id, tuple({*self.names, *family_names(record.id, record.metadata)}))


def conditions_in(filter_: Filter) -> Iterator[Filter]:
    """Yield the conditions that a filter joins."""
    if isinstance(filter_, Joined):
        for part in filter_.parts:
            yield from conditions_in(part)
    elif isinstance(filter_, Not):
        yield from conditions_in(filter_.inner)
    else:
        yield filter_


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


def state_of(store: IndexStore) -> str:
    """Return a name for the state of an index, which `since` understands."""
    return f"{store.state.generation}.{store.state.documents}.{_model_of(store)}"


def _model_of(store: IndexStore) -> str:
    return checksum_of(dict(store.state.about))[:8]
