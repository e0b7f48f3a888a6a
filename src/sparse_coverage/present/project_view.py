"""A project as its reports show it: the searches as sentences, documents with what was said about them, charts with a user's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import Any

from sparse_coverage.charts.chart import Chart
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.dataclass_json import from_json
from sparse_coverage.present.citations import Publication
from sparse_coverage.present.page_chart import with_rulings
from sparse_coverage.present.terms import MARKS, asked_filters, ranking_text, shown_of
from sparse_coverage.projects import Content, DocumentFacts, KeptChart, Mark, RecordedResult, SearchMade
from sparse_coverage.search.results import PassageHit, Reasons

_BEGINNING = 80
"""Characters of a claim that say which one it is."""
_CLAIMS = re.compile(r"^claims? [\d, –-]+ of ")


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage in a report: where it stands, its text, why it was found, and what was said about it."""

    passage: PassageHit
    reasons: Reasons
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document in a report, for one claim of the project. `ranks` says which searches found it, and at which rank.

    `claim` is how that claim begins, where the project has several.
    """

    facts: DocumentFacts
    mark: str = ""
    note: str = ""
    ranks: str = ""
    passages: list[ShownPassage] = field(default_factory=list)
    category: str = ""
    claim: str = ""

    @property
    def publication(self) -> Publication:
        """The document as a reference."""
        return Publication(self.facts.id, self.facts.title, self.facts.metadata, self.note)


@dataclass(frozen=True, slots=True)
class ShownSearch:
    """A search in a report, in words."""

    number: int
    made: str
    index: str
    query: str
    filters: str
    ranking: str
    found: int
    searched: int = 0

    @property
    def shown(self) -> str:
        """How many documents it showed, of how many that were searched."""
        return shown_of(self.found, self.searched)


@dataclass(frozen=True, slots=True)
class ProjectView:
    """All that the reports of a project show. Documents: relevant ones first, then those only found, then those not relevant."""

    content: Content
    searches: list[ShownSearch]
    documents: list[ShownDocument]
    charts: list[tuple[KeptChart, Chart, Combinations | None]]

    def marked(self, *marks: str) -> list[ShownDocument]:
        """Return the documents of some marks."""
        return [one for one in self.documents if one.mark in marks]

    @property
    def noted(self) -> list[ShownDocument]:
        """The documents without a mark of which something is said all the same: their category, a note, or something of a passage."""
        return [
            one
            for one in self.marked("")
            if one.category or one.note or any(shown.note or shown.mark for shown in one.passages)
        ]

    def record(self) -> dict[str, Any]:
        """Return what the JSON report holds."""
        return {
            "project": self.content.head,
            "searches": self.searches,
            "documents": self.documents,
            "charts": [
                {"made": kept.made, "index": kept.index, "chart": chart, "combinations": together}
                for kept, chart, together in self.charts
            ],
        }


@dataclass(frozen=True, slots=True)
class ReportParts:
    """What goes into a report. `charts` are their numbers; None for all of them."""

    searches: bool = True
    marks: bool = True
    notes: bool = True
    charts: tuple[int, ...] | None = None

    def of(self, content: Content) -> Content:
        """Return what of a project goes into the report."""
        marks = content.marks if self.marks else tuple(replace(one, mark=None) for one in content.marks)
        rulings = content.rulings
        if not self.notes:
            marks = tuple(replace(one, note="") for one in marks)
            rulings = tuple(replace(one, note="") for one in rulings)
        charts = (one for one in content.charts if self.charts is None or one.number in self.charts)
        head = content.head if self.notes else replace(content.head, note="")
        return replace(content, head=head, marks=marks, rulings=rulings, charts=tuple(charts))


def project_view(content: Content, parts: ReportParts | None = None) -> ProjectView:
    """Return what a project's reports show: all of it, or some parts."""
    parts = parts or ReportParts()
    content = parts.of(content)
    found = [(made, from_json(RecordedResult, made.result)) for made in content.searches]
    charts = [
        (
            kept,
            with_rulings(kept, content.rulings),
            None if kept.combinations is None else from_json(Combinations, kept.combinations),
        )
        for kept in content.charts
    ]
    order = {"relevant": 0, "": 1, "not relevant": 2}
    documents = sorted(_documents(content, found), key=lambda one: order[one.mark])
    searches = [_search(made, what) for made, what in found] if parts.searches else []
    return ProjectView(content, searches, documents, charts)


