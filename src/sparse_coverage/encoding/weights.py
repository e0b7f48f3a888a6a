"""Folders of model weights: what lies in them, what tells them from others, and where fetched ones are kept."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import platformdirs

from sparse_coverage.encoding.graphs import FAMILY, external_data, onnx_file
from sparse_coverage.errors import ModelError
from sparse_coverage.files import read_json, sha256_of, write_text

RECORD = "sparse-coverage.json"
_DEFINING = (
    "config.json",
    "tokenizer.json",
    "vocab.txt",
    "sp.model",
    "weights.npz",
    "adapter_config.json",
    "pytorch_adapter.bin",
)


def cached_folder(name: str) -> Path | None:
    """Return where a fetched model lies, or None if it is not in the cache."""
    folder = cache_folder() / "models" / name.replace("/", "--")
    return folder if (folder / RECORD).exists() else None


def damaged_files(folder: Path) -> list[str]:
    """Return the files of a fetched model that are missing or no longer have the recorded sha256."""
    recorded: dict[str, str] = read_json(folder / RECORD)["files"]
    return [
        name for name, pin in recorded.items() if not (folder / name).is_file() or sha256_once(folder / name) != pin
    ]


def fingerprint_of(folder: Path) -> str:
    """Return a short digest of what makes two encoders the same: weights, configuration and tokenizer, not folder or runtime."""
    present = [name for name in _DEFINING if (folder / name).is_file()]
    if "tokenizer.json" in present:
        present = [name for name in present if name != "vocab.txt"]
    files = [folder / name for name in present]
    if (weights := _weights_file(folder)) is not None:
        files += [weights, *(external_data(weights) if weights.suffix == ".onnx" else [])]
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in files):
        digest.update(f"{name}:{sha256_once(path)}\n".encode())
    return digest.hexdigest()[:16]


def weights_file(folder: Path) -> Path:
    """Return the file of a checkpoint folder that the built-in encoder takes its weights from; where there is none, say so."""
    found = _weights_file(folder)
    if found is None or found.suffix == ".bin":
        raise ModelError(
            f"{folder}: there is neither onnx/model.onnx nor model.safetensors. An encoder folder holds tokenizer.json and either "
            "an ONNX graph or config.json and safetensors; pickled weights (pytorch_model.bin) run on the extra [torch]."
        )
    if found.suffix == ".safetensors" and not (folder / "config.json").is_file():
        raise ModelError(
            f"{folder}: there is no config.json beside model.safetensors. Copy it from where the model came from."
        )
    return found


def model_config(folder: Path) -> dict[str, Any]:
    """Return what `config.json` of a checkpoint says; nothing where there is none."""
    path = folder / "config.json"
    found = read_json(path) if path.is_file() else {}
    if not isinstance(found, dict):
        raise ModelError(f"{path}: an object of settings was expected. Copy the file from where the model came from.")
    return {name: value for name, value in found.items() if value is not None}


def _weights_file(folder: Path) -> Path | None:
    """Return the weights of a folder: safetensors of the BERT family, or else ONNX, or else what only torch can run."""
    built_in = model_config(folder).get("model_type") in FAMILY
    onnx, safetensors, pickled = onnx_file(folder), folder / "model.safetensors", folder / "pytorch_model.bin"
    if safetensors.is_file() and (built_in or onnx is None):
        return safetensors
    return onnx or (pickled if pickled.is_file() else None)


def cache_folder() -> Path:
    """Return the folder that holds fetched models. `SPARSE_COVERAGE_CACHE` moves it."""
    chosen = os.environ.get("SPARSE_COVERAGE_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sparse-coverage", appauthor=False))


def sha256_once(path: Path) -> str:
    """Return the sha256 of a file, from what is known of it where the file has not changed since."""
    status, name = path.stat(), str(path.absolute())
    book = cache_folder() / "checksums.json"
    known = _read(book)
    facts = [status.st_size, status.st_mtime_ns, status.st_ino]
    if name in known and known[name][:3] == facts:
        return str(known[name][3])
    found = sha256_of(path)
    kept = {other: entry for other, entry in _read(book).items() if Path(other).exists()}
    try:
        book.parent.mkdir(parents=True, exist_ok=True)
        write_text(book, json.dumps({**kept, name: [*facts, found]}))
    except OSError:
        pass  # where nothing can be kept, it is computed each time
    return found


def _read(book: Path) -> dict[str, list[object]]:
    try:
        found = json.loads(book.read_text(encoding="utf-8"))
        return {name: entry for name, entry in found.items() if isinstance(entry, list) and len(entry) == 4}
    except (OSError, ValueError, AttributeError):
        return {}
