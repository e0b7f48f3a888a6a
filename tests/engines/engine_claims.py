"""What every engine must do, said once: the test files of each engine call these with its own collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine_collection import PATENTS, assert_same_ranking, combined

from sparse_coverage import Index, ScoringConfig, SparseCoverage
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.engines.sync import push, sync
from sparse_coverage.index import parse_filter
from sparse_coverage.index.filters import family
from sparse_coverage.patents import Paragraph
from sparse_coverage.search import PassageHit

FILTERS = [
    "published<2001",
    "not published<2001",
    "priority>=1999-01 and priority<=2003",
    "ipc:H04N",
    'class:"H04N 5/4" or cpc:A61B',
    'ipc:"H04N 5"',
    "ipc:H04,F and not country:US",
    "kind:A",
    "kind:A2 country:EP,WO",
    "section:claims",
    "not (section:claims or language:de)",
    "document:XX-5-A2,XX-8-A1",
    "not family:XX-9-A2",
    "family:XX-10-A1 and section:abstract",
    "country:ZZ",
]


RANKS = ["top-mean:2", "top-mean:5"]


def scored(passages: Sequence[PassageHit]) -> list[PassageHit]:
    """Those that count for more than the last bits of a sum."""
    return [passage for passage in passages if passage.score > 1e-5]


def ranked_by(rank: str) -> ScoringConfig:
    return ScoringConfig(rank=rank)


def ranks_as_the_index_does(
    collection: QdrantCollection, local: Index, model: SparseCoverage, queries: list[str]
) -> None:
    report = push(collection, local.store)
    assert (report.uploaded, report.uploaded_passages) == (local.store.state.documents, len(local))
    assert collection.size() == len(local)
    retriever = EngineRetriever(collection, model, ranking="centers")
    for k in (1, 5, 1000):
        for found, expected in zip(retriever.search(queries, k), local.search(queries, k), strict=True):
            assert_same_ranking(found, expected)
            for one, other in zip(found, expected, strict=True):
                if one.document == other.document:
                    assert_same_ranking(one.passages, other.passages)
                    assert (one.title, dict(one.metadata)) == (other.title, dict(other.metadata))
    for found, expected in zip(retriever.search_passages(queries, 40), local.search_passages(queries, 40), strict=True):
        assert_same_ranking(found, expected)
    texts = {passage.id: passage.text for passage in local.search_passages(queries[0], 1000)}
    assert {passage.id: passage.text for passage in retriever.search_passages(queries[0], 1000)} == texts
    for other in (ScoringConfig(alpha=1.0, rho=0.1), *map(ranked_by, RANKS)):
        free = Index.open(local.store.folder, encoder=model.encoder, scoring=other, ranking="centers")
        remote = EngineRetriever(collection, model, scoring=other, ranking="centers")
        for query in queries:
            for k in (1, 5, 1000):
                assert_same_ranking(remote.search(query, k), free.search(query, k))


def combines_as_the_index_does(
    collection: QdrantCollection, local: Index, model: SparseCoverage, queries: list[str]
) -> None:
    """By words, by vectors and by all three parts: the documents, passages and scores of the index, also after it changed."""
    push(collection, local.store)
    long = " ".join(queries * 4)  # several chunks, of which the nearest counts
    for change in (False, True):
        if change:
            local.add([replace(PATENTS[1], id="XX-new-A1")])
            local.delete([PATENTS[8].id])
            sync(collection, local.store)
        # Scaling makes the last bits count for more: the vectors of the tiny encoder are all alike.
        for ranking, tolerance in (("combined", 1e-3), ("words", 2e-6), ("vectors", 2e-6)):
            for rule, condition in (("best", None), ("top-mean:3", None), ("best", "section:claims country:EP")):
                free = Index.open(local.store.folder, encoder=model.encoder, scoring=ranked_by(rule))
                expected = combined(free, ranking)
                remote = EngineRetriever(collection, model, scoring=ranked_by(rule), ranking=ranking)
                for query in (queries[0], long, "valve", "nothing of the kind"):
                    for k in (3, 1000):
                        found, wanted = (
                            one.search(query, k, passages=5, filter=condition) for one in (remote, expected)
                        )
                        assert_same_ranking(found, wanted, tolerance)
                        for one, other in zip(found, wanted, strict=True):
                            if one.document == other.document:
                                assert_same_ranking(scored(one.passages), scored(other.passages), tolerance)
                    best, same = (one.search_passages(query, 12, filter=condition) for one in (remote, expected))
                    assert_same_ranking(scored(best), scored(same), tolerance)


def filters_mean_the_same(collection: QdrantCollection, local: Index, model: SparseCoverage, query: str) -> None:
    push(collection, local.store)
    retriever = EngineRetriever(collection, model, ranking="centers")
    others = [(retriever, local)]
    for rank in RANKS:
        free = Index.open(local.store.folder, encoder=model.encoder, scoring=ranked_by(rank), ranking="centers")
        others.append((EngineRetriever(collection, model, scoring=ranked_by(rank), ranking="centers"), free))
    sizes = set()
    families = [~family("YY-1-A1", name="F4"), family("YY-1-A1", members=["XX-6-A1"])]
    for condition in [*map(parse_filter, FILTERS), *families]:
        expected = local.search_passages(query, 500, filter=condition)
        sizes.add(len(expected))
        assert_same_ranking(retriever.search_passages(query, 500, filter=condition), expected)
        for remote, free in others:
            assert_same_ranking(remote.search(query, 4, filter=condition), free.search(query, 4, filter=condition))
    assert len(sizes) > 8


def updates_send_only_what_changed(
    collection: QdrantCollection, local: Index, model: SparseCoverage, queries: list[str]
) -> None:
    push(collection, local.store)
    retriever = EngineRetriever(collection, model, ranking="centers")
    again = sync(collection, local.store)
    assert (again.uploaded, again.deleted, again.unchanged) == (0, 0, local.store.state.documents)

    text = Paragraph("The rotor cools the lens of a pump.", "/patent-document/abstract/p[1]")
    changed = replace(PATENTS[5], abstract=(text,), claims=PATENTS[5].claims[:1])
    local.add([changed, replace(PATENTS[1], id="XX-new-A1")], replace=True)
    local.delete([PATENTS[8].id, PATENTS[9].id])
    report = sync(collection, local.store)
    assert report.uploaded == local.store.state.documents, (
        "the mean length of passages is in the weights of their words"
    )
    assert report.deleted == 2
    assert collection.size() == len(local)
    retriever.refresh()
    for query in [*queries, text.text]:
        assert_same_ranking(retriever.search(query, 20), local.search(query, 20))

    local.merge()
    merged = sync(collection, local.store)
    assert (merged.uploaded, merged.deleted) == (0, 0)


def what_was_lost_is_sent_again(collection: QdrantCollection, local: Index) -> None:
    push(collection, local.store)
    collection.delete([PATENTS[10].id, PATENTS[11].id])
    assert collection.size() < len(local)
    assert sync(collection, local.store).uploaded == 2
    assert collection.size() == len(local)
