"""What of CLEF-IP 2013 is in a folder, what is missing, and how to get it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.clefip.collection import usable_topics
from sparse_coverage.evaluation.clefip.layout import (
    DOCUMENTS_ARCHIVE,
    EXTRACTED,
    INNER_JUDGEMENTS,
    INNER_TOPICS,
    JUDGEMENTS,
    RECORD,
    TOPICS,
    TOPICS_ARCHIVE,
    TOPICS_MD5,
    Layout,
    find_layout,
)
from sparse_coverage.evaluation.clefip.topics import read_judgements, read_topics, relevance_by_topic
from sparse_coverage.files import as_typed
from sparse_coverage.progress import tracked


@dataclass(frozen=True, slots=True)
class Finding:
    """One part of the distribution: whether it is there, what was found, and what to do where it is not."""

    part: str
    present: bool
    found: str
    remedy: str = ""


def check(folder: Path) -> list[Finding]:
    """Look at a folder part by part."""
    layout = find_layout(folder)
    names = _document_names(layout)
    parts = [_topics(layout), _topic_documents(layout), _judgements(layout), _documents(layout, len(names))]
    return [*parts, *_agreement(layout, names)]


def _document_names(layout: Layout) -> set[str]:
    """Return the ids that the files of the documents are named after."""
    if layout.documents is None:
        return set()
    folders = tracked(os.walk(layout.documents), "Looking through the folders")
    return {name.removesuffix(".xml") for _, _, names in folders for name in names if name.endswith(".xml")}


def _topics(layout: Layout) -> Finding:
    if layout.topics is None:
        return Finding("topics", False, f"no {TOPICS}", _get_topics(layout))
    return Finding("topics", True, f"{len(read_topics(layout.topics))} topics in {layout.topics}")


def _topic_documents(layout: Layout) -> Finding:
    folder = layout.topics.parent / "tfiles" if layout.topics else None
    if layout.topics is None or folder is None or not folder.is_dir():
        return Finding("topic documents", False, "no folder tfiles beside the topic file", _get_topics(layout))
    files = {topic.file for topic in read_topics(layout.topics)}
    absent = sorted(name for name in files if not (folder / name).is_file())
    found = f"{len(files) - len(absent)} of {len(files)} documents in {folder}"
    return Finding("topic documents", not absent, found, f"missing: {', '.join(absent[:3])}" if absent else "")


def _judgements(layout: Layout) -> Finding:
    if layout.judgements is None:
        return Finding("English judgements", False, f"no {JUDGEMENTS}", _get_topics(layout))
    judgements = list(read_judgements(layout.judgements))
    topics = {judgement.topic for judgement in judgements}
    return Finding("English judgements", True, f"{len(judgements):,} passages for {len(topics)} topics")


def _documents(layout: Layout, count: int) -> Finding:
    if layout.documents is None:
        return Finding("documents", False, "no folder with EP or WO documents", _get_documents(layout))
    if not count:
        return Finding("documents", False, f"no XML files in {layout.documents}", _get_documents(layout))
    return Finding("documents", True, f"{count:,} XML files in {layout.documents}")


def _agreement(layout: Layout, present: set[str]) -> list[Finding]:
    """Say which topics can be used and whether the relevant documents are there, once all parts are."""
    if layout.topics is None or layout.judgements is None or layout.documents is None:
        return []
    judgements = relevance_by_topic(read_judgements(layout.judgements))
    try:
        usable, left_out = usable_topics(layout.topics, judgements)
    except InputError as error:
        return [Finding("usable topics", False, str(error))]
    causes = "; ".join(left_out.values())
    topics = Finding(
        "usable topics",
        True,
        f"{len(usable)} of {len(usable) + len(left_out)} judged ones",
        f"left out: {causes}" if causes else "",
    )
    judged = {document for topic in usable for document in judgements[topic.id].grades}
    absent = sorted(judged - present)
    relevant = Finding(
        "relevant documents",
        not absent,
        f"{len(judged) - len(absent)} of {len(judged)} are among the documents",
        f"missing: {', '.join(absent[:3])}. Is every archive of {DOCUMENTS_ARCHIVE} unpacked?" if absent else "",
    )
    return [topics, relevant]


def _get_topics(layout: Layout) -> str:
    """Return the next step towards the topics and judgements: they are archives in an archive."""
    root = layout.root
    inside = {name: next(iter(sorted(root.glob(f"**/{name}"))), None) for name in (INNER_TOPICS, INNER_JUDGEMENTS)}
    if all(inside.values()):
        topics, judgements = inside[INNER_TOPICS], inside[INNER_JUDGEMENTS]
        return f"Unpack both: tar -xzf {topics} -C {root / '02_topics'} && unzip {judgements} -d {root / '02_topics'}"
    archive = root / TOPICS_ARCHIVE
    if archive.is_file() and _md5(archive) != TOPICS_MD5:
        return f"{archive} is damaged: its MD5 is not {TOPICS_MD5}. Download it again from {RECORD}"
    typed = as_typed(root)
    unpack = f"tar -xzf {as_typed(archive)} -C {typed}; then look again: sparse-coverage clefip check {typed}"
    if archive.is_file():
        return f"Unpack it: {unpack}"
    return f"Download {TOPICS_ARCHIVE} (16 MB, MD5 {TOPICS_MD5}) from {RECORD} into {root} and unpack it: {unpack}"


def _get_documents(layout: Layout) -> str:
    """Return the next step towards the documents: 7z archives in volumes, in an archive."""
    root = layout.root
    target = root / "01_document_collection" / EXTRACTED
    volumes = sorted(path for path in root.glob("**/*.7z*") if path.suffix in (".7z", ".001"))
    if volumes:
        return f"Unpack each of {', '.join(path.name for path in volumes)}: 7z x FILE -o{target}"
    archive = root / DOCUMENTS_ARCHIVE
    unpack = f"tar -xzf {archive} -C {root}; then each 7z archive in it (the .001 volumes): 7z x FILE -o{target}"
    if archive.is_file():
        return f"Unpack it: {unpack}"
    return f"Download {DOCUMENTS_ARCHIVE} from {RECORD} into {root} and unpack it: {unpack}"


def _md5(path: Path) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
