"""The bodies of requests that only the REST service takes; all others are the requests of `workspace` themselves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from sparse_coverage.dataclass_json import Bounds
from sparse_coverage.workspace.fields import Id, Request, Says
from sparse_coverage.workspace.requests import Marked, RankedRequest, ReadRequest, SearchRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackBody(SearchRequest):
    """A search that is to rank again by what was marked."""

    marks: Marked


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarBody(RankedRequest):
    """A search with a document of the index."""

    id: Id

    def request(self) -> SearchRequest:
        """Return the search."""
        shared = {one.name: getattr(self, one.name) for one in fields(RankedRequest)}
        return SearchRequest(like=self.id, **shared)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewBody(ReadRequest):
    """A document to be shown beside a claim."""

    elements: Annotated[tuple[str, ...], Says("The features of the claim, in its words.", limit="ids")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddBody(Request):
    """Documents to add, or to put in the place of those with the same ids."""

    documents: Annotated[
        tuple[dict[str, Any], ...], Bounds(1), Says("Patents, each as a line of JSON lines has it.", limit="batch")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBody(Request):
    """Documents to delete: all of them or none."""

    ids: Annotated[tuple[Id, ...], Bounds(1), Says(limit="ids")]
