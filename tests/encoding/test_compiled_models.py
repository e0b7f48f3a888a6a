"""What the runtime compiled is kept for the next process, and never trusted when it cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparse_coverage.encoding import openvino_encoder, weights
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.encoding.weights import sha256_once
from sparse_coverage.files import sha256_of

TEXTS = ["A valve comprising a spring and a plunger.", "the noise of the rubber device " * 30]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARSE_COVERAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(openvino_encoder, "SMALLEST", 0)
    return tmp_path / "cache"


def vectors(folder: Path) -> list[bytes]:
    encoder = OpenVinoEncoder(folder, precision="fp32", threads=2)
    return [tokens.vectors.tobytes() for tokens in encoder.encode(TEXTS)]


def test_a_kept_model_gives_the_same_vectors(
    tiny_checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = vectors(tiny_checkpoint)
    assert len(list((cache / "compiled").iterdir())) == 1
    monkeypatch.setattr("sparse_coverage.encoding.openvino_encoder.build_bert", lambda *_, **__: pytest.fail("built"))
    assert vectors(tiny_checkpoint) == first


def test_a_damaged_one_is_made_again(tiny_checkpoint: Path, cache: Path) -> None:
    first = vectors(tiny_checkpoint)
    [kept] = (cache / "compiled").iterdir()
    kept.write_bytes(b"nothing that the runtime knows")
    assert vectors(tiny_checkpoint) == first
    assert kept.stat().st_size > 1000


def test_where_nothing_can_be_kept_it_is_compiled_each_time(
    tiny_checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = vectors(tiny_checkpoint)
    cache.rename(cache.with_name("moved"))
    cache.write_text("a file in the place of the folder", encoding="utf-8")
    assert vectors(tiny_checkpoint) == first


def test_a_checksum_is_computed_once_and_again_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[Path] = []
    monkeypatch.setattr(weights, "sha256_of", lambda path: (computed.append(path), sha256_of(path))[1])
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    assert sha256_once(path) == sha256_once(path) == sha256_of(path)
    assert len(computed) == 1
    path.write_bytes(b"two")
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
    assert sha256_once(path) == sha256_of(path)
    assert len(computed) == 2
    (tmp_path / "cache" / "checksums.json").write_text("[damaged", encoding="utf-8")
    assert sha256_once(path) == sha256_of(path)
