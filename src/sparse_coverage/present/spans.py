"""Spans shown to people: in the terminal, and as a page that highlights them in the text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.text import Text

from sparse_coverage.encoding.encoder import IntArray
from sparse_coverage.present.pages import render

#: Two styles in turn, so that neighbours can be told apart.
_STYLES = ("black on bright_cyan", "black on bright_yellow")


def spans_text(text: str, starts: IntArray, ends: IntArray, unit: str, *, colors: bool) -> Text:
    """Return the text with its spans in colour, or, where there are no colours, in square brackets."""
    shown = Text()
    number = 0
    for piece, is_span, _ in _pieces(text, starts, ends):
        if is_span and colors:
            shown.append(piece, style=_STYLES[number % 2])
        else:
            shown.append(f"[{piece}]" if is_span else piece)
        number += is_span
    return shown.append(f"\n\n{len(starts):,} spans, unit {unit}", style="dim")


def render_spans(text: str, starts: IntArray, ends: IntArray, unit: str) -> str:
    """Return a self-contained HTML page of the text with its spans highlighted; pointing at one shows its place."""
    pieces = list(_pieces(text, starts, ends))
    return render("spans.html", title=f"Spans: {unit}", spans=len(starts), unit=unit, pieces=pieces)


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
