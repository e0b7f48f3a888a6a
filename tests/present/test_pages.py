"""Nothing that a patent, a file or a user says can become markup of a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from sparse_coverage.present.office import printable
from sparse_coverage.present.pages import render
from sparse_coverage.present.search_report import search_page
from sparse_coverage.present.tables import Table, TableCell
from sparse_coverage.search import Answers, Explanation, Hit, Match, PassageHit
from sparse_coverage.search.results import Place, Unsearched
from sparse_coverage.workspace import SearchResult

EVIL = """</script></style></title><script>alert(1)</script><img src=x onerror='a'> {{ 7 * 7 }} " onclick="b" ' &amp;"""


class Reader(HTMLParser):
    """All tags with the names of their attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data: str) -> None:
        self.text += data


def report() -> str:
    passage = PassageHit(f"{EVIL}/p[1]", EVIL, "claims", EVIL, 2.0)
    place = Place(EVIL[10:30], 10, 30)
    match = Match(1, EVIL, place, place, 1.0, 1.0, 1.0, 2.0, EVIL)
    own = Match(1, EVIL, place, place, 1.0, 1.0, 1.0, 2.0)
    explanation = Explanation(EVIL, passage, (match, own), (place,), Unsearched((place,), (place,)))
    hit = Hit(EVIL, EVIL, 2.0, {"ipc": [EVIL], "applicants": EVIL, "publication_date": EVIL}, (passage,))
    answers = Answers(EVIL, EVIL, (), (place,))
    return search_page(SearchResult(EVIL, [hit], {passage.id: explanation}, answers={EVIL: answers}), title=EVIL)


def section() -> str:
    table = Table("t", EVIL, (EVIL, "R@100"), ((EVIL, TableCell(1.0, 2.0, (0.5, 1.5))),), (EVIL,))
    return render(
        "experiment.html",
        name=EVIL,
        table=table,
        facts=[EVIL],
        images=[EVIL],
        failures=[EVIL],
        commands=[EVIL],
        files=[EVIL],
    )


PAGES = {
    "report": (report, 1),
    "section": (section, 0),
    "experiments": (lambda: render("experiments.html", title=EVIL, names=[EVIL], sections=[]), 0),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_text_is_shown_and_never_obeyed(name: str) -> None:
    make, scripts = PAGES[name]
    page = Reader(make())
    assert page.tags.count("script") == scripts
    assert page.tags.count("img") == (name == "section")
    assert not [attribute for attribute, _ in page.attributes if attribute.startswith("on")]
    assert EVIL in page.text


@pytest.mark.parametrize("name", ["report", "experiments"])
def test_a_page_needs_no_other_file_and_no_network(name: str) -> None:
    page = Reader(PAGES[name][0]())
    assert page.tags.count("style") == 1
    assert "link" not in page.tags
    assert not [value for attribute, value in page.attributes if attribute == "src"]


def test_what_utf8_cannot_hold_does_not_stop_a_page() -> None:
    page = render("experiments.html", title="A dr\udcfcm", names=[], sections=[])
    assert "dr?m" in page
    page.encode("utf-8")


def test_a_passage_without_an_explanation_is_shown_around_the_words_it_shares_with_the_query() -> None:
    import io

    from rich.console import Console

    from sparse_coverage.present.terminal import hits_text

    text = "The pump is old and known. " * 20 + "A plunger is biased by a spring. " + "It closes in time. " * 20
    hit = Hit(
        "EP-1-A1",
        "Valve",
        1.0,
        {},
        (PassageHit("EP-1-A1/description/p[9]", "EP-1-A1", "description", text, 1.0, "0034"),),
    )
    console = Console(file=io.StringIO(), width=120)
    console.print(hits_text([hit], {}, query="the plunger"))
    shown = " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]
    assert "paragraph [0034] 1.000 … A plunger is biased by a spring." in shown


def luminance(colour: list[float]) -> float:
    parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_strongest_mark_of_a_report_can_be_read(scheme: str) -> None:
    css = (files("sparse_coverage.present") / "assets" / "page.css").read_text(encoding="utf-8")
    rule = re.findall(r":root \{([^}]*)\}", css)[scheme == "dark"]
    ink, paper = ([int(one[n : n + 2], 16) / 255 for n in (0, 2, 4)] for one in re.findall(r"#([0-9a-f]{6})", rule)[:2])
    mark = [int(one) / 255 for one in re.findall(r"--mark: (\d+), (\d+), (\d+)", rule)[0]]
    ground = [
        0.88 * above + 0.12 * below for above, below in zip(mark, paper, strict=True)
    ]  # 0.18 + 0.7, of report.html
    light, dark = sorted((luminance(ink), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_what_turns_the_order_of_letters_is_in_no_report() -> None:
    hostile = "a valve\u202e\u2066\x9b2J\x1b[2J"
    page = render("experiments.html", title=hostile, names=[], sections=[])
    assert "a valve2J[2J" in page
    assert printable(hostile) == "a valve2J[2J"
