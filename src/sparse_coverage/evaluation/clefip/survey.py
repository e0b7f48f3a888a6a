"""A quick look at every document of the collection: id, language, classes and family, from the bibliographic part alone."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from lxml import etree

from sparse_coverage.errors import InputError
from sparse_coverage.files import write_text
from sparse_coverage.patents.languages import language_code
from sparse_coverage.patents.readers.bibliography import international_classes
from sparse_coverage.progress import tracked

FORMAT = 2


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A document of the collection: its id, its file below the documents' folder, and what the pool is sampled by."""

    id: str
    file: str
    language: str
    ipc: tuple[str, ...]
    family: str


def survey(documents: Path, cache: Path | None = None) -> tuple[list[Surveyed], int]:
    """Return the documents in the order of their ids, whatever the file system's, and how many files were unreadable.

    With a `cache` folder the survey is kept there and read again as long as no file is added, removed or written.
    """
    files = sorted(_files(documents))
    digest = hashlib.sha256(f"{FORMAT}\n".encode())
    for name, size, written in files:
        digest.update(f"{name}\t{size}\t{written}\n".encode())
    kept = cache / f"clefip-survey-{digest.hexdigest()[:16]}.jsonl" if cache else None
    if kept and kept.is_file():
        lines = kept.read_text(encoding="utf-8").splitlines()
        return [_from_json(line) for line in lines[1:]], int(lines[0])
    found: dict[str, Surveyed] = {}
    unreadable = 0
    for name, _, _ in tracked(files, "Surveying documents", len(files)):
        document = _look(documents / name, name)
        if document is None:
            unreadable += 1
        else:
            found.setdefault(document.id, document)
    if not found:
        raise InputError(f"{documents}: there are no CLEF-IP documents (*.xml) here.")
    ordered = [found[id_] for id_ in sorted(found)]
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        lines = [str(unreadable), *(json.dumps(asdict(document)) for document in ordered)]
        write_text(kept, "\n".join(lines) + "\n")
    return ordered, unreadable


def _from_json(line: str) -> Surveyed:
    record = json.loads(line)
    return Surveyed(**{**record, "ipc": tuple(record["ipc"])})


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield each document's file with what changes when it is written: its size and its time."""
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".xml"):
                path = Path(parent) / name
                about = path.stat()
                yield path.relative_to(folder).as_posix(), about.st_size, about.st_mtime_ns


def _look(path: Path, name: str) -> Surveyed | None:
    """Parse a document up to the end of its bibliographic part; None if it does not get that far."""
    tags = ("patent-document", "bibliographic-data")
    id_ = language = family = ""
    try:
        with path.open("rb") as stream:
            for event, element in etree.iterparse(
                stream, events=("start", "end"), tag=tags, resolve_entities=False, load_dtd=False, no_network=True
            ):
                if element.tag == "bibliographic-data" and event == "end":
                    return Surveyed(id_, name, language, international_classes(element), family)
                if element.tag == "patent-document" and event == "start":
                    id_ = element.get("ucid") or path.stem
                    language, family = language_code(element.get("lang")), element.get("family-id") or ""
    except (etree.XMLSyntaxError, OSError):
        pass
    return None
