"""Hits and explanations for people in a terminal: what rich prints. Callers print it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sparse_coverage.index import PassageRecord
from sparse_coverage.present.places import (
    cited,
    flat,
    missing_sentence,
    missing_words,
    place_in,
    printed_number,
    query_words,
    shared_words,
    snippet,
    unsearched_words,
    whole_words,
    within,
    words_at,
)
from sparse_coverage.present.reasons import parts_line, reason_rows
from sparse_coverage.search.features import Touch
from sparse_coverage.search.results import (
    Answers,
    Explanation,
    Hit,
    PartScore,
    PassageHit,
    Place,
    Reasons,
    Unsearched,
)
from sparse_coverage.workspace import ElementText, ReadResult, SearchResult
from sparse_coverage.workspace.related import public_links
from sparse_coverage.workspace.results import listed

EXCERPT = 320
_NEAR = {"close": "bold green", "related": "yellow", "weak": "dim"}
PAIRS = 6
NOTHING = "Nothing was found: of what the filters allow, nothing shares a center that counts with the query."


def hits_text(
    hits: Sequence[Hit],
    explanations: Mapping[str, Explanation],
    nothing: str = NOTHING,
    parts: Mapping[str, Sequence[PartScore]] | None = None,
    query: str = "",
    strips: Mapping[str, Text] | None = None,
) -> Group:
    """Return ranked documents with their best passages; matched words stand out, the strongest pairs are listed.

    `explanations` are those of passages, by passage id; where one is missing, nothing stands out and the passage is shown
    around the words that it shares with the `query`. `parts`, by document id, say what each part of a combined ranking added,
    `strips` which features of the claim each has.
    """
    if not hits:
        return Group(nothing)
    lines: list[RenderableType] = []
    for rank, hit in enumerate(hits, 1):
        mine = (parts or {}).get(hit.document, ())
        name, score = (f"{rank:>3}. {hit.document}", "bold"), (f"{hit.score:.3f}", "green")
        near = (f"  {hit.closeness}", _NEAR.get(hit.closeness, ""))
        lines.append(Text.assemble("\n", name, "  ", score, near if hit.closeness else "", f"  {flat(hit.title)}"))
        facts = " · ".join(
            flat(listed(hit.metadata[key])) for key in ("publication_date", "ipc") if hit.metadata.get(key)
        )
        if facts:
            lines.append(Text.assemble("     ", (facts, "dim")))
        if hit.members:
            lines.append(Text.assemble("     ", (f"family: {', '.join(hit.members)}", "dim")))
        explanation = explanations.get(hit.passages[0].id) if hit.passages else None
        if strips and hit.document in strips:
            lines.append(strips[hit.document])
        if mine:
            lines.append(Text(f"     {parts_line(mine)}", style="dim"))
        for passage in hit.passages:
            text = Text(f"     {cited(passage)}  ", style="cyan")
            text.append(f"{passage.score:.3f}  ", style="dim")
            if passage.id in explanations:
                text.append_text(_highlighted(explanations[passage.id]))
            else:
                text.append(_excerpt(passage.text, query), style="default")
            lines.append(text)
        if explanation is not None and explanation.score:
            lines.append(
                Text(f"     matched {explanation.score:.3f}: ", style="dim").append_text(_reasons(explanation))
            )
    return Group(*lines)


_HAS = {"touched": ("●", "green"), "some": ("◐", "yellow"), "": ("○", "dim")}


def strips_of(elements: Sequence[ElementText], found: SearchResult) -> dict[str, Text]:
    """Return for each document a line with the features of the claim: ● where a passage has most of the words of one, ◐ some."""

    def strip(touches: Sequence[Touch]) -> Text:
        marks = [
            (f" {one.label} {_HAS[has.level][0]}", _HAS[has.level][1])
            for one, has in zip(elements, touches, strict=True)
        ]
        return Text.assemble("    ", *marks)

    return {id_: strip(touches) for id_, touches in found.touched.items()}


def beyond_text(elements: Sequence[ElementText], found: SearchResult) -> list[RenderableType]:
    """Return what covers the features that the first documents lack."""
    if found.beyond is None:
        return []
    lacking = ", ".join(found.beyond.lacking)
    if not found.beyond.hits:
        return [f"\nLacking in the first ten, and nothing else found has it: {lacking}"]
    hits = hits_text(found.beyond.hits, {}, query="", strips=strips_of(elements, found))
    return [f"\nHave what the first ten lack: {lacking}", hits]


def explanation_text(explanation: Explanation, limit: int) -> Group:
    """Return why a passage was found: reasons, the centers behind them, and what of the query it does not answer."""
    passage = explanation.passage
    why = Table("of the query", "of the passage", "adds")
    for asked, found, adds in reason_rows(explanation.reasons, limit):
        why.add_row(escape(asked), escape(found) if asked else f"[dim]{escape(found)}[/dim]", f"{adds:.3f}")
    why.add_row("together", "", f"{explanation.score:.3f}", style="bold")
    table = Table("query span", "passage span", "center", "w(q)", "w(d)", "idf", "adds")
    for match in explanation.matches[:limit]:
        table.add_row(
            escape(query_words(explanation.query, match)),
            escape(whole_words(passage.text, match.passage).text),
            escape(match.anchor),
            *(f"{value:.3f}" for value in (match.query_weight, match.passage_weight, match.idf, match.contribution)),
        )
    lines: list[RenderableType] = [
        Text.assemble((place_in("", passage), "bold"), "  score ", (f"{passage.score:.4f}", "green")),
        _highlighted(explanation, len(passage.text)),
        why,
    ]
    if explanation.parts:
        lines.append(Text(f"the document: {parts_line(explanation.parts)}", style="dim"))
    if explanation.matches:
        lines += [Text("\nThe centers behind it, in the score by centers alone:"), table]
    hidden = explanation.matches[limit:]
    if hidden:
        added = sum(match.contribution for match in hidden)
        lines.append(Text(f"and {len(hidden)} more, adding {added:.4f}", style="dim"))
    missing = words_at(explanation.query, explanation.unmatched)
    if missing:
        lines.append(_said("of the query, nothing here answers:", missing))
    searched = [*explanation.matched, *explanation.unmatched]
    return Group(*lines, *_not_compared(explanation.query, explanation.unsearched, searched))


def answers_text(answers: Answers, limit: int) -> Group:
    """Return what a document has to set against each span of the query, strongest first, and what it has nothing for."""
    table = Table("query span", "strongest in the document", "where", "center", "would add")
    for answer in sorted(answers.found, key=lambda answer: -answer.match.contribution)[:limit]:
        table.add_row(
            escape(whole_words(answers.query, answer.query).text),
            escape(whole_words(answers.passages[answer.passage], answer.match.passage).text),
            escape(within(answers.document, answer.passage) + _numbered(answers, answer.passage)),
            escape(answer.match.anchor),
            f"{answer.match.contribution:.3f}",
        )
    searched = [*(answer.query for answer in answers.found), *answers.missing]
    return Group(
        Text.assemble("\n", (answers.document, "bold"), " as a whole"),
        table,
        Text(missing_sentence(missing_words(answers), "query")),
        *_not_compared(answers.query, answers.unsearched, searched),
    )


def _numbered(answers: Answers, passage: str) -> str:
    number = printed_number("description", answers.numbers.get(passage, ""))
    return f" {number}" if number and "/description/" in passage else ""


def passages_text(
    passages: Sequence[PassageHit], explanations: Mapping[str, Explanation] | None = None, nothing: str = NOTHING
) -> Group:
    """Return ranked passages, each around its strongest phrases where it has an explanation."""
    if not passages:
        return Group(nothing)
    lines: list[RenderableType] = []
    for rank, passage in enumerate(passages, 1):
        name, score = (f"{rank:>4}. {place_in('', passage)}", "bold"), (f"{passage.score:.3f}", "green")
        why = (explanations or {}).get(passage.id)
        shown = _highlighted(why) if why else Text(_excerpt(passage.text))
        lines += [Text.assemble(name, "  ", score), Text.assemble("      ", shown)]
    return Group(*lines)


def rankings_text(rankings: Mapping[str, Sequence[Hit]]) -> Table:
    """Return the ranked documents of several queries, by the queries' ids, as one table."""
    table = Table("query", "rank", "document", "score", "title")
    for id_, hits in rankings.items():
        for rank, hit in enumerate(hits, 1):
            table.add_row(escape(id_), str(rank), escape(hit.document), f"{hit.score:.4f}", escape(hit.title))
    return table


