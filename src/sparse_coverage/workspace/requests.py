"""What can be asked of an index: one frozen type for each kind of request, with its defaults and bounds, checked when it is made.

The command line, REST and the tools for assistants all make these. A field says what it means where it stands; the description of
the REST service is made of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from sparse_coverage.charts.chart import Verdict
from sparse_coverage.dataclass_json import Bounds, RegistryName
from sparse_coverage.errors import InputError
from sparse_coverage.search import Marks
from sparse_coverage.systems import RANKINGS, get_system
from sparse_coverage.workspace.fields import ClaimNumbers, Id, Request, RequestError, Says, Text
from sparse_coverage.workspace.filters import Filters

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


@dataclass(frozen=True, slots=True)
class ElementText(Request):
    """An element as a user split the claim: `text` stands in the claim word for word."""

    text: Annotated[str, Bounds(1)]
    label: Annotated[str, Bounds(0, 40)] = ""

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
    keep_family: Annotated[bool, Says("With `like`: do not leave out the document and its family.")] = False

    def __post_init__(self) -> None:
        Request.__post_init__(self)
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
class ChartRequest(Request):
    """A claim against documents by id, or against those that a search for it finds."""

    claim: Annotated[Text, Says("The text of one claim, or of several that are numbered.")]
    documents: Annotated[
        tuple[Id, ...], Says("Documents by id; none for those that a search finds.", limit="documents")
    ] = ()
    k: Annotated[int, Bounds(1), Says("Without documents: how many a search is to find.", limit="k")] = 5
    elements: Elements = None
    filters: Filters = NO_FILTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class CombineRequest(Request):
    """Which few documents together disclose a whole claim."""

    claim: Text
    max: Annotated[int, Bounds(1, 10), Says("The most documents in a combination; exact up to 3.")] = 2
    top: Annotated[
        int, Bounds(1), Says("How many of the documents that a search finds are looked at.", limit="combined")
    ] = 200
    elements: Elements = None
    filters: Filters = NO_FILTERS
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


@dataclass(frozen=True, slots=True)
class Reranking:
    """What ranks the `top` documents of a search again, by name; without one, nothing does."""

    by: str | None = None
    top: int = 100

    def settings(self) -> dict[str, Any]:
        """Return the same for records."""
        return {"rerank": self.by, "top": self.top} if self.by else {}
