"""An HTML report in one file: the claim beside the passages found, each match in its place, no network needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparse_coverage.present.findings import SYSTEM_NAMES, Findings
from sparse_coverage.present.links import public_links
from sparse_coverage.present.pages import render
from sparse_coverage.present.places import lacking, listed, other_reasons, place_in, unsearched_words
from sparse_coverage.search.results import Answers, Explanation, Hit, Place

ROWS = 12
"""How many reasons for a document's best passage are listed."""


@dataclass(slots=True)
class _Mark:
    """A marked place: how much it adds, what it is called, and what it matches on the other side."""

    start: int
    end: int
    strength: float = 0.0
    names: set[str] = field(default_factory=set)
    partners: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a text, marked or not; `shade` is how strong its colour is, from 0 to 1."""

    text: str
    mark: _Mark | None = None
    shade: float = 0.0


def render_report(
    query: str,
    hits: Sequence[Hit],
    explanations: Mapping[str, Explanation],
    *,
    title: str,
    answers: Mapping[str, Answers] | None = None,
) -> str:
    """Return the page of a search; see `Findings` for what each is."""
    return render_findings(Findings(query, hits, explanations, answers=answers or {}), title=title)


def render_findings(findings: Findings, *, title: str) -> str:
    """Return the page of a search, with all that it says about how it came about."""
    hits, explanations = findings.hits, findings.explanations
    shown = {
        f"d{rank}-{number}": explanations[passage.id]
        for rank, hit in enumerate(hits, 1)
        for number, passage in enumerate(hit.passages)
        if passage.id in explanations
    }
    best = max((hit.score for hit in hits), default=1.0)
    return render(
        "report.html",
        title=title,
        source=findings.source,
        about=findings.about.facts() if findings.about else [],
        claim=_claim(findings.query, shown),
        unsearched=_unsearched(list(explanations.values())),
        documents=[_document(f"d{rank}", hit, shown, findings, best) for rank, hit in enumerate(hits, 1)],
    )


def _document(key: str, hit: Hit, shown: Mapping[str, Explanation], findings: Findings, best: float) -> dict[str, Any]:
    facts = [listed(value) for name in ("publication_date", "ipc", "applicants") if (value := hit.metadata.get(name))]
    passages = []
    for number, passage in enumerate(hit.passages):
        explanation = shown.get(f"{key}-{number}")
        pieces = _passage(explanation, f"{key}-{number}") if explanation else [_Piece(passage.text)]
        passages.append((place_in(hit.document, passage), passage.score, pieces))
    first = shown.get(f"{key}-0")
    return {
        "key": key,
        "title": hit.title,
        "facts": [
            hit.document,
            f"score {hit.score:.{5 if hit.document in findings.parts else 3}f}",
            *facts,
            *(f"family: {id_}" for id_ in hit.members),
        ],
        "links": public_links(hit.document),
        "parts": [(SYSTEM_NAMES.get(part.system, part.system), part) for part in findings.parts.get(hit.document, ())],
        "score": hit.score,
        "width": 100 * hit.score / best,
        "passages": passages,
        "lacks": lacking(findings.answers[hit.document]) if hit.document in findings.answers else None,
        "rows": _rows(first) if first else [],
        "sum": first.score if first else 0.0,
    }


def _claim(query: str, shown: Mapping[str, Explanation]) -> list[_Piece]:
    marks: dict[tuple[int, int], _Mark] = {}
    for key, explanation in shown.items():
        rank = int(key[1:].partition("-")[0])
        for reason in explanation.reasons.phrases:
            if not reason.query.text:
                continue
            mark = _mark(marks, reason.query)
            mark.strength += reason.contribution / (explanation.score or 1.0) / rank
            mark.names.add(f"q-{mark.start}")
            mark.partners.add(f"{key}-{reason.passage.start}")
    return _pieces(query, marks.values())


def _passage(explanation: Explanation, key: str) -> list[_Piece]:
    marks: dict[tuple[int, int], _Mark] = {}
    for reason in explanation.reasons.phrases:
        mark = _mark(marks, reason.passage)
        mark.strength += reason.contribution / (explanation.score or 1.0)
        mark.names.add(f"{key}-{mark.start}")
        mark.partners.add(f"q-{reason.query.start}")
    return _pieces(explanation.passage.text, marks.values())


def _mark(marks: dict[tuple[int, int], _Mark], place: Place) -> _Mark:
    return marks.setdefault((place.start, place.end), _Mark(place.start, place.end))


def _pieces(text: str, marks: Iterable[_Mark]) -> list[_Piece]:
    """Cut a text at its marked places; where some overlap, as phrases and their words may, they become one."""
    joined: list[_Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if joined and mark.start < joined[-1].end:
            last = joined[-1]
            last.end = max(last.end, mark.end)
            last.strength += mark.strength
            last.names |= mark.names
            last.partners |= mark.partners
        else:
            joined.append(mark)
    strongest = max((mark.strength for mark in joined), default=1.0) or 1.0
    pieces, done = [], 0
    for mark in joined:
        shade = 0.18 + 0.7 * mark.strength / strongest
        pieces += [_Piece(text[done : mark.start]), _Piece(text[mark.start : mark.end], mark, shade)]
        done = mark.end
    return [*pieces, _Piece(text[done:])]


def _unsearched(explanations: Sequence[Explanation]) -> list[tuple[str, list[str]]]:
    """Return what of the claim is compared with nothing; that is the same in every explanation."""
    if not explanations:
        return []
    searched = [place for one in explanations for place in (*one.matched, *one.unmatched)]
    return unsearched_words(explanations[0].query, explanations[0].unsearched, searched)


def _rows(explanation: Explanation) -> list[tuple[str, str, float]]:
    """Return the reasons for a passage; what they add is its score."""
    found = explanation.reasons
    rows = [(reason.query.text, reason.passage.text, reason.contribution) for reason in found.phrases[:ROWS]]
    return rows + [("", name, contribution) for name, contribution in other_reasons(found, ROWS)]
