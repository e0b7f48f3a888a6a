"""Texts in, contextual token vectors with character offsets out: from a name to a running encoder."""

from __future__ import annotations

from pathlib import Path

from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.encoding.encoder import Encoder, Tokens, TokenVectors
from sparse_coverage.encoding.fetching import model_folder
from sparse_coverage.encoding.graphs import FAMILY, onnx_file
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.encoding.weights import model_config
from sparse_coverage.errors import InputError

__all__ = ["DEFAULT_ENCODER", "Encoder", "TokenVectors", "Tokens", "load_encoder"]

DEFAULT_ENCODER = "minilm"
RUNTIMES = ("auto", "openvino", "torch")


def load_encoder(
    name: str = DEFAULT_ENCODER, *, runtime: str = "auto", precision: str = "auto", threads: int | None = None
) -> Encoder:
    """Return the encoder of a catalogue name, a local folder or a hub id.

    `runtime`: `openvino` (base install: ONNX, and safetensors of the BERT family), `torch` (extra; other architectures, adapters, GPUs), or
    `auto`: OpenVINO, and torch for what only torch can run.
    """
    if runtime not in RUNTIMES:
        raise InputError(f"There is no runtime '{runtime}'. Choose one of: {', '.join(RUNTIMES)}.")
    known = CATALOGUE.get(name)
    folder = model_folder(name)
    adapter = model_folder(known.adapter) if known and known.adapter else None
    if (folder / "weights.npz").is_file() and (folder / "sp.model").is_file():
        from sparse_coverage.encoding.use_encoder import UseEncoder

        return UseEncoder(folder, name=name, precision=precision, threads=threads)
    if runtime == "torch" or (runtime == "auto" and (adapter or _needs_torch(folder))):
        from sparse_coverage.encoding.torch_encoder import TorchEncoder

        return TorchEncoder(folder, name=name, precision=precision, threads=threads, adapter=adapter)
    return OpenVinoEncoder(folder, name=name, precision=precision, threads=threads)


def _needs_torch(folder: Path) -> bool:
    """Tell whether only torch can run a checkpoint: there is no ONNX graph, and its weights are pickled or of another family."""
    if onnx_file(folder) is not None:
        return False
    if (folder / "pytorch_model.bin").is_file() and not (folder / "model.safetensors").is_file():
        return True
    config = model_config(folder)
    return bool(config) and config.get("model_type") not in FAMILY
