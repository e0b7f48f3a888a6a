"""Topic by topic: what each system gives for every query, where two of them differ, and the texts behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.collection import Ranking
from sparse_coverage.evaluation.corpus import corpus_passages
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluate import Evaluation
from sparse_coverage.experiments.figures import draw_differences
from sparse_coverage.files import write_text
from sparse_coverage.present.pages import render
from sparse_coverage.present.tables import Cell, Table

PAGE = "topics.html"
SHOWN = 3
"""How many of a system's first documents are shown for a topic, beside all relevant ones."""


@dataclass(frozen=True, slots=True)
class Place:
    """A document in the rankings of a topic: its rank in each system (None: not ranked) and the passage each found best."""

    document: str
    title: str
    relevant: bool
    ranks: tuple[int | None, ...]
    passage: str
    text: str


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A topic with its values, for the page: one value a system of each measure."""

    id: str
    text: str
    values: Mapping[str, tuple[float, ...]]
    places: tuple[Place, ...]


def write_topics(folder: Path, bench: Workbench, found: Mapping[str, Evaluation], measure: str) -> Path:
    """Write a table of every topic, the differences of the last two systems as a figure, and a page that leads to the texts.

    The evaluations need their rankings (`keep_run`). Returns the page.
    """
    names = list(found)
    if measure not in found[names[0]].values:
        raise InputError(f"{measure} was not measured: choose one of {', '.join(found[names[0]].values)}.")
    folder.mkdir(parents=True, exist_ok=True)
    table = topic_table(bench, found, measure)
    write_text(folder / "topics.csv", table.csv())
    write_text(folder / "topics.md", table.markdown())
    image = ""
    if len(names) > 1:
        first, second = names[-2:]
        values = found[first].values[measure], found[second].values[measure]
        differences = {query: 100 * (values[1][query] - values[0][query]) for query in values[0]}
        try:
            drawn = draw_differences(folder / "differences", differences, f"{measure}: {second} minus {first}", PAGE)
            [svg] = [path.read_text(encoding="utf-8") for path in drawn if path.suffix == ".svg"]
            image = svg[svg.index("<svg") :]  # within the page its bars can be followed
        except MissingExtraError as error:
            table = Table(table.name, table.title, table.columns, table.rows, (*table.notes, f"No figure: {error}"))
    pages = topic_pages(bench, found)
    text = render("topics.html", title=table.title, table=table, systems=names, pages=pages, image=image)
    write_text(folder / PAGE, text)
    return folder / PAGE


def topic_table(bench: Workbench, found: Mapping[str, Evaluation], measure: str) -> Table:
    """Return one line a topic with each system's value; of two systems, their difference, and the largest gain first."""
    names = list(found)
    rows = []
    for query in bench.collection.judged:
        if query.id not in found[names[0]].values[measure]:
            continue
        values = [100 * found[name].values[measure][query.id] for name in names]
        relevant = Cell(len(bench.collection.judgements[query.id].documents), digits=0)
        difference = (Cell(values[-1] - values[-2], digits=1),) if len(names) > 1 else ()
        rows.append((query.id, relevant, *(Cell(value, digits=1) for value in values), *difference))
    if len(names) > 1:
        rows.sort(key=lambda row: -row[-1].ours)
    columns = ("Topic", "Relevant", *names, *(("Difference",) if len(names) > 1 else ()))
    note = (f"Difference: {names[-1]} minus {names[-2]}.",) if len(names) > 1 else ()
    return Table("topics", f"{measure} topic by topic on {bench.collection.name}", columns, tuple(rows), note)


def topic_pages(bench: Workbench, found: Mapping[str, Evaluation]) -> list[TopicPage]:
    """Gather for each topic its text, the relevant documents and the first ones of each system, with the passages found."""
    wanted: dict[str, dict[str, str]] = {}
    for query in bench.collection.judged:
        runs = [one.run.get(query.id, Ranking(())) for one in found.values()]
        shown = dict.fromkeys(sorted(bench.collection.judgements[query.id].documents))
        for run in runs:
            shown |= dict.fromkeys(run.documents[:SHOWN])
        wanted[query.id] = {document: _best_passage(document, runs) for document in shown}
    texts, titles = _texts(bench, {passage for of in wanted.values() for passage in of.values() if passage})
    pages = []
    for query in bench.collection.judged:
        relevant = bench.collection.judgements[query.id].documents
        runs = [one.run.get(query.id, Ranking(())) for one in found.values()]
        ranks = [{document: rank for rank, document in enumerate(run.documents, 1)} for run in runs]
        places = [
            Place(
                document,
                titles.get(document, ""),
                document in relevant,
                tuple(rank.get(document) for rank in ranks),
                passage,
                texts.get(passage, ""),
            )
            for document, passage in wanted[query.id].items()
        ]
        values = {
            measure: tuple(100 * one.values[measure].get(query.id, 0.0) for one in found.values())
            for measure in next(iter(found.values())).values
        }
        pages.append(TopicPage(query.id, query.text, values, tuple(places)))
    return pages


def _best_passage(document: str, runs: Sequence[Ranking]) -> str:
    """Return the passage of a document that the last system which found it ranks first; nothing where none did."""
    for run in reversed(runs):
        for passage, owner in zip(run.passages, run.passage_documents, strict=True):
            if owner == document:
                return passage
    return ""


def _texts(bench: Workbench, passages: set[str]) -> tuple[dict[str, str], dict[str, str]]:
    titles: dict[str, str] = {}

    def noted() -> object:
        for patent in bench.collection.documents():
            titles[patent.id] = patent.title
            yield patent

    every = corpus_passages(noted(), bench.collection.by)  # type: ignore[arg-type]
    return {passage.id: passage.text for passage in every if passage.id in passages}, titles
