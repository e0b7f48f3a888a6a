"""Verdicts and quotations of claim charts beside those of readers who read whole documents; simpler ways in the same run.

    python benchmarks/charts.py FOLDER [--encoder gte-small] [--save calibration.json] [--peers] [--quick]

FOLDER holds judged charts: `cases*.json` (claim, elements, documents; for each cell a label, and the paragraphs that show it best) and
`documents*.jsonl`. Every cell is measured by a score that was fitted without its claim, then by the chart that this score makes
with its rules, then with thresholds that were chosen without the claim, too. Without a folder the demo's 320 cells are
measured, by the calibration that is shipped. For patents and times see charts_on_patents.py.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
from machine import describe

from sparse_coverage.charts.calibrating import (
    THRESHOLDS,
    JudgedCells,
    JudgedClaim,
    auc,
    cross_validated,
    judged_cells,
    kappa,
    learn_spaces,
    measures,
)
from sparse_coverage.charts.calibration import Calibration, calibration_for
from sparse_coverage.charts.chart import ChartDocument, Verdict, strength
from sparse_coverage.charts.claims import Sentences, encode_claims
from sparse_coverage.charts.elements import given_elements
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart
from sparse_coverage.charts.score import Figures, Score
from sparse_coverage.encoding import load_encoder
from sparse_coverage.evaluation.clefip import topic_document
from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_chart_truth, demo_patents, demo_topics
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import Claim, passages

LABELS = ("not", "partly", "disclosed")
PRECISE = 0.85
"""Thresholds are chosen so that this share of what is called disclosed is."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--save", type=Path, help="write the calibration that all cells together give")
    parser.add_argument("--quick", action="store_true", help="every fourth claim")
    parser.add_argument(
        "--peers", action="store_true", help="only simpler ways: shared words, the best passage by dense vectors"
    )
    given = parser.parse_args()
    print(describe())
    encoder = load_encoder(given.encoder)
    if given.folder is None:
        on_demo(encoder)
    elif given.peers:
        peers(given.folder, encoder, 4 if given.quick else 1)
    else:
        on_judged(given.folder, encoder, given.save, 4 if given.quick else 1)


def on_judged(folder: Path, encoder, save: Path | None, step: int) -> None:
    """Measure cells by scores fitted without their claim, and the quotations of disclosed cells."""
    claims, texts, sets, paragraphs = read_judged(folder, step)
    begun = time.process_time()
    space, spaces = learn_spaces(claims, texts, encoder)
    cells = judged_cells(claims, texts, encoder, spaces)
    labels = np.asarray(cells.labels)
    each = [(sets[number], judged) for number, judged in enumerate(claims)]
    group = np.asarray([name for name, judged in each for _ in judged.labels for _ in judged.elements])
    every = cross_validated(cells)
    score = Score.fit(cells.figures, cells.labels, THRESHOLDS)
    print(
        f"{encoder.name}: {len(claims)} claims, {len(labels)} cells, {time.process_time() - begun:.0f} s of processor time"
    )
    found = {}
    for name in (*sorted(set(sets)), "all"):
        of_set = (group == name) | (name == "all")
        found[name] = measures(labels[of_set].tolist(), every[of_set], score)
        print(f"  {name:12} {found[name]}")
    table = np.asarray(cells.figures)
    for column, name in enumerate(Figures._fields):
        values = [
            auc(table[of_set & (labels == 2), column], table[of_set & (labels == 0), column])
            for of_set in (group == one for one in sorted(set(sets)))
        ]
        print(f"  {name:8} alone: AUC {', '.join(f'{value:.3f}' for value in values)}")
    print(
        f"  weights {[round(weight, 2) for weight in score.weights]}, offsets {[round(one, 2) for one in score.offsets]}"
    )
    said, evidence, called, shown = charted(claims, texts, paragraphs, sets, encoder, spaces, cells)
    for name in sorted(set(called)):
        these = (said == 2) & (called == name)
        print(f"  disclosed ({name}): right {np.mean(labels[these] == 2):.3f} of {these.sum()}" if these.any() else "")
    for name in sorted(set(sets)):
        of_set = group == name
        area = auc(evidence[of_set & (labels == 2)], evidence[of_set & (labels == 0)])
        print(f"  charts, {name}: disclosed above not disclosed {area:.3f}")
    for what, verdicts in (("charts", said), ("thresholds without the claim", with_chosen_thresholds(cells))):
        for name in (*sorted(set(sets)), "all"):
            of_set = (group == name) | (name == "all")
            print(f"  {what}, {name}: {agreement(labels[of_set], verdicts[of_set])}")
    for name, found_there in (*shown.items(), ("all", [hit for one in shown.values() for hit in one])):
        first, any_of = np.mean(found_there, axis=0)
        print(
            f"  {name:12} first quotation {first:.3f}, any of three {any_of:.3f} of {len(found_there)} disclosed cells"
        )
    if save:
        kept = {name: one | in_charts(labels, said, (group == name) | (name == "all")) for name, one in found.items()}
        Calibration(encoder.name, encoder.fingerprint, space, score, {"held out": kept}).save(save)


