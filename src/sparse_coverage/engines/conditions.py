"""Filters in a form that every engine can be told: terms, ranges, and, or, not.

Beginnings of classes and of kinds are looked up as terms of their own, since engines have no cheap prefix search: every
beginning that a filter can name is stored with the point.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import filters
from sparse_coverage.index.columns import DATES, FAMILY_FIELD, TERM_FIELDS, collect_columns
from sparse_coverage.index.filters import DATE_NAMES, Filter
from sparse_coverage.index.stored_fields import DocumentRecord
from sparse_coverage.patents.numbers import spellings

_FAMILY = f"{FAMILY_FIELD}="


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A field holds one of some values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """A number lies between two, both included."""

    field: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part is met."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """At least one part is met."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The part is not met."""

    part: Condition


Condition = AnyOf | Between | AllOf | OneOf | NoneOf


def all_of(parts: Iterable[Condition | None]) -> Condition | None:
    """Join conditions, leaving out those that are none."""
    given = tuple(part for part in parts if part is not None)
    return given[0] if len(given) == 1 else AllOf(given) if given else None


def documents_but(documents: Iterable[str], keep: Collection[str]) -> Condition:
    """Mean the points of some documents, those with a digest in `keep` excepted."""
    wanted = AnyOf("document", tuple(documents))
    return AllOf((wanted, NoneOf(AnyOf("digest", tuple(keep))))) if keep else wanted


def condition_of(filter_: Filter, facts_of: Callable[[str], list[str]]) -> Condition:
    """Say a filter in terms of points. `facts_of` looks up what is known of a document, for the family of one."""
    if isinstance(filter_, filters.Joined):
        parts = tuple(condition_of(part, facts_of) for part in filter_.parts)
        return AllOf(parts) if filter_.join is np.logical_and else reduce(_either, parts)
    if isinstance(filter_, filters.Not):
        return NoneOf(condition_of(filter_.inner, facts_of))
    if isinstance(filter_, filters.Dates):
        return Between(DATE_NAMES[filter_.column], max(filter_.first, 1), filter_.last)
    if isinstance(filter_, filters.Undated):
        return Between(DATE_NAMES[filter_.column], 0, 0)
    if isinstance(filter_, filters.Document):
        return condition_of(filter_.terms, facts_of)
    if isinstance(filter_, filters.Term):
        return AnyOf("facts", (f"{filter_.field}{'^' if filter_.prefix else '='}{filter_.value}",))
    if isinstance(filter_, filters.Section):
        return AnyOf("facts", tuple(f"section={name}" for name in filter_.names))
    if isinstance(filter_, filters.Family):
        known = [fact for id_ in spellings(filter_.id) for fact in facts_of(id_) if fact.startswith(_FAMILY)]
        return AnyOf("facts", tuple(dict.fromkeys([*(f"{_FAMILY}{name}" for name in filter_.names), *known])))
    if isinstance(filter_, filters.Words):
        raise InputError(
            f"Words are kept in an index, not in an engine, so {filter_.field}: cannot be a filter here. Search the index "
            "itself (sparse-coverage search), or leave it out."
        )
    raise InputError(
        f"The filter {filter_!r} cannot be said to an engine. Use those of sparse_coverage.index.filters, joined by &, | and ~."
    )


def document_facts(record: DocumentRecord) -> tuple[list[str], int, int]:
    """Return the terms of a document that filters look up, its publication date and its priority date (0: none)."""
    facts = collect_columns([record])
    terms = list(facts.terms)
    for field in TERM_FIELDS:
        values = [term.partition("=")[2] for term in terms if term.startswith(f"{field}=")]
        terms += sorted({f"{field}^{start}" for value in values for start in _beginnings(field, value)})
    dates = dict(zip(DATES, facts.dates[0].tolist(), strict=True))
    return terms, dates["publication_date"], dates["priority_date"]


def section_fact(section: str) -> str:
    """Return the term by which the section of a passage is looked up."""
    return f"section={section.lower()}"


def _beginnings(field: str, value: str) -> list[str]:
    """Return the beginnings of a value that a filter can name: see `classified` and `kind`."""
    if field == "kind":
        return [value[:1]]
    if field not in ("ipc", "cpc"):
        return []
    return [value[:length] for length in (1, 3, 4, *range(6, len(value) + 1)) if length <= len(value)]


def _either(left: Condition, right: Condition) -> Condition:
    """Join two alternatives; terms of one field become one look-up."""
    if isinstance(left, AnyOf) and isinstance(right, AnyOf) and left.field == right.field:
        return AnyOf(left.field, tuple(dict.fromkeys(left.values + right.values)))
    return OneOf((*left.parts, right) if isinstance(left, OneOf) else (left, right))
