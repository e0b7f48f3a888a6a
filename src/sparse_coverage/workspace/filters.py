"""Filters: those of a form, as words for people, and joined to one, with what is told about what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

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
    keeping_undated,
)
from sparse_coverage.workspace.requests import Filters, Id, Request, Says

Tell = Callable[[str], None]
"""Takes one sentence for the user."""


FILTERS: Mapping[str, str] = {
    "before": "published before {}",
    "must": "with {}",
    "any": "with any of {}",
    "not": "without {}",
    "not_family_of": "exclude families of {}",
    "only": "among {}",
    "filter": "{}",
}
"""The filters of a search in words."""
_NAMED = 8
LETS_IN = '--filter "… or pd:none" lets them in'
"""What to do where documents without a date were left out."""


def filters_text(filters: Mapping[str, Any], automatic: str = "", more: str = "") -> str:
    """Return the filters of a search in words. `automatic` says which date of a patent is used, `more` is a condition beside them.

    >>> filters_text({"before": "2001-05-17", "must": ["valve", "coil, spring"], "any": [], "filter": "country:EP"})
    'published before 2001-05-17; with valve, "coil, spring"; country:EP'
    >>> filters_text({"before": "1999-11-02"}, "the priority date of EP-1-A1")
    'published before 1999-11-02 (the priority date of EP-1-A1)'
    """
    said = [sentence.format(_in_a_row(filters[name])) for name, sentence in FILTERS.items() if filters.get(name)]
    if automatic and filters.get("before"):
        said[0] += f" ({automatic})"
    if filters.get("undated") == "keep" and filters.get("before"):
        said.append("include undated")
    return "; ".join([*said, *filter(None, [more])]) or "none"


def _in_a_row(value: object) -> str:
    """Return words and ids in a row; what holds a comma itself is quoted, and of many the first are named."""
    if not isinstance(value, list | tuple):
        return str(value)
    named = [f'"{one}"' if "," in str(one) else str(one) for one in value[:_NAMED]]
    return ", ".join(named) + (f" and {len(value) - _NAMED} more" if len(value) > _NAMED else "")


Typed = Annotated[str, Bounds(0, 2000)]
_LIST = re.compile(r"[;\n]|,(?!\d)|(?<!\d),")  # a comma between digits belongs to a name, as that of 1,2-dichloroethane
_PLAIN = re.compile(r"[\w.*-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentFilters(Request):
    """The filters that come with a patent whose claims are searched with: they are its own and go with it.

    `date` says which of its dates `before` is.
    """

    publication: Typed = ""
    before: Typed = ""
    date: Typed = ""
    use_before: bool = False
    use_family: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFilters(Request):
    """Filters as the fields of a form hold them: several values stand with commas or semicolons, applicants with semicolons."""

    before: Typed = ""
    undated: bool = False
    class_: Typed = ""
    country: Typed = ""
    applicant: Typed = ""
    year: Annotated[Typed, Says("Years, or ranges such as 1999..2001.")] = ""
    must: Typed = ""
    not_: Typed = ""
    not_family_of: Typed = ""
    filter: Typed = ""
    only: Annotated[tuple[Id, ...], Says("Only these documents.", limit="ids")] = ()
    patent: PatentFilters | None = None

    def filters(self) -> Filters:
        """Return the filters of a search; what was typed goes before what came with a patent.

        >>> FormFilters(class_="H04N, G06F 3", year="1999; 2001", must="cancer; leukemia", filter="a or b").filters().filter
        'class:H04N,"G06F 3" and (published:1999 or published:2001) and (a or b)'
        """
        if self.filter.strip():
            parse_filter(self.filter)  # alone, so that an error points at a place in what was typed
        own = self.patent or PatentFilters()
        listed = {"class": self.class_, "country": self.country.replace(" ", ",")}
        values = {name: _values(text) for name, text in listed.items()}
        values["applicant"] = _values(self.applicant, ";")
        asked = [f"{name}:{','.join(map(_quoted, found))}" for name, found in values.items() if found]
        if years := " or ".join(f"published:{_quoted(one)}" for one in _values(self.year)):
            asked.append(f"({years})" if " or " in years else years)
        if expression := self.filter.strip():
            asked.append(f"({expression})" if asked else expression)
        families = [*_values(self.not_family_of), *([own.publication] if own.use_family and own.publication else [])]
        return Filters(
            before=self.before.strip() or (own.before if own.use_before else "") or None,
            undated="keep" if self.undated else "drop",
            not_family_of=tuple(dict.fromkeys(families)),
            only=self.only,
            must=_values(self.must),
            not_=_values(self.not_),
            filter=" and ".join(asked) or None,
        )

    @property
    def automatic(self) -> str:
        """Which date of a patent the filters use, in words; nothing where they use none."""
        own = self.patent
        if own is None or not own.use_before or not own.before or self.before.strip():
            return ""
        return f"the {own.date} of {own.publication or 'the file'}"


def _values(text: str, between: str = "") -> tuple[str, ...]:
    """Return what was typed into one field, part by part."""
    parts = text.split(between) if between else _LIST.split(text)
    return tuple(part.strip() for part in parts if part.strip())


def _quoted(value: str) -> str:
    """Return a value as an expression takes it."""
    return value if _PLAIN.fullmatch(value) else '"{}"'.format(value.replace('"', ""))


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
        tell(f"{count:,} of {store.state.documents:,} documents {have} no {which} date and {were} left out ({LETS_IN})")
