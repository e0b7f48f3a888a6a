"""What is released is whole, and under licences that are known; the checks see where it is not."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parent.parent


def tool(name: str, folder: str = "tools") -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


pytest.importorskip("resource", reason="what makes releases runs on POSIX systems")
licences, release, installs = tool("licences"), tool("release"), tool("installs")


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment with one package whose licence is fine."""
    plant(tmp_path, "fine", "License-Expression: MIT")
    return tmp_path


def plant(environment: Path, name: str, *says: str) -> None:
    folder = environment / "lib" / "python3.11" / "site-packages" / f"{name}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *says, ""]))


def check(environment: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / "licences.py", environment]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_an_environment_of_known_licences_passes(environment: Path) -> None:
    plant(environment, "old", "License: BSD", "Classifier: License :: OSI Approved :: BSD License")
    plant(environment, "either", "License-Expression: GPL-3.0-only OR Apache-2.0")
    plant(environment, "certifi", "License: MPL-2.0")
    done = check(environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (["License-Expression: GPL-3.0-or-later"], "GPL-3.0-or-later"),
        (["License-Expression: MIT AND AGPL-3.0-only"], "AGPL-3.0-only"),
        (
            ["Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)"],
            "GNU General Public License",
        ),
        (
            ["Classifier: License :: OSI Approved :: MIT License", "Classifier: License :: Other/Proprietary License"],
            "Propr",
        ),
        (["License: MPL-2.0"], "MPL-2.0"),
        (["License: ask me"], "ask me"),
        ([], "unknown"),
    ],
)
def test_a_planted_licence_that_is_copyleft_or_unknown_is_refused(
    environment: Path, says: list[str], told: str
) -> None:
    plant(environment, "planted", *says)
    done = check(environment)
    assert done.returncode == 1
    assert "planted 1.0" in done.stderr
    assert told in done.stderr
    assert "fine" not in done.stderr


def test_an_environment_that_is_not_there_does_not_pass(tmp_path: Path) -> None:
    assert check(tmp_path).returncode == 1


NAMES = st.sampled_from(["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception", "GPL-3.0-only", "MPL-2.0"])
EXPRESSIONS = st.recursive(
    NAMES.map(lambda name: (name, name in licences.ALLOWED)),
    lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(
        lambda both: (
            f"({both[0][0]}) {both[1]} ({both[2][0]})",
            both[0][1] and both[2][1] if both[1] == "AND" else both[0][1] or both[2][1],
        )
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_an_expression_of_licences_is_evaluated_as_logic_says(made: tuple[str, bool]) -> None:
    expression, allowed = made
    assert licences.is_allowed(expression) is allowed


@given(st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=1, max_size=3))
def test_and_binds_more_strongly_than_or(alternatives: list[list[str]]) -> None:
    expression = " OR ".join(" AND ".join(names) for names in alternatives)
    assert licences.is_allowed(expression) is any(set(names) <= licences.ALLOWED for names in alternatives)


def write_wheel(path: Path, names: list[str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_a_wheel_that_lacks_an_asset_or_holds_a_test_is_refused(tmp_path: Path) -> None:
    wanted = {"p/__init__.py", "p/py.typed", "p/static/page.css"}
    wheel = tmp_path / "p-1-py3-none-any.whl"
    release.check_wheel(write_wheel(wheel, [*wanted, "p-1.dist-info/METADATA"]), wanted)
    with pytest.raises(release.NotWholeError, match=r"lacks p/static/page.css"):
        release.check_wheel(write_wheel(wheel, ["p/__init__.py", "p/py.typed"]), wanted)
    with pytest.raises(release.NotWholeError, match=r"should not hold tests/test_p.py"):
        release.check_wheel(write_wheel(wheel, [*wanted, "tests/test_p.py"]), wanted)
    with pytest.raises(release.NotWholeError, match="every system"):
        release.check_wheel(write_wheel(tmp_path / "p-1-cp311-cp311-linux_x86_64.whl", list(wanted)), wanted)


def test_a_source_distribution_holds_the_whole_repository(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    sdist = tmp_path / "p-1.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name in ("PKG-INFO", "README.md"):
            archive.add(tmp_path / "f", f"p-1/{name}")
    release.check_sdist(sdist, {"README.md"})
    with pytest.raises(release.NotWholeError, match="lacks Makefile"):
        release.check_sdist(sdist, {"README.md", "Makefile"})


def test_the_table_of_installs_is_put_into_its_page_and_nothing_else_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- installs -->\nold\n<!-- end of installs -->\nafter\n", encoding="utf-8")
    installs.write(page, [{"Python": "3.12.1", "installer": "uv", "versions": "lowest", "result": "works"}])
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- installs -->\n| Python | installer |")
    assert text.endswith("<!-- end of installs -->\nafter\n")
    assert "| 3.12.1 | uv | lowest | works |" in text
    assert "old" not in text


def test_a_lock_pins_versions_and_names_no_place() -> None:
    locks = list((ROOT / ".ci" / "locks").glob("*.txt"))
    assert len(locks) == 3
    for lock in locks:
        for line in lock.read_text(encoding="utf-8").splitlines():
            assert re.fullmatch(r"[a-z0-9.\-]+==[\w.+!]+( ; .+)?", line), f"{lock.name}: {line}"


def test_every_step_of_the_checks_is_run() -> None:
    named = re.search(r"PHASES = \[(.*?)\n\]", (ROOT / ".ci" / "checks.py").read_text(encoding="utf-8"), re.S)
    assert named is not None
    assert set(re.findall(r'"([\w-]+)"', named[1])) == {path.name for path in (ROOT / ".ci" / "steps").iterdir()}


@pytest.fixture
def checks(tmp_path: Path) -> ModuleType:
    """`.ci/run` for a project whose steps are one that passes and one that fails."""
    module = tool("checks", ".ci")
    steps = tmp_path / ".ci" / "steps"
    steps.mkdir(parents=True)
    (steps / "good").write_text("echo all is well\n")
    (steps / "bad").write_text("false\necho not reached\n")
    module.ROOT, module.WORK = tmp_path, tmp_path / ".ci-work"
    return module


def test_a_failed_step_fails_the_checks_and_the_others_still_run(
    checks: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    checks.PHASES = [["bad", "good"]]
    assert checks.main([]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"^bad .* FAILED$", printed, re.M)
    assert "not reached" not in printed
    assert "all is well" in printed
    assert checks.main(["good"]) == 0
    assert checks.main(["gold"]) == 2


def test_nothing_runs_where_setting_up_failed(checks: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    (checks.ROOT / ".ci" / "steps" / "set-up").write_text("exit 3\n")
    checks.PHASES = [["set-up"], ["good"]]
    assert checks.main([]) == 1
    assert "all is well" not in capsys.readouterr().out


def test_the_version_is_the_same_wherever_it_stands() -> None:
    places = {
        "pyproject.toml": r'^version = "(.+)"',
        "CITATION.cff": r"^version: (.+)",
        "src/sparse_coverage/package.py": r'__version__ = "(\d.+)"$',
    }
    found = {
        re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)[0] for name, pattern in places.items()
    }
    assert len(found) == 1, found
