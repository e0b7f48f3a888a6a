"""HTML pages from the templates beside this file: each page is one file that needs no network, and every value is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.text import Text

from sparse_coverage.encoding.encoder import IntArray


def render(template: str, **values: Any) -> str:
    """Return a template filled in. What UTF-8 cannot hold (half of a surrogate pair) becomes a question mark.

    >>> "&lt;script&gt;" in render("spans.html", title="<script>", spans=0, unit="np", pieces=[])
    True
    """
    return _environment().get_template(template).render(values).encode("utf-8", "replace").decode("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sparse_coverage.present"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["asset"] = _asset
    return environment


@cache
def _asset(name: str) -> str:
    """Return a style or script of ours."""
    return (files("sparse_coverage.present") / "assets" / name).read_text(encoding="utf-8")


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
