"""Hits and explanations for people, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sparse_coverage.present.words import listed, query_words, unsearched_words, whole_words, words_at
from sparse_coverage.search.results import Answers, Explanation, Hit, Match, PassageHit, Place, QueryCost, Unsearched

EXCERPT = 320
PAIRS = 6
NOTHING = "Nothing was found: of what the filters allow, nothing shares a center that counts with the query."


def show_hits(hits: Sequence[Hit], explanations: Mapping[str, Explanation], console: Console | None = None) -> None:
    """Print ranked documents with their best passages; matched words stand out, the strongest pairs are listed."""
    console = console or Console()
    if not hits:
        console.print(NOTHING)
    for rank, hit in enumerate(hits, 1):
        facts = " · ".join(listed(hit.metadata[key]) for key in ("publication_date", "ipc") if hit.metadata.get(key))
        console.print(
            f"\n[bold]{rank:>3}. {escape(hit.document)}[/bold]  [green]{hit.score:.3f}[/green]  {escape(hit.title)}",
            highlight=False,
        )
        if facts:
            console.print(f"     [dim]{escape(facts)}[/dim]", highlight=False)
        explanation = explanations.get(hit.document)
        for number, passage in enumerate(hit.passages):
            place = passage.id.removeprefix(hit.document).lstrip("/")
            text = Text(f"     {place}  ", style="cyan")
            if number == 0 and explanation is not None:
                text.append_text(_highlighted(passage.text, explanation.matches))
            else:
                text.append(_excerpt(passage.text), style="default")
            console.print(text)
        if explanation is not None and explanation.matches:
            console.print(Text("     matched: ", style="dim").append_text(_pairs(explanation)))


def show_explanation(explanation: Explanation, limit: int, console: Console | None = None) -> None:
    """Print the matches of one passage, strongest first."""
    console = console or Console()
    passage = explanation.passage
    console.print(f"[bold]{escape(passage.id)}[/bold]  score [green]{passage.score:.4f}[/green]", highlight=False)
    console.print(_highlighted(passage.text, explanation.matches, len(passage.text)))
    table = Table("query span", "passage span", "center", "w(q)", "w(d)", "idf", "adds")
    for match in explanation.matches[:limit]:
        table.add_row(
            escape(query_words(explanation.query, match)),
            escape(whole_words(passage.text, match.passage).text),
            escape(match.anchor),
            *(f"{value:.3f}" for value in (match.query_weight, match.passage_weight, match.idf, match.contribution)),
        )
    console.print(table)
    hidden = explanation.matches[limit:]
    if hidden:
        console.print(f"[dim]and {len(hidden)} more, adding {sum(match.contribution for match in hidden):.4f}[/dim]")
    missing = words_at(explanation.query, explanation.unmatched, but=explanation.matched)
    if missing:
        console.print(f"[dim]of the query, nothing here answers:[/dim] {escape(', '.join(missing))}", highlight=False)
    searched = [*explanation.matched, *explanation.unmatched]
    _show_unsearched(explanation.query, explanation.unsearched, searched, console)


def show_answers(answers: Answers, limit: int, console: Console | None = None) -> None:
    """Print what a document has to set against each span of the query, strongest first, and what it has nothing for."""
    console = console or Console()
    console.print(f"\n[bold]{escape(answers.document)}[/bold] as a whole", highlight=False)
    table = Table("query span", "strongest in the document", "where", "center", "would add")
    for answer in sorted(answers.found, key=lambda answer: -answer.match.contribution)[:limit]:
        table.add_row(
            escape(whole_words(answers.query, answer.query).text),
            escape(whole_words(answers.passages[answer.passage], answer.match.passage).text),
            escape(answer.passage.removeprefix(answers.document).lstrip("/")),
            escape(answer.match.anchor),
            f"{answer.match.contribution:.3f}",
        )
    console.print(table)
    missing = words_at(answers.query, answers.missing, but=(answer.query for answer in answers.found))
    console.print(
        f"[dim]of the query, nothing in this document answers:[/dim] {escape(', '.join(missing)) or 'everything finds something'}",
        highlight=False,
    )
    searched = [*(answer.query for answer in answers.found), *answers.missing]
    _show_unsearched(answers.query, answers.unsearched, searched, console)


def show_passages(passages: Sequence[PassageHit], console: Console | None = None) -> None:
    """Print ranked passages."""
    console = console or Console()
    if not passages:
        console.print(NOTHING)
    for rank, passage in enumerate(passages, 1):
        console.print(
            f"[bold]{rank:>4}. {escape(passage.id)}[/bold]  [green]{passage.score:.3f}[/green]", highlight=False
        )
        console.print(Text(f"      {_excerpt(passage.text)}"))


def show_cost(cost: QueryCost, console: Console | None = None) -> None:
    """Print what a query cost."""
    console = console or Console()
    table = Table("stage", "ms", title="What the query cost")
    for name in ("encoding", "filtering", "feedback", "scoring", "selecting", "reading", "total"):
        table.add_row(name, f"{1e3 * getattr(cost, name):.2f}")
    console.print(table)
    console.print(
        f"{cost.centers:,} centers active ({cost.stop_centers:,} more are stop centers), {cost.postings:,} postings scanned",
        highlight=False,
    )


def _show_unsearched(query: str, unsearched: Unsearched, searched: Sequence[Place], console: Console) -> None:
    for why, words in unsearched_words(query, unsearched, searched):
        console.print(f"[dim]not compared, {why}:[/dim] {escape(', '.join(words))}", highlight=False)


def _pairs(explanation: Explanation) -> Text:
    seen: dict[tuple[str, str], float] = {}
    for match in explanation.matches:
        pair = (
            query_words(explanation.query, match),
            whole_words(explanation.passage.text, match.passage).text,
        )
        seen[pair] = seen.get(pair, 0.0) + match.contribution
    strongest = sorted(seen.items(), key=lambda item: -item[1])[:PAIRS]
    text = Text()
    for number, ((query, passage), contribution) in enumerate(strongest):
        text.append(", " if number else "")
        text.append(query, style="magenta")
        text.append(" ↔ ")
        text.append(passage, style="yellow")
        text.append(f" {contribution:.2f}", style="dim")
    return text


def _highlighted(text: str, matches: Sequence[Match], length: int = EXCERPT) -> Text:
    shown = Text(_excerpt(text, length), style="default")
    for match in matches:
        place = whole_words(text, match.passage)
        if place.end <= len(shown.plain):
            shown.stylize("bold yellow", place.start, place.end)
    return shown


def _excerpt(text: str, length: int = EXCERPT) -> str:
    flat = text.replace("\n", " ")
    return flat if len(flat) <= length else flat[:length].rsplit(" ", 1)[0] + " …"
