"""How alike two phrases must be to mean the same: more than chance makes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparse_coverage.charts.calibrating import Examples, negatives
from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.chart import encode_claims, make_chart
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.encoding import Encoder
from sparse_coverage.progress import tracked

_CHANCE = 7 / 8
_ELEMENTS = 12
"""A claim to hundreds of substituents shall not outweigh all others."""


def phrase_level(examples: Examples, encoder: Encoder, calibration: Calibration) -> float:
    """Return the likeness that the best phrase of a near document stays below, for seven of eight phrases that it does not name.

    Each claim is charted against the nearest document that does not disclose it, and any phrase is taken for the same.
    """
    anything = replace(calibration, phrase=-1.0)
    claims = examples.claims[::2]
    others = negatives(claims, [" ".join(texts) for texts in examples.texts])
    alike: list[float] = []
    for example, (near, _) in tracked(zip(claims, others, strict=True), "Reading near documents", len(claims)):
        number = int(near[0])
        claim = read_claims(example.text)[:1]
        encoded = encode_claims(claim, chart_elements(claim)[:_ELEMENTS], encoder, anything)
        document = ChartDocument.of_texts(str(number), examples.texts[number])
        chart = make_chart(encoded, [document], encoder, anything, sentences=[examples.documents[number]])
        alike += [pair.likeness for row in chart.cells for cell in row for pair in cell.pairs if pair.likeness < 1]
    return float(np.quantile(alike, _CHANCE)) if alike else 1.0
