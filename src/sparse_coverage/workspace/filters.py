"""What a user says about what may be found at all, as one filter, and what is told about what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from sparse_coverage.dataclass_json import Bounds
from sparse_coverage.index import Filter, IndexStore, parse_filter
from sparse_coverage.index.filters import (
    Dates,
    Document,
    Family,
    Since,
    all_of,
    allowed_documents,
    conditions_in,
    document,
    family,
    keeping_undated,
    published,
    since,
    words,
)
from sparse_coverage.workspace.fields import Id, Request, Says, Words

_COMMA = re.compile(r"(?<!\d),|,(?!\d)")  # that of 1,2-dichloroethane sets nothing apart
Tell = Callable[[str], None]
"""Takes one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Filters(Request):
    """What a user says about what may be found at all. The command line has an option for each, REST a field."""

    before: Annotated[
        str | None, Bounds(0, 40), Says("Only what was published before this date: 2001-05-17, 2001-05 or 2001.")
    ] = None
    undated: Annotated[Literal["keep", "drop"], Says("Documents without the date that a filter asks for.")] = "drop"
    not_family_of: Annotated[tuple[Id, ...], Says("Leave out these documents and their families.", limit="ids")] = ()
    only: Annotated[
        tuple[Id, ...],
        Says("Only documents of this list of publication numbers, however they are spelled.", limit="ids"),
    ] = ()
    must: Annotated[tuple[Words, ...], Says("Only documents with all of these words or phrases.", limit="ids")] = ()
    any_: Annotated[
        tuple[Words, ...],
        Says("Only documents with one of these words or phrases; each may be several, with commas.", limit="ids"),
    ] = ()
    not_: Annotated[tuple[Words, ...], Says("Only documents without any of these words or phrases.", limit="ids")] = ()
    filter: Annotated[
        Words | None, Says("An expression, such as: battery near/5 lithium* and ipc:H01M not pa:Bosch")
    ] = None

    since: Annotated[
        str | None,
        Bounds(1, 40),
        Says("Only what came into the index since this state: about.state of an earlier answer."),
    ] = None

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        for _ in self.named():  # an expression or date that cannot be read is told at once
            pass

    def typed(self) -> dict[str, Any]:
        """Return the options that were given, by name, for records."""
        names = {"any_": "any", "not_": "not", "not_family_of": "not-family-of"}
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
        if self.only:
            yield f"--only (a list of {len(self.only):,})", document(*self.only)
        for phrase in self.must:
            yield f"--must '{phrase}'", words(phrase)
        for phrases in self.any_:
            yield f"--any '{phrases}'", words(*(part for part in _COMMA.split(phrases) if part.strip()))
        for phrase in self.not_:
            yield f"--not '{phrase}'", ~words(phrase)
        if self.filter is not None:
            yield f"--filter '{self.filter}'", keep(parse_filter(self.filter))
        if self.since is not None:
            yield "what is new", since(self.since)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The filters of a search as one, and what to tell where they allow nothing at all (else nothing)."""

    filter: Filter | None = None
    nothing: str = ""


def join_filters(store: IndexStore, options: Filters, tell: Tell) -> Conditions:
    """Join the ways to say what may be found in an index, and tell what they leave out that nobody asked for."""
    named = list(options.named())
    if not named:
        return Conditions()
    joined = all_of(filter_ for _, filter_ in named)
    if any(isinstance(part, Since) and part.built_anew(store) for part in conditions_in(joined)):
        tell("Note: the index was built anew since, so everything in it counts as new.")
    _tell_unknown(store, options, joined, tell)
    _tell_undated(store, joined, tell)
    total = store.state.documents
    if allowed_documents(store, joined).any():
        return Conditions(joined)
    allowed = [f"{name} allows {allowed_documents(store, filter_).sum():,}" for name, filter_ in named]
    return Conditions(
        joined, f"Nothing was found: the filters allow none of the {total:,} documents ({'; '.join(allowed)})."
    )


def _tell_unknown(store: IndexStore, options: Filters, condition: Filter, tell: Tell) -> None:
    """Say so when a document that is named has nothing in the index: the id may be misspelt, or the kind another."""
    left_out, listed = set(options.not_family_of), {id_.strip() for id_ in options.only}
    absent: list[str] = []
    for part in conditions_in(condition):
        if not isinstance(part, Document | Family) or allowed_documents(store, part).any():
            continue
        if part.id in listed:
            absent.append(part.id)
            continue
        if part.id in left_out:
            told = f"so --not-family-of {part.id} leaves nothing out. Ids look like EP-1234567-A1."
            tell(f"Note: the index holds neither {part.id}{store.near(part.id)} nor a member of its family, {told}")
        else:
            tell(f"Note: the index does not hold {part.id}{store.near(part.id)}, which a filter names.")
    if absent:
        named = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
        tell(f"Note: the index does not hold {len(absent):,} of the {len(listed):,} documents of --only: {named}.")


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
