"""Install a wheel into empty environments as users do, and search: python tools/installs.py dist/*.whl [--write docs/installing.md]

Every installer (pip, uv, pipx) with every Python found (3.10 to 3.13), each with the lowest and the newest versions that
pyproject.toml allows. Each searches an index of sixteen patents, made with the same Python and versions; the answer must be the same
everywhere. The encoder is in the cache from the first of them on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOLS = Path(sys.executable).parent  # where uv and pipx are
INSTALLERS = ("uv", "pip", "pipx")
VERSIONS = ("lowest", "newest")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
COLUMNS = ["Python", "installer", "versions", "result", "size", "installed in", "indexed in", "first search in", "with"]
NAMED = ("numpy", "numba", "openvino")  # whose versions are shown

# Sixteen patents of the demo collection, which is part of the package, and what one of them is about.
PATENTS = "evaluation/demo/collection/01_document_collection/01_extracted/EP/000009/11"
CLAIM = "A telephone with a loudspeaker, a microphone for ambient noise and a filter that cancels the noise, adapted to the ear"
ANSWER = "EP-9110745-A1"


def pythons(wanted: list[str]) -> dict[str, Path]:
    """Find an interpreter for each version: on the path, or among those of pyenv."""
    found = {}
    for version in wanted:
        candidates: list[str | Path | None] = [
            shutil.which(f"python{version}"),
            *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")),
        ]
        for candidate in filter(None, candidates):
            asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            answer = subprocess.run(asked, capture_output=True, text=True, check=False)
            if answer.stdout.strip() == version:
                found[version] = Path(candidate)
    return found


def cpu_of_children() -> float:
    """Return the CPU seconds of the programs that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command: list[str | Path], **env: str) -> tuple[str, float]:
    """Run a command: what it prints, and its seconds of CPU. An error tells what it printed."""
    before = cpu_of_children()
    done = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout, cpu_of_children() - before


def lowest(python: Path, folder: Path) -> Path:
    """Write the lowest versions that pyproject.toml allows and that have wheels for a Python; what those need is the newest."""
    constraints = folder / "lowest.txt"
    command: list[str | Path] = [
        TOOLS / "uv",
        "pip",
        "compile",
        "--quiet",
        "--python",
        python,
        "--resolution",
        "lowest-direct",
    ]
    run([*command, "--only-binary", ":all:", ROOT / "pyproject.toml", "-o", constraints])
    return constraints


def install(installer: str, python: Path, wheel: Path, constraints: Path | None, folder: Path) -> Path:
    """Install into a new environment, and return where its programs are."""
    held = ["--constraint", str(constraints), "--only-binary", ":all:"] if constraints else []
    if installer == "pipx":
        places = {"PIPX_HOME": str(folder), "PIPX_BIN_DIR": str(folder / "bin"), "PIPX_MAN_DIR": str(folder / "man")}
        run([TOOLS / "pipx", "install", "--python", python, "--pip-args", " ".join(held), wheel], **places)
        return folder / "venvs" / "sparse-coverage" / "bin"
    if installer == "uv":
        run([TOOLS / "uv", "venv", "--quiet", "--python", python, folder])
        run([TOOLS / "uv", "pip", "install", "--quiet", "--python", folder / "bin" / "python", *held, wheel])
    else:
        run([python, "-m", "venv", folder])
        run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *held, wheel])
    return folder / "bin"


def search(programs: Path, index: Path) -> tuple[str, dict[str, str]]:
    """Index, where no environment with the same versions has, and search: the first document found, and what both took."""
    took, command = {}, programs / "sparse-coverage"
    if not index.exists():
        [package] = programs.parent.glob("lib/python*/site-packages/sparse_coverage")
        took["indexed in"] = f"{run([command, 'index', package / PATENTS, '-o', index, '--quiet'])[1]:.0f} s"
    answer, cpu = run([command, "search", index, CLAIM, "--json"])
    return json.loads(answer)["hits"][0]["document"], took | {"first search in": f"{cpu:.1f} s"}


def size(folder: Path) -> int:
    """Return how many MB a folder takes, a file with several names once."""
    files = {(found.st_dev, found.st_ino): found.st_size for path in folder.rglob("*") if (found := path.lstat())}
    return round(sum(files.values()) / 1e6)


