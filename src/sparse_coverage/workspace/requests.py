"""What can be asked of an index: one frozen type for each kind of request, with its defaults and bounds, checked when it is made.

The command line, REST and the tools for assistants all make these. A field says what it means where it stands; the description of
the REST service is made of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from sparse_coverage.charts.chart import Verdict
from sparse_coverage.charts.elements import Element, chart_elements, given_elements, read_claims
from sparse_coverage.dataclass_json import Bounds, RegistryName, check_dataclass, record
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, parse_filter
from sparse_coverage.index.filters import document, family, keeping_undated, published, since, words
from sparse_coverage.patents import Claim
from sparse_coverage.search import Marks
from sparse_coverage.systems import RANKINGS, get_system

_COMMA = re.compile(r"(?<!\d),|,(?!\d)")  # that of 1,2-dichloroethane sets nothing apart


class RequestError(InputError):
    """A request has a field of a wrong kind or size; the message names it."""


@dataclass(frozen=True, slots=True)
class Says:
    """Stands at a field of a request: what it means, and by which of its limits a server may bound it.

    `limit` bounds a number, or the size of a text, list or object; `each` bounds what a list or object holds.
    """

    text: str = ""
    limit: str = ""
    each: str = ""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the description with what the field means; a server puts numbers in the place of the names of limits."""
        told = {"description": self.text} if self.text else {}
        return {**handler(schema), **told, **({LIMIT_KEY: [self.limit, self.each]} if self.limit else {})}


LIMIT_KEY = "x-limit"
_HALF = re.compile("[\ud800-\udfff]")
MOST_ID = 300
Id = Annotated[str, Bounds(1, MOST_ID)]
Words = Annotated[str, Bounds(1, 2000)]
Text = Annotated[str, Bounds(1, blank=False), Says(limit="characters")]
ClaimNumbers = Annotated[str, Bounds(1, 200)]


def public_name(name: str) -> str:
    """Return what a field is called outside of Python: `not_` is `not`."""
    return name.rstrip("_")


AS_BODY: Any = {"extra": "forbid", "populate_by_name": True, "alias_generator": public_name}
"""How pydantic reads a request: a field that it does not know is refused, so that a misspelt wish is not passed over in silence."""


class Request:
    """Base of all requests: checked when one is made."""

    __slots__ = ()
    __pydantic_config__ = AS_BODY
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        try:
            check_dataclass(self)
        except InputError as error:
            raise RequestError(str(error)) from None
        for name in self.__dataclass_fields__:
            if isinstance(value := getattr(self, name), str) and _HALF.search(value):
                raise RequestError(
                    f"{public_name(name)} holds half of a character, which no text can. Send it as UTF-8."
                )


def request_record(request: Any) -> dict[str, Any]:
    """Return a request as plain values under the names that are used outside of Python; what was not asked for is left out.

    >>> from sparse_coverage.workspace import Filters
    >>> request_record(Filters(not_=("valve",)))
    {'undated': 'drop', 'not': ['valve']}
    """
    values = ((public_name(one.name), getattr(request, one.name)) for one in fields(request))
    return {
        name: request_record(value) if is_dataclass(value) else record(value)
        for name, value in values
        if value is not None and value != ()
    }


def limits_of(request: Any, place: str = "") -> Iterator[tuple[str, Any, Says]]:
    """Yield the fields that a server may bound, also of requests within: where each stands, its value, and what bounds it."""
    hints = get_type_hints(type(request), include_extras=True)
    for one in fields(request):
        value, where = getattr(request, one.name), f"{place}{public_name(one.name)}"
        if value is not None:
            yield from ((where, value, mark) for mark in _said(hints[one.name]) if mark.limit)
        for inner in [value, *(value if isinstance(value, tuple) else ())]:
            if is_dataclass(inner):
                yield from limits_of(inner, f"{where}.")


