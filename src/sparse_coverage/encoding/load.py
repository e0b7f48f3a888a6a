"""From a name to a running encoder."""

from __future__ import annotations

from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.encoding.store import model_folder
from sparse_coverage.encoding.torch_encoder import TorchEncoder
from sparse_coverage.encoding.types import Encoder
from sparse_coverage.errors import InputError

DEFAULT_ENCODER = "minilm"
RUNTIMES = ("auto", "openvino", "torch")


def load_encoder(
    name: str = DEFAULT_ENCODER, *, runtime: str = "auto", precision: str = "auto", threads: int | None = None
) -> Encoder:
    """Return the encoder of a catalogue name, a local folder or a hub id.

    `runtime`: `openvino` (base install, BERT checkpoints), `torch` (extra; other architectures, adapters, GPUs), or
    `auto`: OpenVINO, and torch for what only torch can run.
    """
    if runtime not in RUNTIMES:
        raise InputError(f"There is no runtime '{runtime}'. Choose one of: {', '.join(RUNTIMES)}.")
    known = CATALOGUE.get(name)
    folder = model_folder(name)
    adapter = model_folder(known.adapter) if known and known.adapter else None
    only_pickled = (folder / "pytorch_model.bin").is_file() and not (folder / "model.safetensors").is_file()
    if runtime == "torch" or (runtime == "auto" and (adapter or only_pickled)):
        return TorchEncoder(folder, name=name, precision=precision, threads=threads, adapter=adapter)
    return OpenVinoEncoder(folder, name=name, precision=precision, threads=threads)
