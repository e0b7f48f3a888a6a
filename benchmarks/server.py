"""The server under load on this machine, beside Qdrant behind HTTP, whose queries come encoded already.

    python benchmarks/server.py --quick                      2,000 passages, few seconds a figure, 300 requests for memory
    python benchmarks/server.py --folder FOLDER              100,000 passages: all of it
    python benchmarks/server.py --patents FILE               passages of one's own instead of the demo collection's

p50 and p99 and answers a second with 1, 8 and 32 clients that ask without pause, for claims of 20, 150 and 600 words; seconds of
CPU that the server takes for an answer (the clock also sees whatever else the machine does, and the clients); what HTTP costs
over the library's call; memory before and after many requests. Passages are the patents' own, many times over under other ids.
Qdrant gets the same weights, gives 30 passages with their texts, and is left out where there is no server (see
tests/engines/qdrant_server.py). `--folder` keeps the index for the next run, `--json` writes the figures to a file.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any
from urllib.parse import urlsplit

import machine
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engines"))
from qdrant_server import binary
from server_load import ask, build, claims, cpu_of, load, memory_of, qdrant, served

from sparse_coverage import Index
from sparse_coverage.dataclass_json import plain_json
from sparse_coverage.server.answering import public
from sparse_coverage.server.indexes import ServedIndexes, Service
from sparse_coverage.server.settings import ServerSettings
from sparse_coverage.workspace import SearchRequest

WORDS, CLIENTS = (20, 150, 600), (1, 8, 32)
TEXTS = 200
"""For each figure: more than the server keeps."""
SEARCH = "/v1/indexes/bench/search"
console = Console(width=130)


def under_load(
    index: Index, address: str, pids: list[int], peer: Any, seconds: float, rounds: int
) -> list[dict[str, Any]]:
    rows = []
    for words in WORDS:
        texts = iter(claims(index, words, TEXTS * 2 * len(CLIENTS) * rounds))
        encoded = [] if peer is None else [peer[2](text) for text in claims(index, words, 50)]
        for clients in CLIENTS:
            for _ in range(rounds):  # one after the other, so that all see the same machine
                # The server keeps what it knows of the last queries, so no two figures are measured with the same ones.
                asked = [
                    ("search, with reasons", address, SEARCH, pids, _bodies(texts, True)),
                    ("search, ranking alone", address, SEARCH, pids, _bodies(texts, False)),
                ]
                if peer is not None:
                    path = "/collections/passages/points/query"
                    asked.append(("Qdrant, query encoded", peer[0], path, peer[1], encoded))
                for name, where, path, mine, bodies in asked:
                    found = load(where, path, bodies, clients, seconds, mine)
                    row = {"words": words, "clients": clients, "name": name, "answers": len(found.seconds)}
                    row |= {
                        "p50": found.part(0.5),
                        "p99": found.part(0.99),
                        "rate": found.rate,
                        "cpu": 1000 * found.cpu,
                        "other": dict(found.other),
                    }
                    rows.append(row)
                    told = f"{words} words, {clients} clients, {name}: p50 {row['p50']:.0f} ms, {found.rate:.1f}/s"
                    told += "".join(f", {count} times status {status}" for status, count in found.other.items())
                    console.print(told, highlight=False)
    return rows


def _bodies(texts: Iterator[str], reasons: bool) -> list[bytes]:
    return [_body(text, reasons=reasons) for text in islice(texts, TEXTS)]


def _body(text: str, **more: Any) -> bytes:
    return json.dumps({"query": text, "group": False, **more}).encode()


def show_load(rows: list[dict[str, Any]]) -> None:
    table = Table(
        "words", "clients", "what", "p50 ms", "p99 ms", "answers/s", "CPU ms an answer", "CPU: ratio to Qdrant"
    )
    for words in WORDS:
        for clients in CLIENTS:
            mine = [row for row in rows if (row["words"], row["clients"]) == (words, clients)]
            names = list(dict.fromkeys(row["name"] for row in mine))
            best = {
                name: min((row for row in mine if row["name"] == name), key=lambda row: row["cpu"]) for name in names
            }
            base = best.get("Qdrant, query encoded")
            for name, row in best.items():
                ratio = f"{row['cpu'] / base['cpu']:.1f}" if base and base["cpu"] else ""
                times = [f"{row['p50']:.0f}", f"{row['p99']:.0f}", f"{row['rate']:.1f}", f"{row['cpu']:.1f}"]
                table.add_row(str(words), str(clients), name, *times, ratio)
    console.print(table)


def cost_of_http(index: Index, folder: Path, address: str, pids: list[int], count: int) -> list[dict[str, Any]]:
    """Milliseconds of CPU of the same searches by the library's call and over HTTP, in turn; each side meets each text once."""
    service = Service(ServedIndexes({"bench": folder}), ServerSettings({"bench": folder}))
    service.holdings.warm_up()
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    rows = []
    for words in WORDS:
        texts = claims(index, words, count + 2)
        for reasons in (True, False):
            cpu = []
            for number, text in enumerate(texts):
                text = f"{text} {reasons}"
                before, theirs = process_time(), cpu_of(pids)
                plain_json(public(service.search("bench", SearchRequest(query=text, group=False, reasons=reasons))))
                middle = process_time()
                ask(connection, SEARCH, _body(text, reasons=reasons))
                if number > 1:  # the first ones warm up
                    cpu.append((middle - before, cpu_of(pids) - theirs))
            mine, served = (1000 * sum(side) / len(cpu) for side in zip(*cpu, strict=True))
            rows.append({"words": words, "reasons": reasons, "library": mine, "http": served})
    connection.close()
    return rows


