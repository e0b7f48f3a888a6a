"""What a search found as a table (CSV, Excel) and as a Word file, to be filtered, annotated and sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sparse_coverage.present.findings import SYSTEM_NAMES, Findings
from sparse_coverage.present.links import public_links
from sparse_coverage.present.office import Stretch, ground
from sparse_coverage.present.office_sheet import Sheet, Value, csv_text, workbook
from sparse_coverage.present.office_word import WordPage
from sparse_coverage.present.places import flat, lacking, lacking_sentence, listed, other_reasons, place_in
from sparse_coverage.search.results import Hit, Reasons

_COLUMNS: Mapping[str, float] = {
    "rank": 6, "document": 18, "title": 36, "score": 9, "published": 12, "classes": 20, "applicants": 24, "family": 18,
    "place": 22, "passage score": 9, "passage": 70, "reasons": 44, "not found": 24, "Espacenet": 10, "Google Patents": 10,
}  # fmt: skip
ROWS = 12
"""How many reasons for a document's best passage are listed."""


def findings_csv(findings: Findings) -> str:
    """Return the passages found, one a row, as CSV."""
    return csv_text(list(_COLUMNS), list(_rows(findings)))


def findings_workbook(findings: Findings) -> bytes:
    """Return an Excel file: the passages found, one a row, and a sheet that says how they were found."""
    links = list(_COLUMNS).index("Espacenet")
    rows = [
        [*row[:links], *(Stretch("open", link=str(link)) if link else None for link in row[links:])]
        for row in _rows(findings)
    ]
    found = Sheet("found", list(_COLUMNS), rows, list(_COLUMNS.values()))
    facts: list[tuple[str, Value]] = [("query", findings.query), ("taken from", findings.source or "typed")]
    facts += findings.about.facts() if findings.about else []
    return workbook(found, Sheet("how it was found", ["what", "value"], facts, [16, 120]))


def rankings_csv(rankings: Mapping[str, Sequence[Hit]]) -> str:
    """Return the documents found for several queries as CSV."""
    header = ["query", "rank", "document", "score", "title", "published"]
    return csv_text(header, [
        [id_, rank, hit.document, hit.score, hit.title, listed(hit.metadata.get("publication_date", ""))]
        for id_, hits in rankings.items()
        for rank, hit in enumerate(hits, 1)
    ])  # fmt: skip


def findings_document(findings: Findings, title: str) -> bytes:
    """Return a report as a Word file: how it was found, the claim, a list of the documents, and each with its passages."""
    page = WordPage(title)
    if findings.about:
        page.table(("", ""), [(Stretch(name, bold=True), value) for name, value in findings.about.facts()], (2.6, 14.4))
    page.heading("Claim")
    if findings.source:
        page.paragraph(Stretch(findings.source, dim=True))
    page.paragraph(findings.query)
    page.heading("Documents found")
    digits = 5 if findings.parts else 3
    page.table(
        ("", "document", "title", "published", "score"),
        [
            (
                str(rank),
                _named(hit),
                hit.title,
                listed(hit.metadata.get("publication_date", "")),
                f"{hit.score:.{digits}f}",
            )
            for rank, hit in enumerate(findings.hits, 1)
        ],
        (0.9, 4, 7.3, 2.6, 2.2),
    )
    for rank, hit in enumerate(findings.hits, 1):
        _write_hit(page, rank, hit, findings)
    return page.content()


