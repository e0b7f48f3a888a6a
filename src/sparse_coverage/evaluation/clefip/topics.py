"""The topics of CLEF-IP 2013, claims to passages: which claims of which document are the query, and which passages answer it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Relevance
from sparse_coverage.evaluation.trec import read_lines
from sparse_coverage.patents import Claim, Patent, canonical_xpath, raise_problem, read_patents
from sparse_coverage.patents.claims import expand_claim
from sparse_coverage.patents.patent import passage_id

_TAG = re.compile(r"<(tid|tfile|tfam-docs|tclaims)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ClefIpTopic:
    """A query of the benchmark: claims of a topic document, by canonical XPath, and the document's family."""

    id: str
    file: str
    family: tuple[str, ...]
    claims: tuple[str, ...]


def read_topics(path: Path) -> list[ClefIpTopic]:
    """Read a topic file: blocks separated by a blank line, one tag a line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from None
    topics = []
    for number, block in enumerate(re.split(r"\n\s*\n", text.strip()), 1):
        tags = {name: value.strip() for name, value in _TAG.findall(block)}
        missing = [name for name in ("tid", "tfile", "tclaims") if not tags.get(name)]
        if missing:
            raise InputError(f"{path}: block {number} has no <{missing[0]}>.")
        try:
            claims = tuple(canonical_xpath(xpath) for xpath in tags["tclaims"].split())
        except InputError as error:
            raise InputError(f"{path}: topic {tags['tid']}: {error}") from None
        topics.append(ClefIpTopic(tags["tid"], tags["tfile"], tuple(tags.get("tfam-docs", "").split()), claims))
    return topics


def topic_document(topic: ClefIpTopic, topics_file: Path) -> Patent:
    """Read the topic's own document from the folder `tfiles` beside the topic file."""
    path = topics_file.parent / "tfiles" / topic.file
    if not path.is_file():
        raise InputError(f"Topic {topic.id}: its document is not there ({path}).")
    found = list(read_patents(path, on_problem=raise_problem))
    if not found:
        raise InputError(f"Topic {topic.id}: its document holds no patent ({path}).")
    return found[0]


Ancestors = Literal["all", "independent"]


def topic_claims(topic: ClefIpTopic, document: Patent, ancestors: Ancestors = "all") -> tuple[Claim, ...]:
    """Return the topic's claims, each preceded by the claims it depends on, in claim-number order, each once.

    With `independent` ancestors only those that depend on no other claim precede it, as the paper has it.
    """
    named = {claim.number for claim in document.claims if claim.xpath in topic.claims}
    wanted = {
        ancestor.number: ancestor
        for number in named
        for ancestor in expand_claim(document.claims, number)
        if ancestors == "all" or ancestor.number in named or not ancestor.depends_on
    }
    if not wanted:
        cause = "has no claims" if not document.claims else f"holds none of the claims named ({' '.join(topic.claims)})"
        raise InputError(f"Topic {topic.id}: {document.id} {cause}.")
    return tuple(wanted[number] for number in sorted(wanted))


def topic_query(topic: ClefIpTopic, document: Patent, ancestors: Ancestors = "all") -> str:
    """Return the text of the query: the claims of `topic_claims`, one a line."""
    return "\n".join(claim.text for claim in topic_claims(topic, document, ancestors))


@dataclass(frozen=True, slots=True)
class Judgement:
    """A passage that is relevant to a topic."""

    topic: str
    document: str
    xpath: str


def read_judgements(path: Path) -> Iterator[Judgement]:
    """Read passage judgements, one a line: topic, document, XPath, separated by commas or white space."""
    for number, line in read_lines(path):
        parts = [part for part in re.split(r"[,\s]+", line.strip()) if part]
        if len(parts) != 3:
            raise InputError(f"{path}:{number}: expected topic, document and XPath, found {len(parts)} parts.")
        try:
            yield Judgement(parts[0], parts[1].removesuffix(".xml"), canonical_xpath(parts[2]))
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from None


def relevance_by_topic(judgements: Iterable[Judgement]) -> dict[str, Relevance]:
    """Gather judgements by topic: a document is relevant when one of its passages is."""
    passages: dict[str, dict[str, set[str]]] = {}
    for judgement in judgements:
        ids = passages.setdefault(judgement.topic, {}).setdefault(judgement.document, set())
        ids.add(passage_id(judgement.document, judgement.xpath))
    return {
        topic: Relevance(dict.fromkeys(by_document, 1), {doc: frozenset(ids) for doc, ids in by_document.items()})
        for topic, by_document in passages.items()
    }


def usable_topics(
    topics_file: Path, judgements: dict[str, Relevance]
) -> tuple[dict[ClefIpTopic, Patent], dict[str, str]]:
    """Return the judged topics with their documents, and those that cannot be used, each with the cause."""
    usable: dict[ClefIpTopic, Patent] = {}
    left_out: dict[str, str] = {}
    for topic in read_topics(topics_file):
        if topic.id not in judgements:
            continue
        try:
            patent = topic_document(topic, topics_file)
            topic_claims(topic, patent)
        except InputError as error:
            left_out[topic.id] = str(error)
        else:
            usable[topic] = patent
    if not usable:
        raise InputError(f"{topics_file}: none of its topics is judged and has its claims.")
    return usable, left_out
