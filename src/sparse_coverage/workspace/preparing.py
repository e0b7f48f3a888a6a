"""What a user typed, pasted or dropped, made ready to be searched with: a text, its claims and elements, and filters that come with it.

Those filters belong to the patent that the text was taken from: they go when another text comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from sparse_coverage.charts.elements import Element, chart_elements, given_elements, parents_note, read_claims
from sparse_coverage.dataclass_json import Bounds
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.index.filters import Dates, allowed_documents, conditions_in, document, family
from sparse_coverage.patents.claims import is_cancelled
from sparse_coverage.patents.numbers import parse_number, read_number_list
from sparse_coverage.patents.patent import Claim, Patent
from sparse_coverage.patents.queries import QueryText, claim_numbers, patent_query, text_query
from sparse_coverage.search.features import weighed_text
from sparse_coverage.search.stored import require_document, stored_patent
from sparse_coverage.workspace.filters import FormFilters, PatentFilters
from sparse_coverage.workspace.grouping import language_warning
from sparse_coverage.workspace.requests import ClaimNumbers, Filters, Request, Says, SearchRequest, request_record

DATES = {"priority_date": "priority date", "application_date": "filing date"}
"""The dates that prior art must be older than, the first that is known counts, and what they are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareRequest(Request):
    """What stands in a form."""

    text: Annotated[
        str,
        Says(
            "A claim, several that are numbered, a publication number, or a list of such numbers; empty for filters alone.",
            limit="characters",
        ),
    ] = ""
    claims: Annotated[ClaimNumbers | None, Says("Only these claims of it, as 1,3-5.")] = None
    elements: Annotated[
        str | None, Bounds(0, 400_000), Says("One's own split: an element a line, in the words of the claims.")
    ] = None
    form: Annotated[FormFilters | None, Says("The fields of filters, to be made the filters of a search.")] = None


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A text to search with, and what is known of where it comes from.

    `wanted` are the claims to begin with (all, where it is empty), `charted` is the claim that a chart is made of. `before` is the
    date that prior art must be older than, `date` says which date of the patent that is; `warnings` are to stay in sight. `wrong` says
    which of one's own elements is not in the claims. `filters` are those of the form as a search takes them, `automatic` says which date
    of a patent is among them. Of a list of numbers, `ids` are the documents that the index holds, and `unknown`
    the numbers that it does not.
    """

    text: str
    source: str = ""
    claims: tuple[Claim, ...] = ()
    elements: tuple[Element, ...] = ()
    charted: str = ""
    publication: str = ""
    title: str = ""
    before: str = ""
    date: str = ""
    warnings: tuple[str, ...] = ()
    wrong: str = ""
    ids: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    filters: Mapping[str, Any] = field(default_factory=dict)
    automatic: str = ""

    def with_form(self, form: FormFilters | None) -> PreparedQuery:
        """Return the same with the filters of a form; of a patent that is only now taken from its number, with those that come with it."""
        if form is None:
            return self
        if self.publication:
            own = PatentFilters(
                publication=self.publication,
                before=self.before,
                date=self.date,
                use_before=bool(self.before),
                use_family=True,
            )
            form = replace(form, patent=own)
        return replace(self, filters=request_record(form.filters()), automatic=form.automatic)


def prepare_text(request: PrepareRequest) -> PreparedQuery:
    """Split a text into claims and elements."""
    return _split(PreparedQuery(request.text), request.claims, request.elements)


def prepare_patent(patent: Patent, of: str = "") -> PreparedQuery:
    """Make a patent ready: its claims, what must be older, and whose family is to be left out. `of` names where it was read from."""
    claims = tuple(claim for claim in patent.claims if not is_cancelled(claim.text))
    query = patent_query(replace(patent, claims=claims), None, of)
    known = next(((name, getattr(patent, name)) for name in DATES if getattr(patent, name)), ("", ""))
    publication = patent.id if parse_number(patent.id) or not of else ""
    made = PreparedQuery(
        query.numbered,
        f"{query.source}, {patent.title}" if patent.title else query.source,
        publication=publication,
        title=patent.title,
        before=known[1],
        date=DATES.get(known[0], ""),
        warnings=() if known[0] else (f"{_undated(publication or of, patent)} Set a date under Filters.",),
    )
    return _split(made, None, None)


def _split(query: PreparedQuery, wanted: str | None, lines: str | None) -> PreparedQuery:
    try:
        claims = read_claims(query.text)
    except InputError:
        return query
    elements, wrong = chart_elements(claims), ""
    if lines is not None and lines.strip():
        try:
            elements = given_elements(claims, [" ".join(line.split()) for line in lines.splitlines()])
        except InputError as error:
            wrong = str(error)
    try:
        numbers = set(claim_numbers(wanted)) if wanted and len(claims) > 1 else {claim.number for claim in claims}
    except InputError as error:
        numbers, wrong = set(), wrong or str(error)
    chosen = [claim for claim in claims if claim.number in numbers]
    if wanted and not chosen and not wrong:
        wrong = f"There is no claim {wanted}; there are {claims[0].number} to {claims[-1].number}."
    single = f"{chosen[0].number}. {chosen[0].text}" if len(chosen) == 1 < len(claims) else query.text
    kept = tuple(one for one in elements if one.claim in numbers)
    warnings = (*query.warnings, *filter(None, [parents_note(claims)]))
    return replace(query, claims=claims, elements=kept, charted=single, wrong=wrong, warnings=warnings)


def _undated(name: str, patent: Patent) -> str:
    published = f" It was published on {patent.publication_date}." if patent.publication_date else ""
    return f"Of {name} neither the priority date nor the filing date is known, so documents of any date are found.{published}"


def date_notes(patent: Patent, filters: Filters) -> list[str]:
    """Say what to beware of where a patent is searched with and no filter says how old prior art must be."""
    if any(isinstance(part, Dates) for _, one in filters.named() for part in conditions_in(one)):
        return []
    known = next(((name, getattr(patent, name)) for name in DATES if getattr(patent, name)), None)
    if known is None:
        return [f"{_undated(patent.id, patent)} Give one with --before."]
    return [
        f"Documents of any date are found. The {DATES[known[0]]} of {patent.id} is {known[1]}: --before {known[1]}."
    ]


def query_of(
    store: IndexStore, request: SearchRequest, condition: Filter | None, notes: list[str]
) -> tuple[QueryText, Filter | None, str]:
    """Return the text to search with, what may be found, and the document that is left out with its family, if one is."""
    left_out = ""
    if request.query is not None:
        query = text_query(request.query, request.claims)
        query = replace(query, source=request.source) if request.source else query
    else:
        patent = stored_patent(store, require_document(store, request.like or ""))
        query = patent_query(patent, request.claims)
        notes += [f"The query is {query.source}.", *date_notes(patent, request.filters)]
        if not request.keep_family:
            left_out, condition = patent.id, without_family(condition, patent.id)
    notes += filter(None, [language_warning(store, query.text)])
    weighed = weighed_text(query.text, [(one.text, one.weight) for one in request.elements])
    return replace(query, text=weighed), condition, left_out


def without_family(condition: Filter | None, id_: str) -> Filter:
    """Return a condition that also leaves out a document and its family."""
    others = ~family(id_)
    return others if condition is None else condition & others


def find_documents(store: IndexStore, number: str) -> tuple[list[str], str]:
    """Return the ids of the documents that a publication number as typed names, best first; where there are none, what is near."""
    found = np.flatnonzero(allowed_documents(store, document(number))).tolist()
    exact = store.find_document(number)
    found.sort(key=lambda one: one != exact)
    return [store.document(one).id for one in found], "" if found else store.near(number).strip()


def prepare_query(store: IndexStore, request: PrepareRequest) -> PreparedQuery:
    """Make what a user typed ready to be searched with; a publication number becomes the claims of the document."""
    return _prepared(store, request).with_form(request.form)


def _prepared(store: IndexStore, request: PrepareRequest) -> PreparedQuery:
    numbers = read_number_list(request.text)
    if not numbers:
        return prepare_text(request)
    named = {number: find_documents(store, number) for number in numbers}
    unknown = tuple(number for number, (ids, _) in named.items() if not ids)
    if len(numbers) > 1:
        known = tuple(dict.fromkeys(found[0] for found, _ in named.values() if found))
        return PreparedQuery(request.text, f"{len(known)} documents by their numbers", ids=known, unknown=unknown)
    ids, near = named[numbers[0]]
    if unknown:
        told = f"The index holds no document {numbers[0]}{f' {near}' if near else ''}."
        return PreparedQuery(request.text, unknown=unknown, warnings=(told,))
    made = prepare_patent(stored_patent(store, require_document(store, ids[0])))
    others = f"{numbers[0]} names {len(ids)} documents: {', '.join(ids[:5])}. This is the first." * (len(ids) > 1)
    return replace(made, warnings=(*made.warnings, *filter(None, [others])))
