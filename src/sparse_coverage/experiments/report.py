"""What is written of experiments: the folder of a report, and topic by topic what each system gives and the texts behind it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.collection import Ranking
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluation import Evaluation
from sparse_coverage.experiments.figures import draw_differences
from sparse_coverage.experiments.provenance import methods, surroundings
from sparse_coverage.experiments.sweep import NAMES, Result
from sparse_coverage.files import read_json, write_json, write_text
from sparse_coverage.present.pages import render
from sparse_coverage.present.tables import WRITERS, Table, TableCell

SECTION, CONFIGURATION, ROWS, COMPARISONS = "section.html", "configuration.json", "rows.json", "comparisons.csv"
METHODS, REFERENCES, RUNS = "methods.tex", "references.bib", "runs"


def write_result(result: Result, folder: Path, about: Mapping[str, Any]) -> tuple[Path, list[str]]:
    """Write one experiment into its own folder below the report's, then the report's index.

    Return the index, and all that failed: rows, and figures that cannot be drawn here.
    """
    own = folder / result.definition.name
    own.mkdir(parents=True, exist_ok=True)
    for suffix, write in WRITERS.items():
        write_text(own / f"{result.table.name}{suffix}", write(result.table))
    drawn, undrawn = _draw(result, own)
    failures = [*result.failures, *undrawn]
    write_json(own / ROWS, [_row_record(one) for one in result.rows.values()])
    if result.comparisons:
        write_text(own / COMPARISONS, _comparisons_csv(result.comparisons))
    configuration = {**about, **surroundings(), "commands": list(result.commands), "failures": failures}
    write_json(own / CONFIGURATION, configuration)
    paragraph, cited = methods(result, configuration)
    write_text(own / METHODS, paragraph)
    write_text(own / REFERENCES, cited)
    write_text(own / SECTION, _section(result, drawn, failures, configuration))
    return write_index(folder), failures


def write_index(folder: Path) -> Path:
    """Write `index.html` over all the experiments that the folder holds, each with its own collection and machine."""
    order = {name: place for place, name in enumerate(NAMES)}
    found = sorted(folder.glob(f"*/{SECTION}"))
    sections = sorted(found, key=lambda path: order.get(path.parent.name, len(order)))
    collections = {read_json(path.parent / CONFIGURATION)["collection"]: None for path in sections}
    text = render(
        "experiments.html",
        title=f"Reproduction on {' and '.join(collections)}",
        names=[path.parent.name for path in sections],
        sections=[path.read_text(encoding="utf-8") for path in sections],  # written by `write_result`
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def _draw(result: Result, folder: Path) -> tuple[list[Path], list[str]]:
    """Draw the figures; where that cannot be, the tables are still worth having."""
    drawn: list[Path] = []
    undrawn: list[str] = []
    for draw in result.figures:
        try:
            drawn += draw(folder)
        except MissingExtraError as error:
            undrawn.append(f"no figure: {error}")
    return drawn, undrawn


def _section(result: Result, drawn: Sequence[Path], failures: Sequence[str], about: Mapping[str, Any]) -> str:
    files = [f"{result.table.name}{suffix}" for suffix in WRITERS]
    files += (
        [path.name for path in drawn]
        + [ROWS, CONFIGURATION, METHODS, REFERENCES]
        + ([COMPARISONS] if result.comparisons else [])
    )
    machine = about["machine"]
    return render(
        "experiment.html",
        name=result.definition.name,
        table=result.table,
        facts=(
            about["collection"],
            f"{about['queries']} queries",
            f"sparse-coverage {about['sparse-coverage']}",
            f"{machine['processor']}, {machine['cores']} cores",
            f"{about['seconds']} s",
            *(f"{name} in {one['precision']}" for name, one in about["encoders"].items()),
        ),
        images=[path.name for path in drawn if path.suffix == ".svg"],
        failures=failures,
        commands=[about["command"], *(f"  {command}" for command in result.commands)],
        files=files,
    )


def _comparisons_csv(comparisons: Sequence[Comparison]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(field.name for field in fields(Comparison))
    writer.writerows(astuple(comparison) for comparison in comparisons)
    return stream.getvalue()


def _row_record(found: Evaluation) -> dict[str, Any]:
    return {
        **found.record(),
        "factor": found.variant.factor,
        "setting": found.variant.setting,
        "failure": found.failure,
        "intervals": {measure: record(found.interval(measure)) for measure in found.values},
        "seconds": None if found.failure else found.seconds,
        "depth": found.depth,
        "runs": list(found.written),
    }


PAGE = "topics.html"
SHOWN = 3
"""How many of a system's first documents are shown for a topic, beside all relevant ones."""


@dataclass(frozen=True, slots=True)
class TopicDocument:
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
    places: tuple[TopicDocument, ...]


def write_topics(
    folder: Path, bench: Workbench, found: Mapping[str, Evaluation], measure: str, against: str | None = None
) -> Path:
    """Write a table of every topic, the differences of two systems as a figure, and a page that leads to the texts.

    The two are the last ones, or the last one and that which it is compared `against`. The evaluations need their
    rankings (`keep_run`). Returns the page.
    """
    names = list(found)
    pair = _pair(names, against)
    if measure not in found[names[0]].values:
        raise InputError(f"{measure} was not measured: choose one of {', '.join(found[names[0]].values)}.")
    folder.mkdir(parents=True, exist_ok=True)
    table = topic_table(bench, found, measure, pair)
    write_text(folder / "topics.csv", table.csv())
    write_text(folder / "topics.md", table.markdown())
    image = ""
    if pair:
        first, second = pair
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


def _pair(names: Sequence[str], against: str | None) -> tuple[str, str] | None:
    """Return which two systems topics show the difference of, the baseline first; None where there is but one."""
    others = [name for name in names if name != against]
    before = [name for name in names if name == against] or others[:-1]
    return (before[-1], others[-1]) if before and others else None


def topic_table(bench: Workbench, found: Mapping[str, Evaluation], measure: str, pair: tuple[str, str] | None) -> Table:
    """Return one line a topic with each system's value; of a pair of systems their difference, and the largest gain first."""
    names = list(found)
    rows = []
    for query in bench.collection.judged:
        if query.id not in found[names[0]].values[measure]:
            continue
        values = {name: 100 * found[name].values[measure][query.id] for name in names}
        relevant = TableCell(len(bench.collection.judgements[query.id].documents), digits=0)
        difference = (TableCell(values[pair[1]] - values[pair[0]], digits=1),) if pair else ()
        rows.append((query.id, relevant, *(TableCell(value, digits=1) for value in values.values()), *difference))
    if pair:
        rows.sort(key=lambda row: -row[-1].ours)
    columns = ("Topic", "Relevant", *names, *(("Difference",) if pair else ()))
    note = (f"Difference: {pair[1]} minus {pair[0]}.",) if pair else ()
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
    held = set(bench.corpus.documents)
    cut, titles = bench.passages_of({document for shown in wanted.values() for document in shown if document in held})
    pages = []
    for query in bench.collection.judged:
        relevant = bench.collection.judgements[query.id].documents
        runs = [one.run.get(query.id, Ranking(())) for one in found.values()]
        ranks = [{document: rank for rank, document in enumerate(run.documents, 1)} for run in runs]
        places = [
            TopicDocument(
                bench.own_ids.get(document, document),
                titles.get(document, ""),
                document in relevant,
                tuple(rank.get(document) for rank in ranks),
                passage,
                cut[document][passage].text if passage else "",
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
