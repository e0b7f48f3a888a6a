"""Who sends half a request, or nothing, keeps nobody out."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import suppress

import httpx
import pytest
from served_devices import CLAIM

from sparse_coverage.server import connections, safety
from sparse_coverage.server.app import create_app
from sparse_coverage.server.running import serving
from sparse_coverage.server.work import Work

HALF = (b"", b"GET /v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\n", b"POST /v1/indexes/devices/search HTTP/1.1\r\nx-a:")
HEAD = b"POST /v1/indexes/devices/search HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n"


@pytest.fixture(scope="module")
def address(settings):
    with serving(create_app(settings)) as found:
        yield found


def said(connection):
    """All that comes until the other side closes, and after how many seconds."""
    begun, parts = time.monotonic(), []
    connection.settimeout(20)
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts), time.monotonic() - begun


def connected(address, begin):
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.sendall(begin)
    return connection


@pytest.mark.parametrize("begin", HALF)
def test_headers_that_do_not_end_are_not_waited_for(address, monkeypatch, begin):
    monkeypatch.setattr(connections, "HEADERS_WITHIN", 0.5)
    with connected(address, begin) as connection:
        text, seconds = said(connection)
    assert text == b""
    assert seconds < 10


def test_a_byte_now_and_then_wins_no_time(address, monkeypatch):
    monkeypatch.setattr(connections, "HEADERS_WITHIN", 0.5)
    with connected(address, HALF[1]) as connection:
        begun = time.monotonic()
        with suppress(OSError):  # a closed connection has several names
            while time.monotonic() - begun < 20:
                time.sleep(0.05)
                connection.sendall(b"a")
    assert time.monotonic() - begun < 10


def test_a_second_request_on_a_connection_is_not_waited_for_either(address, monkeypatch):
    monkeypatch.setattr(connections, "HEADERS_WITHIN", 0.5)
    with connected(address, HALF[1] + b"\r\n" + HALF[2]) as connection:
        text, seconds = said(connection)
    assert b"200 OK" in text
    assert seconds < 10


@pytest.mark.parametrize("begin", [HEAD, HEAD + b'{"query": "a va'])
def test_a_body_that_does_not_end_is_refused(address, monkeypatch, begin):
    monkeypatch.setattr(safety, "BODY_WITHIN", 0.5)
    with connected(address, begin) as connection:
        text, seconds = said(connection)
    assert b"408" in text.split(b"\r\n")[0]
    assert b"not there within 0.5 seconds" in text
    assert seconds < 10


def test_work_that_takes_long_is_not_cut_off(address, monkeypatch):
    monkeypatch.setattr(connections, "HEADERS_WITHIN", 0.2)
    monkeypatch.setattr(safety, "BODY_WITHIN", 0.5)
    really = Work.run

    async def slowly(*given, **named):
        await asyncio.sleep(1.0)
        return await really(*given, **named)

    monkeypatch.setattr(Work, "run", slowly)
    assert httpx.post(f"{address}/v1/indexes/devices/search", json={"query": CLAIM}).status_code == 200
