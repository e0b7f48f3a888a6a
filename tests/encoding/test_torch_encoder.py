"""The torch encoder and transformers themselves against the base encoder. Needs the extra [torch]; .ci/run installs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from tiny_bert import write_checkpoint

pytestmark = pytest.mark.torch
torch = pytest.importorskip(
    "torch", reason="the extra [torch] is not installed; .ci/run installs it and runs this file"
)
transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed; .ci/run runs this file")

from sparse_coverage.encoding import load_encoder  # noqa: E402
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder  # noqa: E402
from sparse_coverage.encoding.torch_encoder import TorchEncoder  # noqa: E402
from sparse_coverage.errors import InputError, ModelError  # noqa: E402

TEXTS = [
    "A valve comprising a spring and a plunger, wherein the plunger is biased.",
    "",
    "pump",
    "The noise of the rubber device; " * 20,
]


def test_the_base_encoder_equals_transformers(tiny_checkpoint: Path, tiny_encoder: OpenVinoEncoder) -> None:
    model = transformers.AutoModel.from_pretrained(tiny_checkpoint, attn_implementation="eager").eval()
    text = TEXTS[0]
    ids = [2, *tiny_encoder.tokenize(text).ids.tolist(), 3]
    with torch.inference_mode():
        expected = model(torch.tensor([ids])).last_hidden_state[0, 1:-1].numpy()
    np.testing.assert_allclose(next(tiny_encoder.encode([text])).vectors, expected, atol=1e-4, rtol=0)


def test_the_torch_encoder_equals_the_base_encoder(tiny_checkpoint: Path, tiny_encoder: OpenVinoEncoder) -> None:
    other = TorchEncoder(tiny_checkpoint)
    assert (other.dimension, other.fingerprint, other.precision) == (
        tiny_encoder.dimension,
        tiny_encoder.fingerprint,
        "fp32",
    )
    for a, b in zip(tiny_encoder.encode(TEXTS), other.encode(TEXTS), strict=True):
        np.testing.assert_allclose(a.vectors, b.vectors, atol=1e-4, rtol=0)
        np.testing.assert_array_equal(a.chunks, b.chunks)


def test_half_precision_stays_close(tiny_checkpoint: Path, tiny_encoder: OpenVinoEncoder) -> None:
    half = TorchEncoder(tiny_checkpoint, precision="bf16")
    exact, rounded = (next(e.encode(TEXTS[:1])).vectors for e in (tiny_encoder, half))
    cosine = (exact * rounded).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(rounded, axis=1)
    assert cosine.min() > 0.999


def test_a_checkpoint_that_is_only_pickled_runs_on_torch(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    folder = write_checkpoint(tmp_path)
    weights = {name: torch.from_numpy(value) for name, value in load_file(folder / "model.safetensors").items()}
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    encoder = load_encoder(str(folder))
    assert isinstance(encoder, TorchEncoder)
    np.testing.assert_allclose(
        next(encoder.encode(TEXTS[:1])).vectors, next(tiny_encoder.encode(TEXTS[:1])).vectors, atol=1e-4, rtol=0
    )


def test_another_architecture_runs_on_torch_and_is_refused_with_advice_without_it(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path)
    size = transformers.AutoConfig.from_pretrained(folder).vocab_size
    config = transformers.DistilBertConfig(
        vocab_size=size, dim=24, n_layers=1, n_heads=2, hidden_dim=32, max_position_embeddings=40
    )
    transformers.DistilBertModel(config).save_pretrained(folder)
    encoder = load_encoder(str(folder), runtime="torch")
    encoded = next(encoder.encode(["the valve of the pump " * 30]))
    assert encoded.vectors.shape == (150, 24)
    assert encoded.chunks.max() == 3
    with pytest.raises(ModelError, match=r"\[torch\]"):
        load_encoder(str(folder), runtime="openvino")


def test_an_adapter_changes_the_vectors_and_the_fingerprint(tiny_checkpoint: Path, tmp_path: Path) -> None:
    adapters = pytest.importorskip(
        "adapters", "1.0", reason="the adapters package is not installed; the extra [torch] brings it"
    )
    model = transformers.AutoModel.from_pretrained(tiny_checkpoint)
    if not hasattr(adapters, "init"):
        pytest.skip("the folder tests/adapters goes by that name")
    adapters.init(model)
    torch.manual_seed(0)
    model.add_adapter("retrieval", config="seq_bn")
    for name, parameter in model.named_parameters():
        if "retrieval" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    model.save_adapter(str(tmp_path), "retrieval")
    plain, adapted = TorchEncoder(tiny_checkpoint), TorchEncoder(tiny_checkpoint, adapter=tmp_path)
    assert plain.fingerprint != adapted.fingerprint
    a, b = (next(e.encode(TEXTS[:1])).vectors for e in (plain, adapted))
    assert np.abs(a - b).max() > 1e-3


def test_an_unknown_precision_is_refused(tiny_checkpoint: Path) -> None:
    with pytest.raises(InputError, match="fp16"):
        TorchEncoder(tiny_checkpoint, precision="int8")
