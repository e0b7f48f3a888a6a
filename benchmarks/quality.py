"""How well the systems rank: centers, words and vectors alone and together, and the paper's method, with each encoder.

    python benchmarks/quality.py path/to/patsnap path/to/claims-to-papers.toml --runs runs/                  the systems
    python benchmarks/quality.py COLLECTION ... --encoders minilm,gte-small --runs runs/ --write docs/results.md
    python benchmarks/quality.py path/to/patsnap --tables settings             what each setting of the default is worth
    python benchmarks/quality.py path/to/patsnap -V 5000 --tables units        tokens, noun phrases and both
    python benchmarks/quality.py path/to/patsnap --tables seeds                five vocabularies, by other samples and first centers
    python benchmarks/quality.py path/to/patsnap --precision fp32              whatever the CPU would compute in

Values are means over queries x 100 with 95 % bootstrap intervals. The default was chosen on every second query of each collection
(`tuned`), the others are `held out`. p: paired randomisation test of average precision against `combined` (settings: the default), after
Holm's correction over its column. `scanned`: postings read, for vectors similarities computed. Full texts are cut into passages for every
row, documents ranked by the mean of their three best, and vocabularies learned from passages, so that each text is encoded once
(what the paper's whole paragraphs are worth: `letter.py`). With `--runs` the rankings are written, and every number of the first four
columns is computed again from them with ir_measures; a difference is an error. On a page, tables that were made replace those of the
same collection and encoder; each says when and where it was measured. Everything is found again in the cache: an interrupted run goes
on, and one collection may be measured after the other.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from time import process_time

import numpy as np
from machine import describe
from recompute import differences
from rich.console import Console
from rich.table import Table

from sparse_coverage import Variant, evaluate, load_collection
from sparse_coverage.dataclass_json import record
from sparse_coverage.evaluation.collection import Collection, corpus_passages
from sparse_coverage.evaluation.significance import bootstrap, compare
from sparse_coverage.experiments import Evaluation, Output, Results, Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.options import SystemOptions, concerning
from sparse_coverage.experiments.systems import SparseCoverageSystem
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import activate, aggregate

MEASURES = ("R@10", "R@100", "MAP", "nDCG@10")
MARKER = "<!-- What follows is written by benchmarks/quality.py. -->\n"
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
    rows["centers, with feedback"] = Variant("default", size=size, encoder=encoder, feedback=3)
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


def units(bench: Workbench, size: int) -> Result:
    """Time is that of one core from token vectors to a sparse vector: finding and pooling spans, then activating centers."""
    rows = []
    options = {
        (system, unit): concerning(system, SystemOptions(size=size, unit=unit))
        for system in ("paper", "default")
        for unit in ("token", "np", "np+token")
    }
    variants = {f"{system}, {unit}": Variant(system, size=size, unit=unit) for system, unit in options}
    found = evaluate(bench.collection, variants, MEASURES, bench=bench).rows
    texts = [passage.text for passage in corpus_passages(bench.collection.documents(), bench.collection.by)]
    tokens = list(bench.encoder("minilm").encode(texts[:300]))
    for (name, one), ((_, unit), chosen) in zip(found.items(), options.items(), strict=True):
        retriever = SparseCoverageSystem(bench, chosen)
        held = sum(path.stat().st_size for path in files_of(retriever)) / len(texts)
        facts, model = retriever.index.store.manifest, bench.model(chosen)
        begun = process_time()
        for spans in get_unit(unit).pool_many(texts[:300], tokens):
            aggregate(spans, activate(spans.vectors, model.vocabulary, model.activation), model.activation)
        spent = (process_time() - begun) / len(tokens)
        counts = [facts["spans"] / len(texts), facts["postings"] / len(texts), held]
        means = [f"{100 * one.means()[measure]:.1f}" for measure in ("R@100", "MAP")]
        rows.append([name, *means, *(f"{count:,.0f}" for count in counts), f"{1e3 * spent:.1f}"])
    columns = ["", "R@100", "MAP", "spans a passage", "postings", "bytes", "CPU ms"]
    return Result(f"{bench.collection.name}, V={size:,}", columns, rows)


def files_of(retriever: SparseCoverageSystem) -> Iterator[Path]:
    """The files that are searched; texts are not among them."""
    for name in ("postings.bin", "spans.bin", "facts.safetensors"):
        yield from (retriever.index.store.folder / "segments").glob(f"*/{name}")


def print_table(result: Result) -> None:
    table = Table(title=result.title)
    for column in result.columns:
        table.add_column(column, justify="right" if column else "left")
    for row in result.rows:
        table.add_row(*row)
    Console(width=180).print(table)


def markdown(result: Result, told: str) -> str:
    lines = [_line(result.columns), _line(["---", *["---:"] * (len(result.columns) - 1)])]
    return "\n".join([f"**{result.title}** {told}\n", *lines, *map(_line, result.rows)]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def write_page(page: Path, section: str, made: Sequence[tuple[Result, str]]) -> None:
    """Replace the tables of the same titles behind the marker of a page; what is before it was written by hand."""
    written, _, measured_part = page.read_text(encoding="utf-8").partition(MARKER)
    sections: dict[str, dict[str, str]] = {}
    for part in measured_part.split("\n## ")[1:]:
        heading, _, content = part.partition("\n")
        tables = content.split("\n**")[1:]
        sections[heading] = {one.partition("**")[0]: f"**{one.rstrip()}\n" for one in tables}
    sections.setdefault(section, {}).update({result.title: markdown(result, told) for result, told in made})
    blocks = ["\n".join([f"## {name}\n", *tables.values()]) for name, tables in sections.items()]
    page.write_text("\n".join([written.rstrip("\n") + "\n\n" + MARKER, *blocks]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--encoders", default="minilm", help="names, separated by commas")
    parser.add_argument("--tables", default="systems", help="systems, settings, units, seeds, or several of them")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds the table of seeds has (5)")
    parser.add_argument(
        "--precision", default="auto", help="what encoders compute in: fp32, bf16; auto: as the CPU can"
    )
    parser.add_argument(
        "--runs", type=Path, metavar="FOLDER", help="write the rankings and recompute the table from them"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the tables into a page, behind its marker")
    options = parser.parse_args()
    size, wanted = options.size, options.tables.split(",")
    if unknown := set(wanted) - {"systems", "settings", "units", "seeds"}:
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
                if "units" in wanted:
                    made["Units"] = units(bench, size)
                told = f"({date.today().isoformat()}; {describe()}; encoder in {bench.encoder(encoder).precision}; code {bench.code})"
            for heading, result in made.items():
                print_table(result)
                if options.write:  # after each collection: the next may take an hour
                    write_page(options.write, heading, [(result, told)])


if __name__ == "__main__":
    main()