def bare_http(address: str, pids: list[int], count: int) -> float:
    """Milliseconds of CPU that the server takes for a request without any work: connection, safety, routing, metrics, log."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    before = cpu_of(pids)
    for _ in range(count):
        connection.request("GET", "/v1/health")
        connection.getresponse().read()
    connection.close()
    return 1000 * (cpu_of(pids) - before) / count


def memory(index: Index, address: str, pids: list[int], requests: int) -> list[tuple[int, float]]:
    """Megabytes after so many requests of several kinds by four clients, all with texts of their own."""
    parts, local = urlsplit(address), threading.local()
    texts = claims(index, 20, min(requests, 2000))

    def one(number: int) -> None:
        if not hasattr(local, "connection"):
            local.connection = HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        body = _body(texts[number % len(texts)], reasons=number % 20 == 0, facets=number % 50 == 0)
        ask(local.connection, SEARCH, body)

    found = [(0, memory_of(pids))]
    with ThreadPoolExecutor(4) as pool:
        for part in range(1, 11):
            done = requests * part // 10
            list(pool.map(one, range(found[-1][0], done)))
            found.append((done, memory_of(pids)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--patents", type=Path)
    parser.add_argument("--passages", type=int)
    parser.add_argument("--seconds", type=float, help="for each figure of the load")
    parser.add_argument("--requests", type=int, help="for the memory")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    passages = arguments.passages or (2_000 if arguments.quick else 100_000)
    seconds = arguments.seconds or (1.0 if arguments.quick else 8.0)
    requests = arguments.requests or (300 if arguments.quick else 10_000)
    console.print(machine.describe(), highlight=False)
    with ExitStack() as stack:
        home = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = home / f"passages-{passages}"
        index = build(folder, passages, arguments.patents)
        console.print(f"{len(index):,} passages, {index.store.manifest['postings']:,} postings", highlight=False)
        address, pids = stack.enter_context(served(folder))
        console.print(f"Memory once it has started: {memory_of(pids):.0f} MB", highlight=False)
        peer = None
        if binary() is not None:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            peer = stack.enter_context(qdrant(scratch / "node", index))
        http = cost_of_http(index, folder, address, pids, 3 if arguments.quick else 30)
        table = Table("words", "reasons", "library call and JSON, CPU ms", "over HTTP, CPU ms", "HTTP costs, ms")
        for row in http:
            cells = [f"{value:.1f}" for value in (row["library"], row["http"], row["http"] - row["library"])]
            table.add_row(str(row["words"]), "yes" if row["reasons"] else "no", *cells)
        console.print(table)
        bare = bare_http(address, pids, 200 if arguments.quick else 2000)
        console.print(f"HTTP alone: {bare:.2f} ms of CPU a request", highlight=False)
        rows = under_load(index, address, pids, peer, seconds, 1 if arguments.quick else 2)
        show_load(rows)
        grown = memory(index, address, pids, requests)
        table = Table("requests", "memory, MB")
        for number, size in grown:
            table.add_row(f"{number:,}", f"{size:.0f}")
        console.print(table)
    if arguments.json:
        found = {"machine": machine.describe(), "http": http, "bare": bare, "load": rows, "memory": grown}
        arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
