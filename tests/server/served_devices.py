"""What the tests of the server have in common: twelve invented devices, a claim, and how to read server-sent events."""

from __future__ import annotations

import json

import numpy as np
from made_documents_for_charts import claim_of, features, sentence

from sparse_coverage.patents import Claim, Paragraph, Patent

LONG = " It is made for the user and serves him well for many years in all of his works."
WANTED = features(np.random.default_rng(11), 4)
CLAIM = claim_of(WANTED)
HOSTILE = "<script>alert(1)</script> & <img src=x onerror=alert(2)>"


def made_patents() -> list[Patent]:
    """Twelve devices: the first has all features of the claim, the next two half of them each; one has a hostile title."""
    chance = np.random.default_rng(12)
    sets = [WANTED, WANTED[:2], WANTED[2:], *(features(chance, 4) for _ in range(9))]
    return [
        Patent(
            f"EP-{1000001 + number}-A1",
            title=HOSTILE if number == 4 else f"Device {number}",
            claims=(
                Claim(
                    1,
                    claim_of(each) + (" <b>bold</b>" if number == 4 else ""),
                    "/patent-document/claims/claim[1]",
                    (),
                ),
            ),
            description=tuple(
                Paragraph(f"{sentence(one)}{LONG}", f"/patent-document/description/p[{place}]", f"{place:04}")
                for place, one in enumerate(each, 1)
            ),
            country="EP",
            kind="A1",
            language="en",
            publication_date=f"{1995 + number}-06-15",
            priority_date=f"{1993 + number}-06-15",
            ipc=("F16K 31/06",) if number % 2 else ("H04N 5/44", "G06F 3/01"),
            applicants=("Bosch GmbH",) if number % 3 else ("Thornbury Limited",),
            citations=("EP 1000002 A1", "US-5700647-A") if number == 0 else ("EP1000001",) if number == 6 else (),
            source="/srv/patents/secret folder/all.xml",
        )
        for number, each in enumerate(sets)
    ]


def events_of(text: str) -> list[tuple[str, object]]:
    """Return the server-sent events in a text."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found
