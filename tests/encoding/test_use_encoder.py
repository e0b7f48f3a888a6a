"""The multilingual sentence encoder: one vector for a text, whatever else is encoded with it, from weights that are made up here."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits
from tiny_onnx import field

from sparse_coverage import InputError, ModelError, load_encoder
from sparse_coverage.encoding.encoder import TokenVectors
from sparse_coverage.encoding.use_encoder import UseEncoder
from sparse_coverage.spans.span import normalise

PIECES = ["<unk>", "<s>", "</s>", "▁", "▁a", "▁valve", "▁Ventil", "▁pump", "s", "e", "r", "v", "o", "▁spring"]
TEXTS = ["a valve", "Ventil  a", "a pump servo", "spring " * 600, ""]
BLOCKS, WORD, CHANNEL, HIDDEN, SIZE = 2, 6, 4, 5, 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("use")
    pieces = b"".join(
        field(1, field(1, piece) + bytes([2 << 3 | 5]) + struct.pack("<f", -float(number)))
        for number, piece in enumerate(PIECES)
    )
    (home / "sp.model").write_bytes(pieces)
    random = np.random.default_rng(2)

    def normal(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype(np.float32)

    arrays: dict[str, np.ndarray] = {"lo": normal(BLOCKS), "scale": normal(BLOCKS) / 50, "eps": np.array(1e-6)}
    for block in range(BLOCKS):
        arrays[f"q{block + 1}"] = random.integers(0, 255, (len(PIECES), WORD)).astype(np.uint8)
    for order in (2, 3, 5):
        arrays |= {f"proj{order}": normal(WORD, CHANNEL), f"proj_b{order}": normal(CHANNEL)}
        arrays |= {f"ln_g{order}": normal(CHANNEL), f"ln_b{order}": normal(CHANNEL)}
        for step in (1, 2):
            arrays |= {f"w{step}_{order}": normal(order * CHANNEL, CHANNEL), f"b{step}_{order}": normal(CHANNEL)}
    wide = WORD + 3 * CHANNEL
    arrays |= {"ln_g": normal(wide), "ln_b": normal(wide), "cnn_W": normal(wide, SIZE), "cnn_b": normal(SIZE)}
    arrays |= {"d0": normal(SIZE, HIDDEN), "d1": normal(HIDDEN, HIDDEN), "p1": normal(SIZE, HIDDEN)}
    arrays |= {"d2": normal(HIDDEN, SIZE), "p3": normal(HIDDEN, SIZE), "d3": normal(SIZE, SIZE)}
    np.savez(home / "weights.npz", **arrays)
    return home


def encoded(folder: Path, texts: list[str]) -> list[TokenVectors]:
    return list(load_encoder(str(folder)).encode(texts))


def test_a_text_has_one_vector_of_length_one_and_one_for_each_piece_where_it_stands(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    assert (encoder.dimension, encoder.precision) == (SIZE, "fp32")
    found = encoded(folder, TEXTS)
    assert [len(one.special) for one in found] == [1, 1, 1, 2, 0]  # the long one is cut, the empty one has no vector
    assert found[0].special is not None
    assert np.linalg.norm(found[0].special[0, 0]) == pytest.approx(1, abs=1e-6)
    assert [TEXTS[0][a:b].strip() for a, b in zip(found[0].starts, found[0].ends, strict=True)] == ["a", "valve"]
    [special] = found[0].special
    totals = replace(found[0], pooling="cls").chunk_totals()
    np.testing.assert_allclose(normalise(totals), special[:1], rtol=1e-6)


def test_neighbours_do_not_change_a_bit(folder: Path) -> None:
    for text, together in zip(TEXTS, encoded(folder, TEXTS), strict=True):
        [alone] = encoded(folder, [text])
        assert np.array_equal(alone.vectors, together.vectors)
        assert np.array_equal(alone.special, together.special)


@pytest.mark.parametrize("threads", [1, 2])
def test_products_are_computed_on_one_thread_whatever_the_number_of_cores(
    folder: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    seen: list[int] = []
    compute = UseEncoder._vectors

    def watched(self: UseEncoder, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return compute(self, ids)

    monkeypatch.setattr(UseEncoder, "_vectors", watched)
    with threadpool_limits(2, user_api="blas"):
        found = list(load_encoder(str(folder), threads=threads).encode(TEXTS))
        assert {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"} <= {2}
    assert set(seen) <= {1}
    assert all(np.array_equal(a.vectors, b.vectors) for a, b in zip(found, encoded(folder, TEXTS), strict=True))


def test_the_order_of_words_counts_within_a_window(folder: Path) -> None:
    one, other = encoded(folder, ["a valve pump", "pump valve a"])
    assert np.abs(one.vectors[1] - other.vectors[1]).max() > 1e-3


def test_other_precisions_and_damaged_files_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="computes in fp32; there is no precision 'int8'"):
        load_encoder(str(folder), precision="int8")
    (tmp_path / "sp.model").write_bytes((folder / "sp.model").read_bytes())
    (tmp_path / "weights.npz").write_bytes((folder / "weights.npz").read_bytes()[:500])
    with pytest.raises(ModelError, match="missing or damaged"):
        load_encoder(str(tmp_path))
