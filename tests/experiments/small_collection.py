"""A small collection whose answers are known."""

from __future__ import annotations

from collections.abc import Iterator

from sparse_coverage.evaluation.collection import Collection, Query, Relevance
from sparse_coverage.patents import Claim, Paragraph, Patent

TEXTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "Method of reducing noise in a headset by means of a microphone and a filter.",
    "A plunger biased by a spring seals the housing of the pump.",
    "A lamp with a reflector, a socket and a switch in the handle.",
]
PLACE = "/patent-document"


def patents() -> Iterator[Patent]:
    for number, text in enumerate(TEXTS):
        yield Patent(
            id=f"XX-{number}-A1",
            title=f"Title {number}",
            abstract=(Paragraph(text, f"{PLACE}/abstract/p[1]"),),
            description=(Paragraph(f"Further, {text.lower()}", f"{PLACE}/description/p[1]"),),
            claims=(Claim(1, f"Device: {text}", f"{PLACE}/claims/claim[1]"),),
        )


def papers_collection(candidates: int = 25_000, topics: int = 48, name: str = "clef-ip-2013 (seed 0)") -> Collection:
    """A collection that has the paper's numbers, so that its values may stand beside what is measured on it."""
    queries = tuple(Query(f"PSG-{number}", "a valve") for number in range(topics))
    judgements = {query.id: Relevance({"XX-0-A1": 1}) for query in queries}
    return Collection(name, patents, queries, judgements, candidates=candidates)


def small_collection() -> Collection:
    queries = tuple(Query(f"q{number}", text, claims=1) for number, text in enumerate(TEXTS[:4]))
    judgements = {
        query.id: Relevance({f"XX-{n}-A1": 1}, {f"XX-{n}-A1": frozenset({f"XX-{n}-A1/abstract/p[1]"})})
        for n, query in enumerate(queries)
    }
    return Collection("small", patents, queries, judgements)
