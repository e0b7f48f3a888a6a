"""Under load: so much at a time, the rest refused; progress, cancellation, an end in time; nothing that fails stops the rest."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from served_devices import CLAIM, events_of
from waiting import SECONDS, wait_until

from sparse_coverage.progress import progress_bar, tracked
from sparse_coverage.server.app import create_app
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerLimits, ServerSettings
from sparse_coverage.server.work import BusyError, Job, OvertimeError, StoppedError, Work

SEARCH = "/v1/indexes/devices/search"


@pytest.fixture
def work():
    made = Work(concurrency=2, waiting=3)
    yield made
    made.close()


def waiting_for(event):
    def function():
        event.wait(SECONDS)
        return "done"

    return function


async def reached(condition):
    """Let other work go on until it holds."""
    await asyncio.to_thread(wait_until, condition, "what the work comes to")


def test_more_than_may_wait_is_refused_and_says_when_to_come_again(work):
    async def main():
        go = threading.Event()
        running = [asyncio.ensure_future(work.run(waiting_for(go), SECONDS)) for _ in range(5)]
        await reached(lambda: (work.taken, work.waiting) == (5, 3))
        with pytest.raises(BusyError) as refused:
            await work.run(waiting_for(go), SECONDS)
        assert refused.value.seconds >= 1
        go.set()
        assert await asyncio.gather(*running) == ["done"] * 5
        assert (work.taken, work.refused) == (0, 1)
        assert await work.run(lambda: 7, SECONDS) == 7

    asyncio.run(main())


def test_work_that_takes_too_long_is_given_up_and_ends_at_its_next_step(work):
    begun, ended = threading.Event(), threading.Event()

    def endless():
        begun.set()
        try:
            for _ in tracked(iter(int, 1), "Counting"):
                time.sleep(0.01)
        finally:
            ended.set()

    async def main():
        while not begun.is_set():  # on a busy machine the time may be up before a thread takes it
            with pytest.raises(OvertimeError):
                await work.run(endless, 0.1)
        assert await asyncio.to_thread(ended.wait, SECONDS)
        await reached(lambda: work.taken == 0 and work.stopped >= 1)

    asyncio.run(main())


def test_work_of_a_client_that_went_away_is_not_begun(work):
    begun = []

    async def main():
        go = threading.Event()
        running = [asyncio.ensure_future(work.run(waiting_for(go), SECONDS)) for _ in range(2)]
        await reached(lambda: work.taken == 2)
        with pytest.raises(StoppedError):
            await work.run(lambda: begun.append(1), SECONDS, gone=lambda: asyncio.sleep(0.05))
        go.set()
        await asyncio.gather(*running)

    asyncio.run(main())
    work.close()
    assert begun == []


def test_whatever_work_raises_the_threads_go_on(work):
    def dies():
        raise SystemExit(1)

    async def guarded():
        for _ in range(10):
            future = work._begin(Job(), dies)
            await asyncio.wait([future])
            assert isinstance(future.exception(), SystemExit)
        assert await work.run(lambda: "alive", SECONDS) == "alive"
        assert work.taken == 0

    asyncio.run(guarded())


def test_closing_finishes_what_runs_and_begins_nothing_more():
    made = Work(concurrency=1, waiting=5)
    done = []

    def until_closed():
        wait_until(lambda: made._closed, "closing")
        time.sleep(0.05)  # so that it has come to what is queued

    async def main():
        begun = threading.Event()
        running = asyncio.ensure_future(made.run(lambda: (begun.set(), until_closed(), done.append(1)), SECONDS))
        queued = asyncio.ensure_future(made.run(lambda: done.append(2), SECONDS))
        await reached(lambda: begun.is_set() and made.waiting == 1)
        await asyncio.to_thread(made.close)
        await running
        with pytest.raises(asyncio.CancelledError):
            await queued

    asyncio.run(main())
    assert done == [1]


def test_progress_reaches_whoever_listens_and_not_the_terminal(work, capsys):
    def function():
        with progress_bar("Encoding", 3) as advance:
            for _ in range(3):
                advance()
        return {"a": 1}

    async def main():
        return b"".join([part async for part in work.stream(function, SECONDS, lambda error: {"error": str(error)})])

    events = events_of(asyncio.run(main()).decode())
    assert events[0] == ("progress", {"stage": "Encoding", "done": 0, "total": 3})
    assert ("progress", {"stage": "Encoding", "done": 3, "total": 3}) in events
    assert events[-1] == ("result", {"a": 1})
    assert capsys.readouterr().err == ""


def test_a_stream_that_takes_too_long_ends_with_an_error(work):
    def endless():
        for _ in tracked(iter(int, 1), "Counting"):
            time.sleep(0.01)

    async def main():
        return b"".join([part async for part in work.stream(endless, 0.3, lambda error: type(error).__name__)])

    assert "event: error\ndata: OvertimeError" in asyncio.run(main()).decode()


@pytest.fixture
def slow(settings, monkeypatch):
    """A server with one thread and one place to wait, whose charts take as long as somebody waits for them."""
    made = ServerSettings(
        settings.indexes, calibration=settings.calibration, limits=ServerLimits(concurrency=1, waiting=1)
    )
    app = create_app(made)
    steps = []

    def chart(name, body):
        for _ in tracked(iter(int, 1), "Charting"):
            steps.append(1)
            time.sleep(0.01)

    monkeypatch.setattr(app.state.service, "chart", chart)
    with serving(app) as address:
        yield address, app, steps


def asking_for_a_chart(address):
    """Return a connection on which a chart was asked for. Whoever asked leaves by closing it."""
    host, port = address.removeprefix("http://").split(":")
    body = json.dumps({"claim": "A pump."})
    connection = socket.create_connection((host, int(port)))
    head = f"POST /v1/indexes/devices/chart HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    connection.sendall(f"{head}\r\n\r\n{body}".encode())
    return connection


def test_closing_the_connection_cancels_the_work(slow):
    address, app, steps = slow
    with asking_for_a_chart(address):
        wait_until(lambda: steps, "a chart under way")
    wait_until(lambda: app.state.work.stopped == 1, "what the server comes to")
    assert app.state.work.taken == 0


def test_closing_a_stream_of_events_cancels_the_work(slow):
    address, app, _ = slow
    asked = {"json": {"claim": "A pump."}, "headers": {"accept": "text/event-stream"}}
    with (
        httpx.Client(base_url=address, timeout=SECONDS) as client,
        client.stream("POST", "/v1/indexes/devices/chart", **asked) as events,
    ):
        assert next(events.iter_lines()) == "event: progress"
    wait_until(lambda: app.state.work.stopped == 1, "what the server comes to")
    assert app.state.work.taken == 0


def test_a_server_that_is_busy_with_charts_says_429_to_more_of_them_and_still_searches(slow):
    address, app, _ = slow
    with (
        httpx.Client(base_url=address, timeout=SECONDS) as client,
        asking_for_a_chart(address),
        asking_for_a_chart(address),
    ):
        wait_until(lambda: app.state.work.taken == 2, "what the server comes to")
        refused = client.post("/v1/indexes/devices/chart", json={"claim": "A pump."})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert "Try again" in refused.json()["error"]["what_to_do"]
        assert client.get("/v1/health").status_code == 200
        assert client.post(SEARCH, json={"query": "x"}).status_code == 200  # long work keeps no search waiting
    wait_until(lambda: app.state.work.taken == 0, "what the server comes to")


def test_a_long_query_keeps_no_other_search_waiting_and_its_answer_says_so(settings, monkeypatch):
    """Two texts of 200,000 characters held both threads of a server for most of a minute."""
    limits = ServerLimits(concurrency=1, waiting=1, short=2000)
    app = create_app(ServerSettings(settings.indexes, limits=limits))
    search, go = app.state.service.search, threading.Event()

    def slowly(name, body):
        if limits.is_long(body.query):
            assert go.wait(SECONDS)
        return search(name, body)

    monkeypatch.setattr(app.state.service, "search", slowly)
    text = (CLAIM + " ") * (3000 // len(CLAIM))
    with (
        serving(app) as address,
        ThreadPoolExecutor(1) as pool,
        httpx.Client(base_url=address, timeout=SECONDS) as client,
    ):
        running = pool.submit(httpx.post, f"{address}{SEARCH}", json={"query": text}, timeout=SECONDS)
        wait_until(lambda: app.state.work.taken == 1, "what the server comes to")
        short = client.post(SEARCH, json={"query": CLAIM})
        assert (short.status_code, short.json()["notes"], running.done()) == (200, [], False)
        go.set()
        long = running.result()
        assert (long.status_code, long.json()["hits"][0]["document"]) == (200, short.json()["hits"][0]["document"])
        [note] = long.json()["notes"]
        assert note.startswith(f"The query has {len(text):,} characters. With over 2,000 it takes its turn")
        why = client.post("/v1/indexes/devices/explain", json={"query": text, "id": "EP-1000001-A1"}).json()
        assert note in why["notes"]


def test_many_clients_at_once_get_what_one_gets(settings):
    made = ServerSettings(settings.indexes, limits=ServerLimits(concurrency=4, waiting=100))
    texts = [f"{CLAIM} number {number}" for number in range(4)]
    with serving(create_app(made)) as address:

        def one(text):
            with httpx.Client(base_url=address, timeout=SECONDS) as client:
                answer = client.post(SEARCH, json={"query": text, "k": 5}).json()
                return answer["hits"], answer["reasons"], answer["parts"]

        alone = {text: one(text) for text in texts}
        with ThreadPoolExecutor(12) as pool:
            together = list(pool.map(one, texts * 5))
    assert together == [alone[text] for text in texts * 5]
