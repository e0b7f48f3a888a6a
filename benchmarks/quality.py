"""How well the systems rank: centers, words and vectors alone and together, and the paper's method, with each encoder.

    python benchmarks/quality.py path/to/patsnap path/to/claims-to-papers.toml --runs runs/                  the systems
    python benchmarks/quality.py COLLECTION ... --encoders minilm,gte-small --runs runs/
    python benchmarks/quality.py path/to/patsnap --tables settings             what each setting of the default is worth
    python benchmarks/quality.py path/to/patsnap --tables seeds                five vocabularies, by other samples and first centers
    python benchmarks/quality.py path/to/patsnap --precision fp32              whatever the CPU would compute in

Values are means over queries x 100 with 95 % bootstrap intervals. The default was chosen on every second query of each collection
(`tuned`), the others are `held out`. p: paired randomisation test of average precision against `combined` (settings: the default), after
Holm's correction over its column. `scanned`: postings read, for vectors similarities computed. Full texts are cut into passages for every
row, documents ranked by the mean of their three best, and vocabularies learned from passages, so that each text is encoded once
. With `--runs` the rankings are written, and every number of the first four
columns is computed again from them with ir_measures; a difference is an error. Everything is
found again in the cache: an interrupted run goes
on, and one collection may be measured after the other.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from machine import describe
from recompute import differences
from rich.console import Console
from rich.table import Table

from sparse_coverage import Variant, evaluate, load_collection
from sparse_coverage.dataclass_json import record
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.significance import bootstrap, compare
from sparse_coverage.experiments import Evaluation, Output, Results, Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.options import SystemOptions, concerning

MEASURES = ("R@10", "R@100", "MAP", "nDCG@10")
TOKENS = 40 << 30  # bytes of token vectors that are kept


@dataclass(frozen=True)
class Result:
    """A table: titles, and rows of cells."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def system_rows(size: int, encoder: str, *, full_text: bool) -> dict[str, Variant]:
    """Return the rows of the first table."""
    rank = {"rank": "top-mean:3"} if full_text else {}
    given = {"size": size, "encoder": encoder, "learn": "passages"}
    rows = {"words (BM25)": Variant("bm25", **rank), "vectors": Variant("dense", encoder=encoder, **rank)}
    if full_text:
        rows["paper, best passage"] = Variant("paper", **given)
    rows["paper"] = Variant("paper", **given, **rank)
    rows["centers"] = Variant("default", size=size, encoder=encoder)
    rows["combined"] = Variant("combined", size=size, encoder=encoder)
    return rows


def setting_rows(size: int, encoder: str, *, full_text: bool) -> dict[str, Variant]:
    """The default, and the default with each of its settings as in the paper; then the other way round."""
    default = concerning("default", SystemOptions(size=size, encoder=encoder))
    paper = SystemOptions(size=size, encoder=encoder, learn=default.learn)
    steps = {
        "no radius test": ("assignment", "k"),
        "common part removed": ("common",),
        "repeats in queries": ("repeats",),
        "repeats in passages": ("passage_repeats",),
        "smoothed length": ("smoothing",),
        **({"mean of three passages": ("rank",)} if full_text else {}),
    }
    every = {"centers": default}
    for name, step in steps.items():
        every[f"without: {name}"] = replace(default, **{field: getattr(paper, field) for field in step})
    grown = paper
    every["paper, by passages"] = grown
    for name, step in steps.items():
        grown = replace(grown, **{field: getattr(default, field) for field in step})
        every[f"+ {name}"] = grown
    return {name: Variant("paper", options) for name, options in every.items()}


def is_full_text(collection: Collection) -> bool:
    return collection.by != "document"


def compared(title: str, found: Mapping[str, Evaluation], against: str) -> Result:
    """Make the table of some rows."""
    precision = {name: one.values["MAP"] for name, one in found.items()}
    tests = {test.second: test.p_holm for test in compare(precision, "MAP", against=against)}
    rows = []
    for name, one in found.items():
        values = {measure: 100 * np.array(list(by_query.values())) for measure, by_query in one.values.items()}
        cells = []
        for measure in MEASURES:
            spread = bootstrap(values[measure].tolist())
            cells.append(f"{spread.mean:.1f} ({spread.low:.1f}-{spread.high:.1f})")
        for half in (0, 1):
            cells.append(" / ".join(f"{values[measure][half::2].mean():.1f}" for measure in ("R@100", "MAP")))
        p = f"{tests[name]:.3f}" if name in tests else ""
        rows.append([name, *cells, f"{one.cost:,.0f}" if one.cost is not None else "", p])
    columns = ["", *MEASURES, "tuned R@100 / MAP", "held out R@100 / MAP", "scanned", "p"]
    return Result(title, columns, rows)


