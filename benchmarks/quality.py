"""How well the systems rank: the default preset beside the paper's method, the default before, BM25, dense and hybrid.

    python benchmarks/quality.py path/to/patsnap path/to/claims-to-papers.toml                  the systems
    python benchmarks/quality.py path/to/patsnap --tables settings                              what each setting of the default is worth
    python benchmarks/quality.py path/to/patsnap -V 5000 --tables units                         tokens, noun phrases and both
    python benchmarks/quality.py path/to/patsnap --tables seeds --seeds 5                       how much the seed is worth
    python benchmarks/quality.py COLLECTION ... --tables systems,seeds --write PAGE             as the measured part of a page

Values are means over queries x 100 with 95 % bootstrap intervals. The default was chosen on every second query of each collection
(`tuned`), the others are `held out`. p: paired randomisation test of average precision against the default, after Holm's
correction over its column. `scanned`: postings read, for dense retrieval similarities computed. On full texts the paper's
method and the default before are indexed by whole paragraphs, as they were made for, everything else by passages (with
`--by-passages` all of it, which saves a second encoding); all vocabularies of full texts are learned from passages. On a page, tables
that were made replace those of the same kind and each kind says when and where it was measured; the others stay.
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
from sparse_coverage.patents.passages import By
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import activate, aggregate

MEASURES = tuple(parse_measure(name) for name in ("R@10", "R@100", "MAP", "nDCG@10"))
MARKER = "<!-- What follows is written by benchmarks/quality.py. -->\n"
TOKENS = 40 << 30  # bytes of token vectors that are kept: full texts in two kinds of passages
BEFORE = SystemOptions(assignment="nearest", common=1, repeats=0.5, smoothing=50.0, feedback=3)
"""The default before this one, called `recall`."""


@dataclass(frozen=True)
class Row:
    """A system with its options, and how patents are cut for it."""

    system: str
    options: SystemOptions
    by: By = "passage"


@dataclass(frozen=True)
class Result:
    """A table: titles, and rows of cells."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def system_rows(size: int, by: By, *, full_text: bool) -> dict[str, Row]:
    """Return the rows of the first table; `by` is how the paper's method and the default before cut full texts."""
    plain = SystemOptions(size=size, learn="passages" if full_text else "sections")
    means = replace(plain, rank="top-mean:3")
    rows = {"BM25": Row("bm25", plain), "dense": Row("dense", plain), "paper": Row("paper", plain, by)}
    if full_text:
        rows["BM25, top-mean:3"] = Row("bm25", means)
        rows["dense, top-mean:3"] = Row("dense", means)
        rows["paper, top-mean:3"] = Row("paper", means, by)
    rows["default before"] = Row("paper", replace(BEFORE, size=size, learn=plain.learn), by)
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


def over_seeds(
    collection: Collection, size: int, seeds: int, cache: Path, max_spans: int | None = None
) -> dict[str, Sequence[Mapping[str, float]]]:
    """Measure the paper's method and the default with several seeds: each draws its sample and its first center anew."""
    learn = "passages" if is_full_text(collection) else "sections"
    plain = SystemOptions(size=size, learn=learn, max_spans=max_spans)
    found: dict[str, Sequence[Mapping[str, float]]] = {}
    with Workbench(cut(collection, "passage"), cache, token_budget=TOKENS) as bench:
        for system in ("paper", "default"):
            every = seeded(system, concerning(system, plain), seeds)
            bench.plan(every)
            found[system] = [evaluate_system(bench, system, one, MEASURES).means() for one in every]
    return found


def is_full_text(collection: Collection) -> bool:
    return collection.by != "document"


def cut(collection: Collection, by: By) -> Collection:
    """Return a collection with its documents cut in another way; abstracts are not cut at all."""
    return replace(collection, by=by) if is_full_text(collection) else collection


def measured(collection: Collection, rows: dict[str, Row], cache: Path) -> dict[str, Evaluation]:
    """Evaluate all rows, those of one way of cutting after the other."""
    found: dict[str, Evaluation] = {}
    for by in dict.fromkeys(row.by for row in rows.values()):
        mine = {name: row for name, row in rows.items() if row.by == by}
        with Workbench(cut(collection, by), cache, token_budget=TOKENS) as bench:
            bench.plan(concerning(row.system, row.options) for row in mine.values() if is_sparse(row.system))
            for name, row in mine.items():
                found[name] = evaluate_system(bench, row.system, row.options, MEASURES)
    return {name: found[name] for name in rows}


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


def units(collection: Collection, size: int, cache: Path) -> Result:
    """Time is that of one core from token vectors to a sparse vector: finding and pooling spans, then activating centers."""
    rows = []
    with Workbench(cut(collection, "passage"), cache, threads=1, token_budget=TOKENS) as bench:
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
    return Result(f"{collection.name}, V={size:,}", columns, rows)


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


def write_page(page: Path, sections: dict[str, list[Result]]) -> None:
    """Replace the kinds of tables that were made behind the marker of a page; what is before it was written by hand."""
    written, _, measured_part = page.read_text(encoding="utf-8").partition(MARKER)
    there = {part.partition("\n")[0]: f"## {part}" for part in measured_part.split("## ")[1:]}
    told = f"Measured on {date.today().isoformat()}: {describe()}.\n"
    made = {name: "\n".join([f"## {name}\n", told, *map(markdown, results)]) for name, results in sections.items()}
    blocks = [block.rstrip("\n") + "\n" for block in {**there, **made}.values()]
    page.write_text("\n".join([written.rstrip("\n") + "\n\n" + MARKER, *blocks]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--tables", default="systems", help="systems, settings, units, seeds, or several of them")
    parser.add_argument(
        "--max-spans", type=int, help="spans that the vocabularies of the table of seeds are learned from"
    )
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds the table of seeds has")
    parser.add_argument("--by-passages", action="store_true", help="index everything by passages")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the tables into a page, behind its marker")
    options = parser.parse_args()
    cache, size = default_cache(), options.size
    wanted = options.tables.split(",")
    if unknown := set(wanted) - {"systems", "settings", "units", "seeds"}:
        parser.error(f"there is no table '{unknown.pop()}'")
    by: By = "passage" if options.by_passages else "paragraph"
    sections: dict[str, list[Result]] = {}
    for spec in options.collections:
        collection = load_collection(spec)
        full, title = is_full_text(collection), f"{collection.name}, V={size:,}"
        made: dict[str, Result] = {}
        if "systems" in wanted:
            made["Systems"] = compared(title, measured(collection, system_rows(size, by, full_text=full), cache))
        if "settings" in wanted:
            made["Settings"] = compared(title, measured(collection, setting_rows(size, full_text=full), cache))
        if "units" in wanted:
            made["Units"] = units(collection, size, cache)
        if "seeds" in wanted:
            found = over_seeds(collection, size, options.seeds, cache, options.max_spans)
            made["Seeds"] = seed_table(f"{title}, {options.seeds} seeds", found)
        for heading, result in made.items():
            print_table(result)
            sections.setdefault(heading, []).append(result)
        if options.write:  # after each collection: the next may take an hour
            write_page(options.write, sections)


if __name__ == "__main__":
    main()
