"""A model whose files are whole but hold absurd numbers is refused when it is loaded, with the file and the field."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hash_encoder import HashEncoder
from safetensors.numpy import load_file, save_file

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.errors import MismatchError, SparseCoverageError
from sparse_coverage.files import checksum_of, sha256_of

TEXTS = ["A pump with a valve and a spring.", "A rubber seal of the housing.", "Noise of the sensor is filtered."]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("absurd") / "index"
    Index.build(folder, SparseCoverage.fit(TEXTS, encoder=HashEncoder(), size=8), TEXTS)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "index")


def rewrite_arrays(model: Path, change: Any) -> None:
    """Change the arrays of a model, and the checksum with them."""
    arrays = load_file(model / "centers.safetensors")
    change(arrays)
    save_file(arrays, model / "centers.safetensors")
    header = json.loads((model / "vocabulary.json").read_text())
    header["sha256"]["centers.safetensors"] = sha256_of(model / "centers.safetensors")
    (model / "vocabulary.json").write_text(json.dumps(header))


def rewrite_settings(model: Path, part: str, name: str, value: Any) -> None:
    """Change a setting of a model, and the checksum with it."""
    settings = json.loads((model / "model.json").read_text())
    del settings["sha256"]
    settings[part][name] = value
    (model / "model.json").write_text(json.dumps({**settings, "sha256": checksum_of(settings)}))


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, 1e30, 2.0])
def test_centers_that_are_no_directions_are_refused(folder: Path, value: float) -> None:
    rewrite_arrays(folder / "model", lambda arrays: arrays["centers"][3].fill(value))
    with pytest.raises(SparseCoverageError, match=r"centers\.safetensors: 'centers' cannot be used"):
        Index.open(folder, encoder=HashEncoder())


@pytest.mark.parametrize("value", [np.nan, -1.0, 1e30])
def test_radii_that_are_no_distances_are_refused(folder: Path, value: float) -> None:
    rewrite_arrays(folder / "model", lambda arrays: arrays["radii"][:1].fill(value))
    with pytest.raises(SparseCoverageError, match=r"centers\.safetensors: 'radii' cannot be used"):
        Index.open(folder, encoder=HashEncoder())


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("activation", "repeats", 1e308),
        ("activation", "repeats", float("nan")),
        ("activation", "passage_repeats", -1.0),
        ("activation", "k", 0),
        ("scoring", "gamma", 1e308),
        ("scoring", "gamma", -1e308),
        ("scoring", "alpha", 10_000.0),
        ("scoring", "alpha", float("inf")),
        ("scoring", "smoothing", 1e308),
        ("scoring", "rho", float("nan")),
    ],
)
def test_settings_beyond_all_numbers_are_refused(folder: Path, part: str, name: str, value: float) -> None:
    rewrite_settings(folder / "model", part, name, value)
    with pytest.raises(SparseCoverageError, match=rf"model\.json\.{part}[.:] ?{name}\b"):
        Index.open(folder, encoder=HashEncoder())


def test_other_centers_than_the_postings_were_made_with_are_refused(folder: Path) -> None:
    rewrite_arrays(folder / "model", lambda arrays: arrays["centers"].__imul__(np.float32(-1)))
    with pytest.raises(MismatchError, match="the postings were made with"):
        Index.open(folder, encoder=HashEncoder())


def test_another_format_of_a_model_is_told_with_both_numbers(folder: Path) -> None:
    settings = json.loads((folder / "model" / "model.json").read_text())
    del settings["sha256"]
    settings["format"] = 77
    (folder / "model" / "model.json").write_text(json.dumps({**settings, "sha256": checksum_of(settings)}))
    with pytest.raises(SparseCoverageError, match=r"model format 77, this version reads format 4.*sparse-coverage fit"):
        Index.open(folder, encoder=HashEncoder())
