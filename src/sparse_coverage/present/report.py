"""An HTML report in one file: the claim beside the passages found, each match in its place, no network needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from sparse_coverage.files import write_text
from sparse_coverage.present.words import listed, query_words, unsearched_words, whole_words, words_at
from sparse_coverage.search.results import Answers, Explanation, Hit, Place

_STYLE = """
:root { color-scheme: light dark; --mark: 255, 196, 0; --ink: #1d2530; --paper: #fbfaf7; --edge: #d9d4c7; --dim: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e5df; --paper: #17191d; --edge: #383c44; --dim: #9aa1ad; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 Georgia, 'Times New Roman', serif; color: var(--ink); background: var(--paper); }
header { padding: 1.2rem 2rem; border-bottom: 1px solid var(--edge); }
h1 { font-size: 1.35rem; margin: 0; } header p { margin: .3rem 0 0; color: var(--dim); }
main { display: grid; grid-template-columns: minmax(18rem, 2fr) 3fr; gap: 2rem; padding: 1.5rem 2rem; }
aside { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto; }
h2 { font-size: .85rem; letter-spacing: .08em; text-transform: uppercase; color: var(--dim); margin: 0 0 .6rem; }
.text { white-space: pre-wrap; }
article { border: 1px solid var(--edge); border-radius: 8px; padding: 1rem 1.2rem; margin-bottom: 1.2rem; }
article h3 { margin: 0; font-size: 1.05rem; } .facts { color: var(--dim); font-size: .88rem; margin: .1rem 0 .6rem; }
.bar { height: 5px; border-radius: 3px; background: rgba(var(--mark), .95); margin: .4rem 0; }
.where { color: var(--dim); font: .8rem ui-monospace, monospace; margin-top: .7rem; }
mark { background: rgba(var(--mark), var(--strength, .35)); color: inherit; border-radius: 3px; cursor: default; }
mark.faint { background: none; text-decoration: underline dotted var(--dim); }
mark.lit { outline: 2px solid #d9480f; background: rgba(255, 107, 0, .45); }
table { border-collapse: collapse; width: 100%; font-size: .88rem; margin-top: .4rem; }
.lacks { color: var(--dim); font-size: .92rem; margin-top: .7rem; } .lacks b { color: var(--ink); font-weight: 600; }
th, td { text-align: left; padding: .2rem .5rem; border-bottom: 1px solid var(--edge); }
td.number { text-align: right; font-variant-numeric: tabular-nums; } summary { cursor: pointer; color: var(--dim); margin-top: .7rem; }
@media (max-width: 60rem) { main { grid-template-columns: 1fr; } aside { position: static; max-height: none; } }
"""
_SCRIPT = """
const all = selector => [...document.querySelectorAll(selector)];
const names = mark => mark.dataset.partners.split(' ');
const partners = mark => names(mark).flatMap(name => all('[data-name~="' + name + '"]'));
function light(mark) {
  all('mark.lit').forEach(other => other.classList.remove('lit'));
  if (mark) { mark.classList.add('lit'); partners(mark).forEach(other => other.classList.add('lit')); }
}
function only(article) {
  all('aside mark').forEach(mark => mark.classList.toggle('faint',
    article !== null && !names(mark).some(name => name.startsWith(article.id + '-'))));
}
for (const kind of ['mouseover', 'focusin']) document.addEventListener(kind, event => {
  light(event.target.closest('mark'));
  if (!event.target.closest('aside')) only(event.target.closest('article'));
});
"""


@dataclass(slots=True)
class _Mark:
    """A marked place: how much it adds, what it is called, and what it matches on the other side."""

    start: int
    end: int
    strength: float = 0.0
    names: set[str] = field(default_factory=set)
    partners: set[str] = field(default_factory=set)


def write_report(
    path: Path,
    query: str,
    hits: Sequence[Hit],
    explanations: Mapping[str, Explanation],
    *,
    title: str,
    answers: Mapping[str, Answers] | None = None,
) -> None:
    """Write the report.

    `explanations` are those of passages, by passage id, or of each document's best passage, by document id. `answers`, by
    document id, add what of the claim a document has nothing for.
    """
    best = max((hit.score for hit in hits), default=1.0)
    shown = {
        f"d{rank}-{number}": explanation
        for rank, hit in enumerate(hits, 1)
        for number, passage in enumerate(hit.passages)
        if (explanation := explanations.get(passage.id) or (explanations.get(hit.document) if number == 0 else None))
    }
    articles = "".join(
        _article(rank, hit, shown, (answers or {}).get(hit.document), best) for rank, hit in enumerate(hits, 1)
    )
    write_text(
        path,
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><p>{len(hits)} documents, best first. Point at a marked word to see its partners "
        "on the other side; the stronger the colour, the more it adds to the score. Point at a document, and the words of the "
        "claim that it does not match lose their colour.</p></header>"
        f"<main><aside><h2>Claim</h2><div class='text'>{_claim(query, shown)}</div>{_unsearched(list(explanations.values()))}</aside>"
        f"<section><h2>Prior art</h2>{articles}</section></main><script>{_SCRIPT}</script></body></html>\n",
    )


def _article(rank: int, hit: Hit, shown: Mapping[str, Explanation], answers: Answers | None, best: float) -> str:
    facts = " · ".join(
        escape(listed(value)) for key in ("publication_date", "ipc", "applicants") if (value := hit.metadata.get(key))
    )
    parts = [
        f"<article id='d{rank}' tabindex='0'><h3>{rank}. {escape(hit.title)}</h3>"
        f"<div class='facts'>{escape(hit.document)} · score {hit.score:.3f}{' · ' + facts if facts else ''}</div>"
        f"<div class='bar' style='width:{100 * hit.score / best:.1f}%'></div>"
    ]
    for number, passage in enumerate(hit.passages):
        explanation = shown.get(f"d{rank}-{number}")
        body = _passage(explanation, f"d{rank}-{number}") if explanation else escape(passage.text)
        place = passage.id.removeprefix(hit.document).lstrip("/")
        parts.append(f"<div class='where'>{escape(place)} · {passage.score:.3f}</div><div class='text'>{body}</div>")
    if answers is not None:
        parts.append(_lacks(answers))
    first = shown.get(f"d{rank}-0")
    if first is not None:
        parts.append(_table(first))
    return "".join(parts) + "</article>"


def _claim(query: str, shown: Mapping[str, Explanation]) -> str:
    marks: dict[tuple[int, int], _Mark] = {}
    for key, explanation in shown.items():
        rank = int(key[1:].partition("-")[0])
        for match in (match for match in explanation.matches if not match.lender):
            mark = _mark(marks, whole_words(query, match.query))
            mark.strength += match.contribution / (explanation.score or 1.0) / rank
            mark.names.add(f"q-{mark.start}")
            mark.partners.add(f"{key}-{whole_words(explanation.passage.text, match.passage).start}")
    return _marked(query, marks.values())


def _passage(explanation: Explanation, key: str) -> str:
    marks: dict[tuple[int, int], _Mark] = {}
    for match in explanation.matches:
        mark = _mark(marks, whole_words(explanation.passage.text, match.passage))
        mark.strength += match.contribution / (explanation.score or 1.0)
        mark.names.add(f"{key}-{mark.start}")
        if not match.lender:
            mark.partners.add(f"q-{whole_words(explanation.query, match.query).start}")
    return _marked(explanation.passage.text, marks.values())


def _mark(marks: dict[tuple[int, int], _Mark], place: Place) -> _Mark:
    return marks.setdefault((place.start, place.end), _Mark(place.start, place.end))


def _marked(text: str, marks: Iterable[_Mark]) -> str:
    """Wrap the marked places; where some overlap, as phrases and their words may, they become one."""
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
    parts, done = [], 0
    for mark in joined:
        parts.append(
            f"{escape(text[done : mark.start])}<mark tabindex='0' data-name='{' '.join(sorted(mark.names))}' "
            f"data-partners='{' '.join(sorted(mark.partners))}' style='--strength:{0.18 + 0.7 * mark.strength / strongest:.2f}'>"
            f"{escape(text[mark.start : mark.end])}</mark>"
        )
        done = mark.end
    return "".join(parts) + escape(text[done:])


def _lacks(answers: Answers) -> str:
    missing = words_at(answers.query, answers.missing, but=(answer.query for answer in answers.found))
    words = ", ".join(f"<b>{escape(word)}</b>" for word in missing)
    return f"<div class='lacks'>Of the claim, nothing in this document answers: {words or 'everything finds something'}.</div>"


def _unsearched(explanations: Sequence[Explanation]) -> str:
    """Return what of the claim is compared with nothing; that is the same in every explanation."""
    if not explanations:
        return ""
    searched = [place for one in explanations for place in (*one.matched, *one.unmatched)]
    found = unsearched_words(explanations[0].query, explanations[0].unsearched, searched)
    return "".join(
        f"<div class='lacks'>Not compared with any document, {why}: {escape(', '.join(words))}.</div>"
        for why, words in found
    )


def _table(explanation: Explanation, rows: int = 12) -> str:
    body = "".join(
        f"<tr><td>{escape(query_words(explanation.query, match))}</td>"
        f"<td>{escape(whole_words(explanation.passage.text, match.passage).text)}</td>"
        f"<td>{escape(match.anchor)}</td><td class='number'>{match.contribution:.3f}</td></tr>"
        for match in explanation.matches[:rows]
    )
    return (
        f"<details><summary>{len(explanation.matches)} matching centers</summary><table><tr><th>claim</th><th>passage</th>"
        f"<th>center</th><th>adds</th></tr>{body}</table></details>"
    )
