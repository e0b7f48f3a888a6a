"""Claim charts on full-text patents: claims against own and unrelated descriptions, features taken out, and the time it takes.

    python benchmarks/charts_on_patents.py patents.jsonl [--time] [--quick]

Claim 1 of each patent is set against the first 2,000 words of its own description and of an unrelated patent. Then all
sentences are taken out of a description that name the thing of one element, and the chart should miss it and
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
from machine import describe

from sparse_coverage.charts.calibration import calibration_for
from sparse_coverage.charts.chart import ChartDocument, Verdict
from sparse_coverage.charts.charting import worth_reading
from sparse_coverage.charts.claims import encode_claims
from sparse_coverage.charts.combining import combine
from sparse_coverage.charts.elements import chart_elements
from sparse_coverage.charts.phrases import head, noun_phrases, telling
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart
from sparse_coverage.encoding import load_encoder
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import passages, read_patents
from sparse_coverage.progress import tracked
from sparse_coverage.text import content_words, sentence_ends, stems


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
    every = [element for patent in read_patents(path) for element in chart_elements(patent.claims)]
    empty = sum(not content_words(element.text, "en") for element in every)
    print(f"elements of all claims: {len(every):,}, of which {empty} have no word that says something")
    told: dict[str, Counter[str]] = {"own": Counter(), "unrelated": Counter()}
    for number, patent in enumerate(tracked(chosen[::3], "Reading patents", len(chosen[::3]))):
        far = chosen[(3 * number + len(chosen) // 2) % len(chosen)]
        encoded = encode_claims(patent.claims[:1], chart_elements(patent.claims[:1])[:12], encoder, calibration)
        documents = [ChartDocument(one.id, one.title, described(one, set())) for one in (patent, far)]
        for own, other in make_chart(encoded, documents, encoder, calibration).cells:
            told["own"][own.verdict] += 1
            told["unrelated"][other.verdict] += 1
    for name, words in told.items():
        print(f"elements in the {name} description: {', '.join(f'{word} {words[word]}' for word in Verdict)}")
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
        if chart.cells[without][0].verdict == "not found":
            continue
        cases += 1
        told[chart.cells[without][1].verdict] += 1
        named += places[without][0] in chart.cells[without][1].missing
        for number, (before, after) in enumerate(chart.cells):
            if number != without and before.verdict != "not found":
                cells += 1
                kept += after.verdict != "not found"
    print(
        f"a feature taken out of {cases} patents (all sentences with its nouns): "
        + ", ".join(f"{word} {told[word]}" for word in Verdict)
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
        text = "".join(piece for piece in pieces if not stems(piece, "en") & left_out)
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
    for count in (5, 10):
        vectors = KeptTokenVectors(encoder)
        for what in ("first time", "again"):
            with measured(f"{len(elements)} elements against {count} documents of {words:,.0f} words, {what}"):
                encoded = encode_claims(claims, elements, encoder, calibration)
                make_chart(encoded, ten[:count], encoder, calibration, vectors=vectors)
    chance = np.random.default_rng(0)
    parts = [half_of(ten[n % 10], f"part-{n}", chance) for n in range(200)]
    vectors = KeptTokenVectors(encoder)
    with measured("looking through 200 documents, each half of one of the ten"):
        documents = worth_reading(encoded, parts, vectors, calibration)
    with measured(f"reading {len(documents)} of them closely"):
        chart = make_chart(encoded, documents, encoder, calibration, vectors=vectors)
    evidence = np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)
    for most in (2, 3):
        with measured(f"combinations of up to {most} of {len(documents)} documents read"):
            labels, ids = [element.label for element in elements], [one.id for one in documents]
            found = combine(evidence, labels, ids, calibration, most=most)
        print(f"    {len(found.found)} found, missing: {found.missing or 'nothing'}")


def half_of(document, id_, chance):
    """Return a document with a random half of the passages of another."""
    kept = chance.random(len(document.passages)) < 0.5
    records = tuple(record for record, stays in zip(document.passages, kept, strict=True) if stays)
    return replace(document, id=id_, passages=records)


@contextmanager
def measured(what: str):
    clock, cpu = time.perf_counter(), time.process_time()
    yield
    print(
        f"{what}: {time.process_time() - cpu:.2f} s of processor time, {time.perf_counter() - clock:.2f} s on the clock"
    )


if __name__ == "__main__":
    main()
