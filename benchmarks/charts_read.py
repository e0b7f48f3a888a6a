"""What claim charts call elements after reading documents closely: the one that discloses a claim, and its nearest others."""

from __future__ import annotations

from collections import Counter

from sparse_coverage.charts.calibrating import negatives
from sparse_coverage.charts.calibration import WORDS
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.chart import encode_claims, make_chart
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.progress import tracked

_NEAR, _LONGEST = 3, 12


def read_closely(examples, encoder, calibration, step: int) -> None:
    """Print the shares of words, in own and near documents, for every `step`-th claim that has at most twelve elements."""
    others = list(negatives(examples.claims, [" ".join(texts) for texts in examples.texts]))
    told: dict[str, Counter[str]] = {"own": Counter(), "near others": Counter()}
    chosen = range(0, len(examples.claims), step)
    claims_read = 0
    for number in tracked(chosen, "Reading", len(chosen)):
        example = examples.claims[number]
        claims = read_claims(example.text)[:1]
        elements = chart_elements(claims)
        if len(elements) > _LONGEST:
            continue
        claims_read += 1
        encoded = encode_claims(claims, elements, encoder, calibration)
        for kind, places in (("own", sorted(example.relevant)), ("near others", others[number][0][:_NEAR].tolist())):
            documents = [ChartDocument.of_texts(str(place), examples.texts[place]) for place in places]
            kept = [examples.documents[place] for place in places]
            chart = make_chart(encoded, documents, encoder, calibration, sentences=kept)
            told[kind].update(cell.word for row in chart.cells for cell in row)
    print(f"after reading closely, {claims_read} claims:")
    for kind, words in told.items():
        print(f"    {kind}: " + ", ".join(f"{word} {words[word] / words.total():.3f}" for word in WORDS))
