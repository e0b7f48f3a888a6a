"""Documents are found by their words as soon as they are read, and by centers and vectors when they are encoded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.golden_rankings import patents
from hash_encoder import HashEncoder

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index import IndexWriter, PassageRecord, damaged_files, merge_index, open_store
from sparse_coverage.patents import passages
from sparse_coverage.search.building import build_index, document_record
from sparse_coverage.search.own_model import damaged_model_files

COUNT = 12
QUERY = "A pump with a valve and a spring"


class Killed(BaseException):
    """Ends a build as a signal would."""


def ranked(index: Index, ranking: str = "combined") -> list[str]:
    return [hit.document for hit in index.search(QUERY, COUNT, ranking=ranking)]


def ids(folder: Path) -> list[str]:
    store = open_store(folder, unfinished=True)
    live = np.concatenate([segment.live_documents for segment in store.segments])
    return [store.document(number).id for number in np.flatnonzero(live).tolist()]


def contents(folder: Path) -> dict[str, bytes]:
    """All files of the one segment of an index that its documents decide alone."""
    [segment] = (folder / "segments").iterdir()
    return {path.name: path.read_bytes() for path in segment.iterdir() if path.suffix != ".sqlite"}


@pytest.fixture(scope="module")
def model() -> SparseCoverage:
    return SparseCoverage.fit(patents(COUNT), encoder=HashEncoder(), size=60)


@pytest.fixture(scope="module")
def whole(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "index"
    Index.build(folder, model, patents(COUNT))
    return folder


def test_words_find_documents_before_there_is_a_model(model: SparseCoverage, tmp_path: Path) -> None:
    found: list[list[str]] = []

    def learn() -> SparseCoverage:
        index = Index.open(tmp_path / "index")
        found.append(ranked(index))
        assert index.ranking == "words"
        assert index.store.state.encoding_note.startswith(f"The index is being built: 0 of {COUNT} documents encoded")
        assert damaged_files(tmp_path / "index") + damaged_model_files(tmp_path / "index") == []
        with pytest.raises(IndexStoreError, match="did not finish"):
            open_store(tmp_path / "index")
        return model

    index = Index.build(tmp_path / "index", learn, patents(COUNT), by="passage")
    by_words = ranked(index, "words")
    assert found == [by_words]
    assert by_words
    assert index.store.state.encoding_note == ""


@pytest.mark.parametrize("encoded", [0, 5, 11])
def test_a_killed_build_goes_on_and_gives_the_same_index(
    model: SparseCoverage, whole: Path, tmp_path: Path, encoded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, really_add, left = tmp_path / "index", IndexWriter.add, [encoded]

    def add_some(writer: IndexWriter, *document: object) -> None:
        if not left[0]:
            raise Killed
        left[0] -= 1
        really_add(writer, *document)  # type: ignore[arg-type]

    settings: dict[str, Any] = {"by": "passage", "seconds_between_commits": 0}
    with monkeypatch.context() as patch:
        patch.setattr(IndexWriter, "add", add_some)
        with pytest.raises(Killed):
            build_index(folder, model, patents(COUNT), **settings)
    expected = [patent.id for patent in patents(COUNT)]
    assert sorted(ids(folder)) == sorted(expected), "nothing is lost, and nothing is there twice"
    assert damaged_files(folder) == []
    state = open_store(folder, unfinished=True).state
    assert (state.encoded_documents, state.documents) == (encoded, COUNT)
    opened = Index.open(whole, encoder=model.encoder)
    half = Index.open(folder, encoder=model.encoder)
    assert set(ranked(half)) >= set(ranked(opened, "words")), "what is not encoded is found by its words"
    merge_index(folder)
    assert open_store(folder, unfinished=True).state.encoded_documents == encoded
    Index.build(folder, model, patents(COUNT))
    assert ids(folder) == expected
    assert contents(folder) == contents(whole)


def test_what_is_encoded_ranks_as_if_that_were_all(model: SparseCoverage, tmp_path: Path) -> None:
    for name in ("six", "part"):
        Index.build(tmp_path / name, model, patents(COUNT)[:6])
    with IndexWriter.open(tmp_path / "part") as writer:
        for patent in patents(COUNT)[6:]:
            writer.add_words(document_record(patent), [PassageRecord.of(one) for one in passages(patent)])
        writer.commit(complete=False)
    alone, some = (Index.open(tmp_path / name, encoder=model.encoder) for name in ("six", "part"))
    for part in ("centers", "vectors"):
        assert ranked(some, part) == ranked(alone, part)
    assert set(ranked(some, "words")) > set(ranked(alone, "words"))


def test_the_words_of_what_is_not_encoded_stand_for_the_other_parts(model: SparseCoverage, tmp_path: Path) -> None:
    Index.build(tmp_path / "index", model, patents(COUNT)[:6])
    with IndexWriter.open(tmp_path / "index") as writer:
        for patent in patents(COUNT)[6:]:
            writer.add_words(document_record(patent), [PassageRecord.of(one) for one in passages(patent)])
        writer.commit(complete=False)
    index = Index.open(tmp_path / "index", encoder=model.encoder)
    found = index.search_explained(QUERY, COUNT)
    waiting = {patent.id for patent in patents(COUNT)[6:]}
    assert waiting & {hit.document for hit in found.hits}
    for hit in found.hits:
        words = next(part for part in found.parts[hit.document] if part.part == "words")
        assert sum(part.adds for part in found.parts[hit.document]) == pytest.approx(hit.score)
        assert words.adds <= (3.0 if hit.document in waiting else 1.0)
        others = [part.waiting for part in found.parts[hit.document] if part.part != "words"]
        assert others == [hit.document in waiting] * 2
    best = index.search(QUERY, 1, ranking="words")[0].document
    assert best in waiting
    assert index.search(QUERY, 1)[0].document == best, "the best by words is not below what is encoded for that alone"