def _not_compared(query: str, unsearched: Unsearched, searched: Sequence[Place]) -> list[Text]:
    return [_said(f"not compared, {why}:", words) for why, words in unsearched_words(query, unsearched, searched)]


def _said(what: str, words: Sequence[str]) -> Text:
    return Text.assemble((what, "dim"), f" {', '.join(words)}")


def _reasons(explanation: Explanation) -> Text:
    text = Text()
    for asked, found, adds in reason_rows(explanation.reasons, PAIRS):
        text.append(", " if text else "")
        if asked:
            text.append(asked, style="magenta").append(" ↔ ")
        text.append(found, style="yellow" if asked else "dim").append(f" {adds:.2f}", style="dim")
    return text


def _highlighted(explanation: Explanation, length: int = EXCERPT) -> Text:
    """Return a passage, or the part of it around its strongest phrases, with the matched phrases marked."""
    text = explanation.passage.text
    places = [reason.passage for reason in explanation.reasons.phrases]
    begin, end = snippet(text, places, length)
    shown = Text(flat(text[begin:end]), style="default")
    for place in places:
        if begin <= place.start and place.end <= end:
            shown.stylize("bold yellow", place.start - begin, place.end - begin)
    return Text.assemble("… " if begin else "", shown, " …" if end < len(text) else "")