def _write_hit(page: WordPage, rank: int, hit: Hit, findings: Findings) -> None:
    page.heading(f"{rank}. {hit.title or hit.document}", 2)
    facts = [listed(hit.metadata[name]) for name in ("publication_date", "ipc", "applicants") if hit.metadata.get(name)]
    facts += [f"family: {', '.join(hit.members)}"] if hit.members else []
    links = public_links(hit.document)
    words = [Stretch(hit.document, bold=True), Stretch("".join(f" · {fact}" for fact in facts), dim=True)]
    for name, address in links.items():
        words += [Stretch(" · "), Stretch(name, link=address)]
    page.paragraph(words)
    if parts := findings.parts.get(hit.document):
        page.table(
            ("found by", "rank there", "its score", "adds"),
            [
                (
                    SYSTEM_NAMES.get(part.system, part.system),
                    "not found" if part.rank is None else f"{part.rank}",
                    "" if part.score is None else f"{part.score:.4f}",
                    f"{part.adds:.5f}",
                )
                for part in parts
            ]
            + [("together", "", "", f"{hit.score:.5f}")],
            (6, 3.5, 3.5, 4),
        )
    for passage in hit.passages:
        explanation = findings.explanations.get(passage.id)
        page.paragraph(Stretch(f"{place_in(hit.document, passage)} · {passage.score:.3f}", dim=True))
        page.paragraph(marked_stretches(passage.text, explanation.reasons if explanation else None), indent=0.6)
    if hit.document in findings.answers:
        page.paragraph(Stretch(lacking_sentence(lacking(findings.answers[hit.document]), "claim"), dim=True))
    explanation = findings.explanations.get(hit.passages[0].id) if hit.passages else None
    if explanation:
        rows = [
            (flat(r.query.text), flat(r.passage.text), f"{r.contribution:.3f}")
            for r in explanation.reasons.phrases[:ROWS]
        ]
        rows += [("", name, f"{adds:.3f}") for name, adds in other_reasons(explanation.reasons, ROWS)]
        rows += [("together", "", f"{explanation.score:.3f}")]
        page.table(("of the claim", "of the best passage", "adds"), rows, (7, 7.5, 2.5))


def _rows(findings: Findings) -> Iterable[list[Value]]:
    for rank, hit in enumerate(findings.hits, 1):
        links = public_links(hit.document)
        missing = findings.answers.get(hit.document)
        facts = [listed(hit.metadata.get(name) or "") for name in ("publication_date", "ipc", "applicants")]
        lacks = ", ".join(lacking(missing)) if missing else ""
        for passage in hit.passages or (None,):
            explanation = findings.explanations.get(passage.id) if passage else None
            yield [
                rank,
                hit.document,
                hit.title,
                hit.score,
                *facts,
                ", ".join(hit.members),
                place_in(hit.document, passage) if passage else "",
                passage.score if passage else None,
                passage.text if passage else "",
                reasons_line(explanation.reasons) if explanation else "",
                lacks,
                links.get("Espacenet"),
                links.get("Google Patents"),
            ]


def reasons_line(reasons: Reasons, shown: int = 6) -> str:
    """Return reasons in one line; what they add is the score of the passage."""
    phrases = [
        f"{flat(r.query.text)} ↔ {flat(r.passage.text)} {r.contribution:.3f}".removeprefix(" ↔ ")
        for r in reasons.phrases[:shown]
    ]
    return "; ".join([*phrases, *(f"{name} {adds:.3f}" for name, adds in other_reasons(reasons, shown))])


def _named(hit: Hit) -> Stretch:
    return Stretch(hit.document, link=public_links(hit.document).get("Espacenet", ""))


def marked_stretches(text: str, reasons: Reasons | None) -> list[Stretch]:
    """Return a passage with its matched phrases on coloured ground: the more one adds, the deeper."""
    sums: dict[tuple[int, int], float] = {}
    for reason in reasons.phrases if reasons else ():
        place = (reason.passage.start, reason.passage.end)
        sums[place] = sums.get(place, 0.0) + reason.contribution
    strongest = max(sums.values(), default=1.0) or 1.0
    found, done = [], 0
    for (start, end), value in sorted(sums.items()):
        if start >= done:  # phrases of one text do not overlap
            found += [
                Stretch(text[done:start]),
                Stretch(text[start:end], ground=ground(value / strongest)),
            ]
            done = end
    return [*found, Stretch(text[done:])]
