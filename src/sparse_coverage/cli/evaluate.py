"""`sparse-coverage evaluate`: systems on a test collection, measured and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sparse_coverage.cli.options import (
    NamesIn,
    OnceOnly,
    depth_option,
    echo_people,
    fresh_option,
    json_option,
    measure_option,
    path_option,
    research,
    seed_option,
    seeds_option,
    show,
)
from sparse_coverage.cli.options.research import Means, bench_options
from sparse_coverage.errors import InputError
from sparse_coverage.files import write_text
from sparse_coverage.present.tables import WRITERS, short_heading

if TYPE_CHECKING:
    from sparse_coverage.evaluation.significance import Comparison
    from sparse_coverage.experiments.comparison import Results


def _chosen(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    """Return what `--set` names: of each setting the values that are tried, in the order in which they were typed."""
    from sparse_coverage.experiments.options import LISTED

    found: dict[str, tuple[Any, ...]] = {}
    for one in given:
        name, sign, text = one.partition("=")
        name = name.strip().replace("-", "_")
        if not sign or name not in LISTED:
            raise click.BadParameter(f"'{one}' is no NAME=VALUE of a setting. The settings are: {', '.join(LISTED)}.")
        found[name] = (*found.get(name, ()), _value(text.strip()))
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@click.command(cls=OnceOnly, no_args_is_help=True)
@click.argument("collection")
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=NamesIn("systems:STUDIED", what="system", open=True),
    help="What to measure; may be repeated. Of `search`: combined is what it does by itself, default its --ranking centers, bm25 "
    "words, dense vectors [bm25, dense and combined; paper with --as-published; none with --run].",
)
@research.encoder_option(("minilm",), "May be repeated.", multiple=True)
@research.unit_option(("token",), "What counts as a span; may be repeated.", multiple=True)
@research.size_option("Centers of the vocabulary; may be repeated [10,000, or a tenth of the spans].", multiple=True)
@click.option(
    "--set",
    "chosen",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_chosen,
    help="A setting of the systems: k=3, alpha=1, rank=top-mean:3, k1=0.9, checkpoint=FOLDER, …; an unknown NAME lists them all. "
    "Repeatable: several values of one are tried in turn.",
)
@seed_option("Seed of the vocabulary, the first of several.")
@seeds_option
@measure_option
@depth_option
@click.option("--against", help="Compare with this row only, not every two rows: its name, or a part of it.")
@path_option(
    "--table",
    "tables",
    multiple=True,
    dir_okay=False,
    help="Also write the table into this file: .tex or .md with daggers, .csv with intervals and p. May be repeated.",
)
@path_option("--runs", file_okay=False, help="Also write the rankings into this folder, as TREC runs.")
@path_option(
    "--topics",
    file_okay=False,
    help="Also write every topic into this folder: its values, the texts, and the "
    "differences of the last two systems, or of the last one to that of --against.",
)
@path_option(
    "--run",
    "given_runs",
    multiple=True,
    exists=True,
    dir_okay=False,
    help="Also measure a TREC run made elsewhere (documents only); may be repeated.",
)
@fresh_option
@bench_options
@json_option
def command(
    collection: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    seeds: int,
    depth: int,
    against: str | None,
    tables: tuple[Path, ...],
    runs: Path | None,
    topics: Path | None,
    given_runs: tuple[Path, ...],
    fresh: bool,
    chosen: dict[str, tuple[Any, ...]],
    means: Means,
    **settings: Any,
) -> None:
    """Fit, index, search and measure on COLLECTION; several systems are compared with paired tests.

    COLLECTION is `demo`, the path of a BEIR or CLEF-IP 2013 folder or of a .toml file that describes a collection, or
    ir_datasets:ID. Options that may be repeated are tried in every combination. What was computed once is kept.

    \b
    Example:
      sparse-coverage evaluate demo --system bm25 --system combined
      sparse-coverage evaluate demo --system bm25 --system paper --unit token --unit np
      sparse-coverage evaluate path/to/scifact --system dense --system combined -V 5000 --runs runs/
      sparse-coverage evaluate path/to/papers.toml --system bm25 --system default --topics topics/
      sparse-coverage evaluate demo --system paper --set alpha=1 --set alpha=2 --set k=3
      sparse-coverage evaluate demo --system bm25 --system combined --seeds 5 --against bm25 --table table.tex
    """
    from sparse_coverage.experiments.comparison import USUAL, Output, checked_measures, evaluate
    from sparse_coverage.experiments.options import as_typed, reads, variants
    from sparse_coverage.systems import require_system

    systems = systems or (() if given_runs else ("paper",) if means.as_published else USUAL)
    for name in systems:
        require_system(name, "study")
    source = click.get_current_context().get_parameter_source
    typed = {name: value for name, value in settings.items() if source(name) is not ParameterSource.DEFAULT} | chosen
    if unread := [
        name for name in typed if typed[name] not in (None, ()) and not any(name in reads(one) for one in systems)
    ]:
        raise InputError(f"{as_typed(unread[0])} means nothing to {' and '.join(systems) or 'a run'}: leave it out.")
    rows = variants(systems, _settings(typed, means))
    if topics is not None and seeds > 1:
        raise InputError("--topics shows the rankings of one seed: leave out --seeds, or choose one with --seed.")
    if wrong := next((path for path in tables if path.suffix not in WRITERS), None):
        raise InputError(
            f"--table {wrong}: a table is written as {', '.join(WRITERS)}. Give the file one of these suffixes."
        )
    for folder in filter(None, (runs, topics, *(path.parent for path in tables))):
        folder.mkdir(parents=True, exist_ok=True)
    loaded = means.reading.collection(collection)
    checked_measures(measures, loaded)
    output = Output(runs, topics)
    with means.workbench(loaded) as bench:
        found = evaluate(
            loaded,
            rows,
            measures,
            seeds=seeds,
            depth=depth,
            against=against,
            runs={_name_of(path, given_runs): path for path in dict.fromkeys(given_runs)},
            bench=bench,
            output=output,
            fresh=fresh,
        )
    show(found.record(), lambda: evaluation_text(found), crop=False)
    if tables:
        table = found.table()
        for path in tables:
            write_text(path, WRITERS[path.suffix](table))
            echo_people(f"Table: {path}")
    if runs is not None:
        echo_people(f"Runs: {runs}")
    if topics is not None and rows:
        echo_people(f"Topics: {topics / 'topics.html'}")


def _settings(given: dict[str, Any], means: Means) -> dict[str, Sequence[Any]]:
    """Return the settings that the user typed: a list for each option that may be repeated, one value for each other option."""
    settings = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in given.items()
        if value not in (None, ())
    }
    if means.as_published:
        settings["unit"] = means.units(settings.get("unit", ("token",)))
    return {**settings, "max_documents": (means.max_documents,)}


def _name_of(path: Path, all_of_them: Sequence[Path]) -> str:
    """Return a run's file name, or its whole path where several files have that name."""
    return path.name if len({other for other in all_of_them if other.name == path.name}) == 1 else str(path)


