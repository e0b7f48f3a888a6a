"""Make the film of a whole search, docs/images/whole-search.gif: from a claim to a Word report, on the page, in 90 seconds.

    sparse-coverage demo --output demo-output
    PYTHONPATH=docs python -m _generate.film demo-output/index docs/images/whole-search.gif

Each scene is what the page shows after a step, with a line that says what was done. Needs the extra [server], playwright, pillow and a
chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from _generate.screenshots import CLAIM

WIDTH, HEIGHT = 1120, 700
COLORS = 48
LINE = """line => {
  const old = document.getElementById('film-line');
  if (old) old.remove();
  const bar = document.createElement('div');
  bar.id = 'film-line';
  bar.textContent = line;
  for (const [name, value] of Object.entries({position: 'fixed', left: 0, right: 0, bottom: 0, zIndex: 99999, padding: '12px 24px',
    font: '600 20px sans-serif', color: '#fff', background: '#123a5e'})) bar.style[name] = value;
  (document.querySelector('dialog[open]') || document.body).append(bar);
}"""


class Film:
    """Pictures of a page, each with how long it is shown, in milliseconds."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.pictures: list[tuple[bytes, int]] = []

    def show(self, line: str, seconds: float) -> None:
        """Take a picture of what the page shows now, with a line of text below."""
        self.page.evaluate(LINE, line)
        self.pictures.append((self.page.screenshot(), int(1000 * seconds)))

    def write(self, target: Path) -> None:
        """Write all pictures as one GIF, in colors that they share: what did not change then costs nothing."""
        from PIL import Image

        shown = [Image.open(io.BytesIO(content)).convert("RGB") for content, _ in self.pictures]
        strip = Image.new("RGB", (WIDTH, HEIGHT * len(shown)))
        for number, one in enumerate(shown):
            strip.paste(one, (0, HEIGHT * number))
        palette = strip.quantize(COLORS, dither=Image.Dither.NONE)
        frames = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in shown]
        frames[0].save(
            target,
            save_all=True,
            append_images=frames[1:],
            duration=[time for _, time in self.pictures],
            loop=0,
            optimize=True,
        )


def act(page: Any, claim: str, pause: int = 8000) -> Film:
    """Play the search; return its film. `pause`: milliseconds until the note of how many were found is gone."""
    film = Film(page)
    page.wait_for_selector("#claim")
    film.show("A whole search, from a claim to a report. Nothing leaves this machine.", 5)
    for share in (4, 2, 1):
        page.fill("#claim", claim[: len(claim) // share])
        film.show("1. Paste a claim, or drop a Word or PDF file.", 2)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".result")
    page.wait_for_timeout(pause)
    film.show("2. Search. Documents are ranked by meaning and by words.", 7)
    page.locator(".result").nth(1).scroll_into_view_if_needed()
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(500)
    film.show("3. Each passage says why it was found: the words that match are marked.", 8)
    page.evaluate("scrollTo(0, 0)")
    for number in (0, 1):
        page.locator(".mark-relevant").nth(number).click()
        page.wait_for_timeout(300)
        film.show("4. Mark what is relevant. Every mark is kept.", 3)
    page.locator(".result .title").first.click()
    page.wait_for_selector(".match")
    page.wait_for_timeout(2500)
    film.show("5. Read a document in full beside the claim.", 8)
    page.get_by_role("link", name="Search", exact=True).click()
    page.wait_for_selector(".result")
    page.get_by_role("button", name="Chart the claim").click()
    page.wait_for_selector(".chart-table tbody tr")
    page.wait_for_timeout(1000)
    film.show("6. Chart the claim: which document discloses which feature, with quotations.", 10)
    page.locator(".cell-button").nth(1).click()
    page.wait_for_timeout(500)
    film.show("7. Open a cell to see its passages.", 6)
    page.get_by_role("combobox", name="Verdict").select_option("partly")
    page.get_by_label("Reason").fill("Shown for another machine.")
    film.show("8. You decide: give your own verdict, and say why.", 6)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector(".own")
    page.wait_for_timeout(pause)
    film.show("9. Your verdict stands in the chart, marked as yours.", 8)
    page.get_by_role("link", name="Project", exact=True).click()
    page.wait_for_selector(".project-head")
    page.wait_for_timeout(500)
    film.show("10. The project holds the claim, the searches, the marks and the charts.", 8)
    with page.expect_download() as file:
        page.get_by_role("link", name="Word").or_(page.get_by_role("button", name="Word")).first.click()
    name = file.value.suggested_filename
    page.wait_for_timeout(500)
    film.show(f"11. Take the report: {name}. Done.", 8)
    return film


def main() -> None:
    """Serve an index, play the search in a browser, and write the film."""
    from playwright.sync_api import sync_playwright

    from sparse_coverage.server.app import create_app
    from sparse_coverage.server.running import serving
    from sparse_coverage.server.settings import ServerSettings

    index, target = map(Path, sys.argv[1:3])
    settings = ServerSettings({"demo": index}, projects=Path(tempfile.mkdtemp()))
    with serving(create_app(settings)) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}).new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{address}/")
        film = act(page, CLAIM)
        browser.close()
    film.write(target)
    seconds = sum(time for _, time in film.pictures) / 1000
    print(f"{target}: {len(film.pictures)} pictures, {seconds:.0f} s, {target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
