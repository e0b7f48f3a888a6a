"""The candidate pool of the paper: all relevant documents, negatives of near classes in three tiers, and uniform ones.

A survey looks at the bibliographic part of every document first. Documents are sorted by id before anything is drawn, so the sample
depends on the collection and the seed alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from lxml import etree

from sparse_coverage.errors import InputError
from sparse_coverage.files import write_text
from sparse_coverage.patents.readers.st36 import international_classes
from sparse_coverage.progress import tracked
from sparse_coverage.text.languages import language_code

TIERS = ("subgroup", "maingroup", "subclass")


@dataclass(frozen=True, slots=True)
class PoolConfig:
    """How the pool is drawn: its size, the share of negatives that is IPC-hard (a third from each tier), the seed."""

    size: int = 25_000
    hard: float = 0.75
    seed: int = 0
    language: str = "en"

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.hard <= 1:
            raise InputError(
                f"A pool has a size of at least 1 and a hard share from 0 to 1, not {self.size}, {self.hard}."
            )


@dataclass(frozen=True, slots=True)
class Pool:
    """The sampled documents in the order of their ids, why each is there, and what could have been drawn of each kind."""

    documents: tuple[Surveyed, ...]
    tiers: Mapping[str, str]
    available: Mapping[str, int]
    missing: tuple[str, ...]
    config: PoolConfig

    def counts(self) -> dict[str, int]:
        """Return how many documents are there for each reason."""
        counts = dict.fromkeys(("relevant", *TIERS, "uniform"), 0)
        for tier in self.tiers.values():
            counts[tier] += 1
        return counts


def levels(symbol: str) -> tuple[str, str, str]:
    """Return an IPC symbol as subgroup, main group and subclass.

    >>> levels("H04N 5/44")
    ('H04N 5/44', 'H04N 5', 'H04N')
    """
    return symbol, symbol.partition("/")[0], symbol.partition(" ")[0]


def tier_of(document: Surveyed, near: Sequence[AbstractSet[str]]) -> str | None:
    """Return the closest tier in which a document shares a class with the reference symbols, or None."""
    own = [levels(symbol) for symbol in document.ipc]
    return next((tier for place, tier in enumerate(TIERS) if any(o[place] in near[place] for o in own)), None)


def reference_classes(symbols: Iterable[str]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the subgroups, main groups and subclasses of the topics' and relevant documents' symbols.

    A symbol that stops at its subclass says nothing about subgroups and main groups.
    """
    split = [levels(symbol) for symbol in symbols]
    subgroups = frozenset(s[0] for s in split if "/" in s[0])
    groups = frozenset(s[1] for s in split if "/" in s[0])
    return subgroups, groups, frozenset(s[2] for s in split)


def sample_pool(
    documents: Sequence[Surveyed], relevant: AbstractSet[str], reference: Iterable[str], config: PoolConfig
) -> Pool:
    """Draw the pool. `reference` are the IPC symbols of the topics' documents; those of the relevant ones are added.

    A tier with too few documents passes what it lacks on to the next, and the last one to the uniform draw.
    """
    ordered = sorted(documents, key=lambda document: document.id)
    chosen = {document.id: "relevant" for document in ordered if document.id in relevant}
    near = reference_classes([*reference, *(s for d in ordered if d.id in relevant for s in d.ipc)])
    candidates = [d for d in ordered if d.id not in relevant and d.language in (config.language, "")]
    by_tier: dict[str, list[str]] = {tier: [] for tier in TIERS}
    for document in candidates:
        if (tier := tier_of(document, near)) is not None:
            by_tier[tier].append(document.id)
    negatives = max(0, config.size - len(chosen))
    hard = int(config.hard * negatives + 0.5)
    lacking = 0
    for place, tier in enumerate(TIERS):
        wanted = hard // 3 + (place < hard % 3) + lacking
        drawn = _draw(by_tier[tier], wanted, config.seed, place)
        chosen.update(dict.fromkeys(drawn, tier))
        lacking = wanted - len(drawn)
    rest = [document.id for document in candidates if document.id not in chosen]
    drawn = _draw(rest, negatives - hard + lacking, config.seed, len(TIERS))
    chosen.update(dict.fromkeys(drawn, "uniform"))
    available = {
        "relevant": len(relevant),
        **{tier: len(ids) for tier, ids in by_tier.items()},
        "uniform": len(candidates),
    }
    return Pool(
        tuple(document for document in ordered if document.id in chosen),
        {id_: chosen[id_] for id_ in sorted(chosen)},
        available,
        tuple(sorted(set(relevant).difference(document.id for document in ordered))),
        config,
    )


def _draw(ids: Sequence[str], count: int, seed: int, stream: int) -> list[str]:
    """Draw without replacement; each stream of random numbers is independent of how much the others use."""
    order = np.random.default_rng([seed, 7, stream]).permutation(len(ids))
    return [ids[place] for place in order[:count]]


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
