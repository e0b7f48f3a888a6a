"""A calibration is a file that users hand on: whatever is wrong with one is an error that names it, never a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.score import Score, TokenSpace
from sparse_coverage.errors import InputError


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    rows = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    score = Score((0.0,) * 4, (1.0,) * 4, (1.0, -1.0, 1.0, 1.0), (0.5, -0.5))
    Calibration("tiny", "f00", TokenSpace(rows[0], rows[1], rows[2]), score, {"made": 1}).save(tmp_path / "sound.json")
    return tmp_path / "sound.json"


def refused(path: Path, told: str = "") -> None:
    with pytest.raises(InputError, match=told) as problem:
        Calibration.load(path)
    assert str(path) in str(problem.value)


def test_a_sound_one_is_read(sound: Path) -> None:
    assert Calibration.load(sound).figures == {"made": 1}


def test_one_that_is_cut_short_or_changed_at_any_place_is_read_or_refused(sound: Path, tmp_path: Path) -> None:
    content, path, refusals = sound.read_bytes(), tmp_path / "other.json", 0
    for place in range(0, len(content), 7):
        for other in (content[:place], content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :]):
            path.write_bytes(other)
            try:
                Calibration.load(path)
            except InputError:
                refusals += 1
    assert refusals > len(content) / 7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": 99}, "format 99"),
        ({"figures": 3}, "figures"),
        ({"space": {"mean": [1.0], "common": [1.0, 2.0], "claims": [1.0]}}, "do not fit"),
        ({"space": {"mean": [float("nan")], "common": [1.0], "claims": [1.0]}}, "do not fit"),
        ({"score": {}}, "score"),
        ({"score": {"weights": "steep"}}, "score"),
    ],
)
def test_values_that_do_not_fit_are_refused(sound: Path, tmp_path: Path, change: dict[str, Any], told: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(json.loads(sound.read_text(encoding="utf-8")) | change), encoding="utf-8")
    refused(path, told)


def test_a_file_beyond_all_measure_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "bomb.json").write_bytes(b" " * (5 << 20))
    refused(tmp_path / "bomb.json", "more than")
