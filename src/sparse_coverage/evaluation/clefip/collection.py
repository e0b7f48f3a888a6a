"""CLEF-IP 2013 as a collection: usable topics, judgements, the candidate pool, and who is no candidate for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.clefip.layout import Layout, find_layout
from sparse_coverage.evaluation.clefip.pool import Pool, PoolConfig, sample_pool
from sparse_coverage.evaluation.clefip.survey import survey
from sparse_coverage.evaluation.clefip.topics import (
    Ancestors,
    Topic,
    read_judgements,
    read_topics,
    relevance_by_topic,
    topic_claims,
    topic_document,
)
from sparse_coverage.evaluation.collection import Collection, Query, Relevance
from sparse_coverage.evaluation.exclusions import Families, without_excluded
from sparse_coverage.files import as_typed
from sparse_coverage.patents import Patent, read_patents


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
    families = Families(pool.documents)
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
        return read_patents(paths, language=config.language, on_problem=lambda problem: problems.add(str(problem)))

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


def usable_topics(topics_file: Path, judgements: dict[str, Relevance]) -> tuple[dict[Topic, Patent], dict[str, str]]:
    """Return the judged topics with their documents, and those that cannot be used, each with the cause."""
    usable: dict[Topic, Patent] = {}
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


def _needed(layout: Layout) -> tuple[Path, Path]:
    parts = {"topics": layout.topics, "judgements": layout.judgements, "documents": layout.documents}
    missing = [name for name, path in parts.items() if path is None]
    if missing or layout.topics is None or layout.documents is None:
        raise InputError(
            f"{layout.root}: the {' and the '.join(missing)} of CLEF-IP 2013 are not here. "
            f"What to do: sparse-coverage clefip check {as_typed(layout.root)}"
        )
    return layout.topics, layout.documents
