"""What a server counts: requests, their times, its work and its indexes, in the format of Prometheus. And its log of requests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.server.indexes import ServedIndexes
from sparse_coverage.server.work import Work

logger = logging.getLogger("sparse_coverage.server.requests")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counts of one server."""

    def __init__(self, indexes: ServedIndexes, work: Work) -> None:
        self.registry = CollectorRegistry()
        names = ("method", "route", "status")
        self.requests = Counter("sparse_coverage_requests", "Requests answered.", names, registry=self.registry)
        self.seconds = Histogram(
            "sparse_coverage_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.registry.register(_State(indexes, work))
        ProcessCollector(registry=self.registry)

    def text(self) -> bytes:
        """Return all counts as Prometheus reads them."""
        return generate_latest(self.registry)


class _State(Collector):
    """Looks at the work and the indexes when it is asked."""

    def __init__(self, indexes: ServedIndexes, work: Work) -> None:
        self._indexes = indexes
        self._work = work

    def collect(self) -> Iterator[Metric]:
        """Yield what is true now."""
        work = self._work
        yield GaugeMetricFamily("sparse_coverage_work_running", "Work that a thread is at.", work.taken - work.waiting)
        yield GaugeMetricFamily("sparse_coverage_work_waiting", "Work that waits for a thread.", work.waiting)
        yield CounterMetricFamily("sparse_coverage_work_refused", "Work refused with 429.", work.refused)
        yield CounterMetricFamily("sparse_coverage_work_stopped", "Work ended before its end.", work.stopped)
        documents = GaugeMetricFamily("sparse_coverage_index_documents", "Documents.", labels=["index"])
        passages = GaugeMetricFamily("sparse_coverage_index_passages", "Passages.", labels=["index"])
        generation = GaugeMetricFamily("sparse_coverage_index_generation", "Commits so far.", labels=["index"])
        there = GaugeMetricFamily("sparse_coverage_index_up", "1 for an index that can be read.", labels=["index"])
        for name in self._indexes:
            try:
                with self._indexes.opened(name) as opened:
                    state = opened.store.state
            except (SparseCoverageError, OSError):
                there.add_metric([name], 0)
                continue
            there.add_metric([name], 1)
            documents.add_metric([name], state.documents)
            passages.add_metric([name], state.passages)
            generation.add_metric([name], state.generation)
        yield from (there, documents, passages, generation)


class Observed:
    """Counts and logs each request: its route and not its address, so that no text of a query and no id is in either."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and take note."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            seconds = perf_counter() - begun
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(route).observe(seconds)
            logger.info("%s %s %d, %.0f ms", method, route, status, 1000 * seconds)


_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
