"""Builds the graph of an encoder of the BERT family straight from its checkpoint: safetensors and config in, an OpenVINO model out.

BERT, RoBERTa, XLM-RoBERTa and MPNet differ in where they count positions from, and MPNet adds a bias for the distance of two tokens.

Input: token ids and attention mask, both int64 of shape (batch, length). Output: the last hidden state.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from sparse_coverage.errors import ModelError, how_to_install
from sparse_coverage.kernels import Array, Floats

Weights = Mapping[str, Array]
_CONVERTER = "openvino.tools.ovc"
ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
FAMILY = ("bert", "roberta", "xlm-roberta", "camembert", "mpnet")
"""The model types, as `config.json` names them, whose graph is built here."""


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
    first_position: int = 0
    buckets: int = 0

    @classmethod
    def from_json(cls, config: Mapping[str, Any], where: str) -> BertConfig:
        """Read `config.json`; refuse what the graph below would compute wrongly."""
        kind = config.get("model_type")
        if kind not in FAMILY:
            raise ModelError(
                f"{where}: model type is {kind!r}; from safetensors the built-in encoder runs {', '.join(FAMILY)}. Any other "
                "architecture runs from ONNX: put its onnx/model.onnx into the folder (exported as a feature extractor). Or use "
                f"runtime 'torch', the extra [torch]. {how_to_install('torch')}"
            )
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise ModelError(
                f"{where}: position embeddings of type {config['position_embedding_type']!r} are not supported, only 'absolute'."
            )
        activation = config.get("hidden_act", "gelu")
        if activation not in ACTIVATIONS:
            raise ModelError(f"{where}: activation {activation!r} is not supported, only {', '.join(ACTIVATIONS)}.")
        pad_id = int(config.get("pad_token_id") or 0)
        first = 0 if kind == "bert" else pad_id + 1  # the others count positions from the padding id on
        try:
            return cls(
                hidden_size=int(config["hidden_size"]),
                inner_size=int(config["intermediate_size"]),
                layers=int(config["num_hidden_layers"]),
                heads=int(config["num_attention_heads"]),
                positions=int(config["max_position_embeddings"]) - first,
                layer_norm_eps=float(config.get("layer_norm_eps", 1e-12)),
                activation=activation,
                pad_id=pad_id,
                first_position=first,
                buckets=int(config.get("relative_attention_num_buckets", 32)) if kind == "mpnet" else 0,
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
    table = take("embeddings.position_embeddings.weight")[config.first_position :]
    if not config.buckets:  # all tokens are of segment 0, so its embedding folds into the position table
        table = table + take("embeddings.token_type_embeddings.weight")[0]
    length = op.gather(op.shape_of(ids), constant([1], np.int64), constant(0, np.int64))
    positions = op.slice(
        constant(table), constant([0], np.int64), length, constant([1], np.int64), constant([0], np.int64)
    )
    hidden = layer_norm(op.add(words, positions), "embeddings.LayerNorm")

    blocked = op.subtract(constant(1.0), op.convert(mask, "f32"))
    bias = op.multiply(blocked, constant(np.finfo(np.float32).min))
    bias = op.unsqueeze(bias, constant([1, 2], np.int64))
    if config.buckets:
        distances = _distance_buckets(config.positions, config.buckets)
        scores_of = np.moveaxis(take("encoder.relative_attention_bias.weight")[distances], 2, 0)
        both = op.concat([length, length], 0)
        zeros, ones = constant([0, 0], np.int64), constant([1, 1], np.int64)
        bias = op.add(bias, op.slice(constant(scores_of), zeros, both, ones, constant([1, 2], np.int64)))
    names = _BERT_NAMES if not config.buckets else _MPNET_NAMES

    for number in range(config.layers):
        layer = f"encoder.layer.{number}"
        query, key, value = (split_heads(linear(hidden, f"{layer}.attention.{name}")) for name in names[:3])
        scores = op.multiply(op.matmul(query, key, False, True), constant(1.0 / np.sqrt(head_size)))
        mixed = op.matmul(op.softmax(op.add(scores, bias), -1), value, False, False)
        joined = op.reshape(
            op.transpose(mixed, constant([0, 2, 1, 3], np.int64)), constant([0, 0, config.hidden_size], np.int64), True
        )
        attended = linear(joined, f"{layer}.attention.{names[3]}")
        hidden = layer_norm(op.add(attended, hidden), f"{layer}.attention.{names[4]}")
        inner = activation(linear(hidden, f"{layer}.intermediate.dense"))
        hidden = layer_norm(op.add(linear(inner, f"{layer}.output.dense"), hidden), f"{layer}.output.LayerNorm")

    return ov.Model([op.result(hidden)], [ids, mask], "bert")


_BERT_NAMES = ("self.query", "self.key", "self.value", "output.dense", "output.LayerNorm")
_MPNET_NAMES = ("attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm")


def _distance_buckets(positions: int, buckets: int, farthest: int = 128) -> Array:
    """Return the bucket of the distance between each two positions: half of them for each direction, small distances one each."""
    distance = np.arange(positions)[:, None] - np.arange(positions)[None, :]
    half = buckets // 2
    found = np.where(distance < 0, half, 0)
    away = np.abs(distance)
    exact = half // 2
    with np.errstate(divide="ignore"):
        # In float32, as the model was trained: the border of a bucket is where its rounding puts it.
        steps = (
            np.log(away.astype(np.float32) / np.float32(exact)) / np.float32(np.log(farthest / exact)) * (half - exact)
        )
    far = np.minimum(exact + np.where(away < exact, 0, steps).astype(np.int64), half - 1)
    buckets_of: Array = found + np.where(away < exact, away, far)
    return buckets_of


def _named_weights(weights: Weights) -> Callable[[str], Floats]:
    """Look weights up by their plain BERT name, whatever prefix or old spelling the checkpoint uses."""
    prefix = next(
        (
            p
            for p in ("", "bert.", "roberta.", "mpnet.", "model.", "0.auto_model.")
            if f"{p}embeddings.word_embeddings.weight" in weights
        ),
        None,
    )
    if prefix is None:
        raise ModelError(
            "The checkpoint holds no 'embeddings.word_embeddings.weight': it is no encoder of the BERT family."
        )
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


# An encoder that comes as an ONNX file: read by OpenVINO, its inputs and outputs found by name and brought into one form.
#
# Input: token ids and attention mask, both int64 of shape (batch, length). Output: one array of float32, such as the last hidden state.

FILES = ("onnx/model.onnx", "model.onnx")
"""Where a checkpoint folder may hold its graph, the first that is there."""
HIDDEN_STATES = ("last_hidden_state", "token_embeddings", "hidden_states", "encoder_hidden_states")
"""Names under which exporters give one vector for each token."""
_IDS, _MASK, _SEGMENTS = ("input_ids", "ids", "tokens"), ("attention_mask", "input_mask", "mask"), "token_type_ids"


def onnx_file(folder: Path) -> Path | None:
    """Return the ONNX file of a checkpoint folder, or None."""
    return next((folder / name for name in FILES if (folder / name).is_file()), None)


def external_data(path: Path) -> list[Path]:
    """Return the files beside an ONNX file that hold its weights, where they are not in the file itself."""
    if not path.stat().st_size:
        return []
    places = set()
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        graphs = [(at, end) for number, at, end in protobuf_fields(content, 0, len(content)) if number == _GRAPH]
        tensors = [inner[1:] for one in graphs for inner in protobuf_fields(content, *one) if inner[0] == _TENSOR]
        entries = [inner[1:] for one in tensors for inner in protobuf_fields(content, *one) if inner[0] == _OUTSIDE]
        for one in entries:
            pair = {number: content[at:end] for number, at, end in protobuf_fields(content, *one)}
            if pair.get(1) == b"location":
                places.add(pair.get(2, b"").decode("utf-8", "replace"))
    return sorted(file for file in (path.parent / place for place in places) if file.is_file())


_GRAPH, _TENSOR, _OUTSIDE = 7, 5, 13
"""The numbers of these fields in an ONNX file: the graph, its weights, and where else a weight lies."""


def protobuf_fields(content: bytes | mmap.mmap, place: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the fields of a protocol buffer that hold bytes, or four or eight of them: number, start and end of the content."""
    while place < end:
        key, place = _varint(content, place, end)
        kind, size = key & 7, 0
        if kind in (0, 2):
            size, place = _varint(content, place, end)
        if kind == 0:
            continue
        if kind in (1, 5):
            size = 8 if kind == 1 else 4
        if kind not in (1, 2, 5) or place + size > end:
            return  # no message has that
        yield key >> 3, place, place + size
        place += size


