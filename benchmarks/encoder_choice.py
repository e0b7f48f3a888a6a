"""Which encoder to take: quality and cost of each on some collections, with settings tuned for it.

    python benchmarks/encoder_choice.py path/to/cranfield path/to/cacm path/to/patsnap --encoders minilm,gte-small,mpnet
    python benchmarks/encoder_choice.py path/to/claims-to-papers.toml --encoders minilm,gte-small --settings 3,40,0.4

The first form measures a grid of K, smoothing and repeats for each encoder and takes the cell with the highest mean of R@100 and MAP over
the first half of the queries of all collections given (every second one, as `quality.py` does); the other half is shown. `--settings` names
that cell instead of looking for it. Rows: whole passages alone, the default preset and the tuned one by centers alone and combined, and
noun phrases with the tokens between them (np+token). Costs: CPU minutes to encode the collection on one thread (its tokens, by the rate on
300 passages), postings in the index, bytes of the files that are searched, postings that a query reads. Everything is found again in the
cache, so that a run may be interrupted.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from time import process_time

import numpy as np
from machine import describe
from quality import TOKENS, files_of, is_full_text
from rich.console import Console
from rich.table import Table

from sparse_coverage import Variant, evaluate, load_collection, load_encoder
from sparse_coverage.evaluation.collection import Collection, corpus_passages
from sparse_coverage.experiments import Evaluation, Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.systems import SparseCoverageSystem

GRID = {"k": (2, 3, 4, 6), "smoothing": (10.0, 40.0, 160.0), "repeats": (0.2, 0.4, 0.8)}
DEFAULT = (4, 40.0, 0.4)
MEASURES = ("R@100", "MAP")
FULL_TEXT_MEASURES = ("R@10", "MAP")
Cell = tuple[int, float, float]


def settings(cell: Cell) -> dict[str, float]:
    """Return a cell of the grid as settings of a system."""
    return dict(zip(GRID, cell, strict=True))


def halves(one: Evaluation, half: int | None) -> dict[str, float]:
    """Return the means of an evaluation x 100: on all queries, or on the first (0) or second (1) half."""
    step = slice(None) if half is None else slice(half, None, 2)
    return {name: 100 * float(np.mean(list(values.values())[step])) for name, values in one.values.items()}


def text(one: Evaluation, half: int | None = None) -> str:
    """Return both measures of an evaluation."""
    return " / ".join(f"{value:.1f}" for value in halves(one, half).values())


def measures(collection: Collection) -> tuple[str, ...]:
    """Return what is measured: of full texts the first ten, because nearly every document is among the first hundred."""
    return FULL_TEXT_MEASURES if is_full_text(collection) else MEASURES


def tuned(encoder: str, collections: list[Collection], size: int, precision: str, console: Console) -> Cell:
    """Return the cell of the grid that is best on the first half of the queries of all collections."""
    cells: list[Cell] = list(product(*GRID.values()))
    totals: Mapping[Cell, list[float]] = {cell: [] for cell in cells}
    for collection in collections:
        rows = {str(cell): Variant("default", size=size, encoder=encoder, **settings(cell)) for cell in cells}
        with Workbench(collection, default_cache(), token_budget=TOKENS, precision=precision) as bench:
            found = evaluate(collection, rows, measures(collection), bench=bench).rows
        for cell in cells:
            totals[cell].append(float(np.mean(list(halves(found[str(cell)], 0).values()))))
    means = {cell: float(np.mean(values)) for cell, values in totals.items()}
    best = max(cells, key=lambda cell: means[cell])
    console.print(
        f"{encoder}: K, smoothing, repeats {best}: {means[best]:.2f}; the default {DEFAULT}: {means[DEFAULT]:.2f}"
    )
    return best


def rate(name: str, sample: list[str], precision: str) -> float:
    """Return how many tokens an encoder takes in a second of one core."""
    encoder = load_encoder(name, threads=1, precision=precision)
    list(encoder.encode(sample[:20]))
    begun = process_time()
    tokens = sum(len(found) for found in encoder.encode(sample))
    return tokens / (process_time() - begun)


def table(
    encoder: str, collection: Collection, cell: Cell, size: int, precision: str, units: tuple[str, ...]
) -> list[list[str]]:
    """Return the rows of an encoder on a collection."""
    given = {"size": size, "encoder": encoder}
    rows = {
        "vectors": Variant("dense", encoder=encoder, **({"rank": "top-mean:3"} if is_full_text(collection) else {}))
    }
    for unit in units:
        rows[f"centers, {unit}"] = Variant("default", **given, unit=unit)
        rows[f"combined, {unit}"] = Variant("combined", **given, unit=unit)
    if cell != DEFAULT:
        rows["centers, tuned"] = Variant("default", **given, **settings(cell))
        rows["combined, tuned"] = Variant("combined", **given, **settings(cell))
    with Workbench(collection, default_cache(), token_budget=TOKENS, precision=precision) as bench:
        found = evaluate(collection, rows, measures(collection), bench=bench).rows
        texts = [passage.text for passage in corpus_passages(collection.documents(), collection.by)]
        minutes = (
            sum(len(bench.encoder(encoder).tokenize(one)) for one in texts) / rate(encoder, texts[:300], precision) / 60
        )
        made = []
        for name, one in found.items():
            costs = ["", ""]
            if name.startswith("centers"):
                searched = SparseCoverageSystem(bench, one.variant.options)
                held = sum(path.stat().st_size for path in files_of(searched))
                costs = [f"{searched.index.store.manifest['postings'] / 1e6:.2f}", f"{held / 1e6:.1f}"]
            scanned = f"{one.cost:,.0f}" if one.cost is not None else ""
            made.append([encoder, name, text(one), text(one, 0), text(one, 1), f"{minutes:.1f}", *costs, scanned])
    return made


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("--encoders", default="minilm,gte-small,mpnet", help="names, separated by commas")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--units", default="token,np+token", help="units, separated by commas")
    parser.add_argument("--settings", help="K,smoothing,repeats instead of looking for them")
    parser.add_argument("--precision", default="auto")
    options = parser.parse_args()
    console = Console(width=170)
    console.print(describe(), highlight=False)
    collections = [load_collection(spec) for spec in options.collections]
    collections = [replace(one, by="passage") if is_full_text(one) else one for one in collections]
    for encoder in options.encoders.split(","):
        if options.settings:
            k, smoothing, repeats = options.settings.split(",")
            cell: Cell = (int(k), float(smoothing), float(repeats))
        else:
            cell = tuned(encoder, collections, options.size, options.precision, console)
        for collection in collections:
            names = " / ".join(measures(collection))
            shown = Table(title=f"{collection.name}, V={options.size:,}: {names}; tuned: K, smoothing, repeats {cell}")
            for column in (
                "encoder",
                "row",
                "all",
                "tuned half",
                "held-out half",
                "encoding, CPU min",
                "M postings",
                "MB",
                "scanned",
            ):
                shown.add_column(column)
            for row in table(
                encoder, collection, cell, options.size, options.precision, tuple(options.units.split(","))
            ):
                shown.add_row(*row)
            console.print(shown)


if __name__ == "__main__":
    main()
