"""Evidence of claim charts on claims and the documents about the same inventions; peers in the same run.

    python benchmarks/charts.py claims-to-papers.toml [--index INDEX] [--plot reliability.png] [--quick]

Elements of each claim against the document about the same invention, the nearest others by the words of the claim and random
others. Printed: areas under the curve against near (hard) and random negatives, on the half of the claims that chose nothing; at
the thresholds of the calibration, the shares called disclosed and partly; a reliability table; and the seconds of processor time.
`--index`, an index of the same documents, keeps and uses its sentences, and adds the peer `answers` and what ranking again by charts
does. Without a collection only the demo is measured. For patents see charts_on_patents.py.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
from charts_read import read_closely
from machine import describe

from sparse_coverage.charts.calibrating import Examples, auc, fit_calibration, measures, negatives, score, together
from sparse_coverage.charts.calibration import WORDS, calibration_for
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.chart import encode_claims, encoded_sentences, make_chart
from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import chart_elements, given_elements, read_claims
from sparse_coverage.charts.reranking import ByChart
from sparse_coverage.charts.sentences import each_sentences, joined
from sparse_coverage.encoding import load_encoder
from sparse_coverage.evaluation.chart_calibration import claims_of
from sparse_coverage.evaluation.clefip.topics import topic_document
from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_patents, demo_topics
from sparse_coverage.evaluation.demo.chart_truth import demo_chart_truth
from sparse_coverage.evaluation.find_collection import load_collection
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import passages
from sparse_coverage.progress import tracked
from sparse_coverage.search import Index

_HALVES = 50
_WORD = re.compile(r"[^\W\d_]{3,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "collection", nargs="?", help="a described collection whose topics are claims; without: the demo only"
    )
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--index", type=Path, help="an index of the collection's documents, for the peer `answers`")
    parser.add_argument("--plot", type=Path, help="draw the reliability of evidence")
    parser.add_argument("--quick", action="store_true", help="forty documents and their claims")
    options = parser.parse_args()
    encoder = load_encoder(options.encoder)
    print(describe())
    if options.collection:
        on_collection(options.collection, encoder, options.quick, options.index, options.plot)
    on_demo(encoder)


def on_collection(name: str, encoder, quick: bool, index: Path | None, plot: Path | None) -> None:
    collection = load_collection(name)
    patents = list(collection.documents())[: 40 if quick else None]
    ids = [patent.id for patent in patents]
    texts = [[passage.text for passage in passages(patent)] for patent in patents]
    charts = Charts(Index.open(index)) if index else None
    begun = time.process_time()
    if charts:
        charts.keep()
        found = [charts.index.store.find_document(patent.id) for patent in patents]
        documents = [charts.kept.of(number) for number in found]
    else:
        documents = [
            joined(list(each_sentences(pieces, encoder)), encoder.dimension)
            for pieces in tracked(texts, "Encoding", len(texts))
        ]
    print(f"sentences of {len(documents)} documents: {time.process_time() - begun:.0f} s of processor time")
    examples = claims_of(collection, ids, encoder)
    every = Examples(examples, texts, documents)
    shipped = calibration_for(encoder)
    fitted = fit_calibration(every, encoder=encoder.name, fingerprint=encoder.fingerprint)
    others = list(negatives(examples, [" ".join(pieces) for pieces in texts]))
    rows = [
        ("shared words", words_scores(examples, others, texts)),
        ("dense, whole passages", dense_scores(examples, others, documents)),
    ]
    if charts:
        rows.append(("answers of the index", answers_scores(examples, others, charts.index, ids)))
    print(f"{'held-out half of the claims':<34}{'hard':>8}{'random':>8}")
    for label, scores in rows:
        print(f"{label:<34}{auc(scores[0], scores[1]):>8.4f}{auc(scores[0], scores[2]):>8.4f}")
    for label, calibration in (("claim charts, fitted on the rest", fitted), ("claim charts, as shipped", shipped)):
        each = score(calibration, every)
        if label.endswith("the rest"):
            on_random_halves(each)
            swapped = fitted.figures["swapped"]
            print(f"{'  halves swapped':<34}{swapped['auc_hard']:>8.4f}{swapped['auc_random']:>8.4f}")
        held = measures(calibration, together(each[1::2]))
        print(f"{label:<34}{held['auc_hard']:>8.4f}{held['auc_random']:>8.4f}")
        for group, shares in held["shares"].items():
            print(
                f"    {group:<9} disclosed {shares['disclosed']:.3f}, disclosed or partly {shares['disclosed or partly']:.3f}"
            )
        for row in held["reliability"]:
            if row["positive"] is not None:
                print(f"    evidence from {row['from']:.1f}: {row['positive']:.2f} positive, {row['share']:.3f} of all")
        if plot:
            draw_reliability(held["reliability"], plot)
    read_closely(every, encoder, shipped, 9)
    if charts:
        ranked_again(charts, collection, set(ids))


def on_random_halves(each) -> None:
    """Print the areas on random halves of the claims: the mean, and from the least to the most."""
    chance = np.random.default_rng(0)
    halves = [
        together([each[n] for n in chance.choice(len(each), len(each) // 2, replace=False)]) for _ in range(_HALVES)
    ]
    for kind in ("hard", "easy"):
        areas = [auc(half.positive, getattr(half, kind)) for half in halves]
        told = f"{np.mean(areas):.4f}, from {min(areas):.4f} to {max(areas):.4f}"
        print(f"  {_HALVES} random halves, {kind}: {told}")


def ranked_again(charts, collection, ids) -> None:
    """Print what ranking the documents again by charts does to the mean reciprocal rank, on both halves of the claims."""
    print(f"{'ranked again by charts, weight':<34}{'tuned':>8}{'held out':>10}   mean reciprocal rank x 100")
    judged = [query for query in collection.judged if collection.judgements[query.id].documents & ids]
    hits = [charts.index.search(query.text, 100, passages=1) for query in judged]
    pairs = zip(judged, hits, strict=True)
    coverage = [ByChart(charts).coverage(query.text, found) for query, found in tracked(pairs, "Ranking", len(judged))]
    for weight in (0.0, 0.25, 0.5, 0.75, 1.0):
        values = []
        for query, found, covered in zip(judged, hits, coverage, strict=True):
            order = np.argsort(-ByChart(charts, weight).mixed(found, covered), kind="stable")
            relevant = collection.judgements[query.id].documents
            places = (place for place, number in enumerate(order, 1) if found[number].document in relevant)
            values.append(1 / next(places, np.inf))
        print(f"{weight:<34}{100 * np.mean(values[::2]):>8.1f}{100 * np.mean(values[1::2]):>10.1f}")


def draw_reliability(rows, path: Path) -> None:
    """Draw how often evidence of each strength is right, among equally many positives and near others."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 4), layout="constrained")
    axes = figure.subplots()
    known = [row for row in rows if row["positive"] is not None]
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, label="ideal")
    axes.plot([row["from"] + 0.05 for row in known], [row["positive"] for row in known], marker="o", label="measured")
    axes.bar(
        [row["from"] + 0.05 for row in known],
        [row["share"] for row in known],
        width=0.08,
        color="0.85",
        zorder=0,
        label="share of all",
    )
    axes.set(xlabel="evidence", ylabel="share that is disclosed", xlim=(0, 1), ylim=(0, 1.02))
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(path, dpi=150)


