"""Documents and claims made for tests: features are invented words, so that a feature is in a text or is not."""

from __future__ import annotations

import numpy as np

from sparse_coverage.charts.calibrating import JudgedClaim, fit_calibration
from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.chart import ChartDocument
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.encoding import Encoder
from sparse_coverage.index import PassageRecord

_LETTERS = "bran clo dri fol gra hin jol kel lum mor nep pol quor rud sil tav".split()


def words(chance: np.random.Generator, count: int) -> list[str]:
    """Return invented nouns."""
    return ["".join(chance.choice(_LETTERS, 3)) for _ in range(count)]


def sentence(feature: tuple[str, str]) -> str:
    return f"The device has a {feature[0]} {feature[1]} which is arranged on the frame."


def claim_of(features: list[tuple[str, str]]) -> str:
    return "A device comprising: " + "; ".join(f"a {one} {other}" for one, other in features) + "."


def document(id_: str, features: list[tuple[str, str]], *, family: str = "") -> ChartDocument:
    """Return a document that names each feature in a passage of its own."""
    passages = tuple(
        PassageRecord(f"{id_}/description/p[{number}]", id_, "description", sentence(feature), f"{number:04}")
        for number, feature in enumerate(features, 1)
    )
    return ChartDocument(
        id_, f"Device {id_}", passages, {"ipc": ["F16K 31/06"], **({"family": family} if family else {})}
    )


def features(chance: np.random.Generator, count: int) -> list[tuple[str, str]]:
    return [tuple(words(chance, 2)) for _ in range(count)]  # type: ignore[misc]


def made_calibration(encoder: Encoder) -> Calibration:
    """Fit a calibration on made claims: disclosed by one document, partly by one with half of each feature, some features by
    a third, nothing by the next."""
    chance = np.random.default_rng(7)
    sets = [features(chance, 5) for _ in range(30)]
    halves = [[(one, words(chance, 1)[0]) for one, _ in each] for each in sets]
    some = [each[:3] if number % 2 else each[3:] for number, each in enumerate(sets)]
    documents = [document(str(number), each) for number, each in enumerate([*sets, *halves, *some])]
    claims = []
    for number, each in enumerate(sets):
        [claim], elements = claims_and_elements(claim_of(each))
        labels = {number: [2] * 5, len(sets) + number: [1] * 5, (number + 1) % len(sets): [0] * 5}
        labels[2 * len(sets) + number] = [2, 2, 2, 0, 0] if number % 2 else [0, 0, 0, 2, 2]
        claims.append(JudgedClaim(claim, tuple(elements), labels))
    return fit_calibration(claims, [[passage.text for passage in one.passages] for one in documents], encoder)


def claims_and_elements(text: str):
    claims = read_claims(text)
    return claims, [element for element in chart_elements(claims) if element.role != "preamble"]
