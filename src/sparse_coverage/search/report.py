"""An HTML report in one file: the claim beside the passages found, each match in its place, no network needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from sparse_coverage.files import write_text
from sparse_coverage.search.types import Explanation, Hit, Place
from sparse_coverage.search.words import whole_words

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
mark.lit { outline: 2px solid #d9480f; background: rgba(255, 107, 0, .45); }
table { border-collapse: collapse; width: 100%; font-size: .88rem; margin-top: .4rem; }
th, td { text-align: left; padding: .2rem .5rem; border-bottom: 1px solid var(--edge); }
td.number { text-align: right; font-variant-numeric: tabular-nums; } summary { cursor: pointer; color: var(--dim); margin-top: .7rem; }
@media (max-width: 60rem) { main { grid-template-columns: 1fr; } aside { position: static; max-height: none; } }
"""
_SCRIPT = """
const partners = mark => mark.dataset.partners.split(' ').flatMap(name => [...document.querySelectorAll('[data-name~="' + name + '"]')]);
document.addEventListener('mouseover', event => {
  document.querySelectorAll('mark.lit').forEach(mark => mark.classList.remove('lit'));
  const mark = event.target.closest('mark');
  if (mark) { mark.classList.add('lit'); partners(mark).forEach(other => other.classList.add('lit')); }
});
"""


def write_report(
    path: Path, query: str, hits: Sequence[Hit], explanations: Mapping[str, Explanation], *, title: str
) -> None:
    """Write the report. `explanations` are those of each document's best passage, by document id."""
    best = max((hit.score for hit in hits), default=1.0)
    articles = "".join(_article(rank, hit, explanations.get(hit.document), best) for rank, hit in enumerate(hits, 1))
    write_text(
        path,
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><p>{len(hits)} documents, best first. Point at a marked word to see its partners "
        "on the other side; the stronger the colour, the more it adds to the score.</p></header>"
        f"<main><aside><h2>Claim</h2><div class='text'>{_query(query, explanations.values())}</div></aside>"
        f"<section><h2>Prior art</h2>{articles}</section></main><script>{_SCRIPT}</script></body></html>\n",
    )


def _article(rank: int, hit: Hit, explanation: Explanation | None, best: float) -> str:
    facts = " · ".join(
        escape(", ".join(value) if isinstance(value, list | tuple) else str(value))
        for key in ("publication_date", "ipc", "applicants")
        if (value := hit.metadata.get(key))
    )
    parts = [
        f"<article><h3>{rank}. {escape(hit.title)}</h3><div class='facts'>{escape(hit.document)} · score {hit.score:.3f}"
        f"{' · ' + facts if facts else ''}</div><div class='bar' style='width:{100 * hit.score / best:.1f}%'></div>"
    ]
    for number, passage in enumerate(hit.passages):
        body = _passage(explanation, rank) if number == 0 and explanation else escape(passage.text)
        place = passage.id.removeprefix(hit.document).lstrip("/")
        parts.append(f"<div class='where'>{escape(place)} · {passage.score:.3f}</div><div class='text'>{body}</div>")
    if explanation:
        parts.append(_table(explanation))
    return "".join(parts) + "</article>"


def _query(query: str, explanations: Iterable[Explanation]) -> str:
    marks: dict[tuple[int, int], tuple[float, set[str]]] = {}
    for rank, explanation in enumerate(explanations, 1):
        for match in explanation.matches:
            place = whole_words(query, match.query)
            strength, names = marks.get((place.start, place.end), (0.0, set()))
            there = whole_words(explanation.passage.text, match.passage)
            share = match.contribution / (explanation.score or 1.0)
            marks[place.start, place.end] = (strength + share / rank, names | {f"p{rank}-{there.start}-{there.end}"})
    named = {place: (strength, f"q-{place[0]}-{place[1]}", names) for place, (strength, names) in marks.items()}
    return _marked(query, named)


def _passage(explanation: Explanation, rank: int) -> str:
    marks: dict[tuple[int, int], tuple[float, str, set[str]]] = {}
    for match in explanation.matches:
        place = whole_words(explanation.passage.text, match.passage)
        there = whole_words(explanation.query, match.query)
        name = f"p{rank}-{place.start}-{place.end}"
        strength, _, partners = marks.get((place.start, place.end), (0.0, name, set()))
        marks[place.start, place.end] = (
            strength + match.contribution / (explanation.score or 1.0),
            name,
            partners | {f"q-{there.start}-{there.end}"},
        )
    return _marked(explanation.passage.text, marks)


def _marked(text: str, marks: Mapping[tuple[int, int], tuple[float, str, set[str]]]) -> str:
    """Wrap the marked places, which do not overlap once widened to words, or are dropped where they do."""
    strongest = max((strength for strength, _, _ in marks.values()), default=1.0) or 1.0
    parts, last = [], 0
    for (start, end), (strength, name, partners) in sorted(marks.items()):
        if start < last:
            continue
        opacity = 0.18 + 0.7 * strength / strongest
        parts.append(
            f"{escape(text[last:start])}<mark data-name='{name}' data-partners='{' '.join(sorted(partners))}' "
            f"style='--strength:{opacity:.2f}'>{escape(text[start:end])}</mark>"
        )
        last = end
    return "".join(parts) + escape(text[last:])


def _table(explanation: Explanation, rows: int = 12) -> str:
    def cell(text: str, place: Place) -> str:
        return f"<td>{escape(whole_words(text, place).text)}</td>"

    body = "".join(
        f"<tr>{cell(explanation.query, match.query)}{cell(explanation.passage.text, match.passage)}"
        f"<td>{escape(match.anchor)}</td><td class='number'>{match.contribution:.3f}</td></tr>"
        for match in explanation.matches[:rows]
    )
    return (
        f"<details><summary>{len(explanation.matches)} matching centers</summary><table><tr><th>claim</th><th>passage</th>"
        f"<th>center</th><th>adds</th></tr>{body}</table></details>"
    )
