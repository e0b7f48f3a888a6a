"""The model inside an index: where it lies, and whether it is the one that the postings were made with."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

from sparse_coverage.errors import MismatchError, SparseCoverageError
from sparse_coverage.files import read_json, sha256_of
from sparse_coverage.index.manifest import Manifest, read_manifest
from sparse_coverage.model import MODEL_FILE, SparseCoverage, read_settings
from sparse_coverage.vectors import ActivationConfig
from sparse_coverage.vocabulary import Vocabulary
from sparse_coverage.vocabulary.storage import ANCHORS, CENTERS, HEADER, load_vocabulary

MODEL_FOLDER = "model"


def vocabulary_digest(model: SparseCoverage) -> str:
    """Return what identifies how a model turns texts into vectors; an index and its model must agree in it."""
    return digest_of(model.vocabulary, model.activation, list(model.clean))


def digest_of(vocabulary: Vocabulary, activation: ActivationConfig, cleaning: list[str]) -> str:
    """Return the same from the parts that a model's files hold."""
    common = "" if vocabulary.common is None else vocabulary.common.fingerprint
    # `repeats` concerns queries only, and postings do not depend on it. Indexes older than `passage_repeats` have none.
    active = asdict(replace(activation, repeats=0.0))
    if not activation.passage_repeats:
        del active["passage_repeats"]
    config = asdict(vocabulary.config)
    if not vocabulary.config.only:  # indexes older than restrictions know none
        del config["only"]
    facts = json.dumps([config, active, cleaning, common], sort_keys=True)
    return sha256(facts.encode() + vocabulary.radii.tobytes()).hexdigest()


def require_fit(folder: Path, state: Manifest, model: SparseCoverage) -> None:
    """Refuse a model that the postings were not made with, as when another index was put in the place of this one."""
    there, here = str(state.about.get("vocabulary")), vocabulary_digest(model)
    if there != here:
        raise MismatchError(
            f"{folder}: the postings were made with vocabulary {there[:12]}, the model is {here[:12]}. Open the index again; if "
            f"that does not help, restore {folder / MODEL_FOLDER} or build the index again."
        )


def damaged_model_files(folder: Path) -> list[str]:
    """Return the files of the model inside an index that are missing or damaged, relative to it. Needs no encoder."""
    home = folder / MODEL_FOLDER
    try:
        missing = [name for name in (HEADER, CENTERS, ANCHORS, MODEL_FILE) if not (home / name).is_file()]
        if missing:
            return [f"{MODEL_FOLDER}/{name}" for name in missing]
        sums = read_json(home / HEADER)["sha256"]
        damaged = [f"{MODEL_FOLDER}/{name}" for name in (CENTERS, ANCHORS) if sha256_of(home / name) != sums[name]]
        if damaged:
            return damaged
    except (SparseCoverageError, KeyError, TypeError):
        return [f"{MODEL_FOLDER}/{HEADER}"]
    try:
        settings = read_settings(home)
        activation, cleaning = ActivationConfig(**settings["activation"]), list(settings["clean"])
    except (SparseCoverageError, KeyError, TypeError):
        return [f"{MODEL_FOLDER}/{MODEL_FILE}"]
    try:
        same = digest_of(load_vocabulary(home), activation, cleaning) == read_manifest(folder).about.get("vocabulary")
    except SparseCoverageError:
        same = False
    # Both files are whole, yet together they are not what the postings were made with.
    return [] if same else [f"{MODEL_FOLDER}/{HEADER}", f"{MODEL_FOLDER}/{MODEL_FILE}"]
