"""Tiny ONNX encoders, written byte by byte: a protocol buffer is fields with a number each, so no library is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tiny_bert import write_checkpoint

DIMENSION = 8
FLOAT, INT32, INT64 = 1, 6, 7


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    found = bytearray()
    while True:
        found.append(number & 127 | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(found)


def field(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def tensor(name: str, values: np.ndarray, outside: str = "") -> bytes:
    kind = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}[values.dtype]
    facts = b"".join(field(1, size) for size in values.shape) + field(2, kind) + field(8, name)
    if outside:
        return facts + field(13, field(1, "location") + field(2, outside)) + field(14, 1)
    return facts + field(9, values.tobytes())


def node(kind: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    content = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind)
    for name, value in attributes.items():
        content += field(5, field(1, name) + field(3, value) + field(20, 2))
    return content


def port(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    dimensions = b"".join(field(1, field(1, one) if isinstance(one, int) else field(2, one)) for one in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dimensions)))


def words(size: int = 200) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(size, DIMENSION)).astype(np.float32)


def reference(ids: Sequence[int]) -> np.ndarray:
    """Return what the encoder gives for the ids of a text, special ones included: each word and the mean of all, bent."""
    rows = words()[np.asarray(ids)]
    return np.tanh(rows + rows.mean(axis=0))


def graph(
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    output: str = "last_hidden_state",
    kind: int = INT64,
    outside: str = "",
    pooled: bool = False,
) -> bytes:
    """Return an encoder: embeddings, their mean over the words that the mask leaves, tanh of the sum. Segment 1 changes it."""
    table = words()
    initial = [
        tensor("words", table, outside),
        tensor("one", np.array([1], dtype=np.int64)),
        tensor("last", np.array([2], dtype=np.int64)),
    ]
    nodes = [
        node("Gather", ["words", inputs[0]], "hidden"),
        node("Cast", [inputs[1]], "kept", to=FLOAT),
        node("Unsqueeze", ["kept", "last"], "column"),
        node("Mul", ["hidden", "column"], "masked"),
        node("ReduceSum", ["masked", "one"], "sum"),
        node("ReduceSum", ["column", "one"], "count"),
        node("Div", ["sum", "count"], "mean"),
        node("Add", ["hidden", "mean"], "both"),
    ]
    total = "both"
    if len(inputs) > 2:
        nodes += [node("Cast", [inputs[2]], "segments", to=FLOAT), node("Unsqueeze", ["segments", "last"], "shift")]
        nodes += [node("Add", ["both", "shift"], "shifted")]
        total = "shifted"
    shape: list[str | int] = ["batch", "length", DIMENSION]
    nodes.append(node("Tanh", [total], "bent" if pooled else output))
    if pooled:
        nodes.append(node("ReduceMean", ["bent", "one"], output, keepdims=0))
        shape = ["batch", DIMENSION]
    content = b"".join(field(1, one) for one in nodes) + field(2, "tiny")
    content += b"".join(field(5, one) for one in initial)
    content += b"".join(field(11, port(name, kind, ["batch", "length"])) for name in inputs)
    content += field(12, port(output, FLOAT, shape))
    return field(1, 8) + field(8, field(1, "") + field(2, 18)) + field(7, content)


def pair_graph(classes: int = 1) -> bytes:
    """Return a cross-encoder: the product of the sums of the words of query (segment 0) and passage (segment 1), a tenth of it."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    head = np.zeros((1, classes), dtype=np.float32)
    head[0, -1] = 0.1
    initial = [tensor("words", words()), tensor("one", np.array([1], dtype=np.int64)), tensor("head", head)]
    initial += [tensor("last", np.array([2], dtype=np.int64)), tensor("unit", np.array([1], dtype=np.float32))]
    nodes = [
        node("Gather", ["words", names[0]], "hidden"),
        node("Cast", [names[1]], "kept", to=FLOAT),
        node("Cast", [names[2]], "segment", to=FLOAT),
        node("Mul", ["kept", "segment"], "second"),
        node("Sub", ["kept", "second"], "first"),
        node("Unsqueeze", ["first", "last"], "first column"),
        node("Unsqueeze", ["second", "last"], "second column"),
        node("Mul", ["hidden", "first column"], "query words"),
        node("Mul", ["hidden", "second column"], "passage words"),
        node("ReduceSum", ["query words", "one"], "query", keepdims=0),
        node("ReduceSum", ["passage words", "one"], "passage", keepdims=0),
        node("Mul", ["query", "passage"], "products"),
        node("ReduceSum", ["products", "one"], "product"),
        node("MatMul", ["product", "head"], "logits"),
    ]
    content = b"".join(field(1, one) for one in nodes) + field(2, "pairs") + b"".join(field(5, one) for one in initial)
    content += b"".join(field(11, port(name, INT64, ["batch", "length"])) for name in names)
    content += field(12, port("logits", FLOAT, ["batch", classes]))
    return field(1, 8) + field(8, field(1, "") + field(2, 18)) + field(7, content)


def pair_score(query: Sequence[int], passage: Sequence[int]) -> float:
    """Return what the cross-encoder gives for two texts, as a share between 0 and 1."""
    product = words()[np.asarray(query)].sum(axis=0) @ words()[np.asarray(passage)].sum(axis=0)
    return float(1 / (1 + np.exp(-0.1 * product)))


def write_onnx_checkpoint(folder: Path, content: bytes | None = None, path: str = "onnx/model.onnx") -> Path:
    """Write a folder with the tokenizer of the tiny BERT and an ONNX graph."""
    write_checkpoint(folder)
    (folder / "model.safetensors").unlink()
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "made-up"}))
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_bytes(graph() if content is None else content)
    return folder
