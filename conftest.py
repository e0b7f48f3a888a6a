"""For every test, of the package's docstrings too: what properties draw, in which order tests run, and what they leave as it is."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).parent
# Modules that cannot be imported without an extra.
NEEDS = {
    "adapters/pyterrier": "pyterrier",
    "present/office_pdf": "reportlab",
    "present/office_word": "docx",
}
collect_ignore = [f"src/sparse_coverage/{module}.py" for module, needs in NEEDS.items() if not find_spec(needs)]

# `make test` draws the same examples every time. `make explore` draws more of them from a seed that it prints. Neither asks the clock.
TIMELESS = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", derandomize=True, max_examples=25, **TIMELESS)
settings.register_profile("explore", max_examples=1000, print_blob=True, **TIMELESS)
settings.load_profile("fixed")
# Hypothesis also draws constants out of the modules that happen to be loaded, so that the tests before this one would choose its examples.
providers.is_local_module_file = lambda path: False


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the order."""
    parser.addoption(
        "--order-seed", type=int, help="run the modules, and the tests in each, in an order drawn from this number"
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Tell how to repeat the order."""
    seed = config.getoption("--order-seed")
    return None if seed is None else f"in another order: --order-seed {seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse properties that would draw other examples every time, then put the tests into the wished order."""
    if settings.get_current_profile_name() == "fixed":
        for item in items:
            chosen = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
            if chosen is not None and not chosen.derandomize:
                raise pytest.UsageError(
                    f"{item.nodeid} draws other examples every time: leave derandomize to the profile."
                )
    if (seed := config.getoption("--order-seed")) is not None:
        drawn = random.Random(seed)
        modules = [list(tests) for _, tests in groupby(items, lambda item: item.nodeid.partition("::")[0])]
        drawn.shuffle(modules)
        for tests in modules:
            drawn.shuffle(tests)
        items[:] = [item for tests in modules for item in tests]


def pytest_runtest_setup() -> None:
    """What a test draws without a generator of its own is the same whatever ran before it."""
    random.seed(0)
    np.random.seed(0)


# `.ci/run` names a folder. Each process writes there which tests it ran and which it left out: no test may be left out by every step.
ACCOUNT = os.environ.get("SPARSE_COVERAGE_TESTS_RUN")
ran: set[str] = set()
left_out: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that ran, or was skipped."""
    if report.skipped:
        left_out.add(report.nodeid)
    elif report.when == "call":
        ran.add(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that was skipped as a whole."""
    if report.skipped:
        left_out.add(report.nodeid)


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note what was not asked for."""
    left_out.update(item.nodeid for item in items)


def pytest_sessionfinish() -> None:
    """Write what was noted."""
    if ACCOUNT:
        told = {"ran": sorted(ran), "left out": sorted(left_out)}
        Path(ACCOUNT, f"{os.getpid()}.json").write_text(json.dumps(told), encoding="utf-8")


# Of each fixture that more than one test is given: its folders, and what they held when it was made.
SHARED = pytest.StashKey[dict[object, dict[Path, dict[str, tuple[int, int]]]]]()


def shared_folders(made: object) -> Iterator[Path]:
    """The temporary folders that a fixture hands out: the value itself, or what it holds."""
    held = made.values() if isinstance(made, Mapping) else made if isinstance(made, tuple | list) else [made]
    for one in held:
        for found in (one, *getattr(one, "__dict__", {}).values()):
            temporary = (
                isinstance(found, Path) and found.is_relative_to(gettempdir()) and not ROOT.is_relative_to(found)
            )
            if temporary and not found.is_relative_to(ROOT) and found.is_dir():
                yield found


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with its size and the time of its last change."""
    found = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {str(path.relative_to(folder)): (stat.st_size, stat.st_mtime_ns) for path, stat in found.items()}


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Any:
    """Remember what lies in a folder that more than one test is given."""
    made = yield
    if fixturedef.scope != "function" and fixturedef.argname not in (
        "cluster",
        "notebooks_folder",
    ):  # a server and notebooks write
        made_here = {folder: state_of(folder) for folder in shared_folders(made)}
        request.config.stash.setdefault(SHARED, {})[fixturedef] = made_here
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Any:
    """Refuse a test that changed a folder that other tests are given too."""
    changed = []
    shared = item.config.stash.get(SHARED, {})
    for name, made in item._request._arg2fixturedefs.items() if isinstance(item, pytest.Function) else ():
        for folder, before in shared.get(made[-1], {}).items():
            after = state_of(folder) if folder.is_dir() else {}
            if name == "cache":  # it may grow: what is in it is found by what it was made of
                after = {file: state for file, state in after.items() if file in before}
            if after != before:
                files = sorted(file for file in before | after if before.get(file) != after.get(file))
                changed.append(f"{', '.join(files)} of the fixture {name}")
                shared[made[-1]][folder] = after
    yield
    if changed:
        pytest.fail(f"changed {' and '.join(changed)}: other tests see it too, so let this one change a copy")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for examples in `src/` only: among the tests are programs that run when they are imported."""
    found = yield
    examples_wanted = ROOT / "src" in file_path.parents
    return [collector for collector in found if examples_wanted or type(collector) is pytest.Module]