def row(installer: str, python: Path, wheel: Path, versions: str, indexes: Path) -> dict[str, str]:
    """Install and search once; indexes are kept for the next installer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        told, _ = run([python, "-c", "import platform; print(platform.python_version())"])
        shown = {"Python": told.strip(), "installer": installer, "versions": versions}
        try:
            constraints = lowest(python, folder) if versions == "lowest" else None
            before = cpu_of_children()
            programs = install(installer, python, wheel, constraints, folder / "environment")
            shown["installed in"] = f"{cpu_of_children() - before:.0f} s"
            shown["size"] = f"{size(folder / 'environment')} MB"
            asked = f"from importlib.metadata import version as v; print(*(n + ' ' + v(n) for n in {NAMED}), sep=', ')"
            shown["with"] = run([programs / "python", "-c", asked])[0].strip()
            found, took = search(programs, indexes / f"{told.strip()}-{versions}")
            shown |= took
            shown["result"] = "works" if found == ANSWER else f"found {found} in the place of {ANSWER}"
        except RuntimeError as error:
            print(error, file=sys.stderr)
            shown["result"] = "fails: " + str(error).strip().splitlines()[-1]
    return shown


def joined(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Make one row of the installers whose environments hold the same and answered alike; what differs is a range."""
    alike: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for one in rows:
        alike.setdefault(tuple(one.get(name, "") for name in ("Python", "versions", "result", "with")), []).append(one)
    return [
        {column: _range([one[column] for one in same if column in one]) for column in COLUMNS}
        for same in alike.values()
    ]


def _range(values: list[str]) -> str:
    distinct = list(dict.fromkeys(values))
    if len(distinct) < 2 or not all(value[:1].isdigit() for value in distinct):
        return ", ".join(distinct)
    distinct.sort(key=lambda value: float(value.split()[0]))
    return f"{distinct[0].split()[0]} to {distinct[-1]}"


def table(rows: list[dict[str, str]]) -> str:
    """Write rows as a table of Markdown."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *([row[column] for column in COLUMNS] for row in joined(rows))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write(page: Path, rows: list[dict[str, str]]) -> None:
    """Put the table and where it was measured into a page, between two marks."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from machine import describe

    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- installs -->\n")
    _, _, after = rest.partition("<!-- end of installs -->")
    measured = f"\nMeasured on {datetime.now(timezone.utc):%Y-%m-%d}: {describe().rsplit(', ', 1)[0]}.\n"
    page.write_text(
        f"{before}<!-- installs -->\n{table(rows)}{measured}<!-- end of installs -->{after}", encoding="utf-8"
    )


def main() -> int:
    """Install everywhere, print the table; 1 where something does not work."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", nargs="+", default=PYTHONS, help="versions to try (3.10 to 3.13)")
    parser.add_argument("--installer", nargs="+", choices=INSTALLERS, default=INSTALLERS)
    parser.add_argument("--versions", nargs="+", choices=VERSIONS, default=VERSIONS)
    parser.add_argument("--keep", type=Path, help="a folder that keeps rows and indexes from one run to the next")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    chosen = parser.parse_args()
    os.environ["UV_PYTHON_DOWNLOADS"] = "never"
    found = pythons(chosen.python)
    for version in sorted(set(chosen.python) - set(found)):
        print(f"There is no Python {version} here: not tried", file=sys.stderr)
    keep = chosen.keep or Path(tempfile.mkdtemp())
    keep.mkdir(exist_ok=True)
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in keep.glob("*.json")]
    rows = {(one["Python"], one["installer"], one["versions"]): one for one in kept}
    for version, python in found.items():
        for installer in chosen.installer:
            for versions in chosen.versions:
                new = row(installer, python, chosen.wheel.resolve(), versions, keep)
                rows[new["Python"], installer, versions] = new
                print(f"{version} {installer} {versions}: {new['result']}", file=sys.stderr, flush=True)
                (keep / f"{version}-{installer}-{versions}.json").write_text(json.dumps(new), encoding="utf-8")
    ordered = [rows[key] for key in sorted(rows, key=lambda key: (key[0], INSTALLERS.index(key[1]), key[2]))]
    print(table(ordered))
    if chosen.write:
        write(chosen.write, ordered)
    if not chosen.keep:
        shutil.rmtree(keep)
    return int(any(one["result"] != "works" for one in ordered))


if __name__ == "__main__":
    sys.exit(main())
