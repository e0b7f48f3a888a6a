"""Filters by words let through exactly what a plain scan of all texts does, however the index came to be."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawing import examples
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_up import CENTERS, vector
from plain_words import STEMS, PlainDocument, meets, plain_words

from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexStore,
    IndexWriter,
    PassageRecord,
    damaged_files,
    merge_index,
    open_store,
    parse_filter,
)
from sparse_coverage.index.filter_syntax import filter_text
from sparse_coverage.index.filters import Filter, Words, allowed_documents, words
from sparse_coverage.index.pages import page_sums
from sparse_coverage.index.passage_parts import SortedWords, packed_words
from sparse_coverage.index.words import MOST_APART, Either, Near, Phrase, WordReader, WordWriter
from sparse_coverage.text import word_forms

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
    st.lists(TEXTS, max_size=1),
)
PATTERNS = ["ch*", "*s", "b?tter*", "*a*", "??ll", "h2?", "zz*"]
PHRASES = st.lists(st.sampled_from([*STEMS, "muller", *PATTERNS]), min_size=1, max_size=3).map(
    lambda chosen: Phrase(tuple(chosen))
)
FORMS = st.sampled_from([*STEMS, "muller"]).map(lambda word: Phrase((word,), any_form=True))


def wanted(inner: st.SearchStrategy[Phrase]) -> st.SearchStrategy[Phrase | Near | Either]:
    return st.recursive(
        inner,
        lambda parts: st.one_of(
            st.builds(Near, parts, parts, st.integers(1, 4) | st.just(MOST_APART), st.booleans()),
            st.lists(parts, min_size=2, max_size=3).map(lambda some: Either(tuple(some))),
        ),
        max_leaves=4,
    )


FILTERS = st.recursive(
    st.one_of(
        st.builds(
            Words, st.sampled_from(["text", "title", "abstract", "claims", "description"]), wanted(PHRASES | FORMS)
        ),
        st.builds(Words, st.sampled_from(["applicant", "inventor"]), wanted(PHRASES)),
    ),
    lambda parts: st.one_of(
        parts.map(lambda one: ~one),
        st.tuples(parts, parts).map(lambda two: two[0] & two[1]),
        st.tuples(parts, parts).map(lambda two: two[0] | two[1]),
    ),
    max_leaves=4,
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
    names = {"applicants": list(document.applicants), "inventors": list(document.inventors)}
    return DocumentRecord(f"D{number}", document.title, {**document.metadata, **names})


def passages_of(number: int, document: PlainDocument) -> list[IndexedPassage]:
    texts = [("claims", text) for text in document.claims] + [("description", text) for text in document.body]
    return [
        IndexedPassage(PassageRecord(f"D{number}/{place}", f"D{number}", section, text), vector({1: 0.5}))
        for place, (section, text) in enumerate([*texts, *(("abstract", one) for one in document.abstract or [""])])
    ]


def found(store: IndexStore, filter_: str) -> list[str]:
    numbers = np.flatnonzero(allowed_documents(store, parse_filter(filter_))).tolist()
    return [store.document(number).id for number in numbers]


APART = [  # no phrase goes from one text into the next, and nothing is near a thing of another text
    PlainDocument("", ["a phase"], ["change a"], ["Lead", "acid"], [])
]


class InMemory:
    """A segment with all that expressions on words ask for."""

    def __init__(self, documents: Sequence[PlainDocument]) -> None:
        writer, names = WordWriter(), ["claims", "description", "abstract"]
        self.sections = np.zeros(0, dtype=np.uint16)
        starts = [0]
        for number, document in enumerate(documents):
            passages = [one.passage for one in passages_of(number, document)]
            writer.add(number, record_of(number, document), passages)
            self.sections = np.append(self.sections, [names.index(one.section) for one in passages]).astype(np.uint16)
            starts.append(len(self.sections))
        self.section_names = tuple(names)
        arrays, places = writer.build()
        sums = {"sums": page_sums(places)}
        self.words = WordReader({**arrays, **sums}, places, Path(), np.asarray(starts, dtype=np.uint32))


@given(st.lists(DOCUMENTS, min_size=1, max_size=6), st.lists(FILTERS, min_size=1, max_size=6))
@example(APART, [words("phase change"), words("lead acid", field="applicant"), words("a change")])
@example(APART, [Words("text", Near(Phrase(("phase",)), Phrase(("change",)), MOST_APART, False))])
def test_an_expression_finds_what_a_plain_scan_finds_and_is_read_as_it_is_written(
    documents: list[PlainDocument], filters: list[Filter]
) -> None:
    segment: Any = InMemory(documents)
    for filter_ in filters:
        text = filter_text(filter_)
        again = parse_filter(text)
        assert filter_text(parse_filter(filter_text(again))) == filter_text(again)
        expected = [meets(f"D{number}", document, filter_) for number, document in enumerate(documents)]
        assert filter_.mask(segment)[0].tolist() == expected, text
        assert again.mask(segment)[0].tolist() == expected, text


@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DOCUMENTS, min_size=1, max_size=6), st.lists(FILTERS, min_size=1, max_size=6), st.integers(1, 6))
def test_expressions_find_the_same_in_several_segments(
    tmp_path_factory: pytest.TempPathFactory, documents: list[PlainDocument], filters: list[Filter], every: int
) -> None:
    store = write(tmp_path_factory.mktemp("words") / "index", documents, every)
    for filter_ in filters:
        expected = [meets(f"D{number}", document, filter_) for number, document in enumerate(documents)]
        assert allowed_documents(store, filter_).tolist() == expected, filter_text(filter_)
    store.close()


@given(st.text(max_size=30))
def test_any_text_is_split_into_words_or_refused(text: str) -> None:
    split = word_forms(text)
    assert all(word == word.lower() or not word.isascii() for word in split)
    if text.isascii():
        assert split == plain_words(text)
    if split and not set(text) & set("*?"):
        words(text)
    elif not split:
        with pytest.raises(InputError):
            words(text)


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


@pytest.mark.parametrize(
    ("name", "told"), [("words.safetensors", "wrong sha256"), ("word_places.bin", "wrong checksum")]
)
def test_damaged_words_are_told_and_hurt_nothing_else(small: Path, tmp_path: Path, name: str, told: str) -> None:
    folder = tmp_path / "index"
    shutil.copytree(small, folder)
    path = next(folder.glob(f"segments/*/{name}"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    store = open_store(folder)
    assert found(store, "not document:D9") == ["D0", "D1", "D2"]
    for _ in range(2):
        with pytest.raises(IndexStoreError, match=rf"{name}: damaged .*\({told}\)"):
            found(store, "battery or phase or valve or pump or eva or a")
    store.close()
    assert damaged_files(folder) == [str(path.relative_to(folder))]


LETTERS = st.text(st.sampled_from("abé字"), max_size=12)


@given(st.sets(LETTERS, max_size=30), st.lists(LETTERS, max_size=10))
def test_many_words_are_found_at_once_as_one_by_one(kept: set[str], asked: list[str]) -> None:
    ordered = sorted(kept, key=str.encode)
    arrays = packed_words("word", ordered, [1] * len(ordered))
    words = SortedWords(arrays, "word", np.arange(len(ordered), dtype=np.uint32))
    wanted = [*asked, *ordered]
    found = words.find(wanted)
    assert found == [ordered.index(word) if word in kept else -1 for word in wanted]
    assert [[number] if number >= 0 else [] for number in found] == [words.numbers(word) for word in wanted]
    there = [number for number in found if number >= 0]
    assert [lists.tolist() for lists in words.lists_at(there)] == [[number] for number in there]
