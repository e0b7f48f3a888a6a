"""See that the tree holds what people wrote and nothing else, that no test draws by chance, and that no two classes have one name.

A part of `make lint`.

python tools/tidy.py
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

CACHES = (".hypothesis", ".import_linter_cache", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache")
CACHES += (".schemathesis", ".venv", "__pycache__", "build", "dist", "node_modules", "site")
WRITTEN_BY_TOOLS = {".log", ".nbc", ".nbi", ".pyc", ".swp"}
GENERATORS = {"default_rng", "Random", "RandomState"}  # without an argument they are seeded by chance


def problems(root: Path) -> Iterator[str]:
    """What should not be there, in words."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    classes: dict[str, str] = {}
    for name in filter(None, listed.split("\0")):
        path = PurePosixPath(name)
        if any(part in CACHES for part in path.parts[:-1]) or path.suffix in WRITTEN_BY_TOOLS:
            yield f"{name} was written by a tool: git rm --cached {name}, and add it to .gitignore"
        elif path.parts[0] == "tests" and path.suffix == ".py" and (root / name).is_file():
            for line in unseeded((root / name).read_text(encoding="utf-8")):
                yield f"{name}:{line} has other numbers every time: give the generator a seed, and take a checksum for a hash"
        elif path.parts[0] == "src" and path.suffix == ".py" and (root / name).is_file():
            for node in ast.walk(ast.parse((root / name).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and (first := classes.setdefault(node.name, name)) != name:
                    yield f"{name}:{node.lineno} has a class {node.name}, as {first} has: give one of them another name"


def unseeded(code: str) -> Iterator[int]:
    """The lines that make a generator of random numbers without a seed, or take a hash, which is another one in every process."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == "hash" or (called in GENERATORS and not node.args and not node.keywords):
                yield node.lineno


if __name__ == "__main__":
    found = list(problems(Path(__file__).parents[1]))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
