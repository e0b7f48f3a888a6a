"""Fetching a checkpoint from the model hub through its own client, which resumes downloads and knows the user's token."""

from __future__ import annotations

import logging
import os
import socket
import urllib.parse
from collections.abc import Mapping
from pathlib import Path

from sparse_coverage.errors import ModelError
from sparse_coverage.files import sha256_of

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


def fetch(repository: str, pins: Mapping[str, str], folder: Path) -> None:
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
            weights = [name for name in _WEIGHTS if name in announced][:1]
            if not weights:
                raise ModelError(f"the repository holds none of {', '.join(_WEIGHTS)}")
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
