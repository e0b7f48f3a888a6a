"""Claim charts on full-text patents: claims against own and other descriptions, features taken out, and the time it takes.

    python benchmarks/charts_on_patents.py patents.jsonl [--time INDEX] [--quick]

Claim 1 of each patent is set against the first 2,000 words of its own description and of others (the nearest by words, and random
ones). Then all sentences are taken out of a description that name the thing of one element, and the chart should miss it and
nothing else. `--time`: an index of long documents; its sentences are kept first.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from machine import describe

from sparse_coverage.charts.calibrating import measures, negatives, score
from sparse_coverage.charts.calibration import WORDS, calibration_for
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.chart import encode_claims, make_chart
from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.kept import KeptSentences
from sparse_coverage.charts.phrases import head, noun_phrases, stems
from sparse_coverage.encoding import load_encoder
from sparse_coverage.evaluation.chart_calibration import own_descriptions
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import passages, read_patents
from sparse_coverage.patents.sentences import sentence_ends
from sparse_coverage.progress import tracked
from sparse_coverage.search import Index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patents", type=Path, nargs="?", help="patents with claims and descriptions")
    parser.add_argument("--time", type=Path, help="an index of long documents: how long charts and combinations take")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--quick", action="store_true", help="twenty patents")
    options = parser.parse_args()
    print(describe())
    if options.patents:
        on_patents(options.patents, load_encoder(options.encoder), 20 if options.quick else 70)
    if options.time:
        on_time(options.time)


def on_patents(path: Path, encoder, count: int) -> None:
    """Print how claims do against their own and other descriptions, and whether a feature that is taken out is missed."""
    calibration = calibration_for(encoder)
    chosen = list(islice((patent for patent in read_patents(path) if patent.claims and patent.description), count))
    examples, documents, texts = own_descriptions(chosen, encoder)
    scored = score(calibration.space, examples, list(negatives(examples, texts)), documents)
    held = measures(calibration, scored)
    print(f"\n{len(examples)} patents, claim 1 against the first words of own and other descriptions")
    print(f"area, near others {held['auc_hard']:.4f}, random others {held['auc_random']:.4f}")
    for group, shares in held["shares"].items():
        print(
            f"    {group:<9} disclosed {shares['disclosed']:.3f}, disclosed or partly {shares['disclosed or partly']:.3f}"
        )
    planted(chosen, encoder, calibration)


def planted(patents, encoder, calibration) -> None:
    """Take every sentence out of a patent that names a feature of its claim, and see what its chart says then."""
    chance = np.random.default_rng(0)
    told: Counter[str] = Counter()
    kept = cells = cases = named = 0
    for patent in tracked(patents, "Taking features out", len(patents)):
        claims = patent.claims[:1]
        elements = chart_elements(claims)
        places = noun_phrases([element.text for element in elements])
        heads = [{head(place) for place in each} for each in places]
        own = [
            mine - set().union(*(other for n, other in enumerate(heads) if n != number))
            for number, mine in enumerate(heads)
        ]
        candidates = [n for n in range(1, len(elements)) if places[n] and head(places[n][0]) in own[n]]
        if not candidates:
            continue
        without = int(chance.choice(candidates))
        whole = ChartDocument(patent.id, patent.title, described(patent, set()))
        less = ChartDocument(patent.id, patent.title, described(patent, own[without]))
        if not less.passages:
            continue
        encoded = encode_claims(claims, elements, encoder, calibration)
        chart = make_chart(encoded, [whole, less], encoder, calibration)
        if chart.cells[without][0].word == "not found":
            continue
        cases += 1
        told[chart.cells[without][1].word] += 1
        named += places[without][0] in chart.cells[without][1].missing
        for number, (before, after) in enumerate(chart.cells):
            if number != without and before.word != "not found":
                cells += 1
                kept += after.word != "not found"
    print(
        f"a feature taken out of {cases} patents (all sentences with its nouns): "
        + ", ".join(f"{word} {told[word]}" for word in WORDS)
    )
    print(f"the thing that was taken out is named as missing in {named}")
    print(f"the other elements are still disclosed or partly so in {kept} of {cells} cells")


def described(patent, left_out: set[str]) -> tuple[PassageRecord, ...]:
    """Return the first passages of a description without the sentences that hold one of these stems."""
    records = []
    size = 0
    for passage in passages(patent):
        if passage.section != "description" or size > 2000:
            continue
        size += len(passage.text.split())
        edges = [0, *sentence_ends(passage.text)]
        pieces = [passage.text[start:end] for start, end in pairwise(edges)]
        text = "".join(piece for piece in pieces if not stems(piece) & left_out)
        if text.strip():
            records.append(replace(PassageRecord.of(passage), text=text))
    return tuple(records)


def on_time(folder: Path) -> None:
    """Print how long a chart of ten long documents and a combination take in a warm process, with kept sentences and without."""
    index = Index.open(folder)
    store = index.store
    lengths: Counter[str] = Counter()
    for place in np.flatnonzero(store.live_passages).tolist():
        passage = store.passage(place)
        lengths[passage.document] += len(passage.text.split())
    longest = sorted(lengths, key=lambda id_: -lengths[id_])
    texts = [store.passage(place).text for place in store.passages_of(store.find_document(longest[0]))]
    claims = read_claims(" ".join(" ".join(texts).split()[:150]))
    ten = longest[1:11]
    charts = Charts(index)
    charts.keep()
    rows = []
    for kept in (charts.kept, None):
        charts.kept = kept
        charts.chart(claims, ten[:1])
        times = []
        for _ in range(3 if kept else 1):
            clock, cpu = time.perf_counter(), time.process_time()
            charts.chart(claims, ten)
            times.append((time.perf_counter() - clock, time.process_time() - cpu))
        rows.append(min(times))
    charts.kept = KeptSentences.open(store, charts.encoder)
    clock, cpu = time.perf_counter(), time.process_time()
    found, _ = charts.combine(claims, top=200)
    combined = time.perf_counter() - clock, time.process_time() - cpu
    print(
        f"\na claim of 150 words against 10 documents of {np.mean([lengths[id_] for id_ in ten]):,.0f} words on average"
    )
    for label, (clock, cpu) in zip(("kept sentences", "without them"), rows, strict=True):
        print(f"    chart, {label}: {clock:.2f} s on the clock, {cpu:.2f} s of processor time")
    print(
        f"    combinations out of {found.documents}: {combined[0]:.2f} s on the clock, {combined[1]:.2f} s of processor time"
    )


if __name__ == "__main__":
    main()
