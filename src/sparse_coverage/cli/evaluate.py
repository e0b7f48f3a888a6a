"""`sparse-coverage evaluate`: systems on a test collection, measured and compared."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sparse_coverage.cli.options import (
    NamesIn,
    count_option,
    fresh_option,
    json_option,
    method,
    path_option,
    seed_option,
    seeds_option,
    show,
)
from sparse_coverage.cli.options.collections import Means, bench_options
from sparse_coverage.cli.options.searching import rank_option, weighting_options
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.evaluation.collection import Collection
    from sparse_coverage.evaluation.measures import AnyMeasure
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.experiments.evaluate import Evaluation


@click.command(no_args_is_help=True)
@click.argument("collection")
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=NamesIn("experiments.systems:SYSTEMS", what="system"),
    help="What to measure; may be repeated [paper, or none where a --run is given].",
)
@method.encoder_option(("minilm",), "May be repeated.", multiple=True)
@method.unit_option(("token",), "What counts as a span; may be repeated.", multiple=True)
@method.size_option("Centers of the vocabulary; may be repeated [10,000, or a tenth of the spans].", multiple=True)
@count_option("-K", "k", default=5, help="How many centers a span may activate.")
@method.assignment_option
@click.option("--hard", is_flag=True, help="The same as --assignment hard.")
@method.uncovered_option
@weighting_options
@method.tau_option
@method.selection_option
@count_option("--common", least=0, help="Remove the mean and so many common directions from spans [none].")
@click.option(
    "--repeats",
    type=float,
    help="A center that n spans of a query activate counts n^repeats times [that of the system].",
)
@click.option(
    "--passage-repeats",
    type=float,
    help="In a passage, the weight of a center that n spans activate becomes its root of degree n^this [that of the system].",
)
@click.option("--smoothing", type=float, help="Added to the span count that divides weights [that of the system].")
@count_option(
    "--feedback",
    least=0,
    help="How many of the best passages are added to the query, before a second search [that of the system].",
)
@rank_option
@seed_option("Seed of the vocabulary, the first of several.")
@seeds_option
@method.max_spans_option
@method.learn_option
@click.option(
    "--measure",
    "measures",
    multiple=True,
    type=NamesIn("evaluation.measures.registry:NAMES", open=True),
    help="As R@100, MAP, PRES@100 or nDCG@10; one of these or of ir_measures; may be repeated.",
)
@click.option("--against", help="Compare with this row only, not every two rows: its name, or a part of it.")
@path_option("--runs", file_okay=False, help="Also write the rankings into this folder, as TREC runs.")
@click.option(
    "--metadata",
    is_flag=True,
    help="With --runs: say in each run where it comes from (ir_metadata comments, which trec_eval does not read).",
)
@path_option(
    "--topics",
    file_okay=False,
    help="Also write every topic into this folder: its values, the differences of the last two systems, the texts.",
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
    against: str | None,
    runs: Path | None,
    metadata: bool,
    topics: Path | None,
    given_runs: tuple[Path, ...],
    fresh: bool,
    means: Means,
    as_json: bool,
    **settings: Any,
) -> None:
    """Fit, index, search and measure on COLLECTION; several systems are compared with paired tests.

    COLLECTION is `demo`, a BEIR folder, a CLEF-IP 2013 folder, a .toml file that describes a collection, or
    ir_datasets:ID. Options that may be repeated are tried in every combination. What was computed once is kept.

    \b
    Example:
      sparse-coverage evaluate demo --system bm25 --system paper --unit token --unit np
      sparse-coverage evaluate path/to/scifact --system dense --system paper -V 5000 --runs runs/
      sparse-coverage evaluate path/to/papers.toml --system bm25 --system default --topics topics/
      sparse-coverage evaluate demo --system paper --system default --seeds 5 --against paper
    """
    from sparse_coverage.cli.evaluation_tables import evaluation_record, evaluation_text
    from sparse_coverage.evaluation.significance import compare
    from sparse_coverage.experiments.evaluate import evaluate_run, evaluate_system, label, variants
    from sparse_coverage.experiments.seeds import over_seeds, seeded
    from sparse_coverage.experiments.systems import get_system, is_sparse
    from sparse_coverage.experiments.topics import write_topics

    systems = systems or (() if given_runs else ("paper",))
    for name in systems:
        get_system(name)
    source = click.get_current_context().get_parameter_source
    typed = {name: value for name, value in settings.items() if source(name) is not ParameterSource.DEFAULT}
    rows = variants(systems, _settings(typed, means))
    files = {_name_of(path, given_runs): path for path in dict.fromkeys(given_runs)}
    base = _row_named(against, [*(label(*row) for row in rows), *files])
    loaded = means.reading.collection(collection)
    wanted = _measures(measures, loaded)
    found: dict[str, Evaluation] = {}
    keep = runs is not None or topics is not None
    if topics is not None and seeds > 1:
        raise InputError("--topics shows the rankings of one seed: leave out --seeds, or choose one with --seed.")
    if metadata and runs is None:
        raise InputError("--metadata is for the runs that --runs writes: name a folder for them.")
    with means.workbench(loaded) as bench:
        bench.plan(one for system, options in rows if is_sparse(system) for one in seeded(system, options, seeds))
        for system, options in rows:
            every = []
            for chosen in seeded(system, options, seeds):
                one = evaluate_system(bench, system, chosen, wanted, keep_run=keep, fresh=fresh)
                if runs is not None:
                    _write_runs(runs, label(system, chosen), one, bench, metadata)
                every.append(one)
            found[label(system, options)] = over_seeds(every)
        notes, encoders = list(bench.notes()), bench.encoders()
        page = write_topics(topics, bench, found, str(_main_measure(wanted))) if topics and found else None
        for name, path in files.items():
            found[name], noticed = evaluate_run(bench, path, wanted)
            notes += [f"{name}: {note}" for note in noticed]
    tests = {}
    for measure in map(str, wanted):
        values = {name: one.values[measure] for name, one in found.items() if measure in one.values}
        tests[measure] = [] if base and base not in values else compare(values, measure, against=base)
    show(
        evaluation_record(loaded.name, notes, encoders, found, tests),
        as_json,
        lambda: evaluation_text(loaded.name, notes, len(loaded.judged), found, tests),
        crop=False,
    )
    if runs is not None and not as_json:
        click.echo(f"Runs: {runs}")
    if page is not None and not as_json:
        click.echo(f"Topics: {page}")


def _settings(given: dict[str, Any], means: Means) -> dict[str, Sequence[Any]]:
    """Return the values of the settings that were typed: those of options that may be repeated, and one of each other."""
    if given.pop("hard", False):
        given["assignment"] = "hard"
    settings = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in given.items()
        if value not in (None, ())
    }
    return {**settings, "max_documents": (means.max_documents,)}


def _measures(names: Sequence[str], collection: Collection) -> list[AnyMeasure]:
    from sparse_coverage.evaluation.measures import parse_measure
    from sparse_coverage.experiments.evaluate import default_measures

    wanted = [parse_measure(name) for name in names] or list(default_measures(collection))
    for measure in wanted:
        if measure.ranked == "passage" and not collection.has_passages:
            raise InputError(
                f"{measure} is about passages, and the collection '{collection.name}' judges documents only."
            )
    return wanted


def _name_of(path: Path, all_of_them: Sequence[Path]) -> str:
    """Return a run's file name, or its whole path where several files have that name."""
    return path.name if len({other for other in all_of_them if other.name == path.name}) == 1 else str(path)


