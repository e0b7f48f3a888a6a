"""The page `docs/extending.md` is followed by the letter: in a copy of the package, from top to bottom."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from tiny_bert import write_checkpoint

import sparse_coverage

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
PACKAGE = Path(sparse_coverage.__file__).parent
FILE_OR_BLOCK = re.compile(
    r"^`(?P<file>\S+)`$|^```(?P<kind>\w+)\n(?P<block>.*?)^```$|^## (?P<heading>.*?)$", re.MULTILINE | re.DOTALL
)


def test_the_tables_of_the_other_registries_are_where_the_page_says() -> None:
    rows = re.findall(
        r"^\|[^|]*\| `(\w+)` in `(\S+?)(?:/__init__)?\.py`", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) == 6
    for name, path in rows:
        assert hasattr(import_module(f"sparse_coverage.{path.replace('/', '.')}"), name), f"{name} is not in {path}"


class Clone:
    """A copy of the package and a folder to work in, where the default encoder is a tiny one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        # With the compiled code beside it, which then need not be made again.
        shutil.copytree(PACKAGE, folder / "src" / "sparse_coverage")
        encoder = write_checkpoint(folder / "cache" / "models" / "minilm")
        (encoder / "sparse-coverage.json").write_text('{"files": {}}', encoding="utf-8")

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        assert path.parent.is_dir(), f"{file}: there is no such folder in the package"
        assert not path.exists(), f"{file} is there already"
        path.write_text(text, encoding="utf-8")

    def patch(self, file: str, diff: str) -> None:
        """Replace the lines of a diff that are not new by those that are not old."""
        lines = diff.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has these lines {text.count(old)} times:\n{old}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def python(self, *arguments: str) -> str:
        cache = str(self.folder / "cache")
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "SPARSE_COVERAGE_CACHE": cache}
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=self.work, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def follow(page: str, clone: Clone) -> dict[str, str]:
    """Do what the page says, and return what each command and the script printed."""
    told, file = {}, ""
    for found in FILE_OR_BLOCK.finditer(page):
        kind, block = found["kind"], found["block"]
        if found["heading"]:
            file = ""  # another example begins
        elif found["file"]:
            file = found["file"]
        elif kind == "text" and file:
            clone.write(file, block)
        elif kind == "text":
            (clone.work / "patents.txt").write_text(block, encoding="utf-8")
        elif kind == "diff":
            clone.patch(file, block)
        elif kind == "python" and file:
            clone.write(file, block)
        elif kind == "python":
            told["script"] = told.get("script", "") + clone.python("-c", block)
        elif kind == "console":
            for line in block.splitlines():
                program, *arguments = shlex.split(line)
                assert program == "sparse-coverage"
                told[line] = told[arguments[0]] = clone.python("-m", "sparse_coverage", *arguments, "--json")
        else:
            raise AssertionError(f"What is to be done with this block ({kind})?\n{block}")
    return told


def test_each_example_is_one_file_and_one_line_and_works(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    told = follow(PAGE.read_text(encoding="utf-8"), clone)

    inspected = json.loads(told["inspect"])
    assert (inspected["formats"], inspected["problems"]) == ({"Tagged text": 2}, [])

    for index in ("my-index", "by-words"):
        vocabulary = (clone.work / index / "model" / "vocabulary.json").read_text(encoding="utf-8")
        assert '"unit": "word"' in vocabulary

    hits = [(hit["document"], hit["score"]) for hit in json.loads(told["search"])["hits"]]
    assert hits == [("XX-2-A1", 1.0), ("XX-1-A1", 0.5)]  # "a" and "of" are half of "a housing of rubber"
    ranked, filtered = ["1.0 XX-2-A1 Pump", "0.5 XX-1-A1 Valve"], ["XX-1-A1 ['Smith']"]
    assert told["script"].splitlines() == ["Pump", *ranked, *filtered, "1.0", "sv", "Fan"]
    assert re.search(
        r"inventors +│ +MEIER 1, SMITH 1|inventors.*SMITH 1", clone.python("-m", "sparse_coverage", "info", "my-index")
    )
