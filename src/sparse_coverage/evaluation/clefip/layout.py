"""Where the parts of a CLEF-IP 2013 distribution lie in a folder, and which are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError

RECORD = "https://researchdata.tuwien.at/records/nw2xc-41j75"
TOPICS = "clef-ip-2013-clms-psg-TEST.txt"
JUDGEMENTS = "2013-clef-ip-QRELS-EN-claims-to-passages.txt"
TOPICS_ARCHIVE = "02_topics.tgz"
TOPICS_MD5 = "85fb3bfbafbd55824e79b1a3759abc08"
INNER_TOPICS = "topics_clef-ip-2013-clms-psg.tgz"
INNER_JUDGEMENTS = "relass_clef-ip-2013-clsm-to-psg.zip"
DOCUMENTS_ARCHIVE = "01_document_collection.tgz"
EXTRACTED = "01_extracted"
_OFFICES = ("EP", "WO")
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """The topic file, the English judgements and the folder of documents, None where they are not there."""

    root: Path
    topics: Path | None
    judgements: Path | None
    documents: Path | None


def find_layout(folder: Path) -> Layout:
    """Look for the parts in a folder, by their names, a few levels deep but never inside the documents."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder.")
    topics = judgements = documents = None
    for path in _walk(folder, _DEPTH):
        if path.name == TOPICS and path.is_file():
            topics = topics or path
        elif path.name == JUDGEMENTS and path.is_file():
            judgements = judgements or path
        elif _holds_documents(path):
            documents = documents or path
    return Layout(folder, topics, judgements, documents)


def is_clefip(folder: Path) -> bool:
    """Tell whether a folder has at least the topics or the judgements of CLEF-IP 2013."""
    if not folder.is_dir():
        return False
    layout = find_layout(folder)
    return layout.topics is not None or layout.judgements is not None


def _holds_documents(path: Path) -> bool:
    return path.is_dir() and any((path / office).is_dir() for office in _OFFICES)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    yield folder
    if depth and not _holds_documents(folder):
        for path in sorted(folder.iterdir()):
            if path.is_dir() and path.name not in ("tfiles", "tfam-docs"):
                yield from _walk(path, depth - 1)
            elif path.is_file():
                yield path
