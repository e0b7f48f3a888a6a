"""An index of the mixed folder built once by the commands a user types."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from mixed_files import write_mixed_folder

from sparse_coverage import ActivationConfig, Preset, SparseCoverage, progress, read_patents
from sparse_coverage.cli import cli
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands print is compared as a whole: on a slow machine lines of progress would come between."""
    monkeypatch.setattr(progress, "FIRST_LINE", 3600.0)


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for needed in ("docx", "pypdf", "openpyxl"):
        pytest.importorskip(needed, reason="the extras [documents] and [office] are not installed")
    return write_mixed_folder(tmp_path_factory.mktemp("everyday") / "mixed files")


@pytest.fixture(scope="session")
def library(mixed: Path, tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index. It is only read."""
    folder = tmp_path_factory.mktemp("library")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    preset = Preset(activation=ActivationConfig(k=1, assignment="nearest"), by="passage")
    patents = list(read_patents(mixed, on_problem=lambda problem: None))
    SparseCoverage.fit(patents, encoder=encoder, size=40, preset=preset).save(folder / "model")
    words = ["index", str(mixed), "--model", str(folder / "model"), "-o", str(folder / "index")]
    result = CliRunner().invoke(cli, words, standalone_mode=False)
    assert result.exception is None, result.output
    return folder / "index"