def answers_scores(examples, others, index, ids):
    """Return the share of an element's words that `answers` finds somewhere in a document: positives, hard, random."""
    found: tuple[list[float], list[float], list[float]] = ([], [], [])
    for example, (hard, easy) in tracked(
        list(zip(examples[1::2], others[1::2], strict=True)), "Answers", len(examples) // 2
    ):
        for element in chart_elements(read_claims(example.text)[:1]):
            words = max(1, len(_WORD.findall(element.text)))
            for kind, chosen in enumerate((example.relevant, hard, easy)):
                for number in chosen:
                    missing = index.answers(element.text, ids[number]).missing
                    found[kind].append(1 - len(missing) / words)
    return tuple(map(np.asarray, found))


def words_scores(examples, others, texts):
    """Return the best share of an element's words, weighed by rarity, in a passage: positives, hard, random."""
    bags = [[set(_WORD.findall(piece.lower())) for piece in pieces] for pieces in texts]
    frequency = Counter(word for pieces in bags for bag in pieces for word in bag)
    total = sum(map(len, bags))
    found: tuple[list[float], list[float], list[float]] = ([], [], [])
    for example, (hard, easy) in zip(examples[1::2], others[1::2], strict=True):
        for element in chart_elements(read_claims(example.text)[:1]):
            weights = {
                word: math.log(1 + total / (1 + frequency[word])) for word in set(_WORD.findall(element.text.lower()))
            }
            whole = sum(weights.values()) or 1.0
            for kind, chosen in enumerate((example.relevant, hard, easy)):
                for number in chosen:
                    best = max(
                        (sum(weights[word] for word in weights.keys() & bag) for bag in bags[number]), default=0.0
                    )
                    found[kind].append(best / whole)
    return tuple(map(np.asarray, found))


