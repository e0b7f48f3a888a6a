"""Whatever happened to an index, it answers as one freshly built from what it holds, to the last bit."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from drawing import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

sys.path.insert(0, str(Path(__file__).parent.parent / "index"))
from made_up import CENTERS, build, random_document, vector, whole

from sparse_coverage.aggregation import Best, TopMean
from sparse_coverage.index import IndexStore, IndexWriter, allowed_passages, damaged_files, open_store
from sparse_coverage.index.filters import country
from sparse_coverage.search.part_scores import VectorScores, WordScores
from sparse_coverage.search.ranking import Ranker, ScoringConfig

SCORING = ScoringConfig(rho=0.1)
QUERIES = [
    vector({center: float(weight) for center, weight in zip(random.permutation(CENTERS)[:9], random.random(9), strict=True)})
    for random in (np.random.default_rng(seed) for seed in range(3))
]  # fmt: skip


def answers(store: IndexStore, threads: int) -> list[Any]:
    """Rankings by name: numbers differ between indexes that hold the same."""
    ranker = Ranker(store, SCORING, threads)
    seen: list[Any] = [ranker.statistics.idf.tolist(), ranker.statistics.stop.tolist(), store.manifest["passages"]]
    for query in QUERIES:
        for allowed in (None, allowed_passages(store, country("EP"))):
            ranking = ranker.rank_passages(query, 7, allowed, threads)
            names = [store.passage(number).id for number in ranking.numbers.tolist()]
            seen.append((names, ranking.scores.tolist()))
            for aggregation in (Best(), TopMean(2)):
                found = ranker.rank_documents(query, 4, allowed, 2, threads, aggregation)
                seen.append([
                    (store.document(one.number).id, one.score, [store.passage(unit).id for unit in one.passages.tolist()])
                    for one in found
                ])  # fmt: skip
    words, vectors = WordScores(store), VectorScores(store)
    for allowed in (None, allowed_passages(store, country("EP"))):
        for scores in (
            words.scores("text 0 of B3 and D1", allowed),
            vectors.scores(np.stack([whole("a"), whole("b")]), allowed),
        ):
            places = np.flatnonzero(store.live_passages).tolist()
            seen.append([(store.passage(number).id, float(scores[number])) for number in places])
            assert not scores[~store.live_passages].any()
    return seen


class Updates(RuleBasedStateMachine):
    """Adds, deletes, replaces, merges, commits, drops, reopens; and compares after each commit."""

    @initialize(memory=st.sampled_from([300, 3_000, 1 << 20]))
    def start(self, memory: int) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.folder = self.root / "index"
        self.memory, self.count = memory, 0
        # Twelve documents in one segment: what is deleted of them stays a tombstone until a merge.
        base = [random_document(f"B{n}", np.random.default_rng(n), country="EP" if n % 2 else "US") for n in range(12)]
        build(self.folder, base)
        self.committed = {made.id: made for made in base}
        self.open()

    def open(self) -> None:
        self.writer = IndexWriter.open(self.folder, memory=self.memory)
        self.pending = dict(self.committed)

    @rule(seed=st.integers(0, 999), ep=st.booleans())
    def add(self, seed: int, ep: bool) -> None:
        made = random_document(f"D{self.count}", np.random.default_rng(seed), country="EP" if ep else "US")
        self.count += 1
        self.writer.add(made.record, made.indexed)
        self.pending[made.id] = made

    @precondition(lambda self: self.pending)
    @rule(data=st.data(), then_commit=st.booleans())
    def delete(self, data: st.DataObject, then_commit: bool) -> None:
        for id_ in data.draw(st.lists(st.sampled_from(sorted(self.pending)), min_size=1, max_size=3, unique=True)):
            assert self.writer.delete(id_)
            del self.pending[id_]
            assert id_ not in self.writer
        if then_commit:
            self.commit()

    @precondition(lambda self: self.pending)
    @rule(data=st.data(), seed=st.integers(0, 999))
    def replace(self, data: st.DataObject, seed: int) -> None:
        made = random_document(
            data.draw(st.sampled_from(sorted(self.pending))), np.random.default_rng(seed), country="EP"
        )
        assert self.writer.replace(made.record, made.indexed)
        del self.pending[made.id]  # it moves to the end of the corpus
        self.pending[made.id] = made

    @rule()
    def commit(self) -> None:
        self.writer.commit()
        self.committed = dict(self.pending)
        self.compare()

    @rule()
    def merge(self) -> None:
        self.writer.merge()
        self.committed = dict(self.pending)
        self.compare()

    @rule()
    def drop_and_reopen(self) -> None:
        self.writer.close()
        self.open()

    @invariant()
    def readers_see_the_last_commit(self) -> None:
        if hasattr(self, "folder"):
            store = open_store(self.folder)
            assert store.manifest["documents"] == len(self.committed)
            store.close()

    def compare(self) -> None:
        fresh = self.root / "fresh"
        build(fresh, list(self.committed.values()))
        updated, rebuilt = open_store(self.folder), open_store(fresh)
        expected = answers(rebuilt, 1)
        assert answers(updated, 1) == expected
        assert answers(updated, 2) == expected
        assert damaged_files(self.folder) == []
        updated.close()
        rebuilt.close()
        shutil.rmtree(fresh)

    def teardown(self) -> None:
        if hasattr(self, "root"):
            self.writer.close()
            shutil.rmtree(self.root)


Updates.TestCase.settings = settings(max_examples=examples(8), stateful_step_count=15)
TestUpdates = Updates.TestCase
