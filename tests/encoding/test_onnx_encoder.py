"""Any ONNX encoder runs in the base install: the vectors that its graph says, and clear words where it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import write_checkpoint
from tiny_onnx import INT32, graph, reference, words, write_onnx_checkpoint

from sparse_coverage import InputError, ModelError, load_encoder
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.encoding.weights import fingerprint_of

TEXTS = ["A valve comprising a spring and a plunger.", "", "pump", "The noise of the rubber device; " * 20]
CLS, SEP = 2, 3


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


@pytest.mark.parametrize("path", ["onnx/model.onnx", "model.onnx"])
def test_a_folder_with_a_tokenizer_and_an_onnx_graph_runs_whatever_its_architecture(tmp_path: Path, path: str) -> None:
    folder = write_onnx_checkpoint(tmp_path, path=path)
    encoder = load_encoder(str(folder), precision="fp32")
    assert (encoder.dimension, encoder.precision) == (8, "fp32")
    for text, found in zip(TEXTS, encoder.encode(TEXTS), strict=True):
        ids = encoder.tokenize(text).ids
        for chunk in range(found.chunks.max(initial=-1) + 1):
            mine = found.chunks == chunk
            expected = reference([CLS, *ids[mine].tolist(), SEP])[1:-1]
            assert cosines(found.vectors[mine], expected).min() > 0.9999


def test_the_vectors_are_those_of_onnxruntime(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="a peer to compare with, not installed")
    folder = write_onnx_checkpoint(tmp_path)
    encoder = OpenVinoEncoder(folder, precision="fp32")
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"))
    ids = np.array([[CLS, *encoder.tokenize(TEXTS[0]).ids.tolist(), SEP]])
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    expected = session.run(None, inputs)[0][0][1:-1]
    assert cosines(next(encoder.encode(TEXTS[:1])).vectors, expected).min() > 0.9999


@pytest.mark.parametrize("precision", ["fp32", "auto"])
def test_threads_and_neighbours_do_not_change_a_bit(tmp_path: Path, precision: str) -> None:
    folder = write_onnx_checkpoint(tmp_path)
    one, two = (OpenVinoEncoder(folder, precision=precision, threads=threads) for threads in (1, 2))
    together = list(two.encode(TEXTS))
    for text, found in zip(TEXTS, together, strict=True):
        assert np.array_equal(next(one.encode([text])).vectors, found.vectors)


@pytest.mark.parametrize(
    "content",
    [
        graph(inputs=("input_ids", "attention_mask")),
        graph(inputs=("ids", "mask")),
        graph(kind=INT32),
        graph(output="anything"),
    ],
    ids=["no segments", "other names of inputs", "32-bit ids", "the only output with a vector for each token"],
)
def test_inputs_and_outputs_are_found_by_name_and_kind(tmp_path: Path, content: bytes) -> None:
    encoder = OpenVinoEncoder(write_onnx_checkpoint(tmp_path, content), precision="fp32")
    ids = [CLS, *encoder.tokenize(TEXTS[0]).ids.tolist(), SEP]
    assert cosines(next(encoder.encode(TEXTS[:1])).vectors, reference(ids)[1:-1]).min() > 0.9999


def test_weights_in_a_file_of_their_own_are_found_and_part_of_the_fingerprint(tmp_path: Path) -> None:
    folder = write_onnx_checkpoint(tmp_path, graph(outside="model.onnx_data"))
    with pytest.raises(ModelError, match=r"cannot be read.*model.onnx_data\), these must lie beside it"):
        OpenVinoEncoder(folder)
    (folder / "onnx" / "model.onnx_data").write_bytes(words().tobytes())
    encoder = OpenVinoEncoder(folder, precision="fp32")
    ids = [CLS, *encoder.tokenize("pump").ids.tolist(), SEP]
    assert cosines(next(encoder.encode(["pump"])).vectors, reference(ids)[1:-1]).min() > 0.9999
    (folder / "onnx" / "model.onnx_data").write_bytes((words() * 2).tobytes())
    assert fingerprint_of(folder) != encoder.fingerprint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            graph(pooled=True, output="sentence"),
            r"no output 'last_hidden_state' with 3 dimensions.*sentence \[.*feature",
        ),
        (graph(pooled=True), r"no output 'last_hidden_state' with 3 dimensions"),
        (graph(inputs=("pixels", "attention_mask")), r"no input 'input_ids'; its inputs are: attention_mask, pixels"),
        (graph(inputs=("input_ids", "attention_mask", "bbox")), r"the graph wants bbox beside ids and mask"),
        (b"no graph at all", r"the ONNX graph cannot be read"),
    ],
)
def test_a_graph_that_is_no_token_encoder_is_refused_with_what_it_has(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        OpenVinoEncoder(write_onnx_checkpoint(tmp_path, content))


def test_a_folder_without_tokenizer_or_weights_says_what_belongs_there(tmp_path: Path) -> None:
    folder = write_onnx_checkpoint(tmp_path / "one")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"no tokenizer\.json"):
        load_encoder(str(folder))
    (tmp_path / "two").mkdir()
    with pytest.raises(ModelError, match=r"neither onnx/model.onnx nor model.safetensors"):
        OpenVinoEncoder(tmp_path / "two")


def test_safetensors_of_an_unknown_family_are_told_to_come_as_onnx_first(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path, model_type="deberta")
    with pytest.raises(ModelError, match=r"'deberta'.*runs from ONNX.*(?s:.*)torch"):
        load_encoder(str(folder), runtime="openvino")


def test_int8_is_for_safetensors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"int8 needs model.safetensors"):
        OpenVinoEncoder(write_onnx_checkpoint(tmp_path), precision="int8")


def test_weights_under_any_name_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    folder = write_onnx_checkpoint(tmp_path, graph(outside="weights.bin"))
    (folder / "onnx" / "weights.bin").write_bytes(words().tobytes())
    encoder = OpenVinoEncoder(folder, precision="fp32")
    (folder / "onnx" / "weights.bin").write_bytes((words() * 2).tobytes())
    assert fingerprint_of(folder) != encoder.fingerprint


def test_vectors_that_are_not_numbers_are_an_error(tmp_path: Path) -> None:
    folder = write_onnx_checkpoint(tmp_path, graph(outside="model.onnx_data"))
    (folder / "onnx" / "model.onnx_data").write_bytes(np.full_like(words(), np.nan).tobytes())
    with pytest.raises(ModelError, match="vectors that are not numbers, in fp32"):
        list(OpenVinoEncoder(folder, precision="fp32").encode(TEXTS[:1]))


@pytest.mark.parametrize("made", [write_onnx_checkpoint, write_checkpoint])
def test_a_tokenizer_of_another_model_is_an_error(tmp_path: Path, made: Callable[[Path], Path]) -> None:
    made(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "vocab_size": 4}))
    with pytest.raises(
        ModelError, match=r"gives the token id \d+, and the model knows 4\. They do not belong together"
    ):
        list(OpenVinoEncoder(tmp_path).encode(TEXTS[:1]))


def test_a_config_that_is_no_object_is_an_error_and_one_that_leaves_things_open_is_not(tmp_path: Path) -> None:
    folder = write_onnx_checkpoint(tmp_path)
    (folder / "config.json").write_text('{"max_position_embeddings": null, "pad_token_id": null}')
    assert len(next(OpenVinoEncoder(folder).encode(["pump"]))) == 1
    (folder / "config.json").write_text("[1]")
    with pytest.raises(ModelError, match="an object of settings was expected"):
        load_encoder(str(folder))
