"""Check the built site: every link inside it leads somewhere, no page loads anything from elsewhere, every file named is there.

    python docs/check_site.py site

Beside the pages of the site, the links of README.md and the other pages at the top are checked.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("object", "data")}
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_FILE = re.compile(r"`((?:benchmarks|docs|fuzz|notebooks|src|tests)/[\w./-]+)`")
_HEADING = re.compile(r"^#+ (.+)$", re.M)


class _Page(HTMLParser):
    """The links, the places and what is loaded of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and "href" in given and given.get("rel") in {"stylesheet", "icon", "preload", "modulepreload"}:
            self.loaded.append(given["href"])
        self.loaded += [given[name] for of, name in LOADS if of == tag and name in given]


def site_faults(site: Path) -> list[str]:
    """Return the links that lead nowhere and what would be fetched from elsewhere."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = _Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    faults = []
    for path, page in pages.items():
        name = path.relative_to(site)
        faults += [f"{name} loads {address}" for address in page.loaded if _elsewhere(address)]
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            if _elsewhere(address) or parts.scheme in {"mailto", "data", "javascript"} or name.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            if not target.is_file():
                faults.append(f"{name} links to {address}, which is not there")
            elif parts.fragment and target.suffix == ".html":
                found = next(other for key, other in pages.items() if key.resolve() == target)
                if unquote(parts.fragment) not in found.places and parts.fragment != "__skip":
                    faults.append(f"{name} links to {address}: there is no such heading")
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        faults += [
            f"{path.name} loads {address}"
            for address in re.findall(r"(?:url\(|@import )['\"]?(https?://[^'\")]+)", text)
        ]
    return faults


def source_faults(root: Path) -> list[str]:
    """Return the links of the pages at the top, and the files that any page names, which are not there."""
    faults = []
    tops = [path for path in sorted(root.glob("*.md")) if path.is_file()]
    for path in [*tops, *sorted((root / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        if name.name != "extending.md":  # which names the files that its reader makes
            named = [file for file in _FILE.findall(text) if not (root / file).exists()]
            faults += [f"{name} names {file}, which is not there" for file in named]
        if path in tops:
            for link in (one or other for one, other in _LINK.findall(text)):
                target, _, heading = link.partition("#")
                if _elsewhere(link):
                    continue
                if not (root / target).exists():
                    faults.append(f"{name} links to {link}, which is not there")
                elif heading and heading not in _headings(root / target if target else path):
                    faults.append(f"{name} links to {link}: there is no such heading")
    return faults


def _headings(page: Path) -> set[str]:
    titles = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def _elsewhere(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


def main() -> None:
    """Print what is wrong, and end with 1 if anything is."""
    site = Path(sys.argv[1])
    faults = site_faults(site) + source_faults(Path(__file__).parents[1])
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
