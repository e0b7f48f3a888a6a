"""What the server answers, whoever asks: the REST service and the tools for assistants both call this, and it calls the library."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from sparse_coverage.charts.elements import Element
from sparse_coverage.errors import InputError
from sparse_coverage.index.filters import family
from sparse_coverage.patents import Claim
from sparse_coverage.patents.queries import QueryText, patent_query, text_query
from sparse_coverage.present.findings import about_ranking, find
from sparse_coverage.present.reading import read_document
from sparse_coverage.present.records import record
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers.explaining import explain
from sparse_coverage.search import FamilyMembers
from sparse_coverage.search.conditions import conditions_in_store
from sparse_coverage.search.facets import count_facets
from sparse_coverage.search.languages import language_warning
from sparse_coverage.search.stored import require_document, stored_patent
from sparse_coverage.server.bodies import (
    Asking,
    BatchBody,
    ChartBody,
    CombineBody,
    ElementBody,
    ElementsBody,
    ExplainBody,
    Filters,
    ReadBody,
    SearchBody,
)
from sparse_coverage.server.holdings import Holdings, Snapshot
from sparse_coverage.server.limited import check, require_at_most
from sparse_coverage.server.settings import ServerSettings

logger = logging.getLogger("sparse_coverage.server")

FACETED = 200
"""How many of the best documents are counted for the facets."""
Record = dict[str, Any]


class Service:
    """Searches, explains, reads, charts and combines. Each answer is what `--json` prints on the command line, and notes."""

    def __init__(self, holdings: Holdings, settings: ServerSettings) -> None:
        self.holdings = holdings
        self.settings = settings

    def _accept(self, body: BaseModel, text: str = "") -> None:
        """Refuse more than the limits allow; log the text of a query only where that is asked for."""
        check(body, self.settings.limits)
        if isinstance(body, Asking | BatchBody):
            queries = len(body.queries) if isinstance(body, BatchBody) else 1
            require_at_most(queries * body.k * body.passages, self.settings.limits.shown, "what k and passages ask for")
        if self.settings.log_text and text:
            logger.info("%s: %s", type(body).__name__, text)

    def search(self, name: str, body: SearchBody) -> Record:
        """Find prior art: documents ranked by their best passages, with the reasons of each passage."""
        self._accept(body, body.query or body.like or "")
        snapshot = self.holdings.snapshot(name, body.system)
        notes: list[str] = []
        retriever, store = snapshot.retriever(body.system), snapshot.store
        condition = self._condition(snapshot, body.filters, notes)
        filters = body.filters.options().typed()
        self._note_long(body.query, notes)
        given = self._query(snapshot, body, notes)
        if body.like is not None and not body.keep_family:
            itself = store.document(require_document(store, body.like)).id
            condition = ~family(itself) if condition is None else condition & ~family(itself)
            filters["--like"] = f"without {itself} and its family"
        marks = None if body.marks is None else body.marks.marks()
        settings = {"k": body.k, "passages": body.passages, **({} if marks is None else record(marks))}
        findings = find(
            retriever,
            given,
            body.k,
            passages=body.passages,
            condition=condition,
            about=about_ranking(name, store.state, retriever, body.system, settings, filters),
            members=FamilyMembers(store, condition) if body.group else None,
            profile=body.profile,
            marks=marks or None,
            reasons=body.reasons,
            matches=False,
        )
        answer = findings.record()
        if body.facets:
            marked = (
                {"marks": marks} if marks else {}
            )  # which only Sparse Coverage takes; for others `find` refused them
            best = retriever.search(given.text, FACETED, passages=1, filter=condition, **marked)
            answer["facets"] = count_facets(best)
        return {**answer, "notes": notes}

    def batch(self, name: str, body: BatchBody) -> Record:
        """Rank the documents of many queries."""
        self._accept(body)
        snapshot = self.holdings.snapshot(name, body.system)
        notes: list[str] = []
        condition = self._condition(snapshot, body.filters, notes)
        retriever = snapshot.retriever(body.system)
        rankings = {
            id_: retriever.search(text, body.k, passages=body.passages, filter=condition)
            for id_, text in tracked(body.queries.items(), "Searching", len(body.queries))
        }
        settings, filters = {"k": body.k, "passages": body.passages}, body.filters.options().typed()
        about = about_ranking(name, snapshot.store.state, retriever, body.system, settings, filters)
        return {"rankings": rankings, "about": about, "notes": notes}

    def explain(self, name: str, body: ExplainBody) -> Record:
        """Say why a query finds a passage, or a document."""
        self._accept(body, body.query)
        snapshot = self.holdings.snapshot(name, body.system)
        notes: list[str] = []
        self._note_long(body.query, notes)
        condition = self._condition(snapshot, body.filters, notes)
        found = explain(snapshot.retriever(body.system), body.query, body.id, condition=condition)
        return {**record(found), "notes": notes}

    def read(self, name: str, body: ReadBody) -> Record:
        """Return a document in full; with a claim, its best passages and why they match."""
        self._accept(body, body.claim or "")
        snapshot = self.holdings.snapshot(name)
        text = text_query(body.claim, body.claims).text if body.claim else ""
        found = read_document(snapshot.store, body.id, snapshot.index if text else None, text, body.matches)
        return found.record()

    def chart(self, name: str, body: ChartBody) -> Record:
        """Set each element of a claim against documents."""
        self._accept(body, body.claim)
        from sparse_coverage.charts.elements import read_claims

        snapshot, notes = self.holdings.snapshot(name), list[str]()
        claims = read_claims(body.claim)
        rows = self._rows(claims, body.elements)
        condition = self._condition(snapshot, body.filters, notes)
        chart = snapshot.charts.chart(claims, body.documents, k=body.k, elements=rows, filter=condition)
        return {**record(chart), "notes": notes}

    def combine(self, name: str, body: CombineBody) -> Record:
        """Find the fewest documents that together disclose a claim."""
        self._accept(body, body.claim)
        from sparse_coverage.charts.charting import chart_of_combinations
        from sparse_coverage.charts.elements import read_claims

        snapshot, notes = self.holdings.snapshot(name), list[str]()
        claims = read_claims(body.claim)
        rows = self._rows(claims, body.elements)
        condition = self._condition(snapshot, body.filters, notes)
        found, chart = snapshot.charts.combine(claims, most=body.max, top=body.top, elements=rows, filter=condition)
        return {"combinations": found, "chart": chart_of_combinations(found, chart), "notes": notes}

    def elements(self, body: ElementsBody) -> Record:
        """Split a claim, or several that are numbered, into elements."""
        self._accept(body, body.claim)
        from sparse_coverage.charts.elements import chart_elements, read_claims

        claims = read_claims(body.claim)
        return {"claims": claims, "elements": chart_elements(claims)}

    def find(self, name: str, number: str) -> Record:
        """Return the documents of an index that a publication number as typed names."""
        import numpy as np

        from sparse_coverage.index.filters import allowed_documents, document

        store = self.holdings.snapshot(name).store
        found = np.flatnonzero(allowed_documents(store, document(number))).tolist()
        return {"ids": [store.document(one).id for one in found], "near": "" if found else store.near(number).strip()}

    def _note_long(self, text: str | None, notes: list[str]) -> None:
        if self.settings.limits.is_long(text):
            notes.append(
                f"The query has {len(text or ''):,} characters. With over {self.settings.limits.short:,} it takes its turn with charts "
                "and batches, so that other searches need not wait for it; a shorter one, such as a claim, is answered sooner."
            )

    def _condition(self, snapshot: Snapshot, filters: Filters, notes: list[str]) -> Any:
        conditions = conditions_in_store(snapshot.store, filters.options(), notes.append)
        if conditions.nothing:
            notes.append(conditions.nothing)
        return conditions.filter

    def _query(self, snapshot: Snapshot, body: SearchBody, notes: list[str]) -> QueryText:
        if (body.query is None) == (body.like is None):
            raise InputError("Search with a query or with `like`, the id of a document: one of them.")
        if body.query is not None:
            given = text_query(body.query, body.claims)
        else:
            number = require_document(snapshot.store, body.like or "")
            given = patent_query(stored_patent(snapshot.store, number), body.claims)
            notes.append(f"The query is {given.source}.")
        if warning := language_warning(snapshot.store, given.text):
            notes.append(warning)
        return given

    def _rows(self, claims: Sequence[Claim], elements: Sequence[ElementBody] | None) -> tuple[Element, ...]:
        """Return the elements of claims, as a user split them or as they are split here."""
        from sparse_coverage.charts.elements import chart_elements, given_elements

        if elements is not None:
            return given_elements(claims, [f"{one.label}\t{one.text}" for one in elements])
        found = chart_elements(claims)
        require_at_most(len(found), self.settings.limits.ids, "the number of elements of the claim")
        return found
