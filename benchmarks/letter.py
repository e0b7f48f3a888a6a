"""Where our method leaves the paper's letter, and what each departure is worth.

    python benchmarks/letter.py demo -V 2000
    python benchmarks/letter.py path/to/claims-to-papers.toml -V 10000
    python benchmarks/letter.py demo --quick

The first row is the paper's letter as far as a collection has it: sections to learn from, paragraphs and titles as passages, independent
ancestors before a dependent claim (CLEF-IP and the demo only), no more. Each other row changes one thing; the last two are the
presets. R@100, MAP and, where passages are judged, MAP(D) x 100, with the p-value of a paired randomisation test of MAP against the first
row, after Holm's correction. Everything is found again in the cache: an interrupted run goes on.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.evaluation.significance import compare
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.comparison import evaluate_rows
from sparse_coverage.experiments.evaluation import Evaluation
from sparse_coverage.experiments.options import Variant


@dataclass(frozen=True)
class Row:
    """One way to do it: how the collection is read, and the options that differ from the paper's."""

    reading: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    system: str = "paper"


TOKENS = 40 << 30  # bytes of token vectors that are kept: full texts cut in three ways
LETTER: dict[str, Any] = {"ancestors": "independent", "by": "title+paragraph"}
ROWS = {
    "the paper's letter": Row(LETTER),
    "all ancestors of a claim": Row({**LETTER, "ancestors": "all"}),
    "no titles as passages": Row({**LETTER, "by": "paragraph"}),
    "paragraphs cut and joined": Row({**LETTER, "by": "passage"}),
    "learned from passages": Row(LETTER, {"learn": "passages"}),
    "nearest centers, no radius": Row(LETTER, {"assignment": "nearest", "k": 4}),
    "common part removed": Row(LETTER, {"common": 1}),
    "repeats counted": Row(LETTER, {"repeats": 0.4, "passage_repeats": 1.0}),
    "length smoothed": Row(LETTER, {"smoothing": 40.0}),
    "0.3 % stop centers": Row(LETTER, {"rho": 0.003}),
    "mean of three passages": Row(LETTER, {"rank": "top-mean:3"}),
    "preset paper": Row({"by": "paragraph"}),
    "preset default": Row({"by": "passage"}, system="default"),
}


def measured(spec: str, size: int) -> dict[str, Evaluation]:
    """Evaluate all rows; those that read the collection in the same way share one workbench."""
    found: dict[str, Evaluation] = {}
    has_claims = spec == "demo" or Path(spec).is_dir()
    rows = {name: row for name, row in ROWS.items() if has_claims or name != "all ancestors of a claim"}
    readings = dict.fromkeys(tuple(sorted(row.reading.items())) for row in rows.values())
    for reading in readings:
        mine = {name: row for name, row in rows.items() if tuple(sorted(row.reading.items())) == reading}
        collection = load_collection(spec, **dict(reading))
        names = ["R@100", "MAP", *(["MAP(D)"] if collection.has_passages else [])]
        measures = [parse_measure(name) for name in names]
        with Workbench(collection, default_cache(), token_budget=TOKENS) as bench:
            variants = {name: Variant(row.system, size=size, **row.options) for name, row in mine.items()}
            found |= evaluate_rows(bench, variants, measures).rows
    return {name: found[name] for name in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=2_000)
    parser.add_argument("--quick", action="store_true", help="500 centers")
    options = parser.parse_args()
    size = 500 if options.quick else options.size
    console = Console(width=120)
    console.print(describe())
    for spec in options.collections:
        found = measured(spec, size)
        first = next(iter(found))
        tests = compare({name: one.values["MAP"] for name, one in found.items()}, "MAP", against=first)
        p_values = {test.second: f"{test.p_holm:.3f}" for test in tests}
        measures = list(found[first].values)
        table = Table("", *measures, "p", title=f"{Path(spec).stem}, V={size:,}")
        lines = [["", *measures, "p"], ["---", *["---:"] * (len(measures) + 1)]]
        for name, one in found.items():
            cells = [name, *(f"{100 * one.means()[measure]:.1f}" for measure in measures), p_values.get(name, "")]
            table.add_row(*cells)
            lines.append(cells)
        console.print(table)
        print("\n".join("| " + " | ".join(line) + " |" for line in lines), flush=True)


if __name__ == "__main__":
    main()
