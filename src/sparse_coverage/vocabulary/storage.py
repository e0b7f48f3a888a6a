"""A vocabulary's files: `vocabulary.json` (how it was made, checksums), `centers.safetensors`, `anchors.jsonl`.

Nothing is pickled. The arrays can be mapped into memory instead of read. The same files can be published on the model hub
and fetched from there by their name; the hub's own client does that.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from sparse_coverage.errors import VocabularyError
from sparse_coverage.files import read_json, sha256_of, write_json
from sparse_coverage.kernels import Array
from sparse_coverage.vocabulary.common import CommonPart
from sparse_coverage.vocabulary.radii import Cells
from sparse_coverage.vocabulary.vocabulary import Anchor, Vocabulary, VocabularyConfig

FORMAT = 1
HEADER, CENTERS, ANCHORS = "vocabulary.json", "centers.safetensors", "anchors.jsonl"
_PUBLISHED = (HEADER, CENTERS, ANCHORS, "model.json")
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


def save_vocabulary(vocabulary: Vocabulary, folder: Path) -> None:
    """Write a vocabulary into an existing folder."""
    arrays: dict[str, Array] = {"centers": vocabulary.centers, "radii": vocabulary.radii}
    if len(vocabulary.gaps):
        arrays["gaps"] = vocabulary.gaps
    if vocabulary.common is not None:
        arrays["common-mean"], arrays["common-directions"] = vocabulary.common.mean, vocabulary.common.directions
    for size, cells in vocabulary.levels.items():
        arrays[f"radii-{size}"], arrays[f"counts-{size}"] = cells.radii, cells.counts
    content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    (folder / CENTERS).write_bytes(content)  # not `save_file`, whose error on a full disk is none that the system knows
    with (folder / ANCHORS).open("w", encoding="utf-8", newline="\n") as stream:
        for anchor in vocabulary.anchors:
            stream.write(json.dumps(asdict(anchor), ensure_ascii=True) + "\n")
    levels = {
        str(size): {"covered": cells.covered, "error": cells.error, "farthest": cells.farthest}
        for size, cells in vocabulary.levels.items()
    }
    checksums = {name: sha256_of(folder / name) for name in (CENTERS, ANCHORS)}
    header = {"format": FORMAT, "config": asdict(vocabulary.config), "levels": levels, "sha256": checksums}
    write_json(folder / HEADER, header)


def load_vocabulary(source: str | Path, *, mmap: bool = False, check: bool = True) -> Vocabulary:
    """Read a vocabulary from a folder, or from the model hub (`owner/name`).

    `mmap` maps the arrays instead of reading them; `check` verifies every file's checksum first.
    """
    folder = vocabulary_folder(source)
    if not (folder / HEADER).is_file():
        raise VocabularyError(
            f"{folder}: there is no vocabulary here (no {HEADER}). Make one with: sparse-coverage fit"
        )
    header = read_json(folder / HEADER)
    version = header.get("format") if isinstance(header, dict) else None
    if version != FORMAT:
        raise VocabularyError(
            f"{folder}: vocabulary format {version}, this version reads format {FORMAT}. Fit it again."
        )
    try:
        for name in (CENTERS, ANCHORS):
            if not (folder / name).is_file():
                raise VocabularyError(f"{folder / name}: the file is missing. Restore it or fit the vocabulary again.")
            if check and sha256_of(folder / name) != header["sha256"][name]:
                raise VocabularyError(
                    f"{folder / name}: the file is damaged (its sha256 differs). Fit the vocabulary again."
                )
        return _assembled(folder, header, _mapped(folder / CENTERS) if mmap else _read(folder / CENTERS))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise VocabularyError(
            f"{folder}: the files do not fit together ({type(error).__name__}: {error}). Restore them or fit the vocabulary again."
        ) from None


def vocabulary_folder(source: str | Path) -> Path:
    """Return the local folder of a vocabulary: the folder itself, or the hub's copy of `owner/name`, fetched if need be."""
    if isinstance(source, Path) or Path(source).exists() or not _HUB_ID.fullmatch(source):
        return Path(source)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(source, allow_patterns=list(_PUBLISHED)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:  # ValueError: an impossible name
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VocabularyError(
            f"'{source}' is no folder here, and could not be fetched from the model hub: {reason}"
        ) from None


def publish(folder: Path, repository: str, *, private: bool = False) -> str:
    """Upload a saved vocabulary or model to the hub as `owner/name`; return its address. Needs a login with the hub's client."""
    if not _HUB_ID.fullmatch(repository):
        raise VocabularyError(f"'{repository}' is no name for the hub: it looks like owner/name.")
    if not (folder / HEADER).is_file():
        raise VocabularyError(f"{folder}: there is no vocabulary here (no {HEADER}) to publish.")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi()
    try:
        address = api.create_repo(repository, private=private, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=folder, allow_patterns=list(_PUBLISHED))
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VocabularyError(f"'{repository}' could not be published: {reason}") from None
    return str(address)


def _assembled(folder: Path, header: dict[str, Any], arrays: dict[str, Array]) -> Vocabulary:
    names = {field.name for field in fields(VocabularyConfig)}
    config = VocabularyConfig(**{key: value for key, value in header["config"].items() if key in names})
    levels = {
        int(size): Cells(arrays[f"radii-{size}"], arrays[f"counts-{size}"], **facts)
        for size, facts in header.get("levels", {}).items()
    }
    lines = (folder / ANCHORS).read_text(encoding="utf-8").splitlines()
    anchors = tuple(Anchor(**row) for row in json.loads(f"[{','.join(lines)}]"))  # at once, in half the time
    gaps = arrays.get("gaps", np.empty(0, dtype=np.float32))
    common = None
    if config.common is not None:
        common = CommonPart(np.asarray(arrays["common-mean"]), np.asarray(arrays["common-directions"]))
    return Vocabulary(arrays["centers"], arrays["radii"], anchors, config, levels, gaps, common)


def _read(path: Path) -> dict[str, Array]:
    try:
        with safe_open(path, framework="numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dictionary)
    except SafetensorError as error:
        raise VocabularyError(f"{path}: cannot be read ({error}). Fit the vocabulary again.") from None


def _mapped(path: Path) -> dict[str, Array]:
    """Map the arrays of a safetensors file: eight bytes of header length, the header as JSON, then the data."""
    kinds = {"F32": np.float32, "I64": np.int64}
    try:
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            header = json.loads(stream.read(length))
        content = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + length)
        return {
            name: content[slice(*entry["data_offsets"])].view(kinds[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (OSError, ValueError, KeyError) as error:
        raise VocabularyError(f"{path}: cannot be mapped ({error}). Fit the vocabulary again.") from None
