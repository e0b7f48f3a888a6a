"""What a user says about what may be found at all, as one filter, and what is told about what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sparse_coverage.index import Filter, IndexStore, parse_filter
from sparse_coverage.index.filters import (
    Dates,
    Document,
    Family,
    all_of,
    allowed_documents,
    conditions_in,
    family,
    keeping_undated,
    published,
    words,
)

_COMMA = re.compile(r"(?<!\d),|,(?!\d)")  # that of 1,2-dichloroethane sets nothing apart
Tell = Callable[[str], None]
"""Takes one sentence for the user."""


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """What a user says about what may be found."""

    before: str | None = None
    undated: str = "drop"
    not_family_of: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    any_: tuple[str, ...] = ()
    not_: tuple[str, ...] = ()
    expression: str | None = None

    def typed(self) -> dict[str, Any]:
        """Return the options that were given, by name, for records."""
        names = {"any_": "any", "not_": "not", "expression": "filter", "not_family_of": "not-family-of"}
        given = {f"--{names.get(name, name)}": value for name, value in asdict(self).items() if value}
        return (
            given if self.undated == "keep" else {name: value for name, value in given.items() if name != "--undated"}
        )

    def named(self) -> Iterator[tuple[str, Filter]]:
        """Yield each condition with the option that it came from."""
        keep = keeping_undated if self.undated == "keep" else lambda filter_: filter_
        if self.before:
            yield f"--before {self.before}", keep(published(before=self.before))
        for id_ in self.not_family_of:
            yield f"--not-family-of {id_}", ~family(id_)
        for phrase in self.must:
            yield f"--must '{phrase}'", words(phrase)
        for phrases in self.any_:
            yield f"--any '{phrases}'", words(*(part for part in _COMMA.split(phrases) if part.strip()))
        for phrase in self.not_:
            yield f"--not '{phrase}'", ~words(phrase)
        if self.expression is not None:
            yield f"--filter '{self.expression}'", keep(parse_filter(self.expression))


@dataclass(frozen=True, slots=True)
class Conditions:
    """The filters of a search as one, and what to tell where they allow nothing at all (else nothing)."""

    filter: Filter | None = None
    nothing: str = ""


def conditions_in_store(store: IndexStore, options: FilterOptions, tell: Tell) -> Conditions:
    """Join the ways to say what may be found in an index, and tell what they leave out that nobody asked for."""
    named = list(options.named())
    if not named:
        return Conditions()
    joined = all_of(filter_ for _, filter_ in named)
    _tell_unknown(store, options, joined, tell)
    _tell_undated(store, joined, tell)
    total = store.state.documents
    if allowed_documents(store, joined).any():
        return Conditions(joined)
    allowed = [f"{name} allows {allowed_documents(store, filter_).sum():,}" for name, filter_ in named]
    return Conditions(
        joined, f"Nothing was found: the filters allow none of the {total:,} documents ({'; '.join(allowed)})."
    )


def _tell_unknown(store: IndexStore, options: FilterOptions, condition: Filter, tell: Tell) -> None:
    """Say so when a document that is named has nothing in the index: the id may be misspelt, or the kind another."""
    left_out = set(options.not_family_of)
    for part in conditions_in(condition):
        if not isinstance(part, Document | Family) or allowed_documents(store, part).any():
            continue
        if part.id in left_out:
            told = f"so --not-family-of {part.id} leaves nothing out. Ids look like EP-1234567-A1."
            tell(f"Note: the index holds neither {part.id}{store.near(part.id)} nor a member of its family, {told}")
        else:
            tell(f"Note: the index does not hold {part.id}{store.near(part.id)}, which a filter names.")


def _tell_undated(store: IndexStore, condition: Filter, tell: Tell) -> None:
    """Say how many documents a filter leaves out only because they have no date."""
    columns = {part.column for part in conditions_in(condition) if isinstance(part, Dates)}
    if not columns:
        return
    left_out = allowed_documents(store, keeping_undated(condition)) & ~allowed_documents(store, condition)
    if count := int(left_out.sum()):
        which = " or ".join(("publication", "priority")[column] for column in sorted(columns))
        have, were = ("has", "was") if count == 1 else ("have", "were")
        tell(
            f"{count:,} of {store.state.documents:,} documents {have} no {which} date and {were} left out (--undated keep)"
        )