def _row_named(part: str | None, rows: Sequence[str]) -> str | None:
    """Return the row that `--against` means, before anything is computed."""
    if part is None:
        return None
    chosen = [row for row in rows if row == part] or [row for row in rows if part in row]
    if len(chosen) != 1:
        raise InputError(f"--against must name one row, not {len(chosen)} of: {', '.join(rows)}.")
    return chosen[0]


def _main_measure(wanted: Sequence[AnyMeasure]) -> AnyMeasure:
    """Return what topics are compared by: average precision where it is measured, else the first measure."""
    return next((measure for measure in wanted if str(measure) == "MAP"), wanted[0])


def _write_runs(folder: Path, name: str, found: Evaluation, bench: Workbench, metadata: bool) -> None:
    from sparse_coverage.evaluation.trec import write_passage_run, write_run
    from sparse_coverage.experiments.run_header import run_header

    folder.mkdir(parents=True, exist_ok=True)
    tag = re.sub(r"[^\w.+=-]+", "-", name)
    command = shlex.join(["sparse-coverage", *sys.argv[1:]])
    header = run_header(bench, found, tag, command) if metadata else ""
    write_run(folder / f"{tag}.run", found.run, tag, header=header)
    if bench.collection.has_passages:
        write_passage_run(folder / f"{tag}.passages.run", found.run, tag, header=header)
