"""An index and its dense side are made in one pass through the encoder, and are what two passes make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from made_up_patents import patents

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.cli.options.sides import encoder_for, make_sides
from sparse_coverage.encoding import Encoder, TokenVectors
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.experiments.token_cache import RememberingEncoder
from sparse_coverage.retrievers import Dense, open_retriever, refresh_sides
from sparse_coverage.retrievers.one_pass import KeptRows, PoolingEncoder
from sparse_coverage.retrievers.side import open_arrays

HYBRID = {"kinds": (), "hybrid": True, "dense_encoder": None}


@pytest.fixture(scope="module")
def encoder(tiny_checkpoint: Path) -> OpenVinoEncoder:
    """Named by its folder, which says how it pools."""
    return OpenVinoEncoder(tiny_checkpoint, precision="fp32", threads=1)


def matrices(index: Path) -> dict[str, bytes]:
    """The dense vectors of an index, and what they belong to."""
    [block] = (path.parent for path in (index / "sides" / "dense").glob("*/block.json"))
    return {name: array.tobytes() for name, array in open_arrays(block).items()}


def test_one_pass_gives_what_two_give(
    tmp_path: Path, encoder: OpenVinoEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = SparseCoverage.fit(patents(), encoder=encoder, size=30)
    two = Index.build(tmp_path / "two", model, patents())
    refresh_sides(tmp_path / "two", [Dense(encoder)])
    pooling = encoder_for(tmp_path / "one", encoder, HYBRID)
    one = Index.build(tmp_path / "one", model.encoded_by(pooling), patents())
    monkeypatch.setattr(OpenVinoEncoder, "encode", lambda *_: pytest.fail("encoded again"))
    assert make_sides(tmp_path / "one", one.model.encoder, None, **HYBRID) == {"bm25": 1, "dense": 1}  # type: ignore[arg-type]
    assert matrices(tmp_path / "one") == matrices(tmp_path / "two")
    assert one.store.manifest["postings"] == two.store.manifest["postings"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"], "nothing is left beside the index"


def test_other_encoders_and_cleaned_texts_are_not_pooled_on_the_way(tmp_path: Path, encoder: OpenVinoEncoder) -> None:
    for sides, cleaned in (
        ({**HYBRID, "hybrid": False}, False),
        ({**HYBRID, "dense_encoder": "other"}, False),
        (HYBRID, True),
    ):
        assert encoder_for(tmp_path / "index", encoder, sides, cleaned) is encoder


def test_equal_texts_of_a_side_are_encoded_once(tmp_path: Path, encoder: OpenVinoEncoder) -> None:
    model = SparseCoverage.fit(patents(), encoder=encoder, size=30)
    texts = [("a", "A valve with a spring."), ("b", "A pump."), ("c", "A valve with a spring."), ("d", "A pump.")]
    Index.build(tmp_path / "index", model, texts)
    seen: list[str] = []

    class Counting(PoolingEncoder):
        def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
            return self.encoder.encode(seen.append(text) or text for text in texts)  # type: ignore[func-returns-value]

    refresh_sides(tmp_path / "index", [Dense(Counting(encoder, tmp_path / "index"))])
    assert sorted(seen) == ["A pump.", "A valve with a spring."]
    hits = open_retriever(tmp_path / "index", "dense", encoder=encoder).search("A pump.", k=4)
    assert {hit.document for hit in hits[:2]} == {"b", "d"}


def test_dense_vectors_come_from_the_cache_of_tokens(tmp_path: Path, encoder: OpenVinoEncoder) -> None:
    remembering = RememberingEncoder(encoder, tmp_path)
    texts = ["A valve with a spring.", "", "the noise of the rubber device " * 40]
    plain, cached, again = (list(dense(one).rows(texts)) for one in (encoder, remembering, remembering))
    for one, two, three in zip(plain, cached, again, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)
    remembering.close()


def dense(encoder: Encoder) -> Dense:
    return Dense(encoder, pooling="mean")


def test_kept_rows_survive_being_opened_again_and_a_damaged_file(tmp_path: Path) -> None:
    row = np.asarray([0.5, -1.0], dtype=np.float32)
    rows = KeptRows(tmp_path / "rows.sqlite")
    rows.add(b"key", row)
    rows._store.close()
    again = KeptRows(tmp_path / "rows.sqlite")
    np.testing.assert_array_equal(again.get(b"key"), row)
    assert again.get(b"other") is None
    again._store.close()
    (tmp_path / "rows.sqlite").write_bytes(b"no database" * 500)
    anew = KeptRows(tmp_path / "rows.sqlite")
    assert anew.get(b"key") is None
    anew.remove()
    assert list(tmp_path.iterdir()) == []
