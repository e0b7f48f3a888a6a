"""How well the systems rank: the default preset beside the paper's method, BM25, dense retrieval and hybrid.

    python benchmarks/quality.py path/to/patsnap path/to/claims-to-papers.toml                  the systems
    python benchmarks/quality.py path/to/patsnap --tables settings                              what each setting of the default is worth
    python benchmarks/quality.py path/to/patsnap -V 5000 --tables units                         tokens, noun phrases and both
    python benchmarks/quality.py path/to/patsnap --tables seeds --seeds 5                       how much the seed is worth
    python benchmarks/quality.py COLLECTION ... --tables systems,seeds --write PAGE             as the measured part of a page
    python benchmarks/quality.py path/to/patsnap --precision fp32                               whatever the CPU would compute in

Values are means over queries x 100 with 95 % bootstrap intervals. The default was chosen on every second query of each collection
(`tuned`), the others are `held out`. p: paired randomisation test of average precision against the default, after Holm's
correction over its column. `scanned`: postings read, for dense retrieval similarities computed. Full texts are cut into passages for every
row, and vocabularies are learned from these, so that each text is encoded once (what the paper's whole paragraphs are worth:
`letter.py`). On a page, tables that were made replace those of the same kind and each kind says when and where it was measured; the
others stay. Everything is found again in the cache: an interrupted run goes on, and one collection may be measured after the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import mean, stdev
from time import process_time

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.corpus import corpus_passages
from sparse_coverage.evaluation.find_collection import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.evaluation.significance import bootstrap, compare
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.evaluate import Evaluation, evaluate_system
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.seeds import seeded
from sparse_coverage.experiments.systems import concerning, is_sparse
from sparse_coverage.experiments.systems.sparse import SparseCoverageSystem
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import activate, aggregate

MEASURES = tuple(parse_measure(name) for name in ("R@10", "R@100", "MAP", "nDCG@10"))
MARKER = "<!-- What follows is written by benchmarks/quality.py. -->\n"
TOKENS = 40 << 30  # bytes of token vectors that are kept


@dataclass(frozen=True)
class Row:
    """A system with its options."""

    system: str
    options: SystemOptions


@dataclass(frozen=True)
class Result:
    """A table: titles, and rows of cells."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def system_rows(size: int, *, full_text: bool) -> dict[str, Row]:
    """Return the rows of the first table."""
    plain = SystemOptions(size=size, learn="passages" if full_text else "sections")
    means = replace(plain, rank="top-mean:3")
    rows = {"BM25": Row("bm25", plain), "dense": Row("dense", plain), "paper": Row("paper", plain)}
    if full_text:
        rows["BM25, top-mean:3"] = Row("bm25", means)
        rows["dense, top-mean:3"] = Row("dense", means)
        rows["paper, top-mean:3"] = Row("paper", means)
    if full_text:
        rows["default, best passage"] = Row("default", replace(plain, rank="best", fixed=("rank",)))
    rows["default, with feedback"] = Row("default", replace(plain, feedback=3))
    rows["default"] = Row("default", plain)
    rows["hybrid"] = Row("hybrid", plain)
    return rows


def setting_rows(size: int, *, full_text: bool) -> dict[str, Row]:
    """The default, and the default with each of its settings as in the paper; then the other way round."""
    default = concerning("default", SystemOptions(size=size))
    paper = SystemOptions(size=size, learn=default.learn)
    steps = {
        "no radius test": {"assignment": default.assignment, "k": default.k},
        "common part removed": {"common": default.common},
        "repeats in queries": {"repeats": default.repeats},
        "repeats in passages": {"passage_repeats": default.passage_repeats},
        "smoothed length": {"smoothing": default.smoothing},
    }
    if full_text:
        steps["mean of three passages"] = {"rank": default.rank}
    rows = {"default": Row("paper", default)}
    for name, step in steps.items():
        rows[f"without: {name}"] = Row("paper", replace(default, **{field: getattr(paper, field) for field in step}))
    rows["with feedback"] = Row("paper", replace(default, feedback=3))
    grown = paper
    rows["paper, by passages"] = Row("paper", grown)
    for name, step in steps.items():
        grown = replace(grown, **step)
        rows[f"+ {name}"] = Row("paper", grown)
    return rows


def seed_table(title: str, found: dict[str, Sequence[Mapping[str, float]]]) -> Result:
    """Make the table of some rows with the means that each seed gave."""
    rows = []
    for name, seeds in found.items():
        cells = [name]
        for measure in ("R@100", "MAP"):
            values = [100 * one[measure] for one in seeds]
            cells += [f"{mean(values):.1f} ± {stdev(values):.2f}", " ".join(f"{value:.1f}" for value in values)]
        rows.append(cells)
    return Result(title, ["", "R@100", "of each seed", "MAP", "of each seed"], rows)


def over_seeds(bench: Workbench, size: int, seeds: int) -> dict[str, Sequence[Mapping[str, float]]]:
    """Measure the paper's method and the default with several seeds: each draws its sample and its first center anew."""
    plain = SystemOptions(size=size, learn="passages" if is_full_text(bench.collection) else "sections")
    every = {system: seeded(system, concerning(system, plain), seeds) for system in ("paper", "default")}
    bench.plan(one for chosen in every.values() for one in chosen)
    return {
        system: [evaluate_system(bench, system, one, MEASURES).means() for one in chosen]
        for system, chosen in every.items()
    }


def is_full_text(collection: Collection) -> bool:
    return collection.by != "document"


