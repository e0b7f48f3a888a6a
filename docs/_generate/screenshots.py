"""Take the pictures of docs/page.md: the page, the demo collection, the default encoder.

    sparse-coverage demo --output demo-output
    PYTHONPATH=docs python -m _generate.screenshots demo-output/index

Needs the extra [server], playwright, pillow and a chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

CLAIM = (
    "A method of operating a washing machine having a drum rotated by a motor, comprising: measuring the ripple of the motor "
    "current while the drum turns at a constant speed; estimating from the ripple an imbalance of the laundry; and lowering the "
    "speed of spinning if the imbalance exceeds a limit."
)
OVERRULED = (
    "A mobile communication device comprising an earpiece loudspeaker; a first microphone for sensing ambient noise; a noise "
    "cancellation circuit having a filter for generating, from a signal of the first microphone, anti-noise to be reproduced by the "
    "earpiece loudspeaker; wherein a leak estimator is provided for determining a degree of acoustic coupling between the earpiece "
    "loudspeaker and an ear of a user, and the filter is adapted in dependence on the degree of acoustic coupling."
)
CELL, NOTE = "1b EP-9113809-A1", "A handset has one, but claim 1 does not name it."
REMARK = "Closest so far: estimates the leak and adapts the filter to it."
PICTURES = Path(__file__).parents[1] / "images"


def main() -> None:
    """Search, read and chart, and take a picture of each."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from sparse_coverage.server.app import create_app
    from sparse_coverage.server.running import serving
    from sparse_coverage.server.settings import ServerSettings

    settings = ServerSettings({"demo": Path(sys.argv[1])}, projects=Path(tempfile.mkdtemp()))
    with serving(create_app(settings)) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.goto(f"{address}/")
            page.fill("#claim", CLAIM)
            page.keyboard.press("Control+Enter")
            page.wait_for_selector(".result")
            page.wait_for_timeout(8000)  # until the note of how many were found is gone
            if scheme == "light":
                page.screenshot(path=PICTURES / "example-search.png")
            page.get_by_role("button", name="Chart the claim").click()
            page.wait_for_selector(".chart-table tbody tr")
            page.wait_for_timeout(500)
            if scheme == "light":
                page.screenshot(path=PICTURES / "example-chart.png")
            else:
                page.get_by_role("link", name="Search", exact=True).click()
                page.locator(".result .title").first.click()
                page.wait_for_timeout(2500)
                page.screenshot(path=PICTURES / "example-reading.png")
            context.close()
        marked(browser, address)
        overruled(browser, address)
    for path in (
        *PICTURES.glob("example-*.png"),
        *PICTURES.glob("workbench-*.png"),
    ):  # a third of the size, and nobody sees it
        Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def searched(browser: Any, address: str, scheme: str = "light") -> Any:
    """Return the page with a search that was made, when the note of how many were found is gone."""
    page = browser.new_context(viewport={"width": 1280, "height": 860}, color_scheme=scheme).new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{address}/")
    page.fill("#claim", OVERRULED)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".result")
    page.wait_for_timeout(8000)
    return page


def marked(browser: Any, address: str) -> None:
    """Mark three documents, write a note, and take pictures of the results and of a document in the dark."""
    page = searched(browser, address)
    for key in ("r", "j", "r", "j", "n", "k", "k", "e"):
        page.keyboard.press(key)
        page.wait_for_timeout(600)
    page.locator("dialog textarea").fill(REMARK)
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#claim").evaluate("claim => { claim.scrollTop = 0; }")
    page.wait_for_timeout(8000)
    page.screenshot(path=PICTURES / "workbench-search.png")
    page = searched(browser, address, "dark")  # the project is the same, and so are its marks
    page.locator(".result .title").first.click()
    page.wait_for_timeout(2500)
    page.screenshot(path=PICTURES / "workbench-reading.png")


def overruled(browser: Any, address: str) -> None:
    """Chart three documents, overrule a cell, and take a picture."""
    page = searched(browser, address)
    page.get_by_role("button", name="Chart the claim").click()
    page.wait_for_selector(".chart-table tbody tr")
    page.get_by_label("Documents").select_option(label="the first 3 found")
    page.get_by_role("button", name="Chart", exact=True).click()
    page.get_by_text("5 features, 3 documents").wait_for()
    page.locator(f'[data-cell="{CELL}"]').click()
    page.get_by_label("Verdict").select_option("partly")
    page.get_by_label("Reason").fill(NOTE)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector(".own")
    page.wait_for_timeout(8000)
    page.screenshot(path=PICTURES / "workbench-chart.png")


if __name__ == "__main__":
    main()
