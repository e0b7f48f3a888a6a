"""The topic and judgement files of CLEF-IP 2013, claims to passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent, canonical_xpath, read_patents
from sparse_coverage.patents.claims import expand_claim

_TAG = re.compile(r"<(tid|tfile|tfam-docs|tclaims)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Topic:
    """A query of the benchmark: claims of a topic document, by canonical XPath, and the document's family."""

    id: str
    file: str
    family: tuple[str, ...]
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A passage that is relevant to a topic."""

    topic: str
    document: str
    xpath: str


def read_topics(path: Path) -> list[Topic]:
    """Read a topic file: blocks separated by a blank line, one tag a line."""
    topics = []
    for number, block in enumerate(re.split(r"\n\s*\n", path.read_text(encoding="utf-8").strip()), 1):
        tags = {name: value.strip() for name, value in _TAG.findall(block)}
        missing = [name for name in ("tid", "tfile", "tclaims") if not tags.get(name)]
        if missing:
            raise InputError(f"{path}: block {number} has no <{missing[0]}>.")
        claims = tuple(canonical_xpath(xpath) for xpath in tags["tclaims"].split())
        topics.append(Topic(tags["tid"], tags["tfile"], tuple(tags.get("tfam-docs", "").split()), claims))
    return topics


def read_judgements(path: Path) -> Iterator[Judgement]:
    """Read passage judgements, one a line: topic, document, XPath, separated by commas or white space."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        parts = [part for part in re.split(r"[,\s]+", line.strip()) if part]
        if len(parts) != 3:
            raise InputError(f"{path}:{number}: expected topic, document and XPath, found {len(parts)} parts.")
        yield Judgement(parts[0], parts[1], canonical_xpath(parts[2]))


def topic_document(topic: Topic, topics_file: Path) -> Patent:
    """Read the topic's own document from the folder `tfiles` beside the topic file."""
    found = list(read_patents(topics_file.parent / "tfiles" / topic.file))
    if not found:
        raise InputError(f"{topics_file.parent / 'tfiles' / topic.file}: the topic's document holds no patent.")
    return found[0]


def topic_query(topic: Topic, document: Patent) -> str:
    """Return the query: the topic's claims, each preceded by the claims it depends on, in claim-number order, each once."""
    wanted = {
        ancestor.number: ancestor.text
        for claim in document.claims
        if claim.xpath in topic.claims
        for ancestor in expand_claim(document.claims, claim.number)
    }
    if not wanted:
        raise InputError(
            f"Topic {topic.id}: {document.id} holds none of the claims it names ({' '.join(topic.claims)})."
        )
    return "\n".join(wanted[number] for number in sorted(wanted))
