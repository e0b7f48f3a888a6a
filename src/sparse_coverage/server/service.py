"""The requests of REST and of assistants, answered from the indexes of a server within its limits."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError, NoDocumentError
from sparse_coverage.server.indexes import ServedIndexes
from sparse_coverage.server.settings import ServerSettings, check, require_at_most
from sparse_coverage.workspace import (
    BatchRequest,
    ChartRequest,
    CombineRequest,
    ExplainRequest,
    ReadRequest,
    ReadResult,
    SearchRequest,
)
from sparse_coverage.workspace.preparing import PreparedQuery, PrepareRequest
from sparse_coverage.workspace.requests import ElementsRequest, QuotationRequest

logger = logging.getLogger("sparse_coverage.server")
Record = dict[str, Any]


class Service:
    """Searches, explains, reads, charts and combines. Each answer is what `--json` prints on the command line, and notes."""

    def __init__(self, indexes: ServedIndexes, settings: ServerSettings) -> None:
        self.indexes = indexes
        self.settings = settings

    def search(self, name: str, request: SearchRequest) -> Record:
        """Find prior art."""
        self._accept(request, request.query or request.like or "", request.k * request.passages)
        found = self.indexes.opened(name, request.ranking).search(request, matches=False)
        return {**found.record(), "notes": self._notes(found.notes, found.nothing, request.query)}

    def batch(self, name: str, request: BatchRequest) -> Record:
        """Rank the documents of many queries."""
        self._accept(request, shown=len(request.queries) * request.k * request.passages)
        found = self.indexes.opened(name, request.ranking).batch(request)
        return {"rankings": found.rankings, "about": found.about, "notes": found.notes}

    def explain(self, name: str, request: ExplainRequest) -> Record:
        """Say why a query finds a passage, or a document."""
        self._accept(request, request.query)
        found = self.indexes.opened(name, request.ranking).explain(request)
        return {**record(found.explanation), "notes": self._notes(found.notes, found.nothing, request.query)}

    def read(self, name: str, request: ReadRequest) -> Record:
        """Return a document in full."""
        return self.opened_read(name, request).record()

    def opened_read(self, name: str, request: ReadRequest) -> ReadResult:
        """Return the same as a result."""
        self._accept(request, request.claim or "")
        return self.indexes.opened(name).read(request)

    def chart(self, name: str, request: ChartRequest) -> Record:
        """Set each element of a claim against documents."""
        self._accept_claim(request)
        found = self.indexes.opened(name).chart(request)
        return {**record(found.chart), "notes": self._notes(found.notes, found.nothing)}

    def combine(self, name: str, request: CombineRequest) -> Record:
        """Find the fewest documents that together disclose a claim."""
        self._accept_claim(request)
        found = self.indexes.opened(name).combine(request)
        notes = self._notes(found.notes, found.nothing)
        return {"combinations": found.combinations, "chart": found.chart, "notes": notes}

    def quotation(self, name: str, request: QuotationRequest) -> Record:
        """Say whether a text stands in a document word for word, and where."""
        self._accept(request, request.text)
        try:
            return {"found": True, "quotation": record(self.indexes.opened(name).quotation(request))}
        except NoDocumentError:
            raise
        except InputError as error:
            return {"found": False, "quotation": None, "why": str(error)}

    def elements(self, request: ElementsRequest) -> Record:
        """Split a claim, or several that are numbered, into elements."""
        self._accept(request, request.claim)
        from sparse_coverage.charts.elements import chart_elements, read_claims

        claims = read_claims(request.claim)
        return {"claims": claims, "elements": chart_elements(claims)}

    def prepare(self, name: str, request: PrepareRequest) -> PreparedQuery:
        """Make what a user typed ready to be searched with."""
        self._accept(request)
        return self.indexes.opened(name).prepare(request)

    def find(self, name: str, number: str) -> Record:
        """Return the documents of an index that a publication number as typed names."""
        ids, near = self.indexes.opened(name).find(number)
        return {"ids": ids, "near": near}

    def _accept(self, request: Any, text: str = "", shown: int = 0) -> None:
        """Refuse more than the limits allow; log the text of a query only where that is asked for."""
        check(request, self.settings.limits)
        require_at_most(shown, self.settings.limits.shown, "what k and passages ask for")
        if self.settings.log_text and text:
            logger.info("%s: %s", type(request).__name__, text)

    def _accept_claim(self, request: ChartRequest | CombineRequest) -> None:
        from sparse_coverage.charts.elements import chart_elements, read_claims

        self._accept(request, request.claim)
        if request.elements is None:
            count = len(chart_elements(read_claims(request.claim)))
            require_at_most(count, self.settings.limits.ids, "the number of elements of the claim")

    def _notes(self, notes: Sequence[str], nothing: str, query: str | None = None) -> list[str]:
        """Return what is told beside an answer: also why nothing can be found, and that a long query takes its turn."""
        limits = self.settings.limits
        long = (
            f"The query has {len(query or ''):,} characters. With over {limits.short:,} it takes its turn with charts and "
            "batches, so that other searches need not wait for it; a shorter one, such as a claim, is answered sooner."
        )
        return [*notes, *([nothing] if nothing else []), *([long] if limits.is_long(query) else [])]