def _search(made: SearchMade, found: RecordedResult) -> ShownSearch:
    request = made.request
    source = _source(str(request.get("source") or found.source), str(request.get("claims") or ""))
    query = f"{source}: {found.query}" if source else found.query
    marks = request.get("marks") or {}
    counts = [len(marks.get(name) or ()) for name in ("relevant", "not_relevant")]
    ranking = ranking_text(request)
    if any(counts):
        ranking += f", with {counts[0]} marked relevant and {counts[1]} not"
    filters = asked_filters(request)
    searched = max(found.searched, len(found.hits))
    return ShownSearch(made.number, made.made, made.index, query, filters, ranking, len(found.hits), searched)


def _source(source: str, claims: str) -> str:
    """Return where a query comes from, with the claims that were searched with in the place of all that were there.

    >>> _source("claims 1-20 of EP-1-A1, A valve", "1"), _source("claims 1-20 of EP-1-A1", "all")
    ('claim 1 of EP-1-A1, A valve', 'claims 1-20 of EP-1-A1')
    """
    if not claims or claims == "all":
        return source
    return _CLAIMS.sub(f"claim{'' if claims.isdigit() else 's'} {claims} of ", source)


def _documents(content: Content, found: Iterable[tuple[SearchMade, RecordedResult]]) -> Iterable[ShownDocument]:
    """Yield every document that was found, marked or noted, once for each claim, with the passages of the last search that found it."""
    hits: dict[tuple[int, str, str], tuple[Sequence[PassageHit], Mapping[str, Reasons]]] = {}
    ranks: dict[tuple[int, str, str], list[str]] = {}
    for made, result in found:
        for rank, hit in enumerate(result.hits, 1):
            hits[made.claim, made.index, hit.document] = hit.passages, result.reasons
            ranks.setdefault((made.claim, made.index, hit.document), []).append(f"search {made.number}: rank {rank}")
    said = {(one.claim, one.index, one.id): one for one in content.marks if one.mark or one.note or one.category}
    places = dict.fromkeys([*hits, *((mark.claim, mark.index, mark.document) for mark in said.values())])
    facts = {(one.index, one.id): one for one in content.documents}
    claims = {one.number: " ".join(one.text.split()) for one in content.claims} if len(content.claims) > 1 else {}
    for place in places:
        claim, index, id_ = place
        of_document = said.get(place)
        passages, reasons = hits.get(place, ((), {}))
        of_passages = {
            one.id: one for one in said.values() if one.passage and (one.claim, one.index, one.document) == place
        }
        shown = [
            _passage(passage, reasons.get(passage.id, Reasons()), of_passages.pop(passage.id, None))
            for passage in passages
        ]
        shown += [
            _passage(PassageHit.of(mark.passage, 0.0), Reasons(), mark) for mark in of_passages.values() if mark.passage
        ]
        yield ShownDocument(
            facts.get((index, id_), DocumentFacts(index, id_, "")),
            MARKS[of_document.mark] if of_document else "",
            of_document.note if of_document else "",
            "; ".join(ranks.get(place, [])),
            shown,
            (of_document.category or "") if of_document else "",
            shorten(claims.get(claim, ""), _BEGINNING, placeholder=" …"),
        )


def _passage(passage: PassageHit, reasons: Reasons, mark: Mark | None) -> ShownPassage:
    return ShownPassage(passage, reasons, MARKS[mark.mark] if mark else "", mark.note if mark else "")
