"""Filters by words let through exactly what a plain scan of all texts does, however the index came to be."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_up import CENTERS, vector
from plain_words import STEMS, PlainDocument, holds, plain_words

from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.files import sha256_of
from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexStore,
    IndexWriter,
    PassageRecord,
    add_words,
    damaged_files,
    merge_index,
    open_store,
    parse_filter,
)
from sparse_coverage.index.filters import allowed_documents, words
from sparse_coverage.index.words import FIELDS, WordReader, WordWriter, split_words, stem_of, wanted_words

OLD_INDEX = Path(__file__).parents[1] / "golden" / "index-format-3"
WORDS = st.sampled_from([*STEMS, "Müller", "Lead-acid", "H2O", "BATTERIES", "phase-change", "\ue000"])
TEXTS = st.lists(WORDS, max_size=8).flatmap(
    lambda chosen: st.sampled_from([" ", ", ", "-", ". "]).map(lambda between: between.join(chosen))
)
DOCUMENTS = st.builds(
    PlainDocument,
    TEXTS,
    st.lists(TEXTS, max_size=3),
    st.lists(TEXTS, max_size=3),
    st.lists(TEXTS, max_size=2),
    st.lists(TEXTS, max_size=2),
)
PHRASES = st.lists(st.sampled_from([*STEMS, "Müller", "lead-acid", "Batter*", "ch*"]), min_size=1, max_size=3).map(
    lambda chosen: " ".join(word.rstrip("*") for word in chosen[:-1]) + " " + chosen[-1]
)


def write(folder: Path, documents: Sequence[PlainDocument], every: int = 100) -> IndexStore:
    """An index of some documents, in segments of so many."""
    with IndexWriter.create(folder, CENTERS, {}) as writer:
        for number, document in enumerate(documents):
            writer.add(record_of(number, document), passages_of(number, document))
            if number % every == every - 1:
                writer.flush()
        writer.commit()
    return open_store(folder)


def record_of(number: int, document: PlainDocument) -> DocumentRecord:
    metadata = {"applicants": list(document.applicants), "inventors": list(document.inventors)}
    return DocumentRecord(f"D{number}", document.title, metadata)


def passages_of(number: int, document: PlainDocument) -> list[IndexedPassage]:
    texts = [("claims", text) for text in document.claims] + [("description", text) for text in document.body]
    return [
        IndexedPassage(PassageRecord(f"D{number}/{place}", f"D{number}", section, text), vector({1: 0.5}))
        for place, (section, text) in enumerate([*texts, ("abstract", "")])
    ]


def found(store: IndexStore, filter_: str) -> list[str]:
    numbers = np.flatnonzero(allowed_documents(store, parse_filter(filter_))).tolist()
    return [store.document(number).id for number in numbers]


ASKED = st.lists(st.tuples(PHRASES, st.sampled_from(sorted(FIELDS))), min_size=1, max_size=8)
APART = [
    PlainDocument("", ["a phase"], ["change a"], ["Lead", "acid"], [])
]  # no phrase goes from one text into the next


@given(st.lists(DOCUMENTS, min_size=1, max_size=6), ASKED)
@example(APART, [("phase change", "text"), ("lead acid", "applicant"), ("a change", "text")])
def test_words_are_those_of_a_plain_scan(
    tmp_path_factory: pytest.TempPathFactory, documents: list[PlainDocument], asked: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("words") / "words.sqlite"
    writer = WordWriter()
    for number, document in enumerate(documents):
        passages = [one.passage for one in passages_of(number, document)]
        writer.add(number, record_of(number, document), passages)
    writer.finish(path)
    reader = WordReader(path, sha256_of(path))
    for phrase, field in asked:
        here = reader.documents(wanted_words(phrase, field), len(documents)).tolist()
        assert here == [holds(document, field, phrase) for document in documents], (phrase, field)
    reader.close()


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DOCUMENTS, min_size=1, max_size=6), ASKED, st.integers(1, 6))
def test_words_of_several_segments_are_those_of_a_plain_scan(
    tmp_path_factory: pytest.TempPathFactory, documents: list[PlainDocument], asked: list[tuple[str, str]], every: int
) -> None:
    store = write(tmp_path_factory.mktemp("words") / "index", documents, every)
    for phrase, field in asked:
        here = allowed_documents(store, words(phrase, field=field)).tolist()
        assert here == [holds(document, field, phrase) for document in documents], (phrase, field)
    store.close()


@given(st.text(max_size=30))
def test_any_text_is_split_into_words_or_refused(text: str) -> None:
    split = split_words(text)
    assert all(word == word.lower() or not word.isascii() for word in split)
    if text.isascii():
        assert split == plain_words(text)
    if split:
        words(text)
    else:
        with pytest.raises(InputError):
            words(text)


def test_the_stems_of_the_scan_are_those_of_sqlite() -> None:
    assert {word: stem_of(word) for word in STEMS} == STEMS


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words") / "index"
    write(
        folder,
        [
            PlainDocument(
                "Battery", ["A cell with a phase change"], ["Lead-acid batteries"], ["Bosch GmbH"], ["Müller, Eva"]
            ),
            PlainDocument("Valve", ["A valve."], ["It changes the phase of a battery."], ["Valve AG"], []),
            PlainDocument("Pump", ["A pump."], [], [], ["Eva, Adam"]),
        ],
        every=1,
    ).close()
    return folder


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        ("text:battery", ["D0", "D1"]),
        ("title:batteries", ["D0"]),
        ('text:"phase change"', ["D0"]),
        ("text:phase text:change", ["D0", "D1"]),
        ('not text:"lead-acid"', ["D1", "D2"]),
        ('text:"lead acid"', ["D0"]),
        ("claims:valve,pump", ["D1", "D2"]),
        ("claims:battery", []),
        ("text:batter*", ["D0", "D1"]),
        ("applicant:bosch", ["D0"]),
        ("applicant:valve", ["D1"]),
        ("applicant:valves", []),
        ('inventor:"muller, eva"', ["D0"]),
        ("inventor:EVA", ["D0", "D2"]),
        ("text:battery and not applicant:Bosch", ["D1"]),
        ("text:nothingofthekind", []),
    ],
)
def test_a_word_filter_lets_through_what_it_says(small: Path, filter_: str, expected: list[str]) -> None:
    store = open_store(small)
    assert found(store, filter_) == expected
    store.close()


def test_words_follow_deletes_replacements_and_merges(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    shutil.copytree(small, folder)
    before = open_store(folder)
    with IndexWriter.open(folder) as writer:
        writer.delete("D1")
        replaced = PlainDocument("Pump", [], ["It feeds batteries."], [], [])
        writer.replace(record_of(2, replaced), passages_of(2, replaced))
        writer.commit()
    after = open_store(folder)
    assert found(after, "text:battery") == ["D0", "D2"]
    merge_index(folder)
    merged = open_store(folder)
    assert found(merged, "text:battery") == ["D0", "D2"]
    assert len(merged.segments) == 1
    assert found(before, "text:battery") == ["D0", "D1"]  # a reader keeps its snapshot, whose files are gone
    for store in (before, after, merged):
        store.close()


def test_the_same_documents_give_the_same_bytes(tmp_path: Path) -> None:
    documents = [PlainDocument(f"Pump {n}", ["A battery"] * n, ["phase change " * 300], [], []) for n in range(9)]
    for name, every in (("one", 100), ("several", 2)):
        write(tmp_path / name, documents, every).close()
        merge_index(tmp_path / name)
    one, several = (
        [path.read_bytes() for path in (tmp_path / name).glob("segments/*/words.sqlite")] for name in ("one", "several")
    )
    assert len(one) == len(several) == 1
    assert one == several


def test_an_index_without_words_says_so_and_gets_them(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    shutil.copytree(OLD_INDEX, folder)
    store = open_store(folder)
    with pytest.raises(InputError, match=rf"kept no words.*index refresh {folder}"):
        found(store, "text:pump")
    texts = {
        store.document(n).id: " ".join(store.passage(p).text for p in store.passages_of(n))
        for n in range(len(store.document_starts) - 1)
    }
    store.close()
    assert add_words(folder) == 1
    assert add_words(folder) == 0
    store = open_store(folder)
    assert found(store, "text:pump") == [id_ for id_, text in texts.items() if "pump" in text.lower()]
    store.close()


def test_damaged_words_are_told_and_hurt_nothing_else(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    shutil.copytree(small, folder)
    path = next(folder.glob("segments/*/words.sqlite"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    store = open_store(folder)
    assert found(store, "not document:D9") == ["D0", "D1", "D2"]
    for _ in range(2):
        with pytest.raises(IndexStoreError, match=r"words\.sqlite: damaged \(wrong sha256\)"):
            found(store, "text:battery")
    store.close()
    assert damaged_files(folder) == [str(path.relative_to(folder))]


def test_python_without_fts5_indexes_and_says_what_is_missing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sparse_coverage.index import drafting
    from sparse_coverage.index import words as module

    monkeypatch.setattr(drafting, "can_keep_words", lambda: False)
    monkeypatch.setattr(module, "can_keep_words", lambda: False)
    store = write(tmp_path / "index", [PlainDocument("Pump", [], ["A battery"], [], [])])
    assert found(store, "document:D0") == ["D0"]
    with pytest.raises(InputError, match="need SQLite with FTS5"):
        found(store, "text:battery")
    store.close()


def test_claims_cannot_be_told_in_whole_documents(tmp_path: Path) -> None:
    with IndexWriter.create(tmp_path / "index", CENTERS, {}) as writer:
        passage = PassageRecord("D0/0", "D0", "document", "A battery")
        writer.add(DocumentRecord("D0", "", {}), [IndexedPassage(passage, vector({1: 0.5}))])
        writer.commit()
    store = open_store(tmp_path / "index")
    assert found(store, "text:batteries") == ["D0"]
    with pytest.raises(InputError, match="claims cannot be told apart"):
        found(store, "claims:battery")
    store.close()


def test_a_file_of_words_is_an_ordinary_database(small: Path) -> None:
    with sqlite3.connect(next(small.glob("segments/*/words.sqlite"))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT rowid FROM words WHERE words MATCH 'claims : \"phase change\"'").fetchall()
    connection.close()
    assert rows == [(0,)]
