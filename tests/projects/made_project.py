"""A project with something of everything in it."""

from __future__ import annotations

from dataclasses import asdict

from sparse_coverage.charts.chart import Cell, Chart, Column, Quote, Verdict
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.dataclass_json import record
from sparse_coverage.index import PassageRecord
from sparse_coverage.projects import Mark, Project, Ruling
from sparse_coverage.search.results import Hit, PassageHit, Place, Reason, Reasons

CLAIM = "A valve comprising a plunger, and a spring."
TEXT = "The plunger is held by a coil spring."
PASSAGE = PassageRecord("EP-1-A1/description/p[3]", "EP-1-A1", "description", TEXT, "0034")
FACTS = {"publication_date": "1999-05-17", "ipc": ["F16K 31/06"], "applicants": ["Acme"], "country": "EP"}


def search_record():
    """What a search gives."""
    hits = [
        Hit(f"EP-{n}-A1", f"Device EP-{n}-A1", 2.0 / n, FACTS, (PassageHit.of(PASSAGE, 2.0 / n),) if n == 1 else ())
        for n in (1, 2, 3)
    ]
    reasons = Reasons((Reason(Place("spring", 36, 42), Place("coil spring", 25, 36), 1.5),), 0.5)
    about = {
        "date": "2026-01-01", "version": "0", "index": "demo", "documents": 3, "passages": 9, "model": "m", "ranking": "centers",
        "settings": {}, "filters": {"--before": "2001-05-17"},
    }  # fmt: skip
    return record({"query": CLAIM, "source": "", "hits": hits, "reasons": {PASSAGE.id: reasons}, "about": about})


def made_chart():
    """A chart of one claim and two documents."""
    claims = read_claims(CLAIM)
    elements = chart_elements(claims)
    quote = Quote(PASSAGE.id, "description", "0034", TEXT, 0, len(TEXT), 0.9)
    cells = tuple(
        (
            Cell(element.label, "EP-1-A1", Verdict.DISCLOSED, 0.9, (quote,)),
            Cell(element.label, "EP-2-A1", Verdict.PARTLY, 0.4, (quote,)),
        )
        for element in elements
    )
    columns = tuple(Column(f"EP-{n}-A1", f"Device EP-{n}-A1", FACTS, share) for n, share in ((1, 1.0), (2, 0.5)))
    return Chart(claims, elements, columns, cells, (1.0,) * len(elements), "hash")


def chart_record():
    """The same as a record."""
    return record(made_chart())


def filled(project: Project) -> None:
    """Put something of everything into a project."""
    request = {"query": CLAIM, "ranking": "centers", "filters": {"before": "2001-05-17"}, "k": 10}
    project.add_search("demo", request, search_record())
    project.add_chart("demo", {"claim": CLAIM}, chart_record(), {"found": [], "missing": ["1c"], "documents": 2})
    project.set_mark(Mark("demo", "EP-1-A1", "EP-1-A1", "relevant", "closest: the spring", claim=1))
    project.set_mark(Mark("demo", PASSAGE.id, "EP-1-A1", "not", "=only a mention", PASSAGE, claim=1))
    project.overrule(
        Ruling("demo", made_chart().elements[1].text, "EP-2-A1", "disclosed", "implicit in figure 2", claim=1)
    )
    project.keep_draft({"query": CLAIM, "elements": ["a plunger"]}, 0)
    assert asdict(project.head())["revision"] == 6