def _said(hint: Any) -> Iterator[Says]:
    """Yield what stands at a field: at its type itself, or at one of several that it may have."""
    if get_origin(hint) is Annotated:
        yield from (one for one in get_args(hint)[1:] if isinstance(one, Says))
        yield from _said(get_args(hint)[0])
    elif get_origin(hint) in (Union, UnionType):
        for one in get_args(hint):
            yield from _said(one)


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
        tuple(self.named())  # an expression or date that cannot be read is told at once

    def typed(self) -> dict[str, Any]:
        """Return the options that were given, by name, for records."""
        names = {"any_": "any", "not_": "not", "not_family_of": "not-family-of"}
        given = {name: value for name, value in asdict(self).items() if value and (name, value) != ("undated", "drop")}
        return {f"--{names.get(name, name)}": value for name, value in given.items()}

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


NO_FILTERS = Filters()
Documents = Annotated[int, Bounds(1), Says("How many documents.", limit="k")]
Passages = Annotated[int, Bounds(1), Says("How many passages of each.", limit="passages")]
Ranking = Annotated[
    str,
    Says(
        "What ranks: combined (all that the index keeps), or centers, words, vectors alone, or a side of the index; "
        "GET /v1/indexes says which an index has."
    ),
    RegistryName(RANKINGS, get_system),
]
Again = Annotated[
    str | None,
    Bounds(1, 300),
    Says(
        "What ranks the best documents again: a side of the index, or a model that reads query and passage together "
        "(cross-encoder:NAME); GET /v1/indexes says which a server has."
    ),
]
TOP = 100
Top = Annotated[
    int | None, Bounds(1), Says(f"With rerank: how many of the best documents; {TOP} by itself.", limit="combined")
]


@dataclass(frozen=True, slots=True)
class ElementText(Request):
    """An element as a user split the claim: `text` stands in the claim word for word."""

    text: Annotated[str, Bounds(1)]
    label: Annotated[str, Bounds(0, 40)] = ""
    weight: Annotated[
        int,
        Bounds(0, 2),
        Says("How often it counts in a search: 0 leaves it out, 2 lets it count twice. Charts have all."),
    ] = 1

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if any(letter in self.label + self.text for letter in "\t\r\n"):
            raise RequestError(f"The element '{self.text[:40]}' holds a tab or a line break; an element is one line.")


@dataclass(frozen=True, slots=True)
class CellVerdict(Request):
    """A user's own verdict on what a document says to an element, by the element's text."""

    element: Annotated[str, Bounds(1)]
    document: Id
    verdict: Verdict


Elements = Annotated[tuple[ElementText, ...] | None, Says("One's own split of the claim.", limit="ids")]
TAKE_MARKS = ("combined", "centers")
"""The rankings that marks change: marks are centers added and taken away."""


