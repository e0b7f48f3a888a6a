"""Spans shown to people: in the terminal, and as a page that highlights them in the text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from rich.console import Console
from rich.text import Text

from sparse_coverage.encoding.encoder import IntArray

#: Two styles in turn, so that neighbours can be told apart.
_STYLES = ("black on bright_cyan", "black on bright_yellow")

_PAGE_STYLE = """
:root { color-scheme: light dark; --one: #bfe3ff; --two: #ffe3a6; --ink: #1a1a1a }
@media (prefers-color-scheme: dark) { :root { --one: #17496b; --two: #63470b; --ink: #f2f2f2 } }
body { max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; font: 1.05rem/1.75 Georgia, serif }
h1 { font: 600 1.1rem/1.3 system-ui, sans-serif } p.note { font: 0.85rem system-ui, sans-serif; opacity: 0.75 }
.text { white-space: pre-wrap; overflow-wrap: anywhere }
mark { background: var(--one); color: var(--ink); border-radius: 0.25em; padding: 0.1em 0.15em }
mark:nth-of-type(even) { background: var(--two) }
"""


def print_spans(console: Console, text: str, starts: IntArray, ends: IntArray, unit: str) -> None:
    """Print the text with its spans in colour; where there are no colours, in square brackets."""
    shown = Text()
    number = 0
    for piece, is_span, _ in _pieces(text, starts, ends):
        if not is_span:
            shown.append(piece)
        elif console.is_terminal and not console.no_color:
            shown.append(piece, style=_STYLES[number % 2])
        else:
            shown.append(f"[{piece}]")
        number += is_span
    console.print(shown, soft_wrap=not console.is_terminal, highlight=False)
    console.print(f"\n{len(starts):,} spans, unit {unit}", style="dim", markup=False, highlight=False)


def spans_page(text: str, starts: IntArray, ends: IntArray, unit: str) -> str:
    """Return a self-contained HTML page of the text with its spans highlighted; pointing at one shows its place."""
    body = "".join(
        f'<mark title="{start}–{start + len(piece)}">{escape(piece)}</mark>' if is_span else escape(piece)
        for piece, is_span, start in _pieces(text, starts, ends)
    )
    # What UTF-8 cannot hold (half of a surrogate pair) is shown as the usual sign for it.
    body = body.encode("utf-8", "replace").decode("utf-8")
    unit = escape(unit)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Spans: {unit}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_PAGE_STYLE}</style></head>\n'
        f'<body><h1>{len(starts):,} spans, unit {unit}</h1><p class="note">Each highlighted piece becomes one vector.</p>\n'
        f'<div class="text">{body}</div></body></html>\n'
    )


def _pieces(text: str, starts: IntArray, ends: IntArray) -> Iterator[tuple[str, bool, int]]:
    """Cut the text at its spans: (piece, whether it is a span, where it starts). A span at the place of another shows once."""
    here = 0
    for start, end in np.stack((starts, ends), axis=1).tolist():
        if start < here:
            continue
        if start > here:
            yield text[here:start], False, here
        yield text[start:end], True, start
        here = end
    if here < len(text):
        yield text[here:], False, here
