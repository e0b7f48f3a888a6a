"""For every test: a tiny random BERT that needs no download, and kernels that are compiled once, not in each process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_bert import write_checkpoint

from sparse_coverage import cli
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels before xdist starts its processes, each of which would compile the same ones.

    Tests run machine code, as long-running processes do; those of NumPy in its place say so.
    """
    from sparse_coverage.kernels.choosing import use
    from sparse_coverage.search.warming import warm_up

    use("machine")
    if not hasattr(config, "workerinput") and config.getoption("numprocesses", None):
        warm_up()


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("tiny-bert"))


@pytest.fixture(scope="session")
def wide_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with layers wide enough for int8."""
    return write_checkpoint(tmp_path_factory.mktemp("wide-bert"), hidden_size=64, intermediate_size=128)


@pytest.fixture(scope="session")
def tiny_encoder(tiny_checkpoint: Path) -> OpenVinoEncoder:
    return OpenVinoEncoder(tiny_checkpoint, name="tiny", precision="fp32", threads=1)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process: exit status, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sparse-coverage", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return int(stop.value.code or 0), printed.out, printed.err

    return call
