"""Documents and claims made for tests: features are invented words, so that a feature is in a text or is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparse_coverage.charts.calibrating import Examples, fit_calibration
from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.sentences import sentences_of
from sparse_coverage.encoding import Encoder
from sparse_coverage.evaluation.chart_calibration import claim_example
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
    """Fit a calibration on made claims: each is disclosed by the document of its number."""
    chance = np.random.default_rng(7)
    sets = [features(chance, 5) for _ in range(40)]
    documents = [document(str(number), each) for number, each in enumerate(sets)]
    texts = [[passage.text for passage in one.passages] for one in documents]
    claims = []
    for number, each in enumerate(sets):
        whole = claim_example(claim_of(each), frozenset([number]), encoder)
        claims.append(replace(whole, parts=whole.parts[1:], elements=whole.elements[1:]))
    examples = Examples(claims, texts, [sentences_of(each, encoder) for each in texts])
    return fit_calibration(examples, encoder=encoder.name, fingerprint=encoder.fingerprint)


def claims_and_elements(text: str):
    claims = read_claims(text)
    return claims, [element for element in chart_elements(claims) if element.role != "preamble"]