def _varint(content: bytes | mmap.mmap, place: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while place < end:
        byte = content[place]
        value, place = value | (byte & 127) << shift, place + 1
        if byte < 128:
            break
        shift += 7
    return value, place


def read_onnx(path: Path, outputs: Sequence[str], rank: int, *, segments: bool = False) -> Any:
    """Return the OpenVINO model of an ONNX file with inputs ids and mask (and segments, where asked for) and one output.

    The output is the one that has one of the names, or else the only one with `rank` dimensions. What the graph asks for beside
    ids and mask, segment numbers, is zero for every token, unless `segments` makes it the third input.
    """
    ov = openvino()
    import openvino.opset13 as op

    try:
        model = ov.Core().read_model(path)
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = next((line for line in lines if "external" in line.lower() or "data" in line.lower()), lines[-1])
        raise ModelError(
            f"{path}: the ONNX graph cannot be read ({said[:200]}). If its weights are in files of their own "
            f"({path.name}_data), these must lie beside it; else fetch or export it again."
        ) from None
    given = {name: port for port in model.inputs for name in port.get_names()}
    ids, mask = (_one_of(given, names, path, "input") for names in (_IDS, _MASK))
    third = given.pop(_SEGMENTS, None)
    if unknown := sorted({port.get_any_name() for port in given.values() if port not in (ids, mask)}):
        raise ModelError(
            f"{path}: the graph wants {', '.join(unknown)} beside ids and mask. Only encoders with input_ids, attention_mask "
            "and token_type_ids can be run: export the model as a feature extractor."
        )
    chosen = _output(model, outputs, rank, path)
    params = []
    for port in (ids, mask, third):
        if port is None:
            continue
        node = port.get_node()
        if port is third and not segments:
            zeros = op.multiply(
                op.convert(ids, node.get_element_type()),
                op.constant(np.zeros((), np.int64).astype(node.get_element_type().to_dtype())),
            )
            port.replace(zeros.output(0))
            continue
        fresh = op.parameter([-1, -1], np.int64, name=port.get_any_name())
        if node.get_element_type().get_type_name() == "i64":
            port.replace(fresh.output(0))
        else:
            port.replace(op.convert(fresh, node.get_element_type()).output(0))
        if port is ids:
            ids = fresh.output(0)
        params.append(fresh)
    result = op.result(op.convert(chosen, "f32"))
    return ov.Model([result], params, "onnx")


def _one_of(given: dict[str, Any], names: Sequence[str], path: Path, what: str) -> Any:
    for name in names:
        if name in given:
            return given[name]
    raise ModelError(
        f"{path}: the graph has no {what} {names[0]!r}; its {what}s are: {', '.join(sorted(given)) or 'none'}."
    )


def _output(model: Any, wanted: Sequence[str], rank: int, path: Path) -> Any:
    """Return what feeds the output with one of the wanted names, or the only output with that many dimensions."""
    named = {name: port for port in model.outputs for name in port.get_names()}
    found = next((named[name] for name in wanted if name in named), None)
    if found is None:
        fitting = [
            port
            for port in model.outputs
            if port.get_partial_shape().rank.is_static and len(port.get_partial_shape()) == rank
        ]
        found = fitting[0] if len(fitting) == 1 else None
    shape = None if found is None else found.get_partial_shape()
    if found is None or shape is None or (shape.rank.is_static and len(shape) != rank):
        told = ", ".join(f"{name} {port.get_partial_shape()}" for name, port in sorted(named.items())) or "none"
        raise ModelError(
            f"{path}: the graph has no output {wanted[0]!r} with {rank} dimensions; its outputs are: {told}. "
            "Export it with its last hidden state, as a feature extractor."
        )
    return found.get_node().input_value(0)
