"""The model inside an index: where it lies, and whether it is the one that the postings were made with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from sparse_coverage.encoding import Encoder, Tokens, TokenVectors
from sparse_coverage.errors import MismatchError, SparseCoverageError
from sparse_coverage.files import read_json, sha256_of
from sparse_coverage.index.manifest import Manifest, read_manifest
from sparse_coverage.model import MODEL_FILE, SparseCoverage, model_settings
from sparse_coverage.patents.passages import By
from sparse_coverage.presets import DEFAULT_PRESET, get_preset
from sparse_coverage.vectors import ActivationConfig
from sparse_coverage.vocabulary import Vocabulary, VocabularyConfig
from sparse_coverage.vocabulary.storage import ANCHORS, CENTERS, HEADER, load_vocabulary

MODEL_FOLDER = "model"


class NoEncoder:
    """Stands for the encoder of an index that has none yet: texts have no tokens, so only words are compared."""

    name, fingerprint, precision, dimension = "none", "none", "fp32", 0

    def tokenize(self, text: str) -> Tokens:
        """Return no tokens."""
        none = np.zeros(0, np.int32)
        return Tokens(none, none, none)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield no vectors for each text."""
        none = np.zeros(0, np.int32)
        return (TokenVectors(np.zeros((0, 0), np.float32), none, none, none) for _ in texts)


def no_model(by: By) -> SparseCoverage:
    """Return a model without centers, for an index that holds words alone so far."""
    config = VocabularyConfig("none", "none", "fp32", 0, "token", 0, 0.0, "none", 0, 0)
    vocabulary = Vocabulary(np.zeros((0, 0), np.float32), np.zeros(0, np.float32), (), config)
    preset = get_preset(DEFAULT_PRESET)
    return SparseCoverage(NoEncoder(), vocabulary, preset.activation, preset.scoring, by=by)


def load_model(folder: Path, state: Manifest, encoder: Encoder | None, threads: int | None) -> SparseCoverage:
    """Return the model that an index searches with: its own, or one without centers where it was not learned yet."""
    if "vocabulary" not in state.about and not state.complete:
        return no_model(state.about["by"])
    model = SparseCoverage.load(folder / MODEL_FOLDER, encoder=encoder, threads=threads)
    require_fit(folder, state, model)
    return model


def vocabulary_digest(model: SparseCoverage) -> str:
    """Return what identifies how a model turns texts into vectors; an index and its model must agree in it."""
    vectors = "" if model.vectors is None else model.vectors.fingerprint
    return digest_of(model.vocabulary, model.activation, vectors)


def digest_of(vocabulary: Vocabulary, activation: ActivationConfig, vectors: str) -> str:
    """Return the same from the parts that a model's files hold."""
    common = "" if vocabulary.common is None else vocabulary.common.fingerprint
    active = asdict(replace(activation, repeats=0.0))  # which concerns queries only: postings do not depend on it
    facts = json.dumps([asdict(vocabulary.config), active, common, vectors], sort_keys=True)
    digest = sha256(facts.encode())
    for array in (vocabulary.radii, vocabulary.centers):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def require_fit(folder: Path, state: Manifest, model: SparseCoverage) -> None:
    """Refuse a model that the postings were not made with, as when another index was put in the place of this one."""
    there, here = str(state.about.get("vocabulary", "")), vocabulary_digest(model)
    if there != here and (there or len(model.vocabulary)):
        raise MismatchError(
            f"{folder}: the postings were made with vocabulary {there[:12]}, the model is {here[:12]}. Open the index again; if "
            f"that does not help, restore {folder / MODEL_FOLDER} or build the index again."
        )


def damaged_model_files(folder: Path) -> list[str]:
    """Return the files of the model inside an index that are missing or damaged, relative to it. Needs no encoder."""
    home = folder / MODEL_FOLDER
    if _is_unlearned(folder):
        return []
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
        settings = model_settings(home)
    except SparseCoverageError:
        return [f"{MODEL_FOLDER}/{MODEL_FILE}"]
    try:
        vectors = settings.vectors[1] if settings.vectors else ""
        here = digest_of(load_vocabulary(home), settings.activation, vectors)
        same = here == read_manifest(folder).about.get("vocabulary")
    except SparseCoverageError:
        same = False
    # Both files are whole, yet together they are not what the postings were made with.
    return [] if same else [f"{MODEL_FOLDER}/{HEADER}", f"{MODEL_FOLDER}/{MODEL_FILE}"]


def _is_unlearned(folder: Path) -> bool:
    """Tell whether an index that is being built has no model yet. A damaged manifest is reported elsewhere."""
    try:
        state = read_manifest(folder)
    except SparseCoverageError:
        return False
    return not state.complete and "vocabulary" not in state.about