def peers(folder: Path, encoder, step: int) -> None:
    """Measure cells by one figure alone, fitted in the same way: the best share of words in two sentences, the nearest passage."""
    claims, texts, sets, _ = read_judged(folder, step)
    calibration = calibration_for(encoder)
    rows, labels, numbers, group = [], [], [], []
    dense = {place: means(texts[place], encoder) for place in sorted({place for one in claims for place in one.labels})}
    for number, judged in enumerate(claims):
        encoded = encode_claims([judged.claim], judged.elements, encoder, calibration)
        asked = means([element.text for element in judged.elements], encoder)
        for place, of_document in judged.labels.items():
            sentences = Sentences.of(ChartDocument.of_texts("", texts[place]), encoded.columns)
            shared = encoded.shares(sentences)[1].max(1)
            rows += np.stack([shared, (asked @ dense[place].T).max(1)], axis=1).tolist()
            labels += of_document
            numbers += [number] * len(of_document)
            group += [sets[number]] * len(of_document)
    for column, name in enumerate(("shared words", "nearest passage")):
        cells = JudgedCells([(row[column],) for row in rows], labels, numbers)
        found = cross_validated(cells)
        score = Score.fit(cells.figures, labels, THRESHOLDS)
        for which in (*sorted(set(sets)), "all"):
            of_set = (np.asarray(group) == which) | (which == "all")
            print(f"  {name:16} {which:12} {measures(np.asarray(labels)[of_set].tolist(), found[of_set], score)}")


def means(texts, encoder):
    """Return the mean vector of each text, of length 1."""
    found = np.stack(
        [one.vectors.mean(0) if len(one.vectors) else np.zeros(encoder.dimension) for one in encoder.encode(texts)]
    )
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


def charted(claims, texts, paragraphs, sets, encoder, spaces, cells):
    """Return the verdicts of charts by scores that did not know the claim, their evidence, how strong they are called, and for cells
    that readers call disclosed whether the first and any quotation lie in a paragraph that they name, by sets.
    """
    table, labels, numbers = np.asarray(cells.figures), np.asarray(cells.labels), np.asarray(cells.claims)
    right: dict[str, list[tuple[bool, bool]]] = {}
    said: list[int] = []
    evidence: list[float] = []
    called: list[str] = []
    vectors = KeptTokenVectors(encoder)
    for number, (judged, others) in enumerate(zip(claims, spaces, strict=True)):
        rest = numbers != numbers[len(said)]
        score = Score.fit(table[rest].tolist(), labels[rest].tolist(), THRESHOLDS)
        calibration = Calibration(encoder.name, encoder.fingerprint, others, score, {})
        encoded = encode_claims([judged.claim], judged.elements, encoder, calibration)
        documents = [ChartDocument.of_texts(str(place), texts[place]) for place in judged.labels]
        chart = make_chart(encoded, documents, encoder, calibration, vectors=vectors)
        for place, column in zip(judged.labels, zip(*chart.cells, strict=True), strict=True):
            for label, cell in zip(judged.labels[place], column, strict=True):
                said.append((Verdict.NOT_FOUND, Verdict.PARTLY, Verdict.DISCLOSED).index(cell.verdict))
                evidence.append(cell.evidence)
                called.append(strength(cell.evidence, bool(cell.missing)))
                named = paragraphs[number, place, cell.element]
                if label == 2 and named:
                    places = [int(quote.passage.split("/")[-1]) for quote in cell.quotes]
                    hit = (places[:1] != [] and places[0] in named, bool(set(places) & named))
                    right.setdefault(sets[number], []).append(hit)
    return np.asarray(said), np.asarray(evidence), np.asarray(called), right


def in_charts(labels, said, of_set):
    """Return how good the verdicts of charts are among some cells, as `measures` does for those of the score alone."""
    labels, said = labels[of_set], said[of_set]
    right = float(((said == 2) & (labels == 2)).sum())
    found = {
        "agreement": (said == labels).mean(),
        "kappa": kappa(labels, said),
        "precision": right / max(1, (said == 2).sum()),
        "recall": right / max(1, (labels == 2).sum()),
        "disclosed but not found": (said[labels == 2] == 0).mean(),
    }
    return {name: round(float(value), 3) for name, value in found.items()}


