"""Claim charts on full-text patents: claims against own and other descriptions, features taken out, and the time it takes.

    python benchmarks/charts_on_patents.py patents.jsonl [--time] [--quick]

Claim 1 of each patent is set against the first 2,000 words of its own description and of others (the nearest by words, and random
ones). Then all sentences are taken out of a description that name the thing of one element, and the chart should miss it and
nothing else. `--time` measures what charts and combinations of long documents take instead.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from charts_read import read_closely
from machine import describe

from sparse_coverage.charts.calibrating import measures, score, together
from sparse_coverage.charts.calibration import WORDS, calibration_for
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.chart import encode_claims, encoded_sentences, make_chart
from sparse_coverage.charts.charting import best_evidence
from sparse_coverage.charts.combining import combine, combine_exactly
from sparse_coverage.charts.elements import chart_elements
from sparse_coverage.charts.phrases import head, noun_phrases, stems, telling
from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.encoding import load_encoder
from sparse_coverage.evaluation.chart_calibration import own_descriptions
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import passages, read_patents
from sparse_coverage.patents.sentences import sentence_ends
from sparse_coverage.progress import tracked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patents", type=Path, help="patents with claims and descriptions")
    parser.add_argument("--time", action="store_true", help="only how long charts and combinations take")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--quick", action="store_true", help="twenty patents")
    options = parser.parse_args()
    print(describe())
    encoder = load_encoder(options.encoder)
    if options.time:
        on_time(options.patents, encoder)
    else:
        on_patents(options.patents, encoder, 20 if options.quick else 70)


def on_patents(path: Path, encoder, count: int) -> None:
    """Print how claims do against their own and other descriptions, and whether a feature that is taken out is missed."""
    calibration = calibration_for(encoder)
    chosen = list(islice((patent for patent in read_patents(path) if patent.claims and patent.description), count))
    examples = own_descriptions(chosen, encoder)
    held = measures(calibration, together(score(calibration, examples)[1::2]))
    print(f"\n{len(examples.claims[1::2])} patents, claim 1 against the first words of own and other descriptions")
    print(f"area, near others {held['auc_hard']:.4f}, random others {held['auc_random']:.4f}")
    for group, shares in held["shares"].items():
        print(
            f"    {group:<9} disclosed {shares['disclosed']:.3f}, disclosed or partly {shares['disclosed or partly']:.3f}"
        )
    read_closely(examples, encoder, calibration, 3)
    planted(chosen, encoder, calibration)


def planted(patents, encoder, calibration) -> None:
    """Take every sentence out of a patent that names a feature of its claim, and see what its chart says then."""
    chance = np.random.default_rng(0)
    told: Counter[str] = Counter()
    kept = cells = cases = named = 0
    for patent in tracked(patents, "Taking features out", len(patents)):
        claims = patent.claims[:1]
        elements = chart_elements(claims)
        places = [telling(each) for each in noun_phrases([element.text for element in elements])]
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


def on_time(path: Path, encoder) -> None:
    """Print what a chart of ten documents of about 10,000 words takes in a warm process, and combinations out of 200."""
    calibration = calibration_for(encoder)
    sized = []
    for patent in read_patents(path):
        records = tuple(PassageRecord.of(passage) for passage in passages(patent))
        words = sum(len(record.text.split()) for record in records)
        sized.append((abs(words - 10_000), words, ChartDocument(patent.id, patent.title, records), patent.claims))
    chosen = sorted(sized, key=lambda one: (one[0], one[2].id))[:10]
    ten, words = [one[2] for one in chosen], np.mean([one[1] for one in chosen])
    claims = min((one[3][:1] for one in chosen), key=lambda one: abs(len(one[0].text.split()) - 150))
    elements = chart_elements(claims)
    make_chart(encode_claims(claims, elements, encoder, calibration), ten[:1], encoder, calibration)  # warms up
    with measured(f"encoding 10 documents of {words:,.0f} words"):
        sentences = list(encoded_sentences(ten, encoder))
    for _ in range(3):
        length = len(claims[0].text.split())
        with measured(f"chart of a claim of {length} words, {len(elements)} elements, against them, kept sentences"):
            encoded = encode_claims(claims, elements, encoder, calibration)
            make_chart(encoded, ten, encoder, calibration, sentences=sentences)
    chance = np.random.default_rng(0)
    parts = [part_of(ten[n % 10], sentences[n % 10], f"part-{n}", chance) for n in range(200)]
    with measured("evidence of 200 documents, each half of one of the ten"):
        bounds = [best_evidence(encoded, *part, calibration) for part in parts]
    read = []

    def closely(places):
        read.extend(places)
        documents, kept = zip(*(parts[place] for place in places), strict=True)
        chart = make_chart(encoded, documents, encoder, calibration, sentences=kept)
        return np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)

    labels, ids = [element.label for element in elements], [part[0].id for part in parts]
    for most in (2, 3):
        read.clear()
        with measured(f"combinations of up to {most} out of the 200"):
            found = combine_exactly(np.stack(bounds, axis=1), closely, labels, ids, calibration, most=most)
        print(f"    {len(read)} of them read closely, {len(found.found)} found, missing: {found.missing or 'nothing'}")
        with measured("    the same without reading"):
            combine(np.stack(bounds, axis=1), labels, ids, calibration, most=most)


def part_of(document, sentences, id_, chance):
    """Return a random half of the passages of a document, with their sentences."""
    kept = np.flatnonzero(chance.random(len(document.passages)) < 0.5)
    rows = np.isin(sentences.passages, kept)
    numbers = np.searchsorted(kept, sentences.passages[rows]).astype(np.int32)
    records = tuple(document.passages[place] for place in kept)
    halved = Sentences(
        sentences.means[rows], sentences.counts[rows], numbers, sentences.starts[rows], sentences.ends[rows]
    )
    return replace(document, id=id_, passages=records), halved


@contextmanager
def measured(what: str):
    clock, cpu = time.perf_counter(), time.process_time()
    yield
    print(
        f"{what}: {time.process_time() - cpu:.2f} s of processor time, {time.perf_counter() - clock:.2f} s on the clock"
    )


if __name__ == "__main__":
    main()
