from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import CENTERS, Made, build, random_document, vector, whole

from sparse_coverage import files
from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexWriter,
    PassageRecord,
    damaged_files,
    open_store,
)
from sparse_coverage.index import store as store_module
from sparse_coverage.index import writer as writer_module


def made(count: int, seed: int = 0, prefix: str = "D") -> list[Made]:
    random = np.random.default_rng(seed)
    return [random_document(f"{prefix}{number}", random, country="EP") for number in range(count)]


def ids(folder: Path) -> list[str]:
    store = open_store(folder)
    try:
        return [
            segment.texts.document(number).id
            for segment in store.segments
            for number in np.flatnonzero(segment.live_documents).tolist()
        ]
    finally:
        store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path / "index", made(6))
    return tmp_path / "index"


def test_what_was_added_can_be_read_again(folder: Path) -> None:
    store = open_store(folder)
    documents = made(6)
    assert store.manifest["documents"] == 6
    assert store.manifest["passages"] == sum(len(document.units) for document in documents)
    assert store.manifest["spans"] == sum(spans for document in documents for _, spans in document.units)
    for number, document in enumerate(documents):
        assert store.document(number) == DocumentRecord(document.id, f"Title of {document.id}", {"country": "EP"})
        units = [store.passage(unit) for unit in store.passages_of(number)]
        assert units == [one.passage for one in document.indexed]
        assert store.find_document(document.id) == number
        assert store.find_passage(f"{document.id}/0") == store.passages_of(number).start
    assert store.find_document("nobody") is None
    assert store.find_passage("nobody/0") is None


def test_passages_read_before_are_found_as_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_RECENT", 3)  # more are read than are kept
    with IndexWriter.open(folder) as writer:
        writer.delete("D1")
        writer.commit()
    fresh, used = open_store(folder), open_store(folder)
    for _ in range(2):
        for number in range(used.size):
            record = used.passage(number)
            assert record == fresh.segment_of_passage(number).texts.passage(number)
            deleted = record.document == "D1"
            assert used.find_passage(record.id) == (None if deleted else number)


def test_a_passage_id_cannot_come_twice_in_a_document(folder: Path) -> None:
    unit = IndexedPassage(PassageRecord("P", "N", "claims", "text"), vector({1: 0.5}))
    with IndexWriter.open(folder) as writer, pytest.raises(IndexStoreError, match="'P' comes twice"):
        writer.add(DocumentRecord("N", "", {}), [unit, unit])


def test_a_document_that_cannot_be_indexed_leaves_the_others_alone(folder: Path) -> None:
    good, bad = vector({1: 0.5}), vector({CENTERS + 3: 0.5})
    with IndexWriter.open(folder) as writer:
        units = [
            IndexedPassage(PassageRecord(f"N/{n}", "N", "claims", "text"), one, whole("N"))
            for n, one in enumerate([good, bad])
        ]
        with pytest.raises(IndexStoreError, match="names center 26"):
            writer.add(DocumentRecord("N", "", {}), units)
        assert "N" not in writer
        writer.add(DocumentRecord("M", "", {}), units[:1])
        writer.commit()
    store = open_store(folder)
    assert ids(folder)[-1] == "M"
    number = store.find_document("M")
    assert number is not None
    unit = store.passages_of(number).start - store.segments[-1].first_passage
    assert store.segments[-1].find(np.arange(CENTERS), unit, unit + 1)[:, 0].tolist() == [1]


def test_a_passage_without_the_vector_that_an_index_keeps_is_refused(folder: Path) -> None:
    unit = IndexedPassage(PassageRecord("N/0", "N", "claims", "text"), vector({1: 0.5}))
    with (
        IndexWriter.open(folder) as writer,
        pytest.raises(IndexStoreError, match="'N' has passages without a vector of 8"),
    ):
        writer.add(DocumentRecord("N", "", {}), [unit])


def test_after_a_failed_write_nothing_more_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with IndexWriter.open(folder) as writer:
        extra = made(1, prefix="E")[0]
        writer.add(extra.record, extra.indexed)
        with monkeypatch.context() as patch:
            patch.setattr("sparse_coverage.index.segment_writer.sync_file", full)
            with pytest.raises(IndexStoreError, match="No space left"):
                writer.commit()
        with pytest.raises(IndexStoreError, match="an earlier change failed"):
            writer.commit()
    assert ids(folder) == ["D0", "D1", "D2", "D3", "D4", "D5"]


@pytest.mark.parametrize("step", ["the folder is synced", "the writer takes note"])
def test_a_commit_that_is_interrupted_after_its_last_step_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The manifest is in its place, but the writer never hears of it: what it names must not be cleared away."""
    really_write, really_sync = writer_module.write_manifest, files._synced_after

    def write_then_stop(*arguments: Any) -> None:
        really_write(*arguments)
        raise KeyboardInterrupt

    @contextmanager
    def fail_for_the_index(path: Path) -> Iterator[None]:
        with really_sync(path):
            yield
        if path == folder:
            raise OSError(5, "Input/output error")

    extra = made(1, prefix="E")[0]
    with monkeypatch.context() as patch, IndexWriter.open(folder) as writer:
        writer.add(extra.record, extra.indexed)
        writer.delete("D0")
        if step == "the folder is synced":
            patch.setattr(files, "_synced_after", fail_for_the_index)
            with pytest.raises(IndexStoreError, match=r"cannot be written .* This change is in force"):
                writer.commit()
        else:
            patch.setattr(writer_module, "write_manifest", write_then_stop)
            with pytest.raises(KeyboardInterrupt):
                writer.commit()
    assert ids(folder) == ["D1", "D2", "D3", "D4", "D5", "E0"]
    assert damaged_files(folder) == []


def test_one_writer_at_a_time_readers_at_any_time(folder: Path) -> None:
    with IndexWriter.open(folder):
        assert len(ids(folder)) == 6
        with pytest.raises(IndexStoreError, match="another process is writing"):
            IndexWriter.open(folder)
    IndexWriter.open(folder).close()


def test_many_small_commits_do_not_pile_up_segments(tmp_path: Path) -> None:
    build(tmp_path / "index", [])
    for document in made(40):
        with IndexWriter.open(tmp_path / "index") as writer:
            writer.add(document.record, document.indexed)
            writer.commit()
    assert len(open_store(tmp_path / "index").segments) <= 8
    assert ids(tmp_path / "index") == [f"D{number}" for number in range(40)]


def test_memory_bounds_what_is_held_and_changes_nothing_else(tmp_path: Path) -> None:
    build(tmp_path / "large", made(30))
    build(tmp_path / "small", made(30), memory=2_000)
    assert len(open_store(tmp_path / "large").segments) == 1
    assert ids(tmp_path / "small") == ids(tmp_path / "large")
    assert open_store(tmp_path / "small").frequencies.tolist() == open_store(tmp_path / "large").frequencies.tolist()


def test_an_unfinished_index_says_how_to_go_on(tmp_path: Path) -> None:
    with IndexWriter.create(tmp_path / "index", CENTERS, {}) as writer:
        writer.add(DocumentRecord("A", "", {}), [])
        writer.commit(complete=False)
    with pytest.raises(IndexStoreError, match=r"did not finish; 1 of 1 documents.*again"):
        open_store(tmp_path / "index")
    assert open_store(tmp_path / "index", unfinished=True).manifest["documents"] == 1


def test_a_folder_without_an_index_says_so(tmp_path: Path) -> None:
    with pytest.raises(IndexStoreError, match="no index here"):
        open_store(tmp_path)
    with pytest.raises(IndexStoreError, match="no index here"):
        damaged_files(tmp_path)
