"""What may reach a screen. No text of a document moves a cursor, clears or forges lines, sets a title, or turns the order of letters.

What rich lays out loses such characters, so that columns stay where they are. Everything else, JSON too, shows them as JSON escapes them.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
"""Controls but tabs and line ends, what turns the order of letters, halves of characters, and letters that nobody sees."""


def visible(text: str) -> str:
    r"""Return a text with such characters as JSON escapes them.

    >>> visible("a valve\x1b[2J")
    'a valve\\u001b[2J'
    """
    return _HIDDEN.sub(_escaped, text)


def harmless(text: str) -> str:
    r"""Return a text without such characters.

    >>> harmless("a valve\x1b[2J")
    'a valve[2J'
    """
    return _HIDDEN.sub("", text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def console(*, stderr: bool = False) -> Console:
    """Return what prints what rich lays out; texts lose such characters on the way."""
    stream: Any = sys.stderr if stderr else sys.stdout
    while hasattr(stream, "rich_proxied_file"):  # rich needs some of them itself, for colours
        stream = stream.rich_proxied_file
    made: Console = _console_class()(file=stream, emoji=False)
    return made


@cache
def _console_class() -> Any:
    from rich.console import Console
    from rich.segment import Segment

    class Harmless(Console):
        def render(self, *given: Any, **named: Any) -> Any:
            for part in super().render(*given, **named):
                yield part if part.control else Segment(harmless(part.text), part.style)

    return Harmless


class _Guarded:
    """A stream that shows such characters. `rich_proxied_file` is how rich calls a stream behind another."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Show such characters in whatever is printed in a block, on standard output and standard error."""
    streams: Any = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_Guarded, streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


class VisibleFormatter(logging.Formatter):
    """Formats a record of a log as one line, whatever texts it holds, and a traceback after it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in logging
        """Return the line."""
        return visible(super().formatMessage(record)).replace("\n", "\\n")

    def formatException(self, *given: Any) -> str:  # noqa: N802 - the name in logging
        """Return the traceback, which may quote texts."""
        return visible(super().formatException(*given))
