"""BERT in plain NumPy and float64, written from its definition: what the compiled graph must equal."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

Array = np.ndarray
_erf = np.vectorize(math.erf)


def layer_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * weight + bias


def activation(x: Array, name: str) -> Array:
    if name == "relu":
        return np.maximum(x, 0)
    if name == "gelu":
        return x * 0.5 * (1 + _erf(x / math.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def last_hidden_state(ids: list[int], weights: Mapping[str, Array], config: Mapping[str, object]) -> Array:
    """The last hidden state of one unpadded sequence, special tokens included."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    layers, heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
    eps = float(config["layer_norm_eps"])
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)] + w["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(x, w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"], eps)
    size = x.shape[1] // heads
    for number in range(layers):
        layer = f"encoder.layer.{number}"

        def linear(x: Array, name: str, layer: str = layer) -> Array:
            return x @ w[f"{layer}.{name}.weight"].T + w[f"{layer}.{name}.bias"]

        query, key, value = (linear(x, f"attention.self.{part}") for part in ("query", "key", "value"))
        mixed = np.empty_like(x)
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = query[:, part] @ key[:, part].T / math.sqrt(size)
            odds = np.exp(scores - scores.max(axis=1, keepdims=True))
            mixed[:, part] = odds / odds.sum(axis=1, keepdims=True) @ value[:, part]
        norm = f"{layer}.attention.output.LayerNorm"
        x = layer_norm(x + linear(mixed, "attention.output.dense"), w[f"{norm}.weight"], w[f"{norm}.bias"], eps)
        inner = activation(linear(x, "intermediate.dense"), str(config["hidden_act"]))
        norm = f"{layer}.output.LayerNorm"
        x = layer_norm(x + linear(inner, "output.dense"), w[f"{norm}.weight"], w[f"{norm}.bias"], eps)
    return x
