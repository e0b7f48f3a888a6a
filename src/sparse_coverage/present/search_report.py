"""What a search found, as files: an HTML page that needs no network, Word, PDF, Excel and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparse_coverage.present.office import NewPage, Page, Stretch
from sparse_coverage.present.office_sheet import (
    Sheet,
    Value,
    csv_text,
    document_values,
    marked_stretches,
    passage_values,
    sheet,
    table,
    workbook,
)
from sparse_coverage.present.pages import render
from sparse_coverage.present.places import (
    TextMark,
    TextPiece,
    cited,
    cut_at,
    missing_sentence,
    missing_words,
    passage_marks,
    unsearched_words,
)
from sparse_coverage.present.reasons import rank_there, reason_rows, why_line
from sparse_coverage.present.terms import NOTICE, shown_of
from sparse_coverage.search.results import Explanation, Hit
from sparse_coverage.systems import PARTS, label_of
from sparse_coverage.workspace.filters import filters_text
from sparse_coverage.workspace.related import public_links
from sparse_coverage.workspace.results import TITLE, About, SearchResult, listed

ROWS = 12
"""How many reasons for a document's best passage are listed."""


def search_page(result: SearchResult, title: str = TITLE) -> str:
    """Return the page of a search, with all that it says about how it came about."""
    hits, explanations = result.hits, result.explanations
    shown = {
        f"d{rank}-{number}": explanations[passage.id]
        for rank, hit in enumerate(hits, 1)
        for number, passage in enumerate(hit.passages)
        if passage.id in explanations
    }
    return render(
        "report.html",
        title=title,
        notice=NOTICE,
        source=result.source,
        about=_facts(result),
        told=_told(result),
        claim=_claim(result.query, shown),
        unsearched=_unsearched(list(explanations.values())),
        documents=[_document(f"d{rank}", hit, shown, result) for rank, hit in enumerate(hits, 1)],
    )


def _document(key: str, hit: Hit, shown: Mapping[str, Explanation], result: SearchResult) -> dict[str, Any]:
    facts = [listed(value) for name in ("publication_date", "ipc", "applicants") if (value := hit.metadata.get(name))]
    passages = []
    for number, passage in enumerate(hit.passages):
        explanation = shown.get(f"{key}-{number}")
        reasons = explanation.reasons if explanation else None
        pieces = cut_at(passage.text, passage_marks(reasons, name=f"{key}-{number}"))
        passages.append((cited(passage), passage.score, pieces))
    first = shown.get(f"{key}-0")
    return {
        "key": key,
        "title": hit.title,
        "facts": [
            hit.document,
            f"score {_score(hit)}",
            *facts,
            *(f"family: {id_}" for id_ in hit.members),
        ],
        "links": public_links(hit.document),
        "parts": [(label_of(part.part), rank_there(part), part) for part in result.parts.get(hit.document, ())],
        "score": hit.score,
        "why": why_line(first.reasons if first else None),
        "passages": passages,
        "lacks": missing_words(result.answers[hit.document]) if hit.document in result.answers else None,
        "rows": reason_rows(first.reasons, ROWS) if first else [],
        "sum": first.score if first else 0.0,
    }


def _score(hit: Hit) -> str:
    return f"{hit.score:.3f}, {hit.closeness}" if hit.closeness else f"{hit.score:.3f}"


def _claim(query: str, shown: Mapping[str, Explanation]) -> list[TextPiece]:
    return cut_at(query, [
        TextMark(
            reason.query.start,
            reason.query.end,
            reason.contribution / (explanation.score or 1.0) / int(key[1:].partition("-")[0]),
            name=f"q-{reason.query.start}",
            partner=f"{key}-{reason.passage.start}",
        )
        for key, explanation in shown.items()
        for reason in explanation.reasons.phrases
        if reason.query.text
    ])  # fmt: skip


def _unsearched(explanations: Sequence[Explanation]) -> list[tuple[str, list[str]]]:
    """Return what of the claim is compared with nothing; that is the same in every explanation."""
    if not explanations:
        return []
    searched = [place for one in explanations for place in (*one.matched, *one.unmatched)]
    return unsearched_words(explanations[0].query, explanations[0].unsearched, searched)


_COLUMNS = (
    "rank", "document", "title", "score", "published", "classes", "applicants", "family", "place", "passage score", "passage",
    "reasons", "not found", "Espacenet", "Google Patents",
)  # fmt: skip


def _told(result: SearchResult) -> str:
    return shown_of(len(result.hits), max(result.searched, len(result.hits)))


def _facts(result: SearchResult) -> list[tuple[str, str]]:
    """Return how a search came about, in words of people who search; the settings of scores are in the JSON."""
    about = result.about
    if about is None:
        return []
    allowed = f", {result.searched:,} of them within the filters" if 0 < result.searched < about.documents else ""
    facts = {
        "date": about.date,
        "searched": f"the index “{Path(about.index).name}”: {about.documents:,} documents{allowed}",
        "filters": _filters(about),
        "ranking": _ranking(about),
        "found": _told(result),
        "notes": " ".join(result.notes),
        "made with": f"Sparse Coverage {about.version}",
    }
    return [(name, value) for name, value in facts.items() if value]


def _filters(about: About) -> str:
    filters = about.request.get("filters") or {}
    since = "only what came into the index since the search before" if filters.get("since") else ""
    more = "; ".join(filter(None, [str(about.filters.get("--like", "")), since]))
    return filters_text(filters, more=more)