def systems(bench: Workbench, rows: dict[str, Variant], title: str, against: str, runs: Path | None) -> Result:
    """Evaluate rows and compare them."""
    return compared(title, evaluated(bench, rows, title, runs).rows, against)


def evaluated(bench: Workbench, rows: dict[str, Variant], title: str, runs: Path | None, seeds: int = 1) -> Results:
    """Evaluate rows; with a folder, write their runs and compute every number again from these."""
    collection, (_, encoder, _, *more) = bench.collection, title.split(", ")
    output = Output(runs / collection.name / "-".join([encoder, *more])) if runs else Output()
    results = evaluate(collection, rows, MEASURES, bench=bench, output=output, seeds=seeds)
    if output.runs:
        table = output.runs / "table.json"
        table.write_text(json.dumps(record(results.record())), encoding="utf-8")
        count, different = differences(collection, json.loads(table.read_text(encoding="utf-8")), output.runs)
        print(f"{title}: {count} numbers computed again from the runs, {len(different)} differ", *different, sep="\n")
        if different:
            raise SystemExit(1)
    return results


def seeds(bench: Workbench, title: str, rows: dict[str, Variant], count: int, runs: Path | None) -> Result:
    """What chance moves: mean and standard deviation over seeds of every row that has centers."""
    drawn = {name: row for name, row in rows.items() if name in ("paper", "centers", "combined")}
    found = evaluated(bench, drawn, f"{title}, {count} seeds", runs, count).rows
    cells = [
        [
            name,
            *(f"{100 * one.means()[measure]:.1f} ± {100 * (one.deviation(measure) or 0):.1f}" for measure in MEASURES),
        ]
        for name, one in found.items()
    ]
    return Result(f"{title}, {count} seeds", ["", *MEASURES], cells)


def print_table(result: Result) -> None:
    table = Table(title=result.title)
    for column in result.columns:
        table.add_column(column, justify="right" if column else "left")
    for row in result.rows:
        table.add_row(*row)
    Console(width=180).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--encoders", default="minilm", help="names, separated by commas")
    parser.add_argument("--tables", default="systems", help="systems, settings, seeds, or several of them")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds the table of seeds has (5)")
    parser.add_argument(
        "--precision", default="auto", help="what encoders compute in: fp32, bf16; auto: as the CPU can"
    )
    parser.add_argument(
        "--runs", type=Path, metavar="FOLDER", help="write the rankings and recompute the table from them"
    )
    options = parser.parse_args()
    size, wanted = options.size, options.tables.split(",")
    if unknown := set(wanted) - {"systems", "settings", "seeds"}:
        parser.error(f"there is no table '{unknown.pop()}'")
    for encoder in options.encoders.split(","):
        for spec in options.collections:
            collection = load_collection(spec)
            full, title = is_full_text(collection), f"{collection.name}, {encoder}, V={size:,}"
            collection = replace(collection, by="passage") if full else collection  # abstracts are not cut at all
            made: dict[str, Result] = {}
            with Workbench(collection, default_cache(), token_budget=TOKENS, precision=options.precision) as bench:
                if "systems" in wanted:
                    rows = system_rows(size, encoder, full_text=full)
                    made["Systems"] = systems(bench, rows, title, "combined", options.runs)
                if "settings" in wanted:
                    rows = setting_rows(size, encoder, full_text=full)
                    made["Settings"] = systems(bench, rows, f"{title}, settings", "centers", options.runs)
                if "seeds" in wanted:
                    rows = system_rows(size, encoder, full_text=full)
                    made["Seeds"] = seeds(bench, title, rows, options.seeds, options.runs)
                print(f"{describe()}; encoder in {bench.encoder(encoder).precision}; code {bench.code}")
            for result in made.values():
                print_table(result)


if __name__ == "__main__":
    main()
