"""Readers while a writer commits: each sees one committed state, whole, from its first look to its last."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
from made_up import CENTERS, build, random_document

from sparse_coverage.index import IndexWriter, allowed_passages, open_store, parse_filter

COMMITS = 60


def read(folder: Path) -> tuple[str, ...]:
    """Open the index and use every kind of file of it; return what it holds."""
    store = open_store(folder)
    try:
        held = []
        assert allowed_passages(store, parse_filter("country:EP")).all()
        for segment in store.segments:
            segment.find(np.arange(CENTERS), 0, len(segment))
            held += [segment.texts.document(number).id for number in np.flatnonzero(segment.live_documents).tolist()]
        for id_ in held:
            number = store.find_document(id_)
            assert number is not None
            assert store.document(number).id == id_
        return tuple(held)
    finally:
        store.close()


def test_a_reader_sees_a_committed_state_and_nothing_else(tmp_path: Path) -> None:
    folder, random = tmp_path / "index", np.random.default_rng(3)
    first = [random_document(f"B{number}", random, country="EP") for number in range(8)]
    build(folder, first)
    states = {tuple(made.id for made in first)}
    seen: set[tuple[str, ...]] = set()
    failures: list[BaseException] = []
    done = threading.Event()

    def keep_reading() -> None:
        try:
            while not done.is_set():
                seen.add(read(folder))
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=keep_reading) for _ in range(2)]
    for reader in readers:
        reader.start()
    held = [made.id for made in first]
    try:
        for number in range(COMMITS):
            with IndexWriter.open(folder) as writer:
                made = random_document(f"N{number}", random, country="EP")
                writer.add(made.record, made.indexed)
                gone = str(random.choice(held))
                writer.delete(gone)
                held = [id_ for id_ in held if id_ != gone] + [made.id]
                states.add(tuple(held))
                if number % 3:
                    writer.commit()
                else:
                    writer.merge()
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert failures == []
    assert seen <= states
    assert len(seen) > 3, "the readers saw hardly any of the states: the test proves nothing"
    assert read(folder) == tuple(held)
