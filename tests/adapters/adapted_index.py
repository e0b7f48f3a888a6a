"""A small index that the adapters are put around."""

from __future__ import annotations

from sparse_coverage import Patent
from sparse_coverage.patents import Claim, Paragraph

TEXTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "A plunger biased by a spring seals the housing of the pump.",
]
QUERY = "a plunger and a spring in the housing of a pump"
OTHER = "noise of a rubber sensor"

PATENTS = [
    Patent(
        id=f"XX-{number}-A1",
        title=f"Title {number}",
        abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),),
        claims=(Claim(1, f"A device comprising {text.lower()}", "/patent-document/claims/claim[1]"),),
        publication_date=f"200{number}-06-15",
        country="XX",
    )
    for number, text in enumerate(TEXTS)
]
