"""What a request may ask for: the bodies of requests, with their bounds. The command line has the same words for the same things."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sparse_coverage.search import Marks
from sparse_coverage.search.conditions import FilterOptions
from sparse_coverage.server.limited import Limited
from sparse_coverage.systems import SYSTEMS

System = Literal["coverage", "bm25", "dense", "splade", "colbert", "hybrid"]
assert set(SYSTEMS) == set(System.__args__)  # type: ignore[attr-defined]
Id = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
LongText = Annotated[Text, Limited("characters")]
Ids = Annotated[list[Id], Limited("ids")]
Phrases = Annotated[list[Words], Limited("ids")]
Claims = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Body(BaseModel):
    """A request refuses what it does not know, so that a misspelt wish is not passed over in silence."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Filters(Body):
    """What may be found at all, as the options of the command line say it."""

    before: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="Only what was published before this date: 2001-05-17, 2001-05 or 2001."
    )
    undated: Literal["keep", "drop"] = Field(
        default="drop", description="Documents without the date that a filter asks for."
    )
    not_family_of: Ids = Field(default=[], description="Leave out these documents and their families.")
    must: Phrases = Field(default=[], description="Only documents with all of these words or phrases.")
    any: Phrases = Field(
        default=[], description="Only documents with one of these words or phrases; each may be several, with commas."
    )
    not_: Phrases = Field(default=[], alias="not", description="Only documents without any of these words or phrases.")
    filter: Words | None = Field(default=None, description="An expression, such as: ipc:H04N,G06F and not country:US")

    def options(self) -> FilterOptions:
        """Return the same as the library takes it."""
        return FilterOptions(
            before=self.before or None,
            undated=self.undated,
            not_family_of=tuple(self.not_family_of),
            must=tuple(self.must),
            any_=tuple(self.any),
            not_=tuple(self.not_),
            expression=self.filter,
        )


class MarksBody(Body):
    """Documents or passages that a user found relevant, or not: a search with them ranks again."""

    relevant: Ids = []
    not_relevant: Ids = []

    def marks(self) -> Marks:
        """Return the same as the library takes it."""
        return Marks(tuple(self.relevant), tuple(self.not_relevant))


class Asking(Body):
    """What all that ranks documents has in common."""

    k: Annotated[int, Limited("k")] = Field(default=10, ge=1, description="How many documents.")
    passages: Annotated[int, Limited("passages")] = Field(default=3, ge=1, description="How many passages of each.")
    group: bool = Field(default=True, description="One row a family instead of one a document.")
    system: System = Field(default="coverage", description="What ranks; GET /v1/indexes says which an index has.")
    filters: Filters = Filters()
    facets: bool = Field(
        default=False, description="Also count the best 200 documents by country, year, IPC and applicant."
    )
    marks: MarksBody | None = None
    reasons: bool = Field(default=True, description="Also say why each passage was found; without, it takes less time.")
    profile: bool = Field(default=False, description="Also say what the query cost (Sparse Coverage alone).")


class SearchBody(Asking):
    """A search, with a text or with a document of the index."""

    query: Annotated[Text | None, Limited("characters")] = Field(
        default=None, description="The text to search with, such as a claim."
    )
    like: Id | None = Field(
        default=None, description="Instead of a query: a document of the index, whose claims are searched with."
    )
    claims: Claims | None = Field(
        default=None, description="Only these claims of it, as 1,3-5, and those they depend on."
    )
    keep_family: bool = Field(default=False, description="With `like`: do not leave out the document and its family.")


class FeedbackBody(SearchBody):
    """A search that is to rank again by what was marked."""

    marks: MarksBody


class SimilarBody(Asking):
    """A search with a document of the index."""

    id: Id
    claims: Claims | None = None
    keep_family: bool = False


class BatchBody(Body):
    """Many searches at once: rankings of documents, each with its best passages."""

    queries: Annotated[dict[Id, Text], Limited("batch", each="characters")] = Field(
        min_length=1, description="The texts to search with, by ids of one's own."
    )
    k: Annotated[int, Limited("k")] = Field(default=10, ge=1)
    passages: Annotated[int, Limited("passages")] = Field(default=1, ge=1)
    system: System = "coverage"
    filters: Filters = Filters()


class ExplainBody(Body):
    """Why a query finds a passage, or a document (its best passage)."""

    query: LongText
    id: Id
    system: System = "coverage"
    filters: Filters = Filters()


class ElementBody(Body):
    """An element as a user split the claim: `text` stands in the claim word for word."""

    label: Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\t\r\n]*$")] = ""
    text: Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\t\r\n]*$")]


class ChartBody(Body):
    """A claim against documents by id, or against those that a search for it finds."""

    claim: LongText = Field(description="The text of one claim, or of several that are numbered.")
    documents: Annotated[list[Id], Limited("documents")] = Field(
        default=[], description="Documents by id; none for those that a search finds."
    )
    k: Annotated[int, Limited("k")] = Field(
        default=5, ge=1, description="Without documents: how many a search is to find."
    )
    elements: Annotated[list[ElementBody] | None, Limited("ids")] = Field(
        default=None, description="One's own split of the claim."
    )
    filters: Filters = Filters()


class CombineBody(Body):
    """Which few documents together disclose a whole claim."""

    claim: LongText
    max: int = Field(default=2, ge=1, le=10, description="The most documents in a combination; exact up to 3.")
    top: Annotated[int, Limited("combined")] = Field(
        default=200, ge=1, description="How many of the documents that a search finds are looked at."
    )
    elements: Annotated[list[ElementBody] | None, Limited("ids")] = None
    filters: Filters = Filters()


class ReadBody(Body):
    """A document in full; with a claim, the passages that it finds are marked."""

    id: Id
    claim: Annotated[Text | None, Limited("characters")] = None
    claims: Claims | None = None
    matches: Annotated[int, Limited("passages")] = Field(default=10, ge=1, description="How many passages to mark.")


class ElementsBody(Body):
    """A claim to split into its elements."""

    claim: LongText


class AddBody(Body):
    """Documents to add, or to put in the place of those with the same ids."""

    documents: Annotated[list[dict[str, Any]], Limited("batch")] = Field(
        min_length=1, description="Patents, each as a line of JSON lines has it."
    )


class DeleteBody(Body):
    """Documents to delete: all of them or none."""

    ids: Ids = Field(min_length=1)
