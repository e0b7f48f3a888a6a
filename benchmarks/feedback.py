"""What a searcher's marks gain, by simulation: the first relevant and the first two other documents of the top 10 are marked.

    python benchmarks/feedback.py path/to/patsnap=INDEX path/to/cranfield=INDEX path/to/claims-to-papers.toml=INDEX [--tune]

Each argument is a collection and the folder of an index of its documents; a folder that is not there is built first. Measured is the
ranking of what was not marked, before and after (residual ranking): marked documents are taken out of both rankings and of the
judgements, and queries with nothing relevant left do not count. `--tune` tries the settings on every second query; without it
all settings are those of the library, and the two halves of the queries are shown apart.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage import Index
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.evaluation.significance import randomisation_test
from sparse_coverage.index.filters import document
from sparse_coverage.progress import tracked
from sparse_coverage.search import Marks
from sparse_coverage.search import feedback as settings

LOOKED_AT, OTHERS, DEPTH = 10, 2, 1000


def session(index, collection, query):
    """Return what a searcher would mark in the first answers: relevant documents, others, and what may not be found at all."""
    excluded = collection.excluded.get(query.id, frozenset())
    condition = ~document(*excluded) if excluded else None
    found = [hit.document for hit in index.search(query.text, LOOKED_AT, passages=1, filter=condition)]
    relevant = collection.judgements[query.id].documents
    return (
        [id_ for id_ in found if id_ in relevant][:1],
        [id_ for id_ in found if id_ not in relevant][:OTHERS],
        excluded,
    )


def measured(index, query, relevant, gone, marks):
    """Return R@100 and average precision of the ranking without what is gone."""
    condition = ~document(*gone) if gone else None
    ranked = [hit.document for hit in index.search(query.text, DEPTH, passages=1, filter=condition, marks=marks)]
    left = relevant - set(gone)
    places = [place for place, id_ in enumerate(ranked, 1) if id_ in left]
    precision = sum(number / place for number, place in enumerate(places, 1)) / len(left)
    return sum(place <= 100 for place in places) / len(left), precision


def simulate(index, collection, queries, kinds):
    """Return, for each kind of marks, the values without and with them, a row a query."""
    values = {kind: [] for kind in kinds}
    for query in tracked(queries, f"{collection.name}", len(queries)):
        good, bad, excluded = session(index, collection, query)
        relevant = collection.judgements[query.id].documents
        for kind in kinds:
            marks = Marks(tuple(good) if "relevant" in kind else (), tuple(bad) if "others" in kind else ())
            gone = {*excluded, *marks.relevant, *marks.not_relevant}
            if marks and relevant - gone:
                values[kind].append(
                    (*measured(index, query, relevant, gone, None), *measured(index, query, relevant, gone, marks))
                )
    return {kind: np.asarray(rows).reshape(-1, 4) for kind, rows in values.items()}


def tune(console, opened) -> None:
    """Show what settings do on every second query, to choose by."""
    table = Table(
        "lent", "taken", "centers", "passages", *(f"{collection.name} R@100 / MAP" for collection, _ in opened)
    )
    kept = settings.LENT, settings.TAKEN, settings.CENTERS, settings.PASSAGES
    for lent, taken, centers, passages in product((0.5, 1.0, 2.0), (0.0, 0.1, 0.25, 0.5), (100, 400), (1, 3)):
        settings.LENT, settings.TAKEN, settings.CENTERS, settings.PASSAGES = lent, taken, centers, passages
        cells = []
        for collection, index in opened:
            rows = simulate(index, collection, collection.judged[::2], ["relevant and others"])["relevant and others"]
            gains = 100 * (rows[:, 2:] - rows[:, :2]).mean(0)
            cells.append(f"{gains[0]:+.1f} / {gains[1]:+.1f}")
        table.add_row(f"{lent}", f"{taken}", f"{centers}", f"{passages}", *cells)
    settings.LENT, settings.TAKEN, settings.CENTERS, settings.PASSAGES = kept
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="COLLECTION=INDEX")
    parser.add_argument("--tune", action="store_true", help="try settings on every second query instead")
    parser.add_argument("--quick", action="store_true", help="every tenth query")
    options = parser.parse_args()
    console = Console(width=140)
    console.print(describe(), highlight=False)
    opened = []
    for pair in options.pairs:
        name, _, folder = pair.rpartition("=")
        collection = load_collection(name)
        if not Path(folder).exists():
            Index.learn(folder, collection.documents)
        opened.append((collection, Index.open(folder)))
    if options.tune:
        tune(console, opened)
        return
    table = Table(
        "collection", "marked", "queries", "R@100 before", "after", "MAP before", "after", "p (MAP)",
        title="Residual ranking: what was not marked, without and with the marks",
    )  # fmt: skip
    kinds = ["relevant", "others", "relevant and others"]
    for collection, index in opened:
        for half, part in (("tuned", slice(0, None, 2)), ("held out", slice(1, None, 2))):
            queries = collection.judged[part][:: 5 if options.quick else 1]
            for kind, rows in simulate(index, collection, queries, kinds).items():
                if len(rows):
                    means = 100 * rows.mean(0)
                    p = randomisation_test(rows[:, 1], rows[:, 3])
                    table.add_row(
                        f"{collection.name}, {half}", kind, f"{len(rows)}",
                        *(f"{means[place]:.1f}" for place in (0, 2, 1, 3)), f"{p:.3f}",
                    )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
