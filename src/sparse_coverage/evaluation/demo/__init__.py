"""The demo collection: 68 invented patents in the layout of CLEF-IP 2013, with 12 topics and passage judgements.

Everything in it is written for this project. Its publication numbers start at 9,100,000, where no real ones are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sparse_coverage.evaluation.clefip import Judgement, Topic, read_judgements, read_topics
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


def demo_topics() -> list[Topic]:
    """Read the topics of the demo collection."""
    return read_topics(TOPICS_FILE)


def demo_judgements() -> list[Judgement]:
    """Read the relevant passages of the demo collection."""
    return list(read_judgements(JUDGEMENTS_FILE))