def dense_scores(examples, others, documents):
    """Return the best cosine of an element and a whole passage, both mean vectors: positives, hard, random."""
    placed = []
    for document in documents:
        sums = np.zeros((int(document.passages.max(initial=-1)) + 1, document.means.shape[1]), np.float32)
        np.add.at(sums, document.passages, document.means * document.counts[:, None])
        placed.append(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9))
    found: tuple[list, list, list] = ([], [], [])
    for example, (hard, easy) in zip(examples[1::2], others[1::2], strict=True):
        rows = example.elements / np.linalg.norm(example.elements, axis=1, keepdims=True)
        for kind, chosen in enumerate((example.relevant, hard, easy)):
            for number in chosen:
                found[kind].append((rows @ placed[number].T).max(1))
    return tuple(np.concatenate(each) for each in found)


def on_demo(encoder) -> None:
    """Print how charts agree with the judgements of the demo collection, and what a chart costs."""
    calibration = calibration_for(encoder)
    patents = {
        patent.id: ChartDocument(
            patent.id, patent.title, tuple(PassageRecord.of(passage) for passage in passages(patent))
        )
        for patent in demo_patents()
    }
    topics = {topic.id: topic for topic in demo_topics()}
    table: Counter[tuple[str, str]] = Counter()
    evidence: dict[str, list[float]] = {word: [] for word in WORDS}
    spent = {"encoding documents": 0.0, "charts, from kept sentences": 0.0}
    for truth in demo_chart_truth():
        claims = [
            claim
            for claim in topic_document(topics[truth.topic], TOPICS_FILE).claims
            if claim.number in {element.claim for element in truth.elements}
        ]
        elements = given_elements(claims, [element.text for element in truth.elements])
        documents = [patents[id_] for id_ in truth.documents]
        begun = time.process_time()
        sentences = list(encoded_sentences(documents, encoder))
        spent["encoding documents"] += time.process_time() - begun
        begun = time.process_time()
        encoded = encode_claims(claims, elements, encoder, calibration)
        chart = make_chart(encoded, documents, encoder, calibration, sentences=sentences)
        spent["charts, from kept sentences"] += time.process_time() - begun
        for element, row in zip(truth.elements, chart.cells, strict=True):
            for cell in row:
                table[element.found[cell.document], cell.word] += 1
                evidence[element.found[cell.document]].append(cell.evidence)
    print("\ndemo collection, by hand (down) and by the chart (across)")
    print(f"{'':<12}" + "".join(f"{word:>12}" for word in WORDS))
    for judged in WORDS:
        print(f"{judged:<12}" + "".join(f"{table[judged, word]:>12}" for word in WORDS))
    agreed = sum(count for (judged, word), count in table.items() if judged == word)
    area = auc(np.asarray(evidence["disclosed"]), np.asarray(evidence["not found"]))
    print(f"agreement {agreed / table.total():.3f} of {table.total()}; disclosed above not found: {area:.3f}")
    for what, seconds in spent.items():
        print(f"{what}: {seconds / len(topics):.2f} s of processor time a topic")


if __name__ == "__main__":
    main()
