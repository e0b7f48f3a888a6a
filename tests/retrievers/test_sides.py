"""Sides of an index: they follow what is added, deleted and merged, and say so when they could not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from letters_side import ALPHABET, Letters, install_letters
from made_up_patents import TEXTS, patent, patents

from sparse_coverage import ActivationConfig, Index, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import IndexStoreError, InputError, MismatchError, SparseCoverageError
from sparse_coverage.index import open_store
from sparse_coverage.index.sides import damaged_side_files, refresh_side
from sparse_coverage.retrievers import Baseline, open_retriever, refresh_sides


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install_letters(monkeypatch)


@pytest.fixture
def index(tmp_path: Path, tiny_checkpoint: Path) -> Index:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    activation = ActivationConfig(k=8, assignment="nearest")
    vocabulary = SparseCoverage.fit(patents(), encoder=encoder, size=40).vocabulary
    model = SparseCoverage(encoder, vocabulary, activation)
    return Index.build(tmp_path / "index", model, patents()[:4])


def scores(index: Index, kind: str) -> dict[str, list[tuple[str, float]]]:
    """What a side finds for every text, by passage."""
    side = open_retriever(index.store.folder, kind, encoder=index.model.encoder)
    return {text: [(hit.id, hit.score) for hit in side.search_passages(text, k=100)] for text in TEXTS}


def test_a_side_follows_every_change(index: Index, tmp_path: Path) -> None:
    folder = index.store.folder
    refresh_sides(folder, [Letters()])
    index.add(patents()[4:])
    index.delete(["XX-1-A1"])
    index.add([patent(0, "A rubber lamp.")], replace=True)
    refresh_sides(folder)
    after = scores(index, "letters")
    texts = [(number, text) for number, text in enumerate(TEXTS) if number not in (0, 1)] + [(0, "A rubber lamp.")]
    fresh = Baseline.build(tmp_path / "fresh", Letters(), [patent(*one) for one in texts])
    for text in TEXTS:
        assert after[text] == [(hit.id, pytest.approx(hit.score, abs=1e-6)) for hit in fresh.search_passages(text, 100)]
    index.merge()
    refresh_sides(folder)
    assert scores(index, "letters") == after
    assert len(list((folder / "sides" / "letters").glob("*/block.json"))) == 1


def test_a_baseline_is_built_from_pairs_and_texts_too(tmp_path: Path) -> None:
    built = Baseline.build(tmp_path / "pairs", Letters(), [("mine", "A rubber lamp."), "A valve."])
    assert built.search("A rubber lamp.", k=1)[0].document == "mine"
    assert len(built) == 2
    with pytest.raises(InputError, match="this is one text"):
        Baseline.build(tmp_path / "text", Letters(), "A valve.")


def test_a_merge_encodes_nothing_again(index: Index) -> None:
    side = Letters()
    refresh_side(index.store, side)
    assert side.read == 8
    index.add(patents()[4:])
    refresh_side(index.store, side)
    assert side.read == 12
    index.delete(["XX-0-A1"])
    index.merge()
    assert refresh_side(index.store, side) == 1
    assert side.read == 12


def test_what_was_damaged_is_not_copied(index: Index) -> None:
    side = Letters()
    refresh_side(index.store, side)
    path = next((index.store.folder / "sides").glob("letters/*/vectors.npy"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 64
    path.write_bytes(content)
    assert damaged_side_files(index.store.folder) == [str(path.relative_to(index.store.folder))]
    index.add(patents()[4:])
    index.merge()
    refresh_side(index.store, side)
    assert side.read == 20
    assert damaged_side_files(index.store.folder) == []


def test_a_flipped_bit_of_any_file_of_a_side_is_told_when_it_is_opened(index: Index) -> None:
    """A block was mapped as it lay there: one flipped bit of a vector changed scores, and nothing said so."""
    folder, encoder = index.store.folder, index.model.encoder
    refresh_sides(folder, [Letters()])
    before = open_retriever(folder, "letters", encoder=encoder).search(TEXTS[0], k=3)
    [block] = [path.parent for path in (folder / "sides" / "letters").glob("*/block.json")]
    for path in sorted(block.iterdir()):
        sound = path.read_bytes()
        for place in {len(sound) // 3, len(sound) - 2}:
            damaged = bytearray(sound)
            damaged[place] ^= 1
            path.write_bytes(damaged)
            with pytest.raises(SparseCoverageError, match=path.name if path.suffix == ".npy" else block.name):
                open_retriever(folder, "letters", encoder=encoder)
        path.write_bytes(sound)
    assert open_retriever(folder, "letters", encoder=encoder).search(TEXTS[0], k=3) == before


def test_a_changed_word_of_what_a_side_says_of_itself_is_damage(index: Index) -> None:
    """With another alphabet, a side would answer, and answer otherwise."""
    folder = index.store.folder
    refresh_sides(folder, [Letters()])
    path = folder / "sides" / "letters" / "side.json"
    assert damaged_side_files(folder) == []
    sound = json.loads(path.read_text())
    assert sound["settings"]["alphabet"].endswith("xyz")
    path.write_text(json.dumps({**sound, "settings": {**sound["settings"], "alphabet": "abc"}}))
    assert damaged_side_files(folder) == ["sides/letters/side.json"]
    with pytest.raises(IndexStoreError, match="damaged"):
        open_retriever(folder, "letters")


def test_blocks_of_a_newer_state_are_not_dropped_by_whoever_opened_an_older_one(index: Index) -> None:
    """Two processes that bring sides up to date at once took each other's blocks away."""
    folder = index.store.folder
    refresh_sides(folder, [Letters()])
    older = open_store(folder)
    index.add(patents()[4:])
    index.merge()
    refresh_sides(folder)
    refresh_side(older, Letters())
    assert open_retriever(folder, "letters").search("A rubber lamp", 1)


def test_an_open_side_keeps_its_snapshot(index: Index) -> None:
    folder, encoder = index.store.folder, index.model.encoder
    refresh_sides(folder, [Letters()])
    opened = open_retriever(folder, "letters", encoder=encoder)
    before = opened.search(TEXTS[0], k=10)
    index.delete(["XX-0-A1"])
    index.merge()
    refresh_sides(folder)
    assert opened.search(TEXTS[0], k=10) == before
    assert open_retriever(folder, "letters", encoder=encoder).search(TEXTS[0], k=1)[0].document != "XX-0-A1"


def test_texts_alone_make_an_index_too(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    Baseline.build(tmp_path / "index", Letters(), patents())
    store = open_store(tmp_path / "index")
    assert (store.state.documents, store.state.passages) == (6, 12)
    assert np.count_nonzero(store.frequencies) == 0
    with pytest.raises(InputError, match="exists already"):
        Baseline.build(tmp_path / "index", Letters(), patents())
    with pytest.raises(InputError, match="holds no text"):
        Baseline.build(tmp_path / "empty", Letters(), [])


def test_a_side_that_is_set_otherwise_is_refused_but_for_where_its_model_lies(index: Index) -> None:
    folder = index.store.folder
    refresh_sides(folder, ["letters"])
    with pytest.raises(MismatchError, match=r"made with alphabet '.*', this is 'abc'"):
        Baseline.open(folder, Letters("abc"))

    class Moved(Letters):
        settings = {"alphabet": ALPHABET, "encoder": "another folder"}  # noqa: RUF012

    assert Baseline.open(folder, Moved()).search(TEXTS[3], k=1)[0].document == "XX-3-A1"
