"""The tools for assistants, called by the official client over standard input and output and over HTTP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from served_devices import CLAIM

pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from sparse_coverage import Index
from sparse_coverage.server.mcp import create_mcp_app, whole_characters
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerSettings

TOOLS = {"list_indexes", "search", "read_passage", "find_document", "verify_quotation", "chart", "combine"}
KEY = "a-long-and-random-key-0123456789"
"""What a client does with every tool. Written once, for both ways to reach them."""


async def call(client: Client, name: str, **arguments: Any) -> Any:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def quotations(value: Any) -> list[dict[str, Any]]:
    """Return whatever in an answer is a quotation: it has a passage and a text."""
    if isinstance(value, list):
        return [found for one in value for found in quotations(one)]
    if not isinstance(value, dict):
        return []
    own = [value] if isinstance(value.get("passage"), str) and "text" in value else []
    return own + [found for one in value.values() for found in quotations(one)]


async def every_tool(client: Client, index: Index) -> None:
    listed = await client.list_tools()
    assert {tool.name for tool in listed.tools} == TOOLS
    for tool in listed.tools:
        assert tool.description
        assert tool.annotations.read_only_hint
    store = index.store

    def verify(answer: Any, least: int) -> None:
        found = quotations(answer)
        assert len(found) >= least
        for quote in found:
            number = store.find_passage(quote["passage"])
            text = store.passage(number).text
            assert text[quote["start"] : quote["end"]] == quote["text"]
            for phrase in quote.get("matched", ()):
                assert text[phrase["start"] : phrase["end"]] == phrase["text"]

    assert (await call(client, "list_indexes"))["indexes"][0]["documents"] == 12
    found = await call(client, "search", query=CLAIM, k=3, before="2003", not_family_of=["EP-1000001-A1"])
    verify(found, 3)
    assert "EP-1000001-A1" not in {one["document"] for one in found["documents"]}
    assert any(quote["matched"] for quote in quotations(found))
    assert found["documents"][0]["links"]["Espacenet"]
    place = quotations(found)[0]["passage"]
    read = await call(client, "read_passage", id=place, around=1)
    verify(read, 2)
    assert place in {one["passage"] for one in read["passages"]}
    assert (await call(client, "find_document", number="EP 1 000 001"))["ids"] == ["EP-1000001-A1"]
    told: list[Any] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    result = await client.call_tool(
        "chart", {"claim": CLAIM, "documents": ["EP-1000001-A1", "EP-1000002-A1"]}, progress_callback=progress
    )
    chart = result.structured_content
    verify(chart, 4)
    assert {column["document"] for column in chart["documents"]} == {"EP-1000001-A1", "EP-1000002-A1"}
    assert all("features found" in column["told"] for column in chart["documents"])
    assert {cell["verdict"] for row in chart["elements"] for cell in row["cells"]} <= {
        "disclosed",
        "partly",
        "not found",
    }
    assert told
    combined = await call(client, "combine", claim=CLAIM, top=6, filter="not family:EP-1000001-A1")
    verify(combined["chart"], 2)
    assert combined["combinations"]["documents"] == 6
    for name, arguments, reason in (
        ("read_passage", {"id": "EP-5-A1"}, "EP-5-A1"),
        ("search", {"query": CLAIM, "k": 5000}, "at most 1,000"),
        ("search", {"query": " "}, "query"),
        ("search", {"query": CLAIM, "index": "nothing"}, "There are: devices"),
        ("chart", {"claim": CLAIM, "filter": "colour:red"}, "colour"),
        ("chart", {"claim": CLAIM, "k": 1000}, "at most 50"),
        ("search", {"query": CLAIM, "befoer": "2001"}, "search has no argument befoer. It has: query, k"),
        ("read_passage", {"id": "EP-1000001-A1/" * 70_000}, "at most 300"),
        ("find_document", {"number": "EP 1 000 001 " * 70_000}, "at most 300"),
        ("chart", {"claim": CLAIM, "documents": ["a/" * 50_000]}, "at most 300"),
        ("verify_quotation", {"document": "a/" * 50_000, "text": "a valve"}, "at most 300"),
        ("search", {"query": CLAIM, "not_family_of": ["a/" * 50_000]}, "at most 300"),
    ):
        refused = await client.call_tool(name, arguments)
        assert refused.is_error
        assert reason in refused.content[0].text


def within(seconds: float, function: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await asyncio.wait_for(function(), seconds)

    asyncio.run(main())


def test_every_tool_over_standard_input_and_output(made, environment):
    words = ["-m", "sparse_coverage", "mcp", str(made / "devices"), "--calibration", str(made / "calibration.json")]
    server = StdioServerParameters(command=sys.executable, args=words, env=environment)

    async def main() -> None:
        async with Client(stdio_client(server)) as client:
            await every_tool(client, Index.open(made / "devices"))

    within(120, main)


def test_every_tool_over_http_with_a_key(made):
    settings = ServerSettings({"devices": made / "devices"}, key=KEY, calibration=made / "calibration.json")
    with serving(create_mcp_app(settings)) as address:

        async def main() -> None:
            async with (
                httpx.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, timeout=60) as http,
                Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
            ):
                await every_tool(client, Index.open(made / "devices"))

        within(120, main)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"accept": "application/json, text/event-stream"}
        key = {"authorization": f"Bearer {KEY}"}
        assert httpx.post(f"{address}/mcp", json=body, headers=accept).status_code == 401
        assert httpx.post(f"{address}/mcp", json=body, headers={**accept, **key, "host": "evil"}).status_code == 400
        assert (
            httpx.post(f"{address}/mcp", json=body, headers={**accept, **key, "origin": "http://evil"}).status_code
            == 403
        )


def test_half_of_a_character_gets_an_answer(made, environment):
    words = [sys.executable, "-m", "sparse_coverage", "mcp", str(made / "devices")]
    asked = {"name": "find_document", "arguments": {"number": "HALF"}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    ]
    sent = "".join(json.dumps(line) + "\n" for line in lines).replace("HALF", r"EP \ud800 1000001")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as server:
        patience = threading.Timer(100, server.kill)
        patience.start()
        server.stdin.write(sent)
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        patience.cancel()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["ids"] == []


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (r'"\ud800"', r'"\ufffd"'),
        (r'"\ud83d\ude00"', r'"\ud83d\ude00"'),
        (r'"\ud83d\ud83d\ude00"', r'"\ufffd\ud83d\ude00"'),
        (r'"\\ud800 \\\udfff"', r'"\\ud800 \\\ufffd"'),
        (r'"\uDC00\u0041"', r'"\ufffd\u0041"'),
    ],
)
def test_halves_of_characters_are_replaced_and_nothing_else(line, whole):
    assert whole_characters(line.encode()).decode() == whole
