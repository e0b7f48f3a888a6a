"""A vocabulary's files: `vocabulary.json` (how it was made, checksums), `centers.safetensors`, `anchors.jsonl`.

Nothing is pickled. The arrays can be mapped into memory instead of read. The same files can be published on the model hub
and fetched from there by their name; the hub's own client does that.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from sparse_coverage.dataclass_json import from_json
from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.files import new_file, new_folder, read_json, require_place, sha256_of, user_cache, write_json
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
    """Read a vocabulary from a folder, a packed file, or the model hub (`owner/name`).

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
    """Return the local folder of a vocabulary: the folder itself, what a packed file holds, or the hub's copy of `owner/name`.

    A packed file is unpacked into the user's cache, a file of the hub fetched, once.
    """
    if Path(source).suffix == ".zip" and Path(source).is_file():
        return _unpacked(Path(source))
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


def _unpacked(file: Path) -> Path:
    folder = user_cache() / "vocabularies" / sha256_of(file)[:24]
    if not (folder / HEADER).is_file():
        try:
            with zipfile.ZipFile(file) as archive, new_folder(folder) as partial:
                for name in PUBLISHED:
                    if name in archive.namelist():
                        (partial / name).write_bytes(archive.read(name))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise VocabularyError(
                f"{file}: the packed vocabulary is damaged ({error}). Fetch or pack it again."
            ) from None
    return folder


def publish(folder: Path, repository: str, *, private: bool = False) -> str:
    """Upload a saved or packed vocabulary or model to the hub as `owner/name`; return its address.

    Needs a login with the hub's client. A packed one has a card, which becomes the page of the repository.
    """
    if not _HUB_ID.fullmatch(repository):
        raise VocabularyError(f"'{repository}' is no name for the hub: it looks like owner/name.")
    folder = vocabulary_folder(folder)
    if not (folder / HEADER).is_file():
        raise VocabularyError(f"{folder}: there is no vocabulary here (no {HEADER}) to publish.")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi()
    try:
        address = api.create_repo(repository, private=private, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=folder, allow_patterns=list(PUBLISHED))
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise VocabularyError(f"'{repository}' could not be published: {reason}") from None
    return str(address)


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


# A vocabulary to share: one file with everything that is needed to load it, and a card that says what it is.

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes


def pack(
    folder: str | Path, file: str | Path, *, licence: str, name: str = "", figures: Mapping[str, Any] | None = None
) -> str:
    """Write a model or vocabulary as one zip file with its card; return the sha256 of the file.

    `load_vocabulary` and `SparseCoverage.load` take the file as they take a folder. `licence` is the licence's short name (SPDX), `figures`
    what `evaluate --json` wrote, for the card.
    """
    source, target = Path(folder), Path(file)
    if target.suffix != ".zip":
        raise VocabularyError(
            f"{target}: a packed vocabulary is a .zip file. Name it {target.with_suffix('.zip').name}."
        )
    require_place(target)
    load_vocabulary(source, mmap=True)  # refuses what is damaged
    content = {one: (source / one).read_bytes() for one in PUBLISHED if one != CARD and (source / one).is_file()}
    content[CARD] = card(source, licence=licence, name=name or source.resolve().name, figures=figures).encode()
    with new_file(target) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(content):
            archive.writestr(zipfile.ZipInfo(one, _LONG_AGO), content[one], zipfile.ZIP_DEFLATED)
    return sha256_of(target)


def card(folder: Path, *, licence: str, name: str, figures: Mapping[str, Any] | None = None) -> str:
    """Return the README of a vocabulary: licence, digest, encoder, how it was learned, sizes, and figures where there are any."""
    header = read_json(folder / HEADER)
    config = header["config"]
    settings = read_json(folder / "model.json") if (folder / "model.json").is_file() else {}
    kept = [f"| learned from documents | {config['only']} |\n"] if config.get("only") else []
    kept += [f"| {key} | `{settings[key]}` |\n" for key in settings if key in ("activation", "scoring", "clean", "by")]
    text = f"""---
license: {licence.lower()}
library_name: sparse-coverage
tags: [sparse-retrieval, patents, prior-art-search]
---
# {name}
A vocabulary of {config["size"]:,} semantic centers for Sparse Coverage, chosen by {config["selection"]} \
(seed {config["seed"]}) from {config["spans"]:,} spans of {config["documents"]:,} documents.

| | |
| --- | --- |
| encoder | {config["encoder"]} ({config["precision"]}, {config["dimension"]} dimensions) |
| unit | {config["unit"]} |
| tau | {config["tau"]:g} |
{"".join(kept)}| licence | {licence} |
| sha256 of {HEADER} | `{sha256_of(folder / HEADER)}` |

```python
from sparse_coverage import SparseCoverage

model = SparseCoverage.load("this-file.zip")  # or the name on the model hub
```
"""
    if figures:
        text += f"\n## Measured on {figures['collection']}\n| system | measure | mean x 100 |\n| --- | --- | --- |\n"
        text += "".join(
            f"| {system} | {measure} | {100 * value['mean']:.2f} |\n"
            for system, found in figures["systems"].items()
            for measure, value in found["measures"].items()
        )
    return text
