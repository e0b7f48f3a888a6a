"""HTML pages from the templates beside this file: each page is one file that needs no network, and every value is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from sparse_coverage.printing import harmless


def render(template: str, **values: Any) -> str:
    """Return a template filled in, without controls and what turns the order of letters; half of a character becomes a question mark.

    >>> "&lt;script&gt;" in render("experiments.html", title="<script>", names=[], sections=[])
    True
    """
    return harmless(_environment().get_template(template).render(values).encode("utf-8", "replace").decode("utf-8"))


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
