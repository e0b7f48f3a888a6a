"""RoBERTa and MPNet are BERT with another count of positions and, for MPNet, a bias for the distance of two tokens."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tiny_bert import HEADS, write_checkpoint

from sparse_coverage.encoding.graphs import _distance_buckets
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

TEXTS = ["A valve comprising a spring and a plunger.", "pump"]
MPNET = {
    "attention.self.query": "attention.attn.q",
    "attention.self.key": "attention.attn.k",
    "attention.self.value": "attention.attn.v",
    "attention.output.dense": "attention.attn.o",
    "attention.output.LayerNorm": "attention.LayerNorm",
}


def vectors(folder: Path) -> list[np.ndarray]:
    return [found.vectors for found in OpenVinoEncoder(folder, precision="fp32").encode(TEXTS)]


def as_family(source: Path, folder: Path, kind: str, bias: np.ndarray | None = None) -> Path:
    """Write a BERT as a checkpoint of another model type that must give the same vectors where there is no bias."""
    folder.mkdir()
    config = json.loads((source / "config.json").read_text())
    shifted = {"model_type": kind, "pad_token_id": 1, "max_position_embeddings": config["max_position_embeddings"] + 2}
    (folder / "config.json").write_text(json.dumps({**config, **shifted}))
    (folder / "tokenizer.json").write_bytes((source / "tokenizer.json").read_bytes())
    weights = load_file(source / "model.safetensors")
    positions = weights["embeddings.position_embeddings.weight"]
    if kind == "mpnet":
        positions = positions + weights.pop("embeddings.token_type_embeddings.weight")[0]
        for old, new in MPNET.items():
            weights = {name.replace(old, new): values for name, values in weights.items()}
        weights["encoder.relative_attention_bias.weight"] = np.zeros((32, HEADS), np.float32) if bias is None else bias
    unused = np.full((2, positions.shape[1]), 9, dtype=np.float32)
    weights["embeddings.position_embeddings.weight"] = np.concatenate([unused, positions])
    save_file(weights, folder / "model.safetensors")
    return folder


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta", "mpnet"])
def test_positions_are_counted_from_the_padding_id_on(tmp_path: Path, kind: str) -> None:
    source = write_checkpoint(tmp_path / "bert")
    for plain, found in zip(vectors(source), vectors(as_family(source, tmp_path / kind, kind)), strict=True):
        np.testing.assert_allclose(found, plain, atol=1e-5)


def test_the_distance_of_two_tokens_changes_what_mpnet_gives(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "bert")
    even = np.full((32, HEADS), 3.0, dtype=np.float32)  # the same for every distance: softmax does not see it
    uneven = np.random.default_rng(1).normal(size=(32, HEADS)).astype(np.float32) * 3
    plain = vectors(source)
    for found, expected in zip(vectors(as_family(source, tmp_path / "even", "mpnet", even)), plain, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.abs(vectors(as_family(source, tmp_path / "uneven", "mpnet", uneven))[0] - plain[0]).max() > 0.01


def test_near_distances_have_a_bucket_each_and_far_ones_share() -> None:
    table = _distance_buckets(300, 32)
    assert table[0, 0] == 0
    assert table[7, :8].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]  # tokens before
    assert table[0, :8].tolist() == [0, 17, 18, 19, 20, 21, 22, 23]  # tokens behind
    assert (table[8, 0], table[12, 0], table[16, 0], table[128, 0], table[299, 0]) == (8, 9, 10, 15, 15)
    assert table[0, 299] == 31
