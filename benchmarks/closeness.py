"""How well "close", "related" and "weak" tell the paper about a claim's invention from the nearest papers about others.

    python benchmarks/closeness.py path/to/claims-to-papers.toml --encoder gte-small

An index of the collection is built; `--folder` keeps it for the next run. For each claim: its own paper, the nearest other (the best of
the combined ranking that is about something else), and twenty papers drawn at random. The weights are fitted by logistic regression on
every second claim (own papers against the five nearest others), the thresholds there too: 5 % of the nearest others are above `close`,
95 % of the own papers above `related`. The table has the other half, and then both halves swapped. Then queries of one and of two words
(held by 3 to 60 papers, drawn at random): how many find anything close or related with the scale that is shipped.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage import Index
from sparse_coverage.encoding import load_encoder
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.search.part_scores import SCALES, ClosenessScale

NEAR, RANDOM, DRAWN = 5, 20, 150
console = Console(width=140)


def open_index(folder: Path, collection: Collection, encoder: str) -> Index:
    """Open the index of a folder; where there is none yet, build it."""
    loaded = load_encoder(encoder)
    if (folder / "manifest.json").exists():
        return Index.open(folder, encoder=loaded)
    return Index.learn(folder, collection.documents, encoder=loaded, by="passage")


def figures(collection: Collection, index: Index) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return cosine and share of words of every pair of a claim and a paper, the own paper of each claim, and its nearest others."""
    ids = [index.store.document(number).id for number in range(index.store.state.documents)]
    table, own, near = [], [], []
    for query in collection.judged:
        ranked = index._combined.rank(query.text, index.parts, None, None)
        found = index._combined.figures(query.text, ids, ranked)
        table.append([found[id_] for id_ in ids])
        [mine] = collection.judgements[query.id].documents
        own.append(ids.index(mine))
        near.append([one for one in ranked.documents.tolist() if one != own[-1]][:NEAR])
    return np.asarray(table), np.asarray(own), np.asarray(near)


def few_words(index: Index, scale: ClosenessScale, count: int) -> tuple[int, int]:
    """Count, of queries of so many words drawn at random, those that find something close, and those that find something related."""
    store, held = index.store, Counter[str]()
    for number in range(store.state.documents):
        texts = (store.passage(one).text for one in store.passages_of(number))
        held.update({word for text in texts for word in re.findall("[a-z]{5,}", text.lower())})
    words, random = sorted(word for word, documents in held.items() if 3 <= documents <= 60), Random(0)
    ids = [store.document(number).id for number in range(store.state.documents)]
    close = related = 0
    for _ in range(DRAWN):
        query = " ".join(random.sample(words, count))
        ranked = index._combined.rank(query, index.parts, None, None)
        levels = {scale.level(*one) for one in index._combined.figures(query, ids, ranked).values()}
        close += "close" in levels
        related += levels != {"weak"}
    return close, related


def fit(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression."""
    mean, spread = rows.mean(0), rows.std(0)
    scaled, weights = np.c_[(rows - mean) / spread, np.ones(len(rows))], np.zeros(rows.shape[1] + 1)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (chance - right) / len(right) + 1e-3 * weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled / len(right) + 1e-4 * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return weights[:-1] / spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--folder", help="keep the index here, or use the one that is here")
    options = parser.parse_args()
    collection = replace(load_collection(options.collection), by="passage")
    with TemporaryDirectory() as temporary:
        folder = Path(options.folder or f"{temporary}/index")
        index = open_index(folder, collection, options.encoder)
        size = len(index.model.vocabulary)
        table, own, near = figures(collection, index)
        scale = SCALES.get(options.encoder)
        short = {count: few_words(index, scale, count) for count in (1, 2)} if scale else {}
    every, random = np.arange(len(own)), np.random.default_rng(0)
    shown = Table(
        "fitted on", "cosine", "words", "close", "related", "own close / related", "nearest other", "at random"
    )
    for half in (0, 1):
        fitted, held = every[half::2], every[1 - half :: 2]
        rows = np.r_[table[fitted, own[fitted]], table[fitted[:, None], near[fitted]].reshape(-1, 2)]
        weights = fit(rows, np.r_[np.ones(len(fitted)), np.zeros(len(fitted) * NEAR)])
        values = table @ weights
        close = float(np.quantile(values[fitted, near[fitted][:, 0]], 0.95))
        related = float(np.quantile(values[fitted, own[fitted]], 0.05))
        others = random.integers(0, values.shape[1], (len(held), RANDOM))
        groups = (values[held, own[held]], values[held, near[held][:, 0]], values[held[:, None], others].ravel())
        cells = [f"{(one >= close).mean():.0%} / {(one >= related).mean():.0%}" for one in groups]
        shown.add_row(f"half {half + 1}", *(f"{one:.2f}" for one in (*weights, close, related)), *cells)
    console.print(f"{collection.name}, {options.encoder}, V={size:,}; {describe()}")
    console.print(shown)
    for count, (found, nearly) in short.items():
        console.print(
            f"Of {DRAWN} queries of {count} words, with what is shipped: {found} find something close, {nearly} related"
        )


if __name__ == "__main__":
    main()
