"""An HTML report in one file: the claim beside the passages found, each match in its place, no network needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sparse_coverage.present.pages import render
from sparse_coverage.present.pieces import TextMark, TextPiece, cut_at, passage_marks
from sparse_coverage.present.places import (
    cited_place,
    lacking,
    listed,
    rank_there,
    reason_rows,
    unsearched_words,
    why_line,
)
from sparse_coverage.present.terms import NOTICE
from sparse_coverage.search.results import Explanation, Hit
from sparse_coverage.systems import label_of
from sparse_coverage.workspace.links import public_links
from sparse_coverage.workspace.results import TITLE, SearchResult

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
        about=result.about.facts() if result.about else [],
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
        passages.append((cited_place(passage.section, passage.number, passage.id), passage.score, pieces))
    first = shown.get(f"{key}-0")
    return {
        "key": key,
        "title": hit.title,
        "facts": [
            hit.document,
            f"score {hit.score:.3f}{f', {hit.closeness}' if hit.closeness else ''}",
            *facts,
            *(f"family: {id_}" for id_ in hit.members),
        ],
        "links": public_links(hit.document),
        "parts": [(label_of(part.part), rank_there(part), part) for part in result.parts.get(hit.document, ())],
        "score": hit.score,
        "why": why_line(first.reasons if first else None),
        "passages": passages,
        "lacks": lacking(result.answers[hit.document]) if hit.document in result.answers else None,
        "rows": reason_rows(first.reasons, ROWS) if first else [],
        "sum": first.score if first else 0.0,
    }


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
