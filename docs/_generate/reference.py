"""The reference: every public name with its signature and its docstring, a page for packages that belong together."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from types import ModuleType
from typing import Any

# The packages and modules whose names are for users, by the page they stand on, and what each is for.
PAGES = {
    "documents": ("Documents and their texts", {
        "sparse_coverage.patents": "Reading patents",
        "sparse_coverage.patents.claims": "Claims and their features",
        "sparse_coverage.formats": "Exports and imports",
        "sparse_coverage.projects": "Projects",
    }),
    "models": ("From texts to sparse vectors", {
        "sparse_coverage.encoding": "Encoders",
        "sparse_coverage.spans": "Spans",
        "sparse_coverage.vocabulary": "Vocabularies",
        "sparse_coverage.vectors": "Sparse vectors",
        "sparse_coverage.cluster": "Clusters",
    }),
    "searching": ("Indexes, searching, measuring", {
        "sparse_coverage.index": "Index files",
        "sparse_coverage.index.filters": "Filters",
        "sparse_coverage.search": "Searching",
        "sparse_coverage.retrievers": "Baselines, fusion, reranking, remote servers",
        "sparse_coverage.evaluation.measures": "Measures",
    }),
}  # fmt: skip
_WIDTH = 100


def pages() -> dict[str, str]:
    """Return the pages of the reference by their file names."""
    made = {"reference/index.md": "\n".join([_contents(), "", *_package("sparse_coverage")])}
    for page, (title, packages) in PAGES.items():
        lines = [f"# {title}", ""]
        for package in packages:
            lines += _package(package)
        made[f"reference/{page}.md"] = "\n".join(lines)
    return made


def _contents() -> str:
    lines = [
        "# Reference",
        "",
        "The public names of each package, from their docstrings; the examples in them are tests. A first tour, with an example of every",
        "name that `from sparse_coverage import …` gives, is [Python](../api.md); the commands are [here](../commands.md).",
        "",
        "| package | for | names |",
        "| --- | --- | --- |",
        _row("sparse_coverage", "What most programs need", "index"),
    ]
    for page, (_, packages) in PAGES.items():
        lines += [_row(package, purpose, page) for package, purpose in packages.items()]
    return "\n".join(lines)


def _row(package: str, purpose: str, page: str) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(_public(importlib.import_module(package))))
    return f"| [{package}]({page}.md#{package.replace('.', '')}) | {purpose} | {names} |"


def _package(package: str) -> list[str]:
    """Return the section of a package."""
    module = importlib.import_module(package)
    lines = [f"## {package}", "", _prose(module), ""]
    for name in sorted(_public(module), key=lambda name: (not name[0].isupper(), name)):
        lines += _entry(package, name, getattr(module, name))
    return lines


def _public(module: ModuleType) -> list[str]:
    """Return the names of a package for users: those it lists, or else those that it defines."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return [name for name in getattr(module, "__all__", own) if name[0] != "_"]


def _entry(package: str, name: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        lines = [f"### {name}", "", *_defined(package, value), *_signature(name, value), _prose(value), ""]
        for method, function in _methods(value):
            lines += [f"#### {name}.{method}", "", *_signature(method, function), _prose(function), ""]
        return lines
    if callable(value) and inspect.isfunction(value):
        return [f"### {name}", "", *_defined(package, value), *_signature(name, value), _prose(value), ""]
    return [f"### {name}", "", _value(value), ""]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"A dictionary with the keys {', '.join(f'`{key}`' for key in value)}."
    if about := getattr(value, "about", ""):
        return f"`{value}`, a {type(value).__name__.lower()}: {about}."
    if isinstance(value, tuple) and any(hasattr(one, "about") for one in value):
        return f"These: {', '.join(f'`{one}`' for one in value)}."
    return f"`{value!r}`"


def _defined(package: str, value: Any) -> list[str]:
    """Say where a name comes from that a package only hands on."""
    home = value.__module__
    return [] if home.startswith(package) and package != "sparse_coverage" else [f"From `{home}`.", ""]


def _signature(name: str, value: Any) -> list[str]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    if inspect.isclass(value) and ({"args", "kwargs"} <= set(signature.parameters) or issubclass(value, BaseException)):
        return []
    parts, starred = [], False
    for parameter in signature.parameters.values():
        if parameter.name in {"self", "cls"} or parameter.name.startswith("_"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}
        parts.append(_parameter(parameter))
    returns = "" if signature.return_annotation is signature.empty else f" -> {_type(signature.return_annotation)}"
    end = ")" if inspect.isclass(value) else f"){returns}"
    shown = f"{name}({', '.join(parts)}{end}"
    if len(shown) > _WIDTH:
        shown = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + end
    return ["```text", shown, "```", ""]


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    shown = f"{stars}{parameter.name}"
    if parameter.annotation is not parameter.empty:
        shown += f": {_type(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        default = repr(parameter.default)
        shown += f" = {'...' if default.startswith('<') else default}"
    return shown


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _methods(value: type) -> list[tuple[str, Any]]:
    """Return the public methods of a class that it or one of our classes above it defines, in the order of the source."""
    found = {}
    for owner in reversed(value.__mro__):
        if owner.__module__.startswith("sparse_coverage"):
            for name, member in vars(owner).items():
                function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
                function = function.fget if isinstance(function, property) else function
                if name[0] != "_" and inspect.isfunction(function) and function.__doc__:
                    found[name] = function
    return list(found.items())


def _prose(value: type | ModuleType | Any) -> str:
    """Return a docstring as Markdown: examples as blocks of code, what stands indented as it is."""
    text = inspect.cleandoc(value.__doc__ or "")
    parts = []
    for part in re.split(r"\n\n+", text):
        if ">>>" in part:
            before, _, example = part.partition(">>>")
            parts += [before.strip(), f"```pycon\n>>>{example.rstrip()}\n```"]
        elif part.startswith("    "):
            parts.append(f"```text\n{textwrap.dedent(part)}\n```")
        else:
            parts.append(
                re.sub(r"(?<![`\w])\*(?=\w)", r"\\*", part).replace("<", "\\<").replace("[", "\\[")
                if "`" not in part
                else part
            )
    return "\n\n".join(part for part in parts if part)
