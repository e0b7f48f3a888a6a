"""Measures the page in a real browser: how long a user waits for a search, a chart, combinations, a report, and a long document.

    python benchmarks/page.py INDEX --claim claim.txt [--long ID]

Each is done so many times over on a server of this machine. Printed are the first time and the smallest of the others, each by the clock,
from the press of a button until what was asked for stands on the screen or is on the disk, and in CPU time of the server, which other work
on the machine hardly changes; in milliseconds. The first chart of a document encodes its sentences, which the index then keeps: measure
on a fresh copy of the index. Needs playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import machine

from sparse_coverage.server.app import create_app
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerSettings

REPORTS = ("Word", "PDF", "Excel", "HTML")
_FLAGS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update".split()


@contextmanager
def browsing(address: str) -> Iterator[Any]:
    """Give a page of a browser that shows this address."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("SPARSE_COVERAGE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
        page.set_default_timeout(600_000)
        page.goto(address)
        page.wait_for_selector("#claim")
        yield page
        browser.close()


Took = list[tuple[float, float]]


def timed(times: int, work: Callable[[], object], before: Callable[[], object] = lambda: None) -> Took:
    """Return how many milliseconds some work took each time: by the clock, and of CPU of this process."""
    took = []
    for _ in range(times):
        before()
        begun, spent = perf_counter(), process_time()
        work()
        took.append((1e3 * (perf_counter() - begun), 1e3 * (process_time() - spent)))
    return took


def measured(page: Any, claim: str, long: str, times: int) -> Iterator[tuple[str, Took]]:
    """Yield what was measured, and the milliseconds that it took."""

    def pressed(button: str, shown: str) -> None:
        """Press a button, and wait for what is shown then and was not there before."""
        page.evaluate(f"document.querySelectorAll('{shown}').forEach(one => one.setAttribute('data-old', ''))")
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_selector(f"{shown}:not([data-old])")

    def search() -> None:
        pressed("Search", ".results")

    def work(button: str) -> None:
        pressed(button, ".chart-table")

    def go(view: str) -> None:
        page.evaluate(f"location.hash = '#/{view}'")

    def report(name: str) -> None:
        with page.expect_download() as waited:
            page.get_by_role("button", name=name, exact=True).click()
        waited.value.path()

    page.fill("#claim", claim)
    yield "search, 20 documents with their passages", timed(times, search)
    go("chart")
    yield "chart, 5 documents", timed(times, lambda: work("Chart"))
    yield "combine 2 of the best 100 documents", timed(times, lambda: work("Combine documents"))
    go("project")
    for name in REPORTS:
        yield f"report of it, {name}", timed(times, lambda name=name: report(name))  # type: ignore[misc]
    if long:

        def read() -> None:
            go(f"document/index/{long}")
            page.wait_for_selector(".paragraph")

        def compared() -> None:
            read()
            page.wait_for_selector(".paragraph.matched")

        yield "open a document: its text", timed(times, read, lambda: go("project"))
        yield "the same, set against the claim", timed(times, compared, lambda: go("project"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", type=Path)
    parser.add_argument("--claim", type=Path, required=True, help="A file with a claim.")
    parser.add_argument("--long", default="", help="The id of a long document.")
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    print(machine.describe())
    with tempfile.TemporaryDirectory() as projects:
        app = create_app(ServerSettings({"index": given.index}, projects=Path(projects)))
        with serving(app) as address, browsing(address) as page:
            print(f"{'':<42} {'first':>8} {'CPU':>8} {'again':>8} {'CPU':>8}")
            for what, (first, *others) in measured(page, given.claim.read_text("utf-8"), given.long, given.times):
                least = [min(one) for one in zip(*others, strict=True)]
                print(f"{what:<42}" + "".join(f" {value:8,.0f}" for value in (*first, *least)), flush=True)


if __name__ == "__main__":
    main()
