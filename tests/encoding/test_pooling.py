"""One vector of a whole text: each encoder with its own pooling, long texts read whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage.encoding import TokenVectors
from sparse_coverage.encoding.catalogue import Pooling
from sparse_coverage.encoding.encoder import pooling_of
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.spans.span import normalise

TEXTS = ["A valve with a spring.", "A pump housing with a sensor for the noise of the pump.", "rubber"]
LONG = "The noise of the rubber device; " * 20


def test_pooling_by_hand() -> None:
    places = np.zeros(3, np.int32)
    special = np.asarray([[[1.0, 0.0], [3.0, 4.0]], [[0.0, 6.0], [0.0, 0.0]]], dtype=np.float32)
    vectors = np.asarray([[5.0, 2.0], [0.0, 3.0], [3.0, 0.0]], dtype=np.float32)
    chunks = np.asarray([0, 1, 1], np.int32)
    # Sums of (1,0), (5,2), (3,4) and of (0,6), (0,3), (3,0), (0,0); three times (1,0), four times (0,6).
    for pooling, totals in (("mean", [[9, 6], [3, 9]]), ("cls", [[3, 0], [0, 24]])):
        tokens = TokenVectors(vectors, places, places, chunks, special, pooling)  # type: ignore[arg-type]
        np.testing.assert_allclose(tokens.chunk_totals(), totals)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_a_checkpoint_that_says_how_it_pools_is_believed(
    tiny_checkpoint: Path, tmp_path: Path, settings: dict[str, object], expected: str
) -> None:
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    assert pooling_of(folder, str(folder)) == "mean"
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert pooling_of(folder, str(folder)) == expected


def test_an_unknown_pooling_is_refused(tiny_checkpoint: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}', encoding="utf-8")
    with pytest.raises(InputError, match="pooling_mode_max_tokens"):
        pooling_of(folder, str(folder))


def test_a_text_is_pooled_alike_alone_and_among_others(tiny_encoder: OpenVinoEncoder) -> None:
    texts = [LONG, "", *TEXTS, "pump"]
    for text, together in zip(texts, tiny_encoder.encode(texts), strict=True):
        [alone] = tiny_encoder.encode([text])
        np.testing.assert_allclose(alone.chunk_totals(), together.chunk_totals(), atol=1e-4)
        assert len(together.chunk_totals()) == (0 if not text else 1 if text != LONG else int(together.chunks[-1]) + 1)


@pytest.mark.torch
@pytest.mark.filterwarnings("default")  # the library's own deprecations are not ours
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vectors_and_ranking_are_those_of_sentence_transformers(
    tiny_checkpoint: Path, tmp_path: Path, pooling: Pooling
) -> None:
    library = pytest.importorskip(
        "sentence_transformers", reason="sentence-transformers is not installed; .ci/run installs it"
    )
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    parts = {"Transformer": "", "Pooling": "1_Pooling"}
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{name}"}
        for number, (name, path) in enumerate(parts.items())
    ]
    modes = {"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"}
    (folder / "1_Pooling").mkdir()
    for path, content in {
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": 64},
        "1_Pooling/config.json": {"word_embedding_dimension": 32, **modes},
    }.items():
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
    expected = library.SentenceTransformer(str(folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    encoder = OpenVinoEncoder(folder, precision="fp32", threads=1)
    ours = normalise(np.concatenate([one.chunk_totals() for one in encoder.encode(TEXTS)]))
    np.testing.assert_allclose(ours, expected, atol=1e-4)
    np.testing.assert_array_equal(np.argsort(-(ours @ ours.T)), np.argsort(-(expected @ expected.T)))