@dataclass(frozen=True, slots=True)
class Marked(Marks, Request):
    """Documents or passages that a user found relevant, or not: a search with them ranks again."""

    relevant: Annotated[tuple[Id, ...], Says(limit="ids")] = ()
    not_relevant: Annotated[tuple[Id, ...], Says(limit="ids")] = ()

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        Marks.__post_init__(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRequest(Request):
    """What all that ranks documents has in common."""

    k: Documents = 10
    passages: Passages = 3
    group: Annotated[bool, Says("One row a family instead of one a document.")] = True
    ranking: Ranking = "combined"
    rerank: Again = None
    top: Top = None
    filters: Filters = NO_FILTERS
    facets: Annotated[bool, Says("Also count the best 200 documents by country, year, class and applicant.")] = False
    at_least: Annotated[
        Literal["close", "related", "weak"] | None,
        Says("Leave out documents that are less close to the query than this."),
    ] = None
    marks: Marked | None = None
    reasons: Annotated[bool, Says("Also say why each passage was found; without, it takes less time.")] = True
    profile: Annotated[bool, Says("Also say what the query cost, where the index itself ranks.")] = False
    source: Annotated[str, Bounds(0, 2000), Says("Where the query comes from, in words for people.")] = ""
    claims: Annotated[ClaimNumbers | None, Says("Only these claims of it, as 1,3-5, and those they depend on.")] = None
    elements: Annotated[
        tuple[ElementText, ...],
        Says(
            "The features of the claim: what each document has of them is told, and what has those that the first ten lack.",
            limit="ids",
        ),
    ] = ()
    keep_family: Annotated[bool, Says("With `like`: do not leave out the document and its family.")] = False

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if self.marks and self.rerank:
            raise InputError("Marks and `rerank` each rank again in their own way. Leave one of them out.")
        if self.marks and self.ranking not in TAKE_MARKS:
            raise InputError(
                f"Marks of relevant and other documents change what centers find, and {self.ranking} does not rank by them. Rank by "
                "combined or centers, or leave the marks out."
            )

    def asking(self, **query: Any) -> SearchRequest:
        """Return the search with a query: `query` and its `source`, or `like`, and whatever else belongs to these."""
        shared = {one.name: getattr(self, one.name) for one in fields(RankedRequest)}
        return SearchRequest(**{**shared, "marks": self.marks or None, **query})


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest(RankedRequest):
    """A search, with a text, with a document of the index, or with an expression alone: the `filter` of its filters."""

    query: Annotated[Text | None, Says("The text to search with, such as a claim.")] = None
    like: Annotated[Id | None, Says("Instead of a query: a document of the index, whose claims are searched with.")] = (
        None
    )

    def __post_init__(self) -> None:
        RankedRequest.__post_init__(self)
        if self.query is not None and self.like is not None:
            raise InputError("Search with a query or with `like`, the id of a document: one of them.")
        if self.query is None and self.like is None and self.filters.filter is None:
            raise InputError(
                "Search with a query, with `like`, the id of a document, or with an expression alone (filters.filter)."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest(Request):
    """Many searches at once: rankings of documents, each with its best passages."""

    queries: Annotated[
        Mapping[Id, Text], Says("The texts to search with, by ids of one's own.", "batch", "characters")
    ] = field(default_factory=dict)
    like: Annotated[
        tuple[Id, ...],
        Says("Documents of the index to search with, each by its claims and without its own family.", limit="ids"),
    ] = ()
    k: Documents = 10
    passages: Passages = 1
    ranking: Ranking = "combined"
    rerank: Again = None
    top: Top = None
    filters: Filters = NO_FILTERS

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if not (self.queries or self.like):
            raise RequestError("queries: at least one text to search with, or one document in `like`, is needed.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest(Request):
    """Why a query finds a passage, or a document (its best passage)."""

    query: Text
    id: Id
    ranking: Ranking = "combined"
    filters: Filters = NO_FILTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest(Request):
    """A document in full; with a claim, the passages that it finds are marked."""

    id: Id
    claim: Text | None = None
    claims: ClaimNumbers | None = None
    matches: Annotated[int, Bounds(1), Says("How many passages to mark.", limit="passages")] = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest(Request):
    """What charts and combinations start from: a claim, its elements, and which documents may be found."""

    claim: Annotated[Text, Says("The text of one claim, or of several that are numbered.")]
    elements: Elements = None
    filters: Filters = NO_FILTERS

    def split(self) -> tuple[tuple[Claim, ...], tuple[Element, ...]]:
        """Return the claims and their elements, as the user split them or as they are split here."""
        claims = tuple(read_claims(self.claim))
        if self.elements is None:
            return claims, chart_elements(claims)
        return claims, given_elements(claims, [f"{one.label}\t{one.text}" for one in self.elements])


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRequest(ClaimRequest):
    """A claim against documents by id, or against those that a search for it finds."""

    documents: Annotated[
        tuple[Id, ...], Says("Documents by id; none for those that a search finds.", limit="documents")
    ] = ()
    k: Annotated[int, Bounds(1), Says("Without documents: how many a search is to find.", limit="documents")] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CombineRequest(ClaimRequest):
    """Which few documents together disclose a whole claim."""

    max: Annotated[int, Bounds(1, 10), Says("The most documents in a combination; exact up to 3.")] = 2
    top: Annotated[
        int, Bounds(1), Says("How many of the documents that a search finds are looked at.", limit="combined")
    ] = 200
    verdicts: Annotated[tuple[CellVerdict, ...], Says("One's own verdicts, which count instead of those found.")] = ()
    without: Annotated[tuple[Id, ...], Says("Documents that are left out.", limit="ids")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationRequest(Request):
    """A text that should stand in a document word for word."""

    id: Annotated[Id, Says("The document.")]
    text: Annotated[str, Bounds(1, 20_000, blank=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementsRequest(Request):
    """A claim to split into its elements."""

    claim: Text
