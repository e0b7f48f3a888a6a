"""Builds the graph of a BERT encoder straight from its checkpoint: safetensors and config in, an OpenVINO model out.

Input: token ids and attention mask, both int64 of shape (batch, length). Output: the last hidden state.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from sparse_coverage.errors import ModelError
from sparse_coverage.kernels import Array, Floats

Weights = Mapping[str, Array]
_CONVERTER = "openvino.tools.ovc"
ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")


def openvino() -> ModuleType:
    """Import OpenVINO without its telemetry: its import would otherwise send a usage event.

    OpenVINO falls back to a stub that does nothing when `openvino_telemetry` cannot be imported, so the import is made
    to fail. Nothing else needs that package. So is that of its converter, which takes as long as the rest and is not used;
    who wants it may import it afterwards.
    """
    modules: dict[str, Any] = sys.modules
    if "openvino" not in modules:
        modules["openvino_telemetry"] = modules[_CONVERTER] = None
    import openvino as ov

    if modules.get(_CONVERTER, ov) is None:
        del modules[_CONVERTER]

    return ov  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class BertConfig:
    """The part of a checkpoint's `config.json` that shapes the graph."""

    hidden_size: int
    inner_size: int
    layers: int
    heads: int
    positions: int
    layer_norm_eps: float
    activation: str
    pad_id: int

    @classmethod
    def from_json(cls, config: Mapping[str, Any], where: str) -> BertConfig:
        """Read `config.json`; refuse what the graph below would compute wrongly."""
        if config.get("model_type") != "bert":
            raise ModelError(
                f"{where}: model type is {config.get('model_type')!r}; the built-in encoder runs 'bert' checkpoints. "
                "Other architectures run on the extra [torch]: pip install 'sparse-coverage[torch]', then use runtime 'torch'."
            )
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise ModelError(
                f"{where}: position embeddings of type {config['position_embedding_type']!r} are not supported, only 'absolute'."
            )
        activation = config.get("hidden_act", "gelu")
        if activation not in ACTIVATIONS:
            raise ModelError(f"{where}: activation {activation!r} is not supported, only {', '.join(ACTIVATIONS)}.")
        try:
            return cls(
                hidden_size=int(config["hidden_size"]),
                inner_size=int(config["intermediate_size"]),
                layers=int(config["num_hidden_layers"]),
                heads=int(config["num_attention_heads"]),
                positions=int(config["max_position_embeddings"]),
                layer_norm_eps=float(config.get("layer_norm_eps", 1e-12)),
                activation=activation,
                pad_id=int(config.get("pad_token_id") or 0),
            )
        except KeyError as missing:
            raise ModelError(f"{where}: config.json has no {missing}.") from None


def build_bert(config: BertConfig, weights: Weights, *, int8: bool = False) -> Any:
    """Return the OpenVINO model of the encoder. With `int8`, weight matrices are stored as int8 with one scale a row."""
    ov = openvino()
    import openvino.opset13 as op

    take = _named_weights(weights)
    head_size = config.hidden_size // config.heads

    def constant(values: Any, dtype: type = np.float32) -> Any:
        return op.constant(np.asarray(values, dtype=dtype))

    def linear(x: Any, name: str) -> Any:
        weight = take(f"{name}.weight")
        matrix = _int8_matrix(op, weight) if int8 else constant(weight)
        return op.add(op.matmul(x, matrix, False, True), constant(take(f"{name}.bias")))

    def layer_norm(x: Any, name: str) -> Any:
        normal = op.mvn(x, constant([-1], np.int64), True, config.layer_norm_eps, "inside_sqrt")
        return op.add(op.multiply(normal, constant(take(f"{name}.weight"))), constant(take(f"{name}.bias")))

    def activation(x: Any) -> Any:
        if config.activation == "relu":
            return op.relu(x)
        return op.gelu(x, "erf" if config.activation == "gelu" else "tanh")

    def split_heads(x: Any) -> Any:
        parts = op.reshape(x, constant([0, 0, config.heads, head_size], np.int64), True)
        return op.transpose(parts, constant([0, 2, 1, 3], np.int64))

    ids = op.parameter([-1, -1], np.int64, name="input_ids")
    mask = op.parameter([-1, -1], np.int64, name="attention_mask")

    words = op.gather(constant(take("embeddings.word_embeddings.weight")), ids, constant(0, np.int64))
    # All tokens are of segment 0, so its embedding folds into the position table.
    table = take("embeddings.position_embeddings.weight") + take("embeddings.token_type_embeddings.weight")[0]
    length = op.gather(op.shape_of(ids), constant([1], np.int64), constant(0, np.int64))
    positions = op.slice(
        constant(table), constant([0], np.int64), length, constant([1], np.int64), constant([0], np.int64)
    )
    hidden = layer_norm(op.add(words, positions), "embeddings.LayerNorm")

    blocked = op.subtract(constant(1.0), op.convert(mask, "f32"))
    bias = op.multiply(blocked, constant(np.finfo(np.float32).min))
    bias = op.unsqueeze(bias, constant([1, 2], np.int64))

    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        query = split_heads(linear(hidden, f"{layer}.attention.self.query"))
        key = split_heads(linear(hidden, f"{layer}.attention.self.key"))
        value = split_heads(linear(hidden, f"{layer}.attention.self.value"))
        scores = op.multiply(op.matmul(query, key, False, True), constant(1.0 / np.sqrt(head_size)))
        mixed = op.matmul(op.softmax(op.add(scores, bias), -1), value, False, False)
        joined = op.reshape(
            op.transpose(mixed, constant([0, 2, 1, 3], np.int64)), constant([0, 0, config.hidden_size], np.int64), True
        )
        attended = linear(joined, f"{layer}.attention.output.dense")
        hidden = layer_norm(op.add(attended, hidden), f"{layer}.attention.output.LayerNorm")
        inner = activation(linear(hidden, f"{layer}.intermediate.dense"))
        hidden = layer_norm(op.add(linear(inner, f"{layer}.output.dense"), hidden), f"{layer}.output.LayerNorm")

    return ov.Model([op.result(hidden)], [ids, mask], "bert")


def _named_weights(weights: Weights) -> Callable[[str], Floats]:
    """Look weights up by their plain BERT name, whatever prefix or old spelling the checkpoint uses."""
    prefix = next(
        (p for p in ("", "bert.", "model.", "0.auto_model.") if f"{p}embeddings.word_embeddings.weight" in weights),
        None,
    )
    if prefix is None:
        raise ModelError("The checkpoint holds no 'embeddings.word_embeddings.weight': it is not a BERT encoder.")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}

    def take(name: str) -> Floats:
        spellings = [name] + [name.replace(new, former) for new, former in old.items() if name.endswith(new)]
        for spelling in spellings:
            if prefix + spelling in weights:
                return np.asarray(weights[prefix + spelling], dtype=np.float32)
        raise ModelError(f"The checkpoint lacks the weight '{prefix}{name}'.")

    return take


def _int8_matrix(op: Any, weight: Floats) -> Any:
    """Symmetric int8 with one scale a row: the form that the runtime keeps compressed."""
    scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-12) / 127.0
    rounded = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
    return op.multiply(op.convert(op.constant(rounded), "f32"), op.constant(scale.astype(np.float32)))
