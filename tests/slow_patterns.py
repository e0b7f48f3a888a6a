"""Tries every regular expression of the package on long texts, and prints those that take more than linear time.

Run as a program, in a process of its own: `python tests/slow_patterns.py`. A linear pattern reads 100,000 characters in a few
milliseconds and a quadratic one needs many seconds, so a bound of processor time between them tells them apart on any machine.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

LENGTH = 100_000
SECONDS = 1.5
UNITS = (
    "a",
    "A",
    "1",
    "-",
    ",",
    ".",
    "(",
    "<",
    " ",
    "\n",
    "中",
    "a-",
    "a ",
    "a, ",
    "1,1-",
    "(a",
    "\n ",
    "ab12-, ()中\n",
)
_EVERYWHERE = frozenset({"search", "split", "findall", "finditer", "sub", "subn"})
_AT_ONE_PLACE = frozenset({"match", "fullmatch"})

Uses = dict[re.Pattern[Any], set[str]]


def package_patterns() -> Uses:
    """Return the patterns of the package and how each is used: those compiled at import, and those written in functions.

    A pattern that is only ever compared at a given place need not be quick to look for; where it is not plain how a pattern is used,
    as in a table of patterns, it is used in every way.
    """
    made: list[re.Pattern[Any]] = []
    compiled = re.compile

    def noted(pattern: Any, flags: Any = 0) -> Any:
        found = compiled(pattern, flags)
        if sys._getframe(1).f_globals["__name__"].startswith("sparse_coverage"):
            made.append(found)
        return found

    re.compile = noted  # type: ignore[assignment]
    try:
        from sparse_coverage.errors import MissingExtraError

        package = importlib.import_module("sparse_coverage")
        for info in pkgutil.walk_packages(package.__path__, "sparse_coverage."):
            if not info.name.endswith("__main__"):
                try:
                    importlib.import_module(info.name)
                except (ImportError, MissingExtraError):
                    continue
    finally:
        re.compile = compiled
    uses: Uses = {pattern: set() for pattern in made}
    for name, module in list(sys.modules.items()):
        if name.startswith("sparse_coverage") and getattr(module, "__file__", None):
            _note_uses(ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")), vars(module), uses)
    return {pattern: methods or _EVERYWHERE | _AT_ONE_PLACE for pattern, methods in uses.items()}


def _note_uses(tree: ast.AST, names: dict[str, Any], uses: Uses) -> None:
    """Note which methods of patterns a module calls, and the patterns that it hands to functions of `re`."""
    called: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called.add(node.value)
            known = names.get(node.value.id)
            if isinstance(known, re.Pattern):
                uses.setdefault(known, set()).update({node.attr} & (_EVERYWHERE | _AT_ONE_PLACE))
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
            and node.func.attr in _EVERYWHERE | _AT_ONE_PLACE
        ):
            uses.setdefault(re.compile(node.args[0].value), set()).add(node.func.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            known = names.get(node.id)
            if isinstance(known, re.Pattern):
                uses.setdefault(known, set()).update(_EVERYWHERE | _AT_ONE_PLACE)


def long_texts(pattern: str | bytes) -> Iterator[str | bytes]:
    """Yield texts that repeat ordinary characters, and the words that the pattern itself is made of."""
    if isinstance(pattern, bytes):
        yield from (text.encode() for text in long_texts(pattern.decode()) if isinstance(text, str))
        return
    words = " ".join(re.findall(r"[^\W\d_]{2,}", re.sub(r"\\.|\(\?P?<\w*>", " ", pattern)))
    for unit in (*UNITS, *((f"{words} ",) if words else ())):
        yield (unit * (LENGTH // len(unit) + 1))[:LENGTH]


def is_slow(pattern: re.Pattern[Any], uses: set[str], text: str | bytes) -> bool:
    """Tell whether a pattern needs too long for a text in one of the ways it is used."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        if uses & _EVERYWHERE:
            deque(pattern.finditer(text), maxlen=0)
        for method in sorted(uses & _AT_ONE_PLACE):
            getattr(pattern, method)(text)
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


def main() -> None:
    """Print how many patterns were tried, and each slow one with the beginning of a text that shows it."""
    patterns = package_patterns()
    print(len(patterns), "patterns")
    for pattern, uses in patterns.items():
        slow = next((text for text in long_texts(pattern.pattern) if is_slow(pattern, uses, text)), None)
        if slow is not None:
            print(f"SLOW {'/'.join(sorted(uses))} {pattern.pattern!r} on {slow[:20]!r}", flush=True)


if __name__ == "__main__":
    main()
