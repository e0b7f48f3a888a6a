"""A vocabulary's files: `vocabulary.json` (how it was made, checksums), `centers.safetensors`, `anchors.jsonl`.

Nothing is pickled. The arrays can be mapped into memory instead of read. The same files can be published on the model hub
and fetched from there by their name; the hub's own client does that.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from sparse_coverage.dataclass_json import from_json
from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.files import read_json, sha256_of, write_json
from sparse_coverage.kernels import NORM_LIMIT, Array
from sparse_coverage.vocabulary.nearest import Cells
from sparse_coverage.vocabulary.points import SHORTEST, CommonPart
from sparse_coverage.vocabulary.vocabulary import Anchor, Vocabulary, VocabularyConfig

FORMAT = 1
HEADER, CENTERS, ANCHORS = "vocabulary.json", "centers.safetensors", "anchors.jsonl"
CARD = "README.md"
PUBLISHED = (HEADER, CENTERS, ANCHORS, "model.json", CARD)
_FARTHEST = 3.0  # a little more than any two directions are apart
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
    """Read a vocabulary from a folder or the model hub (`owner/name`).

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
            f"{folder}: vocabulary format {version}, this version reads format {FORMAT}. Make it anew: sparse-coverage fit PATHS -o MODEL"
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
    except (AttributeError, InputError, KeyError, TypeError, ValueError) as error:
        raise VocabularyError(
            f"{folder}: the files do not fit together ({type(error).__name__}: {error}). Restore them or fit the vocabulary again."
        ) from None


def vocabulary_folder(source: str | Path) -> Path:
    """Return the local folder of a vocabulary: the folder itself, or the hub's copy of `owner/name`, fetched once."""
    if isinstance(source, Path) or Path(source).exists() or not _HUB_ID.fullmatch(source):
        return Path(source)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(source, allow_patterns=list(PUBLISHED)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:  # ValueError: an impossible name
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VocabularyError(
            f"'{source}' is no folder here, and could not be fetched from the model hub: {reason}"
        ) from None


def _assembled(folder: Path, header: dict[str, Any], arrays: dict[str, Array]) -> Vocabulary:
    for name, array in arrays.items():
        if name.startswith(("centers", "radii", "common", "gaps")):
            _require_sound(folder / CENTERS, name, array)
    config = from_json(VocabularyConfig, header["config"], f"{folder / HEADER}: config")
    directions = len(arrays["common-directions"]) if "common-directions" in arrays else None
    told, held = (config.size, config.dimension, config.common), (*arrays["centers"].shape, directions)
    if told != held:
        raise VocabularyError(
            f"{folder}: the files do not fit together: centers, dimensions and common directions are {told} in {HEADER}, {held} in "
            f"{CENTERS}. Restore them or fit the vocabulary again."
        )
    levels = {
        int(size): Cells(arrays[f"radii-{size}"], arrays[f"counts-{size}"], **facts)
        for size, facts in header["levels"].items()
    }
    lines = (folder / ANCHORS).read_text(encoding="utf-8").splitlines()
    anchors = tuple(Anchor(**row) for row in json.loads(f"[{','.join(lines)}]"))  # at once, in half the time
    gaps = arrays.get("gaps", np.empty(0, dtype=np.float32))
    common = None
    if config.common is not None:
        common = CommonPart(np.asarray(arrays["common-mean"]), np.asarray(arrays["common-directions"]))
    return Vocabulary(arrays["centers"], arrays["radii"], anchors, config, levels, gaps, common)


def _require_sound(path: Path, name: str, array: Array) -> None:
    """Refuse numbers that would rank, and rank wrongly: vectors of another length than 1, radii that are no distances."""
    wrong = ""
    numbers = array[1:] if name == "gaps" else array  # the first center is infinitely far from none
    if not np.isfinite(numbers).all():
        wrong = "it holds a value that is not a number"
    elif name in ("centers", "common-directions", "common-mean"):
        rows = np.atleast_2d(array)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        shortest = 0.0 if name == "common-mean" else SHORTEST
        bad = np.flatnonzero(~((lengths >= shortest) & (lengths <= NORM_LIMIT)))
        wrong = f"the length of vector {bad[0]} is {lengths[bad[0]]:g} instead of 1" if len(bad) else ""
    elif len(numbers) and not (numbers.min() >= -1e-3 and numbers.max() <= _FARTHEST):
        wrong = f"they are distances from 0 to 2, not from {numbers.min():g} to {numbers.max():g}"
    if wrong:
        raise VocabularyError(
            f"{path}: '{name}' cannot be used: {wrong}. Restore the file or fit the vocabulary again."
        )


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
