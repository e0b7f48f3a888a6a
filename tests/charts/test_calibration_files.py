"""A calibration is a file that users hand on: whatever is wrong with one is an error that names it, never a trace."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.space import Space
from sparse_coverage.charts.words import Rarity
from sparse_coverage.errors import InputError


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    rows = np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32)
    space = Space(rows[0], rows[1], rows[3:], rows[2], rows[3:])
    Calibration("tiny", "f00", space, Rarity(2, {"valv": 1}), 1.0, 0.0, 0.7, 0.4, 0.8, {"made": 1}).save(
        tmp_path / "sound.npz"
    )
    return tmp_path / "sound.npz"


def refused(path: Path, told: str = "") -> None:
    with pytest.raises(InputError, match=told) as problem:
        Calibration.load(path)
    assert str(path) in str(problem.value)


def test_a_sound_one_is_read(sound: Path) -> None:
    assert Calibration.load(sound).figures == {"made": 1}


def test_one_that_is_cut_short_or_changed_at_any_place_is_read_or_refused(sound: Path, tmp_path: Path) -> None:
    """Found by `make fuzz`: damage inside the archive came out as an error of zipfile or zlib."""
    content, path, refusals = sound.read_bytes(), tmp_path / "other.npz", 0
    for place in range(0, len(content), 7):
        for other in (content[:place], content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :]):
            path.write_bytes(other)
            try:
                Calibration.load(path)
            except InputError:
                refusals += 1
    assert refusals > len(content) / 7


def test_values_and_arrays_that_do_not_fit_are_refused(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    with np.load(sound) as stored:
        arrays = dict(stored)
    about = json.loads(arrays["about"].tobytes())
    for change, told in (
        ({"slope": "steep"}, "slope"),
        ({"figures": 3}, "figures"),
        ({"format": 99}, "another version"),
    ):
        np.savez(path, **{**arrays, "about": np.frombuffer(json.dumps(about | change).encode(), np.uint8)})
        refused(path, told)
    np.savez(path, **{**arrays, "about": np.frombuffer(b"[1]", np.uint8)})
    refused(path, "another version")
    for name in ("claims", "matrix", "spread"):
        np.savez(path, **{**arrays, name: arrays[name][:2]})
        refused(path, "does not fit")
    with zipfile.ZipFile(sound) as whole, zipfile.ZipFile(path, "w") as out:
        for name in whole.namelist():
            out.writestr(name, whole.read(name).replace(b"{'descr'", b"{('desc'", 1))
    refused(path, "no calibration")
    np.savez(path, **{**arrays, "middle": arrays["middle"] * np.nan})
    refused(path, "middle")


def test_an_array_beyond_all_measure_is_refused_before_it_is_read(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.save(header, np.zeros(0, np.uint8))
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as out, out.open("about.npy", "w") as stream:
        stream.write(header.getvalue())
        for _ in range(257):
            stream.write(bytes(1 << 20))
    refused(tmp_path / "bomb.npz", "at most")
