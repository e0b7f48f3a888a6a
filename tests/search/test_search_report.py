"""The HTML report: the texts are whole, every mark leads to its partners, nothing in a patent can break the page."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from sparse_coverage.present.search_report import search_page
from sparse_coverage.search import Answers, Explanation, Hit, Match, PassageHit
from sparse_coverage.search.reasons import reasons_for
from sparse_coverage.search.results import Answer, Place, Unsearched
from sparse_coverage.workspace import SearchResult

CLAIM = 'A solenoid valve with a <b>spring</b> & "plunger"'
PASSAGE = "The magnet valve's plunger</div><script>alert(1)</script> is sprung"


def place(text: str, piece: str) -> Place:
    start = text.index(piece)
    return Place(piece, start, start + len(piece))


def match(query: str, passage: str, contribution: float, center: int = 1) -> Match:
    return Match(center, "anchor <i>", place(CLAIM, query), place(PASSAGE, passage), 0.9, 0.8, 2.0, contribution)


MATCHES = (match("valve", "valve", 3.0), match("plunger", "plunger", 2.0), match("spring", "sprung", 0.5))
HIT = Hit(
    "XX-1-A1",
    "Valve <1>",
    5.5,
    {"ipc": ["F16K 31/06"]},
    (PassageHit("XX-1-A1/p[1]", "XX-1-A1", "claims", PASSAGE, 5.5),),
)


class Page(HTMLParser):
    """The marks of a page with what they are called, and all text outside of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.marks: list[tuple[str, set[str], set[str]]] = []
        self.text = ""
        self.tags = [""]  # what comes before the first tag
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.tags.append(tag)
        if tag == "mark":
            named = [set((values[name] or "").split()) for name in ("data-name", "data-partners")]
            self.marks.append(("", named[0], named[1]))

    def handle_data(self, data: str) -> None:
        if self.tags[-1] not in ("style", "script"):
            self.text += data
        if self.tags[-1] == "mark" and not self.marks[-1][0]:
            self.marks[-1] = (data, *self.marks[-1][1:])


def report(matches: tuple[Match, ...] = MATCHES, answers: Answers | None = None) -> Page:
    reasons = reasons_for(CLAIM, PASSAGE, matches)
    explanation = Explanation(CLAIM, HIT.passages[0], matches, (), reasons=reasons)
    told = {"XX-1-A1": answers} if answers else None
    return Page(
        search_page(SearchResult(CLAIM, [HIT], {"XX-1-A1/p[1]": explanation}, answers=told or {}), title="Prior <art>")
    )


def test_both_texts_are_whole_and_nothing_in_them_is_markup() -> None:
    page = report()
    assert CLAIM in page.text
    assert PASSAGE in page.text
    assert "Prior <art>" in page.text
    assert page.tags.count("script") == 1
    assert page.tags.count("b") == 0


def test_every_mark_leads_to_its_partner_and_back() -> None:
    page = report()
    pairs = set()
    for text, names, partners in page.marks:
        for other, other_names, other_partners in page.marks:
            if partners & other_names:
                assert names & other_partners
                pairs.add(frozenset((text, other)))
    phrase = "magnet valve's plunger"
    assert pairs == {
        frozenset(("solenoid valve", phrase)),
        frozenset(("plunger", phrase)),
        frozenset(("spring", "sprung")),
    }


def test_overlapping_spans_become_one_mark_with_all_partners() -> None:
    page = report((match("solenoid valve", "magnet valve", 3.0), match("valve", "valve", 1.0)))
    (claim,) = [mark for mark in page.marks if any(name.startswith("q-") for name in mark[1])]
    (passage,) = [mark for mark in page.marks if mark is not claim]
    assert (claim[0], passage[0]) == ("solenoid valve", "magnet valve's plunger")
    assert claim[1] == passage[2]
    assert passage[1] == claim[2]


def test_what_the_document_lacks_is_said() -> None:
    found = (Answer(place(CLAIM, "valve"), "XX-1-A1/p[1]", MATCHES[0]),)
    page = report(answers=Answers(CLAIM, "XX-1-A1", found, (place(CLAIM, "solenoid"), place(CLAIM, "spring"))))
    assert re.search(r"nothing in this document answers: solenoid, spring\.", unescape(page.text))


def test_what_is_compared_with_nothing_is_said_once_and_not_held_against_a_document() -> None:
    unsearched = Unsearched(uncovered=(place(CLAIM, "with"), place(CLAIM, "sole")), common=(place(CLAIM, "A"),))
    explanation = Explanation(CLAIM, HIT.passages[0], MATCHES, (place(CLAIM, "noid"),), unsearched)
    text = Page(search_page(SearchResult(CLAIM, [HIT], {"XX-1-A1/p[1]": explanation}), title="Prior art")).text
    assert "Not compared with any document, too common to count: a." in text
    assert "Not compared with any document, outside every center: with." in text, "pieces of 'solenoid' are compared"


def test_a_report_without_hits_can_be_made() -> None:
    assert "0 documents" in Page(search_page(SearchResult(CLAIM, [], {}), title="Nothing")).text
