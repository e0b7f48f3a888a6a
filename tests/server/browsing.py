"""What the tests in a real browser share: whether there is one, pages on a project of their own, and what axe-core finds."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import httpx
from served_devices import CLAIM
from waiting import SECONDS, wait_until

CHROMIUM = os.environ.get("SPARSE_COVERAGE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = os.environ.get("SPARSE_COVERAGE_AXE")
# Nothing that a browser does by itself: a sandbox that root cannot have, a graphics card, and asking its maker for news.
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
).split()


def why_not() -> str:
    """Say why there can be no tests in a browser; nothing where there can."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return "" if CHROMIUM else "there is no chromium here (SPARSE_COVERAGE_CHROMIUM names one)"


class Desk:
    """A user at a browser: a page on a project that is theirs alone, and what went wrong in it."""

    def __init__(self, browser, server, *, project: str | None = None, key: str | None = None, **screen) -> None:
        self.server = server
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(base_url=server.address, headers=headers, timeout=SECONDS)
        self.project = project or self.http.post("/v1/projects", json={"name": "Devices"}).json()["head"]["id"]
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **screen})
        self.context.add_init_script(f"localStorage.setItem('last project', '{self.project}')")
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * SECONDS)
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("console", lambda told: self.wrong.append(told.text) if told.type == "error" else None)
        self.page.goto(f"{server.address}/")
        if key is None:
            self.page.wait_for_selector("#claim")

    def search(self, text: str = CLAIM) -> None:
        """Search for a claim and wait for what is found."""
        self.page.fill("#claim", text)
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_selector(".result")

    def marks(self) -> dict[str, tuple[str | None, str]]:
        """Return the marks that the server has, with their notes."""
        found = self.http.get(f"/v1/projects/{self.project}").json()["marks"]
        return {one["id"]: (one["mark"], one["note"]) for one in found if one["mark"] or one["note"]}

    def saved(self) -> None:
        """Wait until the last change is acknowledged."""
        self.until("document.getElementById('saved').textContent === 'Saved'")

    def until(self, wanted: str) -> None:
        """Wait until an expression is true. Playwright's own way would run it as a script, which the page's policy forbids."""
        wait_until(lambda: self.page.evaluate(wanted) or self.page.wait_for_timeout(30), wanted)

    def stop_listening(self) -> None:
        """Let the page ask no longer what other windows changed: right after an answer, when it waits with the next question."""
        with self.page.expect_response(lambda answer: "since=" in answer.url):
            pass
        self.page.evaluate("for (let timer = 0; timer < 10000; timer++) clearInterval(timer)")

    def ids(self) -> list[str]:
        """Return the documents of the list, in its order."""
        return self.page.eval_on_selector_all(".result", "rows => rows.map(row => row.dataset.id)")

    def too_wide(self) -> bool:
        """Tell whether anything stands out beyond the right edge."""
        return self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def axe(self) -> list[str]:
        """Return what axe-core finds against WCAG 2 A and AA that is serious or critical."""
        # The policy of the page lets no other script run, and that of a test is one: it is put in beside it.
        self.page.evaluate(Path(AXE or "").read_text(encoding="utf-8"))
        found = self.page.evaluate(
            "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']}).then(found => found.violations)"
        )
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def close(self) -> None:
        """Leave."""
        self.context.close()
        self.http.close()


def downloaded(page, name):
    """Press a button and return the file that it gives."""
    with page.expect_download() as waited:
        page.get_by_role("button", name=name, exact=True).click()
    return waited.value