def with_chosen_thresholds(cells: JudgedCells):
    """Return verdicts by scores and thresholds that did not know the claim: those of the highest kappa among the other claims' cells, of
    which "disclosed" is right in 0.85 there.
    """
    table, labels, numbers = np.asarray(cells.figures), np.asarray(cells.labels), np.asarray(cells.claims)
    every, said = cross_validated(cells), np.zeros(len(labels), int)
    steps = np.arange(8, 33) / 40
    for number in np.unique(numbers):
        rest = numbers != number
        inside = cross_validated(JudgedCells(table[rest].tolist(), labels[rest].tolist(), numbers[rest].tolist()))
        ranked = []
        for pair in ((partly, disclosed) for partly in steps for disclosed in steps):
            verdicts = verdicts_of(inside, pair)
            precise = (labels[rest][verdicts == 2] == 2).mean() if (verdicts == 2).any() else 0.0
            enough = precise >= PRECISE
            ranked.append((enough, kappa(labels[rest], verdicts) if enough else precise, pair))
        said[~rest] = verdicts_of(every[~rest], max(ranked)[2])
    return said


def verdicts_of(probabilities, thresholds):
    """Return 0 (not), 1 (partly) or 2 (disclosed) for each cell."""
    over = probabilities >= np.asarray(thresholds)
    return over[:, 0].astype(int) + over.all(1)


def agreement(labels, said) -> str:
    """Return for people how verdicts agree with readers."""
    right = ((said == 2) & (labels == 2)).sum()
    return (
        f"agreement {(said == labels).mean():.3f}, kappa {kappa(labels, said):.3f}, disclosed: right "
        f"{right / max(1, (said == 2).sum()):.3f}, found {right / max(1, (labels == 2).sum()):.3f}, called not found "
        f"{(said[labels == 2] == 0).mean():.3f}"
    )


def read_judged(folder: Path, step: int):
    """Read judged charts: claims, the paragraphs of the documents, the set that each claim is of, paragraphs named for cells."""
    claims: list[JudgedClaim] = []
    texts: list[list[str]] = []
    sets: list[str] = []
    paragraphs: dict[tuple[int, int, str], set[int]] = {}
    for path in sorted(folder.glob("cases*.json")):
        numbers = {}
        with path.with_name(path.name.replace("cases", "documents") + "l").open(encoding="utf-8") as lines:
            for line in lines:
                document = json.loads(line)
                numbers[document["id"]] = len(texts)
                texts.append(document["description"])
        for case in json.loads(path.read_text(encoding="utf-8"))[::step]:
            claim = Claim(1, case["claim"], "")
            lines = [f"{one['label']}\t{one['text']}" for one in case["elements"]]
            elements = given_elements([claim], lines)
            by_cell = {(one["document"], one["element"]): one for one in case["labels"]}
            labels = {}
            for one in case["documents"]:
                cells = [by_cell[one["document"], element.label] for element in elements]
                labels[numbers[one["document"]]] = [LABELS.index(cell["label"]) for cell in cells]
                for cell in cells:
                    paragraphs[len(claims), numbers[one["document"]], cell["element"]] = set(cell["paragraphs"])
            claims.append(JudgedClaim(claim, elements, labels))
            sets.append(path.stem)
    return claims, texts, sets, paragraphs


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
    evidence: dict[str, list[float]] = {word: [] for word in Verdict}
    spent = {"a chart": 0.0, "the same chart again": 0.0}
    for truth in demo_chart_truth():
        claims = [
            claim
            for claim in topic_document(topics[truth.topic], TOPICS_FILE).claims
            if claim.number in {element.claim for element in truth.elements}
        ]
        elements = given_elements(claims, [element.text for element in truth.elements])
        documents = [patents[id_] for id_ in truth.documents]
        vectors = KeptTokenVectors(encoder)
        for what in spent:
            begun = time.process_time()
            encoded = encode_claims(claims, elements, encoder, calibration)
            chart = make_chart(encoded, documents, encoder, calibration, vectors=vectors)
            spent[what] += time.process_time() - begun
        for element, row in zip(truth.elements, chart.cells, strict=True):
            for cell in row:
                table[element.found[cell.document], cell.verdict] += 1
                evidence[element.found[cell.document]].append(cell.evidence)
    print("\ndemo collection, by hand (down) and by the chart (across)")
    print(f"{'':<12}" + "".join(f"{word:>12}" for word in Verdict))
    for judged in Verdict:
        print(f"{judged:<12}" + "".join(f"{table[judged, word]:>12}" for word in Verdict))
    agreed = sum(count for (judged, word), count in table.items() if judged == word)
    area = auc(np.asarray(evidence["disclosed"]), np.asarray(evidence["not found"]))
    print(f"agreement {agreed / table.total():.3f} of {table.total()}; disclosed above not found: {area:.3f}")
    for what, seconds in spent.items():
        print(f"{what}: {seconds / len(topics):.2f} s of processor time a topic")


if __name__ == "__main__":
    main()
