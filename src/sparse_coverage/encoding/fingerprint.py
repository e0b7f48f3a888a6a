"""What makes two encoders the same: their weights, configuration and tokenizer, not their folder or runtime."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sparse_coverage.files import sha256_of

_DEFINING = (
    "config.json",
    "model.safetensors",
    "pytorch_model.bin",
    "tokenizer.json",
    "vocab.txt",
    "adapter_config.json",
    "pytorch_adapter.bin",
)


def fingerprint_of(folder: Path) -> str:
    """Return a short digest of the files that define an encoder's vectors."""
    present = [name for name in _DEFINING if (folder / name).is_file()]
    if "model.safetensors" in present:
        present = [name for name in present if name != "pytorch_model.bin"]
    if "tokenizer.json" in present:
        present = [name for name in present if name != "vocab.txt"]
    digest = hashlib.sha256()
    for name in present:
        digest.update(f"{name}:{sha256_of(folder / name)}\n".encode())
    return digest.hexdigest()[:16]
