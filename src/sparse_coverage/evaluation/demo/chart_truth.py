"""What documents of the demo collection disclose of the topics' claims, judged by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.evaluation.described import read_toml

_FILE = Path(__file__).parent / "chart_truth.toml"
_WORDS = {"D": "disclosed", "P": "partly", "N": "not found"}


@dataclass(frozen=True, slots=True)
class TruthElement:
    """An element of a claim as it stands in it, and the word that each document earned for it."""

    claim: int
    text: str
    found: dict[str, str]


@dataclass(frozen=True, slots=True)
class ChartTruth:
    """The judged elements of one topic: those of the claim and of the claims that it depends on."""

    topic: str
    claim: int
    documents: tuple[str, ...]
    elements: tuple[TruthElement, ...]


def demo_chart_truth() -> Iterator[ChartTruth]:
    """Read the judged claim charts of the demo collection, one a topic."""
    for topic in read_toml(_FILE)["topic"]:
        documents = tuple(topic["documents"])
        elements = tuple(
            TruthElement(
                element["claim"],
                element["text"],
                {document: _WORDS[letter] for document, letter in zip(documents, element["found"], strict=True)},
            )
            for element in topic["elements"]
        )
        yield ChartTruth(topic["id"], topic["claim"], documents, elements)
