"""CLEF-IP 2013, claims to passages: its topics and judgements, which of its parts a folder holds, how to get the others, and all of it as a
collection.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.clefip_pool import Pool, PoolConfig, sample_pool, survey
from sparse_coverage.evaluation.collection import Collection, Families, Query, Relevance, without_excluded
from sparse_coverage.evaluation.trec import read_lines
from sparse_coverage.files import as_typed
from sparse_coverage.patents import Claim, Patent, canonical_xpath, raise_problem, read_patents
from sparse_coverage.patents.claims import expand_claim
from sparse_coverage.patents.patent import passage_id
from sparse_coverage.progress import tracked
from sparse_coverage.text.languages import ONLY

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


def topic_query(topic: ClefIpTopic, document: Patent) -> str:
    """Return the text of the query: the claims of `topic_claims`, one a line."""
    return "\n".join(claim.text for claim in topic_claims(topic, document))


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
    unpack = f"tar -xzf {as_typed(archive)} -C {typed}; then look again: sparse-coverage clefip {typed}"
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


@dataclass(frozen=True, slots=True, eq=False)
class ClefIp:
    """The benchmark as read: the collection, the pool it was made from, and which topics were left out, and why."""

    collection: Collection
    pool: Pool
    left_out: dict[str, str]
    unreadable: int


def read_clefip(
    folder: Path, config: PoolConfig | None = None, *, cache: Path | None = None, ancestors: Ancestors = "all"
) -> ClefIp:
    """Read CLEF-IP 2013, claims to passages, from the folder of its distribution.

    `ancestors` says which claims precede a dependent one in a query: all it depends on, or the independent ones.
    """
    config = config or PoolConfig()
    layout = find_layout(folder)
    topics_file, documents = _needed(layout)
    assert layout.judgements is not None
    judgements = relevance_by_topic(read_judgements(layout.judgements))
    topics, left_out = usable_topics(topics_file, judgements)
    surveyed, unreadable = survey(documents, cache)
    judged = {document for topic in topics for document in judgements[topic.id].grades}
    pool = sample_pool(surveyed, judged, [s for patent in topics.values() for s in patent.ipc], config)
    families = Families((document.id, document.family) for document in pool.documents)
    queries = []
    excluded = {}
    for topic, patent in topics.items():
        claims = topic_claims(topic, patent, ancestors)
        queries.append(Query(topic.id, "\n".join(claim.text for claim in claims), patent.id, len(claims)))
        named = [name.removesuffix(".xml") for name in topic.family]
        excluded[topic.id] = families.of(patent, named)
    kept, dropped = without_excluded({topic.id: judgements[topic.id] for topic in topics}, excluded)
    paths = [documents / document.file for document in pool.documents]

    problems: set[str] = set()

    def read_documents() -> Iterator[Patent]:
        return read_patents(
            paths, language=f"{ONLY}{config.language}", on_problem=lambda problem: problems.add(str(problem))
        )

    notes = [f"left out: {cause}" for cause in left_out.values()]
    if ancestors != "all":
        notes.append("a dependent claim is preceded by its independent ancestors only")
    if dropped:
        notes.append(f"{dropped} judgements of a topic's own family left out")
    if unreadable:
        notes.append(f"{unreadable} documents could not be parsed and are no candidates")
    name = f"clef-ip-2013 ({len(paths):,} documents, seed {config.seed})"
    collection = Collection(
        name, read_documents, tuple(queries), kept, "paragraph", excluded, tuple(notes), len(paths), problems
    )
    return ClefIp(collection, pool, left_out, unreadable)


def _needed(layout: Layout) -> tuple[Path, Path]:
    parts = {"topics": layout.topics, "judgements": layout.judgements, "documents": layout.documents}
    missing = [name for name, path in parts.items() if path is None]
    if missing or layout.topics is None or layout.documents is None:
        raise InputError(
            f"{layout.root}: the {' and the '.join(missing)} of CLEF-IP 2013 are not here. "
            f"What to do: sparse-coverage clefip {as_typed(layout.root)}"
        )
    return layout.topics, layout.documents
