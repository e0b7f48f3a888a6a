"""A project as its reports show it: the searches as sentences, documents with what was said about them, charts with a user's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparse_coverage.charts.chart import Chart
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.overruling import overrule
from sparse_coverage.present.citations import Publication
from sparse_coverage.present.findings import SYSTEM_NAMES
from sparse_coverage.present.places import listed
from sparse_coverage.projects import Content, DocumentFacts, Found, KeptChart, Mark, SearchMade
from sparse_coverage.restoring import restored
from sparse_coverage.search.results import Hit, PassageHit, Reasons

WORDS = {"relevant": "relevant", "not": "not relevant", None: ""}
"""What a mark is called."""
_FILTERS = {
    "before": "published before {}", "must": "with {}", "any": "with any of {}", "not": "without {}",
    "not_family_of": "not of the family of {}", "filter": "{}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage in a report: where it stands, its text, why it was found, and what was said about it."""

    passage: PassageHit
    reasons: Reasons
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document in a report. `ranks` says which searches found it, and at which rank."""

    facts: DocumentFacts
    mark: str = ""
    note: str = ""
    ranks: str = ""
    passages: list[ShownPassage] = field(default_factory=list)

    @property
    def details(self) -> list[str]:
        """What is known of it, in the order of a report."""
        metadata = self.facts.metadata
        names = ("publication_date", "ipc", "applicants")
        return [listed(metadata[name]) for name in names if metadata.get(name)]

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
    system: str
    found: int


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


def project_view(content: Content) -> ProjectView:
    """Return what a project's reports show."""
    found = [(made, restored(Found, made.result)) for made in content.searches]
    rulings = {(one.index, one.element, one.document): (one.word, one.note) for one in content.rulings}
    charts = []
    for kept in content.charts:
        words = {place[1:]: said for place, said in rulings.items() if place[0] == kept.index}
        together = restored(Combinations, kept.combinations) if kept.combinations is not None else None
        charts.append((kept, overrule(restored(Chart, kept.chart), words), together))
    order = {"relevant": 0, "": 1, "not relevant": 2}
    documents = sorted(_documents(content, found), key=lambda one: order[one.mark])
    return ProjectView(content, [_search(made, what) for made, what in found], documents, charts)


def filters_text(filters: Mapping[str, Any]) -> str:
    """Return the filters of a search in words.

    >>> filters_text({"before": "2001-05-17", "must": ["valve"], "any": [], "filter": "country:EP"})
    'published before 2001-05-17; with valve; country:EP'
    """
    said = [sentence.format(listed(filters[name])) for name, sentence in _FILTERS.items() if filters.get(name)]
    return "; ".join(said) or "none"


def _search(made: SearchMade, found: Found) -> ShownSearch:
    request = made.request
    sources = [str(one) for one in (request.get("source"), found.source) if one]
    query = f"{'; '.join(sources)}: {found.query}" if sources else found.query
    marks = request.get("marks") or {}
    counts = [len(marks.get(name) or ()) for name in ("relevant", "not_relevant")]
    system = SYSTEM_NAMES.get(str(request.get("system")), str(request.get("system") or ""))
    if any(counts):
        system += f", with {counts[0]} marked relevant and {counts[1]} not"
    return ShownSearch(
        made.number, made.made, made.index, query, filters_text(request.get("filters") or {}), system, len(found.hits)
    )


def _documents(content: Content, found: Iterable[tuple[SearchMade, Found]]) -> Iterable[ShownDocument]:
    """Yield every document that was found, marked or noted, each once, with the passages of the last search that found it."""
    hits: dict[tuple[str, str], tuple[Hit, Mapping[str, Reasons]]] = {}
    ranks: dict[tuple[str, str], list[str]] = {}
    for made, result in found:
        for rank, hit in enumerate(result.hits, 1):
            hits[made.index, hit.document] = hit, result.reasons
            ranks.setdefault((made.index, hit.document), []).append(f"search {made.number}: rank {rank}")
    said = {(mark.index, mark.id): mark for mark in content.marks if mark.mark or mark.note}
    places = dict.fromkeys([*hits, *((mark.index, mark.document) for mark in said.values())])
    facts = {(one.index, one.id): one for one in content.documents}
    for place in places:
        index, id_ = place
        of_document = said.get(place)
        last = hits.get(place)
        of_passages = {mark.id: mark for mark in said.values() if mark.passage and (mark.index, mark.document) == place}
        shown = (
            []
            if last is None
            else [
                _passage(passage, last[1].get(passage.id, Reasons()), of_passages.pop(passage.id, None))
                for passage in last[0].passages
            ]
        )
        shown += [
            _passage(PassageHit.of(mark.passage, 0.0), Reasons(), mark) for mark in of_passages.values() if mark.passage
        ]
        yield ShownDocument(
            facts.get(place, DocumentFacts(index, id_, "")),
            WORDS[of_document.mark] if of_document else "",
            of_document.note if of_document else "",
            "; ".join(ranks.get(place, [])),
            shown,
        )


def _passage(passage: PassageHit, reasons: Reasons, mark: Mark | None) -> ShownPassage:
    return ShownPassage(passage, reasons, WORDS[mark.mark] if mark else "", mark.note if mark else "")