def measured(bench: Workbench, rows: dict[str, Row]) -> dict[str, Evaluation]:
    """Evaluate all rows."""
    bench.plan(concerning(row.system, row.options) for row in rows.values() if is_sparse(row.system))
    return {name: evaluate_system(bench, row.system, row.options, MEASURES) for name, row in rows.items()}


def compared(title: str, found: dict[str, Evaluation]) -> Result:
    """Make the table of some rows, the default among them."""
    precision = {name: one.values["MAP"] for name, one in found.items()}
    tests = {test.second: test.p_holm for test in compare(precision, "MAP", against="default")}
    rows = []
    for name, one in found.items():
        values = {measure: 100 * np.array(list(by_query.values())) for measure, by_query in one.values.items()}
        cells = []
        for measure in MEASURES:
            spread = bootstrap(values[str(measure)].tolist())
            cells.append(f"{spread.mean:.1f} ({spread.low:.1f}-{spread.high:.1f})")
        for half in (0, 1):
            cells.append(" / ".join(f"{values[measure][half::2].mean():.1f}" for measure in ("R@100", "MAP")))
        p = f"{tests[name]:.3f}" if name in tests else ""
        rows.append([name, *cells, f"{one.cost:,.0f}" if one.cost is not None else "", p])
    columns = ["", *map(str, MEASURES), "tuned R@100 / MAP", "held out R@100 / MAP", "scanned", "p"]
    return Result(title, columns, rows)


def units(bench: Workbench, size: int) -> Result:
    """Time is that of one core from token vectors to a sparse vector: finding and pooling spans, then activating centers."""
    rows = []
    options = {
        (system, unit): concerning(system, SystemOptions(size=size, unit=unit))
        for system in ("paper", "default")
        for unit in ("token", "np", "np+token")
    }
    bench.plan(options.values())
    texts = [passage.text for passage in corpus_passages(bench.collection.documents(), bench.collection.by)]
    tokens = list(bench.encoder("minilm").encode(texts[:300]))
    for (system, unit), chosen in options.items():
        found = evaluate_system(bench, system, chosen, MEASURES)
        retriever = SparseCoverageSystem(bench, chosen)
        held = sum(path.stat().st_size for path in files_of(retriever)) / len(texts)
        facts, model = retriever.index.store.manifest, bench.model(chosen)
        begun = process_time()
        for spans in get_unit(unit).pool_many(texts[:300], tokens):
            aggregate(spans, activate(spans.vectors, model.vocabulary, model.activation), model.activation)
        spent = (process_time() - begun) / len(tokens)
        counts = [facts["spans"] / len(texts), facts["postings"] / len(texts), held]
        means = [f"{100 * found.means()[measure]:.1f}" for measure in ("R@100", "MAP")]
        rows.append([f"{system}, {unit}", *means, *(f"{count:,.0f}" for count in counts), f"{1e3 * spent:.1f}"])
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


def markdown(result: Result) -> str:
    lines = [f"**{result.title}**", "", _line(result.columns), _line(["---", *["---:"] * (len(result.columns) - 1)])]
    return "\n".join([*lines, *map(_line, result.rows)]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def write_page(page: Path, sections: dict[str, list[Result]], precision: str) -> None:
    """Replace the kinds of tables that were made behind the marker of a page; what is before it was written by hand."""
    written, _, measured_part = page.read_text(encoding="utf-8").partition(MARKER)
    there = {part.partition("\n")[0]: f"## {part}" for part in measured_part.split("## ")[1:]}
    told = f"Measured on {date.today().isoformat()}: {describe()}; encoder in {precision}.\n"
    made = {name: "\n".join([f"## {name}\n", told, *map(markdown, results)]) for name, results in sections.items()}
    blocks = [block.rstrip("\n") + "\n" for block in {**there, **made}.values()]
    page.write_text("\n".join([written.rstrip("\n") + "\n\n" + MARKER, *blocks]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--tables", default="systems", help="systems, settings, units, seeds, or several of them")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds the table of seeds has")
    parser.add_argument("--seeds-on", default="", metavar="NAMES", help="the collections that it has; without: all")
    parser.add_argument(
        "--precision", default="auto", help="what the encoder computes in: fp32, bf16; auto: as the CPU can"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the tables into a page, behind its marker")
    options = parser.parse_args()
    size = options.size
    wanted = options.tables.split(",")
    if unknown := set(wanted) - {"systems", "settings", "units", "seeds"}:
        parser.error(f"there is no table '{unknown.pop()}'")
    sections: dict[str, list[Result]] = {}
    for spec in options.collections:
        collection = load_collection(spec)
        full, title = is_full_text(collection), f"{collection.name}, V={size:,}"
        collection = replace(collection, by="passage") if full else collection  # abstracts are not cut at all
        made: dict[str, Result] = {}
        with Workbench(collection, default_cache(), token_budget=TOKENS, precision=options.precision) as bench:
            if "systems" in wanted:
                made["Systems"] = compared(title, measured(bench, system_rows(size, full_text=full)))
            if "settings" in wanted:
                made["Settings"] = compared(title, measured(bench, setting_rows(size, full_text=full)))
            if "units" in wanted:
                made["Units"] = units(bench, size)
            if "seeds" in wanted and (not options.seeds_on or collection.name in options.seeds_on.split(",")):
                found = over_seeds(bench, size, options.seeds)
                made["Seeds"] = seed_table(f"{title}, {options.seeds} seeds", found)
            precision = bench.encoder("minilm").precision
        for heading, result in made.items():
            print_table(result)
            sections.setdefault(heading, []).append(result)
        if options.write:  # after each collection: the next may take an hour
            write_page(options.write, sections, precision)


if __name__ == "__main__":
    main()
