"""A vocabulary's files: `vocabulary.json` (how it was made, checksums), `centers.safetensors`, `anchors.jsonl`."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from sparse_coverage.errors import VocabularyError
from sparse_coverage.files import read_json, sha256_of, write_json
from sparse_coverage.vocabulary.types import Anchor, Vocabulary, VocabularyConfig

FORMAT = 1
HEADER, CENTERS, ANCHORS = "vocabulary.json", "centers.safetensors", "anchors.jsonl"


def save_vocabulary(vocabulary: Vocabulary, folder: Path) -> None:
    """Write a vocabulary into an existing folder."""
    save_file({"centers": vocabulary.centers, "radii": vocabulary.radii}, folder / CENTERS)
    with (folder / ANCHORS).open("w", encoding="utf-8") as stream:
        for anchor in vocabulary.anchors:
            stream.write(json.dumps(asdict(anchor), ensure_ascii=False) + "\n")
    checksums = {name: sha256_of(folder / name) for name in (CENTERS, ANCHORS)}
    write_json(folder / HEADER, {"format": FORMAT, "config": asdict(vocabulary.config), "sha256": checksums})


def load_vocabulary(folder: Path) -> Vocabulary:
    """Read a vocabulary, verifying every file."""
    if not (folder / HEADER).is_file():
        raise VocabularyError(
            f"{folder}: there is no vocabulary here (no {HEADER}). Make one with: sparse-coverage fit"
        )
    header = read_json(folder / HEADER)
    if header.get("format") != FORMAT:
        raise VocabularyError(
            f"{folder}: vocabulary format {header.get('format')}, this version reads format {FORMAT}."
        )
    for name, expected in header["sha256"].items():
        if not (folder / name).is_file():
            raise VocabularyError(f"{folder / name}: the file is missing. Restore it or fit the vocabulary again.")
        if sha256_of(folder / name) != expected:
            raise VocabularyError(
                f"{folder / name}: the file is damaged (its sha256 differs). Fit the vocabulary again."
            )
    names = {field.name for field in fields(VocabularyConfig)}
    config = VocabularyConfig(**{key: value for key, value in header["config"].items() if key in names})
    try:
        arrays = load_file(folder / CENTERS)
    except SafetensorError as error:
        raise VocabularyError(f"{folder / CENTERS}: cannot be read ({error}).") from None
    lines = (folder / ANCHORS).read_text(encoding="utf-8").splitlines()
    return Vocabulary(arrays["centers"], arrays["radii"], tuple(Anchor(**json.loads(line)) for line in lines), config)
