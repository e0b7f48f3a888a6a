"""Small patents with dates and classes, for baselines to find."""

from __future__ import annotations

from collections.abc import Sequence

from sparse_coverage.patents import Claim, Paragraph, Patent

TEXTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for the noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "Method of reducing noise in a headset by means of a microphone and a filter.",
    "A plunger biased by a spring seals the housing of the pump.",
    "A lamp with a reflector, a socket and a switch in the handle.",
]


def patent(number: int, text: str) -> Patent:
    return Patent(
        id=f"XX-{number}-A1",
        title=f"Title {number}",
        abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),),
        claims=(Claim(1, f"Device {number}: {text.lower()}", "/patent-document/claims/claim[1]"),),
        publication_date=f"{2000 + number}-01-01",
    )


def patents(texts: Sequence[str] = TEXTS) -> list[Patent]:
    return [patent(number, text) for number, text in enumerate(texts)]
