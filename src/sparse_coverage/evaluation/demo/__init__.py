"""The demo collection: 68 invented patents in the layout of CLEF-IP 2013, with 12 topics and passage judgements.

Everything in it is written for this project. Its publication numbers start at 9,100,000, where no real ones are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.charts.chart import Verdict
from sparse_coverage.evaluation.clefip import ClefIpTopic, Judgement, read_judgements, read_topics
from sparse_coverage.files import read_toml
from sparse_coverage.patents import Patent, read_patents

COLLECTION = Path(__file__).parent / "collection"
DOCUMENTS = COLLECTION / "01_document_collection" / "01_extracted"
TOPICS_FILE = COLLECTION / "02_topics" / "clef-ip-2013-clms-psg-TEST" / "clef-ip-2013-clms-psg-TEST.txt"
JUDGEMENTS_FILE = (
    COLLECTION / "02_topics" / "2013-clef-ip-clsm-to-psg-qrels" / "2013-clef-ip-QRELS-EN-claims-to-passages.txt"
)


def demo_patents() -> Iterator[Patent]:
    """Read the patents of the demo collection."""
    return read_patents(DOCUMENTS)


def demo_topics() -> list[ClefIpTopic]:
    """Read the topics of the demo collection."""
    return read_topics(TOPICS_FILE)


def demo_judgements() -> list[Judgement]:
    """Read the relevant passages of the demo collection."""
    return list(read_judgements(JUDGEMENTS_FILE))


_FILE = Path(__file__).parent / "chart_truth.toml"
_VERDICTS = {verdict.value[0].upper(): verdict for verdict in Verdict}


@dataclass(frozen=True, slots=True)
class TruthElement:
    """An element of a claim as it stands in it, and the verdict that each document earned for it."""

    claim: int
    text: str
    found: dict[str, Verdict]


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
                {document: _VERDICTS[letter] for document, letter in zip(documents, element["found"], strict=True)},
            )
            for element in topic["elements"]
        )
        yield ChartTruth(topic["id"], topic["claim"], documents, elements)
