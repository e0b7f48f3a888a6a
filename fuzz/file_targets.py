"""Fuzzes files that one user gives another: projects, models with their vocabularies, calibrations of claim charts."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import numpy as np
from hash_encoder import HashEncoder

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.score import Figures, Score, TokenSpace
from sparse_coverage.files import checksum_of, sha256_of
from sparse_coverage.model import SparseCoverage
from sparse_coverage.present.export_kinds import PROJECT_EXPORTS
from sparse_coverage.present.project_view import project_view
from sparse_coverage.projects import ProjectFolder
from sparse_coverage.vocabulary.points import CommonPart
from sparse_coverage.vocabulary.storage import ANCHORS, CENTERS, HEADER
from sparse_coverage.vocabulary.vocabulary import Anchor, Vocabulary, VocabularyConfig

_DIMENSION = 8


def projects(data: bytes) -> None:
    """Any file as an exported project: what is taken can be reported in every format, and exported and imported again."""
    with tempfile.TemporaryDirectory() as folder:
        kept = ProjectFolder(Path(folder))
        with kept.imported(data) as project:
            content, id_ = project.content(whole=True), project.id
        view = project_view(content)
        for report in PROJECT_EXPORTS.values():
            report.make(view)
        with kept.imported(kept.exported(id_)) as again:
            assert again.content(whole=True).marks == content.marks
        assert all(entry.head for entry in kept.entries())


def project_files(data: bytes) -> None:
    """A project's own file with some bytes changed: it can be reported, or is refused, and the projects beside it are listed."""
    if len(data) < 6:
        return
    with tempfile.TemporaryDirectory() as folder, suppress(sqlite3.Error):
        kept = ProjectFolder(Path(folder))
        with kept.create("beside it") as sound, kept.create("damaged") as damaged:
            pass
        path = kept.path / f"{damaged.id}.sqlite"
        path.write_bytes(_changed(_made_project(), data))
        assert any(entry.id == sound.id and entry.head for entry in kept.entries())
        with kept.open(damaged.id) as project:
            view = project_view(project.content(whole=True))
        for report in PROJECT_EXPORTS.values():
            report.make(view)


def models(data: bytes) -> None:
    """A model with some bytes changed, its checksums made to fit or not: it is read and turns texts into vectors, or is refused."""
    if len(data) < 6:
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "model"
        shutil.copytree(_made_model(), copy)
        files = sorted(copy.iterdir())
        path = files[data[0] % len(files)]
        path.write_bytes(_changed(path.read_bytes(), data))
        if data[4] % 2:
            _sign(copy)
        model = SparseCoverage.load(copy, encoder=HashEncoder())
        model.encode_query(["A valve with a plunger."])


def calibrations(data: bytes) -> None:
    """Any file as a calibration, or one with bytes changed: it is read and used, or refused."""
    if len(data) < 6:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        path.write_bytes(data[6:] if data[5] % 8 == 0 else _changed(_made_calibration(), data))
        found = Calibration.load(path)
        found.verdict(float(found.score.evidence([Figures(0.5, -1.0, 3.0, 0.2)])[0]))


def _changed(content: bytes, data: bytes) -> bytes:
    place = int.from_bytes(data[1:4], "little") % (len(content) + 1)
    if data[4] % 8 >= 6:
        return content[:place]
    return content[:place] + data[6:] + content[place + (len(data) - 6 if data[5] % 2 else 0) :]


def _sign(folder: Path) -> None:
    """Give changed files the checksums that they need to be looked at."""
    for name in ("model.json", HEADER):
        try:
            content = json.loads((folder / name).read_bytes())
        except ValueError:
            continue
        if not isinstance(content, dict):
            continue
        content.pop("sha256", None)
        sums = {one: sha256_of(folder / one) for one in (CENTERS, ANCHORS)}
        content["sha256"] = sums if name == HEADER else checksum_of(content)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


@lru_cache(1)
def _made_model() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-model-")) / "model"
    encoder, size = HashEncoder(), 12
    centers = np.random.default_rng(5).normal(size=(size, encoder.dimension)).astype(np.float32)
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    config = VocabularyConfig(
        *(encoder.name, encoder.fingerprint, encoder.precision, encoder.dimension),
        *("token", size, 99.0, "farthest-first", 0, 100),
        common=1,
    )
    anchors = tuple(Anchor(f"valve {number}", f"EP-{number}-A1", f"EP-{number}-A1/claims/1") for number in range(size))
    common = CommonPart(centers[0] / 4, centers[1:2])
    vocabulary = Vocabulary(centers, np.full(size, 0.9, np.float32), anchors, config, common=common)
    SparseCoverage(encoder, vocabulary).save(folder)
    return folder


@lru_cache(1)
def _made_project() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        kept = ProjectFolder(Path(folder))
        kept.imported((Path(__file__).parent / "corpus" / "projects" / "valves.json").read_bytes()).close()
        [path] = kept.path.glob("*.sqlite")
        return path.read_bytes()


@lru_cache(1)
def _made_calibration() -> bytes:
    rows = np.random.default_rng(6).normal(size=(3, _DIMENSION)).astype(np.float32)
    score = Score((0.0,) * 4, (1.0,) * 4, (1.0, 1.0, -1.0, 1.0), (0.5, -0.5))
    made = Calibration("hash", "hash-24", TokenSpace(*rows), score, {"made": "for fuzzing"})
    path = Path(tempfile.mkdtemp(prefix="fuzz-calibration-")) / "calibration.json"
    made.save(path)
    return path.read_bytes()