def _ranking(about: About) -> str:
    """Return what ranked the documents: by what first, by what again, and with which marks."""
    told = label_of(about.ranking)
    if about.ranking == "combined":
        told += f": {', '.join(label_of(part) for part in PARTS)}, added up"
    if again := about.settings.get("rerank"):
        told += f"; the first {about.settings['top']} then by {label_of(again)}"
    marks = [
        f"{len(about.settings[name])} marked {words}"
        for name, words in (("relevant", "relevant"), ("not_relevant", "not relevant"))
        if about.settings.get(name)
    ]
    return told + (f"; with {' and '.join(marks)}" if marks else "")


def search_csv(result: SearchResult) -> str:
    """Return the passages found, one a row, as CSV."""
    return csv_text(_COLUMNS, table(_COLUMNS, list(_rows(result))))


def search_workbook(result: SearchResult) -> bytes:
    """Return an Excel file: the passages found, one a row, and a sheet that says how they were found."""
    facts: list[tuple[str, Value]] = [("query", result.query), ("taken from", result.source or "typed")]
    facts += _facts(result)
    facts += [("notice", one) for one in NOTICE]
    found = sheet("found", _COLUMNS, list(_rows(result)))
    return workbook(found, Sheet("how it was found", ["what", "value"], facts, [16, 120]))


def rankings_csv(rankings: Mapping[str, Sequence[Hit]]) -> str:
    """Return the documents found for several queries as CSV."""
    header = ["query", "rank", "document", "score", "title", "published"]
    return csv_text(header, [
        [id_, rank, hit.document, hit.score, hit.title, listed(hit.metadata.get("publication_date", ""))]
        for id_, hits in rankings.items()
        for rank, hit in enumerate(hits, 1)
    ])  # fmt: skip


def search_document(new_page: NewPage, result: SearchResult) -> bytes:
    """Return a report as a file of pages: how it was found, the claim, a list of the documents, and each with its passages."""
    page = new_page(TITLE)
    page.paragraph(Stretch(" ".join(NOTICE), dim=True))
    if facts := _facts(result):
        page.table(("", ""), [(Stretch(name, bold=True), value) for name, value in facts], (2.6, 14.4))
    page.heading("Claim")
    if result.source:
        page.paragraph(Stretch(result.source, dim=True))
    page.paragraph(result.query)
    page.heading("Documents found")
    page.table(
        ("", "document", "title", "published", "score"),
        [
            (
                str(rank),
                Stretch(hit.document, link=public_links(hit.document).get("Espacenet", "")),
                hit.title,
                listed(hit.metadata.get("publication_date", "")),
                _score(hit),
            )
            for rank, hit in enumerate(result.hits, 1)
        ],
        (0.9, 4, 6.7, 2.4, 3),
    )
    for rank, hit in enumerate(result.hits, 1):
        _write_hit(page, rank, hit, result)
    return page.content()


def _write_hit(page: Page, rank: int, hit: Hit, result: SearchResult) -> None:
    page.heading(f"{rank}. {hit.title or hit.document}", 2)
    facts = [listed(hit.metadata[name]) for name in ("publication_date", "ipc", "applicants") if hit.metadata.get(name)]
    facts += [f"family: {', '.join(hit.members)}"] if hit.members else []
    facts += [hit.closeness] if hit.closeness else []
    links = public_links(hit.document)
    words = [Stretch(hit.document, bold=True), Stretch("".join(f" · {fact}" for fact in facts), dim=True)]
    for name, address in links.items():
        words += [Stretch(" · "), Stretch(name, link=address)]
    page.paragraph(words)
    first = result.explanations.get(hit.passages[0].id) if hit.passages else None
    if why := why_line(first.reasons if first else None):
        page.paragraph(Stretch(why))
    if parts := result.parts.get(hit.document):
        page.table(
            ("ranking", "rank there", "its score", "adds"),
            [
                (
                    label_of(part.part),
                    rank_there(part),
                    "" if part.score is None else f"{part.score:.4f}",
                    f"{part.adds:.3f}",
                )
                for part in parts
            ]
            + [("together", "", "", f"{hit.score:.3f}")],
            (6, 3.5, 3.5, 4),
        )
    for passage in hit.passages:
        explanation = result.explanations.get(passage.id)
        page.paragraph(Stretch(f"{cited(passage)} · {passage.score:.3f}", dim=True), with_next=True)
        page.paragraph(marked_stretches(passage.text, explanation.reasons if explanation else None), indent=0.6)
    if hit.document in result.answers:
        page.paragraph(Stretch(missing_sentence(missing_words(result.answers[hit.document]), "claim"), dim=True))
    if first:
        rows = [(asked, found, f"{adds:.3f}") for asked, found, adds in reason_rows(first.reasons, ROWS)]
        rows += [("together", "", f"{first.score:.3f}")]
        page.table(("of the claim", "of the best passage", "adds"), rows, (7, 7.5, 2.5))


def _rows(result: SearchResult) -> Iterable[dict[str, Value]]:
    for rank, hit in enumerate(result.hits, 1):
        missing = result.answers.get(hit.document)
        values = document_values(hit.document, hit.title, hit.metadata)
        values |= {"rank": rank, "score": hit.score, "family": ", ".join(hit.members)}
        values |= {"not found": ", ".join(missing_words(missing)) if missing else ""}
        for passage in hit.passages or (None,):
            explanation = result.explanations.get(passage.id) if passage else None
            reasons = explanation.reasons if explanation else None
            yield values | ({**passage_values(passage, reasons), "passage score": passage.score} if passage else {})
