"""`sparse-coverage evaluate`: systems on a test collection, measured and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sparse_coverage.cli.options import json_option, threads_option

if TYPE_CHECKING:
    from sparse_coverage.evaluation.significance import Comparison
    from sparse_coverage.experiments.evaluate import Evaluation

cache_option = click.option(
    "--cache",
    type=click.Path(path_type=Path),
    help="Where encodings, vocabularies and indexes are kept [the user's cache].",
)
learn_option = click.option(
    "--learn-from",
    multiple=True,
    help="Patents to learn vocabularies from (files, folders; may be repeated) [the collection itself].",
)
max_documents_option = click.option(
    "--max-documents", type=click.IntRange(1), help="How many of them to sample, in proportion to years [all]."
)
pool_option = click.option(
    "--pool", default=25_000, show_default=True, type=click.IntRange(1), help="CLEF-IP: size of the candidate pool."
)
pool_seed_option = click.option(
    "--pool-seed", default=0, show_default=True, help="CLEF-IP: seed of the candidate pool."
)


@click.command(no_args_is_help=True)
@click.argument("collection")
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="paper, default, bm25, dense, hybrid; may be repeated [paper, or none where a --run is given].",
)
@click.option("--encoder", "encoders", multiple=True, default=("minilm",), show_default=True, help="May be repeated.")
@click.option(
    "--unit",
    "units",
    multiple=True,
    default=("token",),
    show_default=True,
    help="token, np, np+token; may be repeated.",
)
@click.option(
    "-V",
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    help="Centers of the vocabulary; may be repeated [10,000, or a tenth of the spans].",
)
@click.option(
    "-K", "k", default=5, show_default=True, type=click.IntRange(1), help="How many centers a span may activate."
)
@click.option("--hard", is_flag=True, help="Each span activates its nearest center only.")
@click.option("--alpha", default=2.0, show_default=True, help="Exponent of idf.")
@click.option("--gamma", default=0.5, show_default=True, help="Exponent of the length normalisation.")
@click.option("--rho", default=0.01, show_default=True, help="Share of the most frequent centers to leave out.")
@click.option("--seed", default=0, show_default=True, help="Seed of the vocabulary.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    help="R@100, MAP, PRES@100, nDCG@10, MRR, MAP(D), PassageR@1000, or any of ir_measures; may be repeated.",
)
@click.option("--against", help="Compare with this row only, not every two rows: its name, or a part of it.")
@click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the rankings into this folder, as TREC runs.",
)
@click.option(
    "--run",
    "given_runs",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Also measure a TREC run made elsewhere (documents only); may be repeated.",
)
@click.option("--fresh", is_flag=True, help="Rank and measure again, even where the result is known.")
@learn_option
@max_documents_option
@pool_option
@pool_seed_option
@cache_option
@threads_option
@json_option
def command(
    collection: str,
    systems: tuple[str, ...],
    encoders: tuple[str, ...],
    units: tuple[str, ...],
    sizes: tuple[int, ...],
    k: int,
    hard: bool,
    alpha: float,
    gamma: float,
    rho: float,
    seed: int,
    measures: tuple[str, ...],
    against: str | None,
    runs: Path | None,
    given_runs: tuple[Path, ...],
    fresh: bool,
    learn_from: tuple[str, ...],
    max_documents: int | None,
    pool: int,
    pool_seed: int,
    cache: Path | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Fit, index, search and measure on COLLECTION; several systems are compared with paired tests.

    COLLECTION is `demo`, a BEIR folder, a CLEF-IP 2013 folder, a .toml file that describes a collection, or
    ir_datasets:ID. Options that may be repeated are tried in every combination. What was computed once is kept.

    \b
    Example:
      sparse-coverage evaluate demo --system bm25 --system paper --unit token --unit np
      sparse-coverage evaluate path/to/scifact --system dense --system paper -V 5000 --runs runs/
    """
    from sparse_coverage.evaluation.clefip import PoolConfig
    from sparse_coverage.evaluation.collections import load_collection
    from sparse_coverage.evaluation.measures import parse_measure
    from sparse_coverage.evaluation.trec import write_passage_run, write_run
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.experiments.cache import default_cache
    from sparse_coverage.experiments.evaluate import default_measures, evaluate_run, evaluate_system, label, variants
    from sparse_coverage.experiments.systems import get_system, is_sparse

    systems = systems or (() if given_runs else ("paper",))
    for name in systems:
        get_system(name)
    cache = cache or default_cache()
    loaded = load_collection(collection, pool=PoolConfig(pool, seed=pool_seed), cache=cache)
    wanted = [parse_measure(text) for text in measures] or list(default_measures(loaded))
    settings: dict[str, Sequence[Any]] = {
        "encoder": encoders,
        "unit": units,
        "size": sizes or (None,),
        "k": (k,),
        "assignment": ("hard" if hard else "soft",),
        "alpha": (alpha,),
        "gamma": (gamma,),
        "rho": (rho,),
        "seed": (seed,),
        "max_documents": (max_documents,),
    }
    rows = variants(systems, settings)
    found: dict[str, Evaluation] = {}
    with Workbench(loaded, cache, threads=threads, learn_from=learn_from) as bench:
        bench.plan(options for system, options in rows if is_sparse(system))
        for system, options in rows:
            one = evaluate_system(bench, system, options, wanted, keep_run=runs is not None, fresh=fresh)
            found[label(system, options)] = one
            if runs is not None:
                runs.mkdir(parents=True, exist_ok=True)
                tag = re.sub(r"[^\w.+=-]+", "-", label(system, options))
                write_run(runs / f"{tag}.run", one.run, tag)
                if loaded.has_passages:
                    write_passage_run(runs / f"{tag}.passages.run", one.run, tag)
        notes = bench.notes()
    for path in given_runs:
        found[path.name] = evaluate_run(loaded, path, wanted)
    names = [str(measure) for measure in wanted]
    tests = {name: _compare(found, name, against) for name in names}
    if as_json:
        click.echo(json.dumps(_record(loaded.name, notes, found, tests), ensure_ascii=False))
    else:
        _show(loaded.name, notes, len(loaded.judged), found, tests)
        if runs is not None:
            click.echo(f"Runs: {runs}")