def evaluation_text(found: Results) -> Group:
    """Return the tables for people, narrow enough for a small terminal. A note is one line, however long: print with `crop=False`."""
    from sparse_coverage.experiments.evaluation import stamp_notes

    title = f"{found.table().title} with 95 % bootstrap intervals"
    tests = {measure: found.compare(measure) for measure in found.measures}
    lines: list[RenderableType] = [_heading(title), _means(found)]
    if any(one.cost is not None for one in found.rows.values()):
        lines.append(Text("scanned: postings (dense: similarities computed) a query", style="dim"))
    if counts := {len(one.seeds) for one in found.rows.values() if one.seeds}:
        lines.append(Text(f"±: standard deviation over {max(counts)} seeds", style="dim"))
    lines += map(_note, found.notes)
    if any(tests.values()):
        lines += [Text(), _heading(_TESTED), _differences(tests)]
    return Group(*lines, *map(_note, stamp_notes([*found.rows.values()])))


_TESTED = "Differences x 100 (second minus first); p of the paired randomisation test after Holm's correction"


def _heading(text: str) -> Text:
    return Text(text, style="italic", no_wrap=True, overflow="ignore")


def _note(text: str) -> Text:
    return Text(text, style="dim", no_wrap=True, overflow="ignore")


def _means(found: Results) -> Table:
    table = _table(["system"], [*found.measures, "scanned"])
    silent = {measure for measure in found.measures if found.says_nothing(measure)}
    for row, one in found.rows.items():
        cells = []
        for measure in found.measures:
            if measure in one.values:
                at = one.interval(measure)
                spread = one.deviation(measure)
                seeds = "" if spread is None else f" ±{100 * spread:.1f}"
                mean = _percent(at.mean) if measure in silent else f"[bold]{_percent(at.mean)}[/bold]"
                cells.append(f"{mean}{seeds}\n[dim]{_percent(at.low)}-{_percent(at.high)}[/dim]")
            else:
                cells.append("–")
        table.add_row(escape(row), *cells, "" if one.cost is None else f"{one.cost:,.0f}")
    return table


def _differences(tests: Mapping[str, Sequence[Comparison]]) -> Table:
    table = _table(["first", "second"], list(tests))
    by_pair: dict[tuple[str, str], dict[str, str]] = {}
    for measure, comparisons in tests.items():
        for pair in comparisons:
            by_pair.setdefault((pair.first, pair.second), {})[measure] = _difference(pair)
    for (first, second), cells in by_pair.items():
        table.add_row(escape(first), escape(second), *(cells.get(measure, "–") for measure in tests))
    return table


def _table(names: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(escape(short_heading(name)), justify="right", no_wrap=True)  # a broken number is another one
    return table


def _percent(value: float) -> str:
    return f"{100 * value:.1f}" if round(100 * value, 1) < 100 else "100"


def _difference(comparison: Comparison) -> str:
    p = "<.001" if comparison.p_holm < 0.001 else f"{comparison.p_holm:.3f}".removeprefix("0")
    text = f"{100 * comparison.difference:+.1f}\np {p}"
    return f"[bold]{text}[/bold]" if comparison.p_holm < 0.05 else text
