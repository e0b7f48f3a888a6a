"""Vocabularies on the model hub: publish a folder, find one by its name. The hub's own client does the work."""

from __future__ import annotations

import re
from pathlib import Path

from sparse_coverage.errors import VocabularyError

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
FILES = ("vocabulary.json", "centers.safetensors", "anchors.jsonl", "model.json")


def vocabulary_folder(source: str | Path) -> Path:
    """Return the local folder of a vocabulary: the folder itself, or the hub's copy of `owner/name`, fetched if need be."""
    if isinstance(source, Path) or Path(source).exists() or not _HUB_ID.fullmatch(source):
        return Path(source)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(source, allow_patterns=list(FILES)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:  # ValueError: an impossible name
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VocabularyError(
            f"'{source}' is no folder here, and could not be fetched from the model hub: {reason}"
        ) from None


def publish(folder: Path, repository: str, *, private: bool = False) -> str:
    """Upload a saved vocabulary or model to the hub as `owner/name`; return its address. Needs a login with the hub's client."""
    if not _HUB_ID.fullmatch(repository):
        raise VocabularyError(f"'{repository}' is no name for the hub: it looks like owner/name.")
    if not (folder / FILES[0]).is_file():
        raise VocabularyError(f"{folder}: there is no vocabulary here (no {FILES[0]}) to publish.")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi()
    try:
        address = api.create_repo(repository, private=private, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=folder, allow_patterns=list(FILES))
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VocabularyError(f"'{repository}' could not be published: {reason}") from None
    return str(address)
