"""The passage judgements of CLEF-IP 2013."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Relevance
from sparse_coverage.evaluation.trec import read_lines
from sparse_coverage.patents import canonical_xpath
from sparse_coverage.patents.xpath import passage_id


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
