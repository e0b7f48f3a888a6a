"""The application: its parts, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from sparse_coverage.package import __version__
from sparse_coverage.server.errors import add_error_answers
from sparse_coverage.server.indexes import ServedIndexes, Service
from sparse_coverage.server.metrics import Metrics, Observed
from sparse_coverage.server.page import page_router
from sparse_coverage.server.routes import changing, documents, projects, searching, state
from sparse_coverage.server.safety import Safety
from sparse_coverage.server.settings import ServerSettings, describe
from sparse_coverage.server.work import Work


def create_app(settings: ServerSettings) -> FastAPI:
    """Return the application that serves some indexes; they are opened here, and made ready for their first request."""
    indexes = ServedIndexes(settings.indexes, settings.calibration, settings.rerankers)
    indexes.warm_up()
    work = Work(settings.limits.concurrency, settings.limits.waiting)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        work.close()

    app = FastAPI(
        title="Sparse Coverage",
        version=__version__,
        summary="Prior-art search over patents: sparse, exact, explained.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page would load what it shows from the network
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.settings, app.state.indexes, app.state.work = settings, indexes, work
    app.state.service = Service(indexes, settings)
    app.state.metrics = Metrics(indexes, work)
    for resource in (state, documents, searching, changing, projects):
        app.include_router(resource.router)
    app.include_router(page_router())
    add_error_answers(app)
    app.add_middleware(Safety, settings=settings)
    app.add_middleware(Observed, metrics=app.state.metrics)
    plain = app.openapi
    app.openapi = lambda: describe(plain(), settings.limits)  # type: ignore[method-assign]
    return app
