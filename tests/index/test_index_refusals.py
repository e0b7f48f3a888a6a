"""What cannot be done is refused with a reason, and leaves everything as it was."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from made_up import CENTERS, build, random_document, vector, whole

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexWriter,
    PassageRecord,
    allowed_passages,
    delete_documents,
    merge_index,
    open_store,
)
from sparse_coverage.index.filters import section
from sparse_coverage.index.segment import OPEN_FILES


def ids(folder: Path) -> list[str]:
    store = open_store(folder)
    return [store.document(number).id for number in range(store.manifest["documents"])]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    build(tmp_path / "index", [random_document(f"D{number}", random) for number in range(6)])
    return tmp_path / "index"


def test_an_unfinished_index_is_merged_as_one_and_nothing_is_deleted_from_it(tmp_path: Path) -> None:
    """The build, when it goes on, would bring back what was deleted."""
    with IndexWriter.create(tmp_path / "index", CENTERS, {}) as writer:
        writer.add(DocumentRecord("A", "", {}), [])
        writer.commit(complete=False)
    merge_index(tmp_path / "index")
    with pytest.raises(IndexStoreError, match="did not finish"):
        delete_documents(tmp_path / "index", ["A"])
    with pytest.raises(IndexStoreError, match="did not finish"):
        open_store(tmp_path / "index")


@pytest.mark.parametrize(
    ("record", "text", "complaint"),
    [
        (DocumentRecord("N", "half \ud800", {}), "", r"'N' holds \\ud800, half of a character"),
        (DocumentRecord("N", "", {}), "half \udfff", r"'N' holds \\udfff, half of a character"),
        (DocumentRecord("N\ud800", "", {}), "", r"'N\\ud800' holds"),
        (DocumentRecord("N", "", {"applicant": "\ud801"}), "", r"'N' holds \\ud801"),
        (DocumentRecord("N", "", {"dates": {1, 2}}), "", "metadata of the document 'N' cannot be kept as JSON"),
    ],
)
def test_what_no_file_can_hold_is_refused_and_the_rest_goes_on(
    folder: Path, record: DocumentRecord, text: str, complaint: str
) -> None:
    with IndexWriter.open(folder) as writer:
        with pytest.raises(IndexStoreError, match=complaint):
            writer.add(record, [IndexedPassage(PassageRecord("N/0", "N", "claims", text), vector({1: 0.5}))])
        writer.add(DocumentRecord("M", "", {}), [])
        writer.commit()
    assert ids(folder)[-1] == "M"


def test_there_may_be_any_number_of_sections(folder: Path) -> None:
    units = [
        IndexedPassage(PassageRecord(f"N/{n}", "N", f"section {n}", "text"), vector({1: 0.5}), whole("N"))
        for n in range(300)
    ]
    with IndexWriter.open(folder) as writer:
        writer.add(DocumentRecord("N", "", {}), units)
        writer.commit()
    store = open_store(folder)
    allowed = allowed_passages(store, section("section 299"))
    assert np.flatnonzero(allowed).tolist() == [store.find_passage("N/299")]


def test_a_folder_without_an_index_is_left_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(IndexStoreError, match="no index here"):
        IndexWriter.open(tmp_path)
    with pytest.raises(IndexStoreError, match="no index here"):
        merge_index(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("filelock.FileLock.acquire", read_only)
    with pytest.raises(IndexStoreError, match=r"cannot be changed here .*Read-only file system"):
        IndexWriter.open(folder)
    assert len(ids(folder)) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on open files to lower")
def test_too_few_open_files_are_not_taken_for_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _: (OPEN_FILES, 4096))
    with pytest.raises(
        IndexStoreError, match=rf"takes {OPEN_FILES} open files, and a process may have {OPEN_FILES} here"
    ):
        open_store(folder)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files can be counted on Linux only")
def test_a_reader_holds_as_many_files_open_as_it_says(folder: Path) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    store = open_store(folder)
    assert len(set(Path("/proc/self/fd").iterdir()) - before) <= OPEN_FILES * len(store.segments)
    store.close()