def _excerpt(text: str, query: str = "") -> str:
    begin, end = snippet(text, shared_words(query, text), EXCERPT)
    return ("… " if begin else "") + flat(text[begin:end]) + (" …" if end < len(text) else "")


_SECTIONS = {
    "title+abstract": "Title and abstract",
    "abstract": "Abstract",
    "translation": "In other languages",
    "description": "Description",
    "claims": "Claims",
}
_FACTS = {
    "publication_date": "published", "priority_date": "priority", "application_date": "filed", "applicants": "applicants",
    "inventors": "inventors", "ipc": "IPC", "cpc": "CPC", "family": "family", "family_members": "family members",
    "citations": "cites", "language": "language", "source": "read from",
}  # fmt: skip


def document_text(result: ReadResult) -> Group:
    """Return the document; passages that a claim found have their rank and score before them, their phrases stand out."""
    document = result.document
    lines: list[RenderableType] = [Text.assemble((document.id, "bold"), f"  {flat(document.title)}")]
    lines += [
        Text.assemble((f"{name}: ", "dim"), flat(listed(document.metadata[key])))
        for key, name in _FACTS.items()
        if document.metadata.get(key)
    ]
    lines += [Text.assemble((f"{name}: ", "dim"), link) for name, link in public_links(document.id).items()]
    ordered = sorted(result.explanations, key=lambda id_: -result.explanations[id_].score)
    ranks = {id_: rank for rank, id_ in enumerate(ordered, 1)}
    section = ""
    for passage in result.passages:
        if passage.section != section:
            section = passage.section
            lines.append(Text(f"\n{_SECTIONS.get(section, section.capitalize())}", style="bold underline"))
        score = result.explanations[passage.id].score if passage.id in ranks else 0.0
        lines.append(_passage(passage, result.reasons(passage), ranks.get(passage.id), score))
    return Group(*lines)


def _passage(passage: PassageRecord, reasons: Reasons | None, rank: int | None, score: float) -> Text:
    number = printed_number(passage.section, passage.number)
    text, shown = Text(f"{number} " if number else ""), Text(passage.text)
    if reasons is not None:
        text.append(f"▶ match {rank}, {score:.3f}  ", style="green")
        for reason in reasons.phrases:
            shown.stylize("bold yellow", reason.passage.start, reason.passage.end)
    return text.append_text(shown)
