"""Readers while a writer commits: each sees one committed state, whole, from its first look to its last."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from made_up import CENTERS, build, random_document
from waiting import wait_until

from sparse_coverage.index import IndexWriter, allowed_passages, damaged_files, open_store, parse_filter
from sparse_coverage.index import store as store_module
from sparse_coverage.index.segment import SegmentEntry

COMMITS = 16


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
            if number % 4 == 0:
                wait_until(lambda state=tuple(held): state in seen or failures, "a reader that sees the new state")
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert failures == []
    assert seen <= states
    assert len(seen) >= COMMITS / 4
    assert read(folder) == tuple(held)


def test_verifying_takes_a_commit_for_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a writer merged away while they were read were called damaged."""
    folder, random = tmp_path / "index", np.random.default_rng(4)
    build(folder, [random_document(f"B{number}", random) for number in range(4)])

    def commit() -> None:
        with IndexWriter.open(folder) as writer:
            writer.delete(f"B{len(commits)}")
            writer.merge()

    commits: list[str] = []
    files = store_module.damaged_segment_files

    def disturbed(path: Path, entry: SegmentEntry) -> list[str]:
        if len(commits) < 3:  # once the segment was named, once its header was read, ...
            commits.append(path.name)
            commit()
        return files(path, entry)

    monkeypatch.setattr(store_module, "damaged_segment_files", disturbed)
    assert damaged_files(folder) == []
    assert len(commits) == 3
    [path] = (folder / "segments").glob("*/postings.bin")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert damaged_files(folder) == [str(path.relative_to(folder))]
