"""The loop that runs the tests again and again catches those that depend on the order, on chance or on each other."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ORDER = """
seen = []

def test_that_expects_to_be_first():
    assert seen == []

def test_that_leaves_something_behind():
    seen.append(1)
"""
SHARED = """
import pytest

@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    (folder / "manifest.json").write_text("{}")
    return folder

def test_that_reads(index):
    assert (index / "manifest.json").read_text()

def test_that_writes(index):
    (index / "manifest.json").write_text("{1}")

def test_that_reads_again(index):
    assert (index / "manifest.json").read_text()
"""
CHANCE = """
from hypothesis import given, settings
from hypothesis import strategies as some

@settings(derandomize=False)
@given(some.integers())
def test_that_draws_by_chance(number):
    pass
"""
SOUND = """
import random
from hypothesis import given
from hypothesis import strategies as some

def test_that_draws_the_same_without_a_seed():
    assert random.randrange(1000) == 864

@given(some.integers())
def test_that_holds_for_fixed_examples(number):
    assert number == number

def test_that_needs_no_other():
    assert True
"""


LEFT_OUT = """
import pytest

def test_that_runs():
    pass

@pytest.mark.skipif("not config.option.verbose > 0", reason="needs something that another step has")
def test_that_another_step_runs():
    pass

@pytest.mark.skip(reason="needs what nobody has")
def test_that_no_step_runs():
    pass
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder of tests that are run as those of this project."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\n", encoding="utf-8"
    )  # otherwise a setup.py in a folder above names the tests
    return tmp_path


def steady(suite: Path, tests: str, times: int) -> subprocess.CompletedProcess[str]:
    (suite / "test_made_up.py").write_text(tests, encoding="utf-8")
    command = [sys.executable, ROOT / "tools" / "steady.py", "--times", str(times), "--workers", "0", "--seed", "1"]
    needed = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin,_hypothesis_pytestplugin"}
    return subprocess.run(
        [*command, "--folder", suite], env={**os.environ, **needed}, capture_output=True, text=True, check=False
    )


def test_a_test_that_depends_on_the_order_is_caught_and_its_seed_printed(suite: Path) -> None:
    done = steady(suite, ORDER, 2)
    assert done.returncode == 1
    usual, other, failed, summary = done.stdout.splitlines()
    assert "2 passed" in usual
    assert "--order-seed 1: 1 failed" in other
    assert "test_that_expects_to_be_first" in failed
    assert summary == "1 of 2 runs passed"


def test_a_property_that_draws_by_chance_is_caught(suite: Path) -> None:
    done = steady(suite, CHANCE, 1)
    assert done.returncode == 1
    assert "test_that_draws_by_chance draws other examples every time" in done.stdout


def test_a_test_that_changes_what_others_are_given_is_caught_and_sound_ones_pass(suite: Path) -> None:
    done = steady(suite, SOUND + SHARED, 1)
    assert done.returncode == 1
    assert "6 passed, 1 error" in done.stdout
    assert "test_that_writes - Failed: changed manifest.json of the fixture index" in done.stdout


def test_a_test_that_is_left_out_by_every_step_is_told(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    account = tmp_path_factory.mktemp("account")
    environment = {**os.environ, "SPARSE_COVERAGE_TESTS_RUN": str(account)}
    (suite / "test_made_up.py").write_text(LEFT_OUT, encoding="utf-8")
    (suite / "test_of_an_extra.py").write_text(
        "import pytest\npytest.importorskip('no_such_package')", encoding="utf-8"
    )
    for step in ("-q", "-v"):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", step, "-k", "not by_name"]
        subprocess.run(command, cwd=suite, env=environment, capture_output=True, check=True)
    checks = runpy.run_path(str(ROOT / ".ci" / "checks.py"))
    assert checks["run_nowhere"](account) == ["test_made_up.py::test_that_no_step_runs", "test_of_an_extra.py"]
