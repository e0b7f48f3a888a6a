"""Are the reasons that a search gives reasons? Claims against the documents they find, on a collection of full texts.

    python benchmarks/explanations.py path/to/claims-to-papers.toml

Three tables. What the shown contributions rest on: function words, numerals and pieces of unlike words, before (the strongest
matches, span by span) and after (phrases), judged by a list of function words that the product does not use. Explanations of the
first claims and their first documents, before and after, as they come. And how often a word of a claim is called found at
different bounds, in the document about the same invention and in others, for words that stand there and words that do not.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.search import Explanation
from sparse_coverage.search.explaining import trace_query
from sparse_coverage.search.results import Place
from sparse_coverage.text import content_words

CLAIMS, DOCUMENTS, SHOWN, TOLD, OTHERS = 20, 5, 10, 10, 3
BOUNDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)
# Closed classes of English from a grammar: determiners, pronouns, prepositions, conjunctions, auxiliaries.
CLOSED = frozenset(
    """a an the this that these those each every either neither some any no all both half such what which whose i me my we us our
    you your he him his she her it its they them their who whom one ones at by for from in into of off on onto out over per to
    toward towards under up upon with within without about above across after against along among around before behind below beneath
    beside besides between beyond down during except inside near outside since through throughout till until and or nor but so yet if
    because although though while whereas unless whether when where how than as be am is are was were been being have has had having
    do does did doing can could may might must shall should will would ought not also thereof therein thereby wherein whereby said
    respectively then there here very more most less least""".split()
)
console = Console(width=170)


def is_reason(text: str, place: Place) -> bool:
    """Tell whether a place of a text holds a whole word that is neither of a closed class nor a number."""
    inside = (place.start and text[place.start - 1].isalnum()) or text[place.end : place.end + 1].isalnum()
    words = re.findall(r"[^\W_]+", place.text)
    return not inside and any(word.lower() not in CLOSED and not word.isdigit() and len(word) > 1 for word in words)


def shares(explanations: Sequence[Explanation]) -> tuple[float, float, float]:
    """Return the share of what is shown that rests on no reason, before and after, and the share that phrases explain."""
    bad, shown, poor, told, score = 0.0, 0.0, 0.0, 0.0, 0.0
    for one in explanations:
        text = one.passage.text
        for match in one.matches[:SHOWN]:
            shown += match.contribution
            if not (is_reason(one.query, match.query) and is_reason(text, match.passage)):
                bad += match.contribution
        for reason in one.reasons.phrases[:SHOWN]:
            told += reason.contribution
            if not (is_reason(one.query, reason.query) and is_reason(text, reason.passage)):
                poor += reason.contribution
        score += one.score
    return bad / shown, poor / told, told / score


def before(one: Explanation) -> str:
    rows = one.matches[:3]
    return "; ".join(f"{row.query.text} ↔ {row.passage.text} {row.contribution:.2f}" for row in rows)


def after(one: Explanation) -> str:
    rows = one.reasons.phrases[:3]
    return "; ".join(f"{row.query.text} ↔ {row.passage.text} {row.contribution:.2f}" for row in rows)


def evidence(index: Index, query: str, document: str) -> list[tuple[bool, float]]:
    """For each word of a query: whether it stands in the document, and the largest product of weights in a shared center."""
    traced, store = trace_query(index.model, query), index.store
    number = store.find_document(document)
    assert number is not None
    best: dict[int, float] = {}
    there: set[str] = set()
    for passage in store.passages_of(number):
        text = store.passage(passage).text
        there |= {word.text.lower() for word in content_words(text)}
        vector = index.model.encode_document(text)
        for center, weight in vector.as_dict().items():
            best[center] = max(weight, best.get(center, 0.0))
    found: dict[str, float] = {}
    for word in content_words(query):
        values = [
            similarity * best.get(center, 0.0)
            for place, centers, similarities in zip(
                traced.places,
                traced.activations.centers.tolist(),
                traced.activations.similarities.tolist(),
                strict=True,
            )
            if place.start < word.end and place.end > word.start
            for center, similarity in zip(centers, similarities, strict=True)
            if center >= 0 and not index.statistics.stop[center]
        ]
        if values:
            found[word.text.lower()] = max(max(values), found.get(word.text.lower(), 0.0))
    return [(word in there, value) for word, value in found.items()]


def bounds_table(index: Index, collection: Collection) -> Table:
    """Words of claims against the document about the same invention, and against others drawn at random."""
    random = np.random.default_rng(0)
    rows: dict[tuple[str, bool], list[float]] = {}
    everything = [index.store.document(number).id for number in range(index.store.state.documents)]
    for query in collection.judged[:CLAIMS]:
        own = set(collection.judgements[query.id].documents)
        others = [str(one) for one in random.choice(everything, OTHERS, replace=False) if one not in own]
        for kind, documents in (("the same invention", list(own)), ("another document", others)):
            for document in documents:
                for stands, value in evidence(index, query.text, document):
                    rows.setdefault((kind, stands), []).append(value)
    table = Table(title="Share of words called found, by the bound alone", show_lines=False)
    for column in ("", "words", *map(str, BOUNDS)):
        table.add_column(column)
    for (kind, stands), values in sorted(rows.items()):
        cells = [f"{100 * np.mean(np.asarray(values) >= bound):.1f} %" for bound in BOUNDS]
        table.add_row(f"{kind}, the word {'stands' if stands else 'does not stand'} there", f"{len(values):,}", *cells)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    options = parser.parse_args()
    collection = load_collection(options.collection)
    with (
        TemporaryDirectory() as work,
        Workbench(collection, default_cache(), token_budget=40 << 30) as bench,
    ):
        model = SparseCoverage.fit(
            lambda: collection.documents(),
            encoder=bench.encoder("minilm"),
            size=options.size,
            work=Path(work) / "sample",
        )
        index = Index.build(Path(work) / "index", model, collection.documents())
        explained: list[Explanation] = []
        first: list[tuple[str, Explanation]] = []
        for query in collection.judged[:CLAIMS]:
            hits = index.search(query.text, DOCUMENTS)
            mine = [index.explain(query.text, hit.passages[0].id) for hit in hits]
            explained += mine
            first.append((query.id, mine[0]))
        bad, poor, told = shares(explained)
        console.print(describe())
        console.print(
            f"{CLAIMS} claims, {DOCUMENTS} documents each, {SHOWN} strongest shown. Rests on function words, numerals and fragments: "
            f"{100 * bad:.1f} % before, {100 * poor:.1f} % after. The phrases shown are {100 * told:.0f} % of the scores; the rest is "
            "other phrases and general similarity."
        )
        table = Table(title="The first document of the first claims: the three strongest", show_lines=True)
        for column in ("claim", "passage", "before", "after"):
            table.add_column(column)
        for id_, one in first[:TOLD]:
            table.add_row(id_, one.passage.id, before(one), after(one))
        console.print(table)
        console.print(bounds_table(index, collection))


if __name__ == "__main__":
    main()
