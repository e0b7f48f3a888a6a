"""Made-up patents with dates, classes, families and several passages, and what it means that two rankings agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparse_coverage import Index, Patent
from sparse_coverage.patents import Claim, Paragraph
from sparse_coverage.search import Hit, PassageHit

_NOUNS = (
    "valve spring plunger pump housing sensor noise rubber headset microphone filter rotor blade lens cable".split()
)
_VERBS = "closes seals moves senses reduces holds drives cools turns couples".split()
_CLASSES = ["H04N 5/44", "H04N 5/40", "H04L 9/32", "F16K 31/06", "G06F 3/01", "A61B 5/00"]


def sentence(random: np.random.Generator, length: int) -> str:
    words: list[str] = []
    while len(words) < length:
        words += ["the", str(random.choice(_NOUNS)), str(random.choice(_VERBS)), "a", str(random.choice(_NOUNS))]
    return " ".join(words).capitalize() + "."


def patent(number: int, random: np.random.Generator) -> Patent:
    return Patent(
        id=f"XX-{number}-A{number % 2 + 1}",
        title=f"Title {number}",
        abstract=(Paragraph(sentence(random, 12), "/patent-document/abstract/p[1]"),),
        claims=tuple(
            Claim(n, sentence(random, int(random.integers(8, 30))), f"/patent-document/claims/claim[{n}]")
            for n in range(1, int(random.integers(2, 6)))
        ),
        publication_date="" if number % 7 == 0 else f"{1990 + number % 20}-{number % 12 + 1:02d}-15",
        priority_date=f"{1988 + number % 20}-01-02",
        country=["EP", "WO", "US"][number % 3],
        kind=f"A{number % 2 + 1}",
        language="en",
        family=f"F{number // 3}",
        ipc=tuple(_CLASSES[place % 6] for place in (number, number // 2)),
        cpc=(_CLASSES[(number + 3) % 6],) if number % 4 else (),
    )


def _patents() -> list[Patent]:
    random = np.random.default_rng(0)
    return [patent(number, random) for number in range(40)]


PATENTS = _patents()


def combined(index: Index, ranking: str = "combined") -> Index:
    """What ranks an index by all its parts, or by one."""
    return index.ranked_by(ranking)


def assert_same_ranking(
    found: Sequence[Hit] | Sequence[PassageHit], expected: Sequence[Hit] | Sequence[PassageHit], tolerance: float = 2e-6
) -> None:
    """The same scores rank by rank, and the same ids, except among those whose scores cannot be told apart."""
    assert len(found) == len(expected)
    scores = np.asarray([hit.score for hit in expected])
    np.testing.assert_allclose([hit.score for hit in found], scores, rtol=tolerance)
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        if _name(one) != _name(other):
            rivals = [_name(hit) for hit in expected if abs(hit.score / scores[place] - 1) <= tolerance]
            last = abs(scores[-1] / scores[place] - 1) <= tolerance
            assert _name(one) in rivals or last, f"rank {place + 1}: {_name(one)} instead of {_name(other)}"


def _name(hit: Hit | PassageHit) -> str:
    return hit.document if isinstance(hit, Hit) else hit.id
