"""The store of model weights: asked for by name, folder or hub id, answered with a verified local folder."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import socket
import urllib.parse
from collections.abc import Callable, Mapping
from functools import partial as partial_
from pathlib import Path
from typing import Any

import platformdirs

from sparse_coverage.encoding.catalogue import CATALOGUE, KnownModel
from sparse_coverage.encoding.graphs import FAMILY, external_data, onnx_file
from sparse_coverage.encoding.graphs import FILES as ONNX_FILES
from sparse_coverage.errors import ModelError
from sparse_coverage.files import read_json, sha256_of, write_json, write_text

RECORD = "sparse-coverage.json"
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_DEFINING = (
    "config.json",
    "tokenizer.json",
    "vocab.txt",
    "sp.model",
    "weights.npz",
    "adapter_config.json",
    "pytorch_adapter.bin",
)


def downloads_folder() -> Path:
    """Return the folder that downloads pass through."""
    return cache_folder() / "downloads"


def model_folder(spec: str, *, onnx: bool = False) -> Path:
    """Return a verified local folder for a name of the catalogue, a local folder or a hub id, fetching it if need be.

    `onnx`: from the hub the ONNX graph is wanted, also of a model whose safetensors could be run.
    """
    if spec in CATALOGUE:
        return _fetched(CATALOGUE[spec])
    if Path(spec).is_dir():
        return Path(spec)
    if _HUB_ID.fullmatch(spec) and not spec.startswith("."):
        name = spec.replace("/", "--") + ("--onnx" if onnx else "")
        return _fetched(KnownModel(name=name, hub=spec, dimension=0, about=""), onnx=onnx)
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


def _fetched(model: KnownModel, *, onnx: bool = False) -> Path:
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
        origin = _fill(model, partial, onnx=onnx)
        shutil.rmtree(partial / ".cache", ignore_errors=True)  # the hub client's own bookkeeping
        files = {str(p.relative_to(partial)): sha256_of(p) for p in sorted(partial.rglob("*")) if p.is_file()}
        write_json(partial / RECORD, {"name": model.name, "origin": origin, "files": files})
        shutil.rmtree(folder, ignore_errors=True)
        partial.replace(folder)
    return folder


def _fill(model: KnownModel, partial: Path, *, onnx: bool) -> str:
    """Try each source in turn until one fills the folder; return which."""
    from sparse_coverage.encoding.downloads import fetch_from_archive

    sources: list[tuple[str, Callable[[], None]]] = []
    if model.hub:
        sources.append((f"{model.hub} (model hub)", lambda: fetch_from_hub(model.hub, model.pins, partial, onnx=onnx)))
    if (archive := model.archive) is not None:
        fetch_archive = partial_(fetch_from_archive, archive, model.members, model.pins, partial, downloads_folder())
        sources.append((str(archive), fetch_archive))
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
    name = model.name if model.name in CATALOGUE else model.hub
    if onnx:
        raise ModelError(
            f"The cross-encoder '{name}' could not be fetched. Tried:\n{tried}\n"
            "Check the connection and try again, or give the path of a folder with tokenizer.json and onnx/model.onnx."
        )
    here = [known for known, one in CATALOGUE.items() if one.kind == "encoder" and cached_folder(known)]
    other = f" Another encoder is in the cache and can be named instead: {', '.join(here)}." if here else ""
    raise ModelError(
        f"The encoder '{name}' could not be fetched. Tried:\n{tried}\n"
        "Check the connection and try again, or give the path of a folder with "
        f"tokenizer.json and onnx/model.onnx, or config.json and model.safetensors.{other}"
    )


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


_WANTED = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "modules.json",
    "1_Pooling/config.json",
    "adapter_config.json",
)
_WEIGHTS = ("model.safetensors", "pytorch_model.bin", "pytorch_adapter.bin")


def fetch_from_hub(repository: str, pins: Mapping[str, str], folder: Path, *, onnx: bool = False) -> None:
    """Fetch a checkpoint's files into a folder. Each file must have its pinned sha256, or else the one the hub announces."""
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # its retries are reported by us, once
    from huggingface_hub import HfApi, constants, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    _check_reachable(constants.ENDPOINT)
    try:
        if pins:
            wanted, revision = dict(pins), "main"
        else:
            info = HfApi().model_info(repository, files_metadata=True, timeout=30)
            announced = {file.rfilename: file.lfs.sha256 if file.lfs else "" for file in info.siblings or []}
            built_in = not onnx and (info.config or {}).get("model_type") in FAMILY
            order = (*_WEIGHTS[:1], *ONNX_FILES, *_WEIGHTS[1:]) if built_in else (*ONNX_FILES, *_WEIGHTS)
            weights = [name for name in order if name in announced][:1]
            if not weights:
                raise ModelError(f"the repository holds none of {', '.join(order)}")
            outside = (
                f"{weights[0]}_data",
                f"{weights[0]}.data",
            )  # where exporters put the weights of a large ONNX graph
            weights += [name for name in announced if name.startswith(outside)]
            wanted = {name: announced[name] for name in (*_WANTED, *weights) if name in announced}
            revision = info.sha or "main"
        for name, pin in wanted.items():
            path = Path(hf_hub_download(repository, name, revision=revision, local_dir=folder))
            if pin and (found := sha256_of(path)) != pin:
                path.unlink()
                raise ModelError(f"{name} has sha256 {found}, expected {pin}")
    except (HfHubHTTPError, OSError) as error:
        raise ModelError(str(error).splitlines()[0]) from None


def _check_reachable(endpoint: str) -> None:
    """Fail at once where the hub's name does not even resolve: the client would retry for half a minute."""
    if any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return
    address = urllib.parse.urlsplit(endpoint)
    try:
        socket.getaddrinfo(address.hostname, address.port or 443)
    except OSError as error:
        raise ModelError(f"the hub cannot be reached from here ({error})") from None
