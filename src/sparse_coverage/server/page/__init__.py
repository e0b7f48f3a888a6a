"""The page: one HTML document, styles and small modules of JavaScript, all shipped with the package and all from this server."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import Response

from sparse_coverage.charts.chart import Verdict
from sparse_coverage.package import __version__
from sparse_coverage.present.export_kinds import PROJECT_EXPORTS
from sparse_coverage.present.page_view import FAINT
from sparse_coverage.present.terms import CITED_BY_US, FACETS, MARKS, NOTICE, NOTICE_HERE
from sparse_coverage.systems import RANKINGS, label_of
from sparse_coverage.workspace.requests import TAKE_MARKS

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


def page_router() -> APIRouter:
    """Return the routes of the page and of what it loads."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def page() -> Response:
        return Response(_page(), media_type="text/html; charset=utf-8")

    @router.get("/static/{name}")
    def static(name: str) -> Response:
        found = _assets().get(name)
        if found is None:
            return Response("There is no such file.", 404, media_type="text/plain")
        return Response(found[0], media_type=found[1])

    return router


@cache
def _page() -> str:
    loader = PackageLoader("sparse_coverage.server.page")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("workbench.html").render(
        version=__version__,
        notice=[*NOTICE, *NOTICE_HERE],
        styles=sorted(name for name in _assets() if name.endswith(".css")),
        labels=json.dumps(
            {
                "rankings": {name: label_of(name) for name in RANKINGS},
                "exports": {one.name: one.label for one in PROJECT_EXPORTS.values()},
                "verdicts": [one.value for one in Verdict],
                "own": CITED_BY_US,
                "marks": {mark: words for mark, words in MARKS.items() if mark},
                "takes_marks": TAKE_MARKS,
                "facets": dict(FACETS),
                "faint": FAINT,
            }
        ),
    )


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """Return every file that the page loads, by name: nothing else can be asked for, so no path comes from a request."""
    folder = files("sparse_coverage.server.page") / "static"
    return {
        one.name: (one.read_bytes(), _TYPES[f".{one.name.rpartition('.')[2]}"])
        for one in folder.iterdir()
        if f".{one.name.rpartition('.')[2]}" in _TYPES
    }
