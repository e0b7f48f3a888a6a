"""Write the pages that are made from the program itself: its commands and its errors.

    python docs/generate.py

A test writes them again and compares.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "sparse_coverage"


def commands_page() -> str:
    """Return the help of every command."""
    from sparse_coverage.cli import cli

    lines = ["# Commands", "", "What `sparse-coverage COMMAND --help` prints, for every command.", ""]
    for path, command in _commands(cli, ("sparse-coverage",)):
        context = click.Context(command, info_name=" ".join(path), max_content_width=120, terminal_width=120)
        shown = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        lines += [
            f"{'#' * min(3, len(path) + 1)} {' '.join(path[1:]) or 'sparse-coverage'}",
            "",
            "```text",
            shown,
            "```",
            "",
        ]
    return "\n".join(lines)


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path[-1])
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from _commands(found, (*path, name))


ERRORS = (
    "InputError",
    "ModelError",
    "VocabularyError",
    "IndexStoreError",
    "MismatchError",
    "UsageError",
    "BadParameter",
)
WHERE = {
    "patents": "reading patents", "encoding": "encoders", "spans": "spans", "vocabulary": "vocabularies", "vectors": "vectors",
    "index": "index files and filters", "search": "searching", "retrievers": "baselines, fusion, remote servers",
    "charts": "claim charts", "present": "reports", "evaluation": "test collections", "experiments": "experiments",
    "cli": "commands", "server": "the server", "engines": "engines", "cluster": "clusters", "formats": "exports and imports",
    "adapters": "adapters", "kernels": "compiled code", "projects": "projects",
}  # fmt: skip
_KIND = {
    "InputError": "something that was given cannot be used",
    "ModelError": "an encoder cannot be had",
    "VocabularyError": "a vocabulary cannot be built or is damaged",
    "IndexStoreError": "an index cannot be built, opened or trusted",
    "MismatchError": "two things that must fit were made differently",
    "UsageError": "the options do not go together",
    "BadParameter": "the value of an option cannot be used",
}


def errors_page() -> str:
    """Return every error that the package raises on purpose, with what it says: what was wrong, where, and what to do."""
    found: dict[str, set[tuple[str, str]]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (name := _called(node)) in ERRORS and node.args:
                message = _message(node.args[0])
                if len(message.replace("…", "").strip()) > 8:
                    found.setdefault(WHERE.get(part, "everything"), set()).add((message, name))
    lines = [
        "# Errors",
        "",
        "Every error that you can meet, by what you were doing. `…` stands for what the message names. Each message says what was wrong",
        "and, where it is not plain, what to do; the second column says of what kind it is. In Python all but the last two kinds are",
        "subclasses of `SparseCoverageError`; the command line prints the message without a traceback and ends with status 1 (2 for",
        "options).",
        "",
    ]
    for where in sorted(found):
        lines += [f"## {where[0].upper()}{where[1:]}", "", "| what it says | what it means |", "| --- | --- |"]
        lines += [f"| {message} | `{name}`: {_KIND[name]} |" for message, name in sorted(found[where])]
        lines.append("")
    return "\n".join(lines)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _message(node: ast.expr) -> str:
    """Return the text of a message, with … for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _message(node.left) + _message(node.right)
    else:
        return "…"
    plain = re.sub(r"(?:…\s*){2,}", "… ", text.replace("\n", " ")).replace("|", "\\|")
    return re.sub(r"([<>*_`\[\]])", r"\\\1", plain).strip()


PAGES = {"commands.md": commands_page, "errors.md": errors_page}


def main() -> None:
    """Write the pages."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page().rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