def _compare(found: dict[str, Evaluation], measure: str, against: str | None) -> list[Comparison]:
    from sparse_coverage.errors import InputError
    from sparse_coverage.evaluation.significance import compare

    values = {name: one.values[measure] for name, one in found.items() if measure in one.values}
    if against is None:
        return compare(values, measure)
    chosen = [name for name in found if name == against] or [name for name in found if against in name]
    if len(chosen) != 1:
        raise InputError(f"--against must name one row, not {len(chosen)} of: {', '.join(found)}.")
    return compare(values, measure, against=chosen[0]) if chosen[0] in values else []


def _record(
    name: str, notes: Sequence[str], found: dict[str, Evaluation], tests: dict[str, list[Comparison]]
) -> dict[str, Any]:
    systems = {
        row: {
            "system": one.system,
            "options": asdict(one.options),
            "measures": {measure: asdict(one.interval(measure)) for measure in one.values},
            "per_query": one.values,
            "cost": one.cost,
        }
        for row, one in found.items()
    }
    comparisons = [asdict(comparison) for found_tests in tests.values() for comparison in found_tests]
    return {"collection": name, "notes": list(notes), "systems": systems, "comparisons": comparisons}


def _show(
    name: str, notes: Sequence[str], queries: int, found: dict[str, Evaluation], tests: dict[str, list[Comparison]]
) -> None:
    console = Console()
    table = Table(title=f"{escape(name)}: {queries} queries, means x 100 with 95 % bootstrap intervals")
    table.add_column("system")
    for measure in tests:
        table.add_column(measure, justify="right", overflow="fold")
    table.add_column("scanned", justify="right", overflow="fold")
    for row, one in found.items():
        cells = []
        for measure in tests:
            if measure not in one.values:
                cells.append("–")
                continue
            at = one.interval(measure)
            cells.append(f"[bold]{100 * at.mean:.1f}[/bold]\n[dim]{100 * at.low:.1f}-{100 * at.high:.1f}[/dim]")
        table.add_row(escape(row), *cells, "" if one.cost is None else f"{one.cost:,.0f}")
    console.print(table)
    console.print("[dim]scanned: postings (dense: similarities computed) a query[/dim]", highlight=False)
    for note in notes:
        console.print(f"[dim]{escape(note)}[/dim]", highlight=False, soft_wrap=True)
    if not any(tests.values()):
        return
    pairs = Table(
        title="Differences x 100 (second minus first); p of the paired randomisation test after Holm's correction"
    )
    pairs.add_column("first")
    pairs.add_column("second")
    for measure in tests:
        pairs.add_column(measure, justify="right", overflow="fold")
    by_pair: dict[tuple[str, str], dict[str, str]] = {}
    for measure, comparisons in tests.items():
        for pair in comparisons:
            by_pair.setdefault((pair.first, pair.second), {})[measure] = _difference(pair)
    for (first, second), cells_by_measure in by_pair.items():
        pairs.add_row(escape(first), escape(second), *(cells_by_measure.get(measure, "–") for measure in tests))
    console.print(pairs)


def _difference(comparison: Comparison) -> str:
    p = "<.001" if comparison.p_holm < 0.001 else f"{comparison.p_holm:.3f}".removeprefix("0")
    text = f"{100 * comparison.difference:+.1f} (p {p})"
    return f"[bold]{text}[/bold]" if comparison.p_holm < 0.05 else text
