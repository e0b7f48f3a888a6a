"""The blocks of code in the pages: found, named, and checked without running them."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from sparse_coverage.cli import cli

ROOT = Path(__file__).parents[2]
# These pages are run from top to bottom by tests of their own, which refuse a block that they do not know.
RUN_BY = {
    "docs/api.md": "tests/test_api_page.py",
    "docs/extending.md": "tests/test_extending_page.py",
    "docs/rest.md": "tests/server/test_server_page.py",
    "docs/tutorial.md": "tests/documentation/test_tutorial.py",
    "docs/tutorial-researchers.md": "tests/documentation/test_tutorial.py",
}
GENERATED = ("docs/commands.md", "docs/reference/")  # by docs/generate.py, from what tests run
COMMANDS = re.compile(r"^(?:\$ )?(?:sparse-coverage|python|pip|curl|make|podman|ray) ", re.M)
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+?) -->\n)?^```(?P<kind>[\w-]*)[^\n]*\n(?P<code>.*?)^```$", re.M | re.S
)
_INLINE = re.compile(r"(?<!`)`(sparse-coverage [^`]+)`(?!`)")


@dataclass(frozen=True)
class Block:
    """A block of code in a page."""

    page: str
    line: int
    kind: str
    code: str
    reason: str  # why it is not run here; empty: it is

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The commands of a block for a shell, each without its prompt and its comment, long ones joined."""
        if self.kind == "console":
            return [line[2:] for line in self.code.splitlines() if line.startswith("$ ")]
        found, held = [], ""
        for line in self.code.replace("\\\n", " ").splitlines():
            held += line if not held else f"\n{line}"
            if _complete(held):
                found.append(held)
                held = ""
        return [command for command in [*found, held] if command.strip() and not command.lstrip().startswith("#")]


def _complete(command: str) -> bool:
    """Tell whether every quotation in a command is closed."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return True


def pages() -> list[str]:
    """Return the pages that are written by hand."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return [name for name in names if not name.startswith(GENERATED)]


def blocks_of(page: str, text: str) -> list[Block]:
    """Return the blocks of code of a page."""
    return [
        Block(page, text[: found.start()].count("\n") + 1, found["kind"], found["code"], found["reason"] or "")
        for found in _BLOCK.finditer(text)
    ]


def inline_commands(text: str) -> list[str]:
    """Return the commands that stand in sentences."""
    return [command for command in _INLINE.findall(text) if not command.startswith("sparse-coverage COMMAND")]


def faults(block: Block) -> list[str]:
    """Return what is wrong with a block, as far as it can be seen without running it."""
    if block.kind == "":
        return ["the block has no language: ```bash, ```python, ```text ..."]
    if block.kind in {"bash", "console"}:
        return [fault for command in block.commands for fault in command_faults(command)]
    if block.kind == "python":
        return python_faults(block.code)
    return ["commands stand in a block of another kind than bash"] if COMMANDS.search(block.code) else []


def command_faults(command: str) -> list[str]:
    """Return what is wrong with a line for a shell: commands and options that there are not, files that are missing."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError as error:
        return [f"{command}: {error}"]
    if words[:1] == ["python"] and len(words) > 1 and words[1].endswith(".py"):
        return [] if (ROOT / words[1]).is_file() else [f"there is no {words[1]}"]
    if words[:1] != ["sparse-coverage"]:
        return []
    known: click.Command = cli
    path, rest = ["sparse-coverage"], words[1:]
    while isinstance(known, click.Group) and rest:
        found = known.get_command(click.Context(known), rest[0])
        if found is None:
            break
        known, path, rest = found, [*path, rest[0]], rest[1:]
    if known is cli and rest and not rest[0].startswith("-"):
        return [f"there is no command {rest[0]}"]
    if path[-1] == "index" and isinstance(known, click.Group):
        known = known.commands["build"]  # what `index PATHS -o FOLDER` means
    options = {option for parameter in known.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in rest if re.match(r"-{1,2}[A-Za-z]", word)}
    return [f"{path[-1]} has no option {option}" for option in sorted(given - options - {"--help", "-h"})]


def python_faults(code: str) -> list[str]:
    """Return what is wrong with Python: its syntax, and names of this package that there are not."""
    if ">>>" in code:
        code = "\n".join(line[4:] for line in code.splitlines() if line.startswith((">>>", "...")))
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return [str(error)]
    return [
        f"{node.module} has no {alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sparse_coverage")
        for alias in node.names
        if alias.name != "*" and not _exists(node.module or "", alias.name)
    ]


def _exists(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        return not (error.name or "").startswith("sparse_coverage")  # a library that is not installed here
