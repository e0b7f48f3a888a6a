"""Take the pictures of docs/example.md: a real search in the page, on the demo collection, with the default encoder.

    sparse-coverage demo --output demo-output
    PYTHONPATH=docs python -m _generate.screenshots demo-output/index

Needs the extra [server], playwright, pillow and a chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

CLAIM = (
    "A method of operating a washing machine having a drum rotated by a motor, comprising: measuring the ripple of the motor "
    "current while the drum turns at a constant speed; estimating from the ripple an imbalance of the laundry; and lowering the "
    "speed of spinning if the imbalance exceeds a limit."
)
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
    for path in PICTURES.glob("example-*.png"):  # a third of the size, and nobody sees it
        Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
