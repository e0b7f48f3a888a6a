"""A byte that changes, a file that is cut or missing, a disk that is full: noticed, named, never a wrong result."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from made_up import CENTERS, Made, build, random_document

from sparse_coverage.errors import IndexStoreError, SparseCoverageError
from sparse_coverage.index import IndexWriter, damaged_files, manifest, open_store, parse_filter, segment_writer
from sparse_coverage.index.filters import allowed_passages

DOCUMENTS = [random_document(f"D{n}", np.random.default_rng(n), country="EP", ipc=["H04N 5/44"]) for n in range(30)]


def everything(folder: Path) -> list[object]:
    """All that a search could use, read as a search reads it."""
    store = open_store(folder)
    seen: list[object] = [store.frequencies.tolist(), store.manifest["spans"], store.manifest["uncovered_spans"]]
    seen.append(
        allowed_passages(store, parse_filter("country:EP not document:D3 ipc:H04N section:claims text:text")).tolist()
    )
    for segment in store.segments:
        seen.append(segment.find(np.arange(CENTERS), 0, len(segment)).tolist())
        seen += [segment.texts.passage(unit) for unit in range(len(segment))]
        seen += [segment.texts.document(number) for number in range(segment.entry.documents)]
        seen.append(segment.document_starts.tolist())
        lists, vectors = segment.word_lists, segment.vectors
        assert lists is not None
        assert vectors is not None
        seen += [(word, lists.list_at(number).tolist()) for number, word in enumerate(lists)]
        seen += [lists.lengths.tolist(), vectors.unpacked(0, len(segment)).tolist()]
    seen += [(store.find_document(f"D{n}"), store.find_passage(f"D{n}/0")) for n in range(len(DOCUMENTS))]
    return seen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path / "index", DOCUMENTS)
    with IndexWriter.open(tmp_path / "index") as writer:
        writer.delete("D7")
        writer.commit()
    return tmp_path / "index"


def files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "write.lock"]


def test_a_sound_index_has_no_damaged_files(folder: Path) -> None:
    assert damaged_files(folder) == []
    assert {path.name for path in files(folder)} == {
        "manifest.json", "segment.json", "facts.safetensors", "terms.json", "texts.sqlite", "postings.bin", "spans.bin",
        "words.safetensors", "word_places.bin",
        "word_lists.safetensors", "word_postings.bin", "passage_vectors.bin", "deleted-000002.safetensors",
    }  # fmt: skip


def test_a_flipped_byte_anywhere_is_reported_by_file_and_never_gives_other_results(folder: Path) -> None:
    sound = everything(folder)
    random = np.random.default_rng(5)
    for path in files(folder):
        content = path.read_bytes()
        noticed = 0
        for place in random.choice(len(content), size=min(len(content), 25), replace=False).tolist():
            changed = bytearray(content)
            changed[place] ^= 1 << int(random.integers(8))
            path.write_bytes(changed)
            name = str(path.relative_to(folder)).replace("\\", "/")
            if path.name == "manifest.json":
                with pytest.raises(SparseCoverageError, match=r"manifest\.json"):
                    open_store(folder)
                assert damaged_files(folder) == [name]
                continue
            assert damaged_files(folder) == [name]
            complaint = ""
            try:
                seen = everything(folder)
            except IndexStoreError as error:
                complaint = str(error)
            if complaint:
                assert path.name in complaint
                noticed += 1
            else:
                assert seen == sound  # only bytes that nothing depends on, such as padding
        path.write_bytes(content)
        assert noticed or path.name in ("manifest.json", "texts.sqlite"), path
    assert everything(folder) == sound


@pytest.mark.parametrize("change", [lambda content: content[:-2], lambda content: content + b"x", lambda _: b""])
def test_a_file_of_another_length_is_refused(folder: Path, change: Callable[[bytes], bytes]) -> None:
    for path in files(folder):
        content = path.read_bytes()
        path.write_bytes(change(content))
        with pytest.raises(SparseCoverageError) as raised:
            everything(folder)
        assert path.name in str(raised.value)
        assert [Path(name).name for name in damaged_files(folder)] == [path.name]
        path.write_bytes(content)


def test_a_missing_file_is_named(folder: Path) -> None:
    for path in files(folder):
        content = path.read_bytes()
        path.unlink()
        with pytest.raises(IndexStoreError) as raised:
            everything(folder)
        assert path.name in str(raised.value)
        if path.name != "manifest.json":
            assert [Path(name).name for name in damaged_files(folder)] == [path.name]
        with pytest.raises(IndexStoreError) as raised:
            IndexWriter.open(folder)
        assert path.name in str(raised.value)
        path.write_bytes(content)


@pytest.mark.parametrize("name", ["postings.bin", "word_postings.bin"])
def test_damage_is_not_merged_into_a_new_segment(folder: Path, name: str) -> None:
    path = next(folder.glob(f"segments/*/{name}"))
    content = bytearray(path.read_bytes())
    content[-3] ^= 4
    path.write_bytes(content)
    with IndexWriter.open(folder) as writer, pytest.raises(IndexStoreError, match=rf"{name}: damaged"):
        writer.merge()


def test_a_merge_copies_the_words_of_passages_and_reads_no_text_for_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = [random_document(f"E{n}", np.random.default_rng(100 + n)) for n in range(9)]
    build(tmp_path / "fresh", [made for made in [*DOCUMENTS, *later] if made.id not in ("D7", "E2")])
    with IndexWriter.open(folder) as writer:
        for made in later:
            writer.add(made.record, made.indexed)
        writer.commit()
        writer.delete("E2")
        monkeypatch.setattr(segment_writer, "index_terms", lambda text: pytest.fail(f"read again: {text}"))
        writer.merge()
    for name in ("word_lists.safetensors", "word_postings.bin"):
        [merged], [fresh] = (list(place.glob(f"segments/*/{name}")) for place in (folder, tmp_path / "fresh"))
        assert merged.read_bytes() == fresh.read_bytes()


def test_an_index_of_another_format_is_refused_and_not_called_damaged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "FORMAT", 99)
    IndexWriter.create(folder.parent / "later", CENTERS, {}).close()
    monkeypatch.undo()
    for reads in (open_store, damaged_files, IndexWriter.open):
        with pytest.raises(IndexStoreError, match=rf"format 99.*reads format {manifest.FORMAT}.*sparse-coverage index"):
            reads(folder.parent / "later")


_WRITER = """
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import numpy as np
from made_up import build, random_document
from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index import IndexWriter
random = np.random.default_rng(1)
large = [random_document(f"L{n}", random, units=200) for n in range(20)]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for folder, limit in zip(sys.argv[2::2], map(int, sys.argv[3::2])):
    if (child := os.fork()) == 0:
        with IndexWriter.open(Path(folder)) as writer:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            try:
                for made in large:
                    writer.add(made.record, made.indexed)
                writer.delete("D1")
                writer.commit()
            except IndexStoreError as error:
                told = str(error)
        os.write(1, f"{told}\\n".encode())
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on file sizes to stand in for a full disk")
def test_a_full_disk_leaves_the_last_commit_and_says_so(tmp_path: Path) -> None:
    """Writing past a limit fails as on a full disk: in SQLite, in NumPy, or in the manifest, depending on the limit."""
    folders = {limit: tmp_path / f"index-{limit}" for limit in (0, 300, 5_000, 100_000)}
    arguments = [sys.executable, "-c", _WRITER, str(Path(__file__).parent)]
    for limit, folder in folders.items():
        build(folder, DOCUMENTS)
        arguments += [str(folder), str(limit)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == len(folders)
    build(tmp_path / "sound", DOCUMENTS)
    before = everything(tmp_path / "sound")
    for said, folder in zip(told, folders.values(), strict=True):
        assert "cannot be written" in said
        assert "as it was after its last commit (number 1)" in said
        assert damaged_files(folder) == []
        assert everything(folder) == before
        with IndexWriter.open(folder) as writer:
            extra = Made("N", (({1: 0.5}, 3),))
            writer.add(extra.record, extra.indexed)
            writer.commit()
        assert open_store(folder).manifest["documents"] == 31
