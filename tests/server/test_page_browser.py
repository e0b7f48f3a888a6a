"""The page in a real browser: a search from the claim to the report, by mouse and by keys, on a small screen, and after a restart."""

from __future__ import annotations

import io
import itertools
import re
from pathlib import Path

import pytest
from browsing import AXE, downloaded, why_not
from served_devices import CLAIM, HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is a browser")]


def test_from_a_claim_to_a_word_file_and_all_there_after_a_restart(desk, workbench):
    page = desk.page
    desk.search()
    first = desk.ids()[0]
    assert page.locator(".result .passage mark").count() > 3
    assert page.locator(".result .chip").count() > 10
    page.get_by_role("button", name="Chart the claim").click()
    page.wait_for_selector(".chart-table")
    assert page.locator(".chart-table tbody tr").count() == 5
    page.locator(".cell-button").nth(1).click()
    page.get_by_role("combobox", name="Verdict").select_option("not found")
    page.get_by_label("Reason").fill("only in the prior art of it")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector(".own")
    desk.saved()
    page.get_by_role("link", name="Search", exact=True).click()
    page.locator(".mark-relevant").nth(0).click()
    page.locator(".mark-relevant").nth(1).click()
    page.get_by_role("button", name="Rank again with 2 marked relevant, 0 not").wait_for()
    page.locator(".result").nth(0).get_by_role("button", name=re.compile("Note on")).click()
    page.get_by_role("textbox", name="Note").fill("the closest")
    page.get_by_role("button", name="Save").click()
    page.locator(".note", has_text="the closest").wait_for()
    desk.saved()
    page.goto(f"{workbench.address}/#/project")
    titles = page.locator(".marked-list .title-of").all_inner_texts()
    assert len(titles) == 2
    assert all(titles)
    file = downloaded(page, "Word")
    docx = pytest.importorskip("docx")
    document = docx.Document(io.BytesIO(file.path().read_bytes()))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    text = "\n".join([*(one.text for one in document.paragraphs), *cells])
    for said in (first, "the closest", "only in the prior art of it", CLAIM):
        assert said in text
    marks = desk.marks()
    assert len(marks) == 2
    workbench.stop()
    workbench.start()
    page.goto(f"{workbench.address}/#/search")
    page.reload()
    page.wait_for_selector(".result")
    assert page.input_value("#claim") == CLAIM
    assert page.locator(".mark-relevant[aria-pressed=true]").count() == 2
    assert page.locator(".note", has_text="the closest").is_visible()
    assert desk.marks() == marks
    page.get_by_role("link", name="Chart", exact=True).click()
    page.locator(".own").wait_for()  # strict: there is one
    desk.wrong.clear()  # the browser's own words about the server that was away


def test_the_film_of_a_whole_search_can_be_made(desk, tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    from _generate import film

    desk.page.set_viewport_size({"width": film.WIDTH, "height": film.HEIGHT})
    made = film.act(desk.page, CLAIM, pause=0)
    made.write(tmp_path / "film.gif")
    with image.open(tmp_path / "film.gif") as pictures:
        assert pictures.n_frames == len(made.pictures)
    assert 60 < sum(milliseconds for _, milliseconds in made.pictures) / 1000 <= 90


def test_everything_by_keys_alone(desk):
    page, press = desk.page, desk.page.keyboard.press
    press("/")
    desk.until("document.activeElement.id === 'claim'")
    page.keyboard.type(CLAIM)
    press("Control+Enter")
    page.wait_for_selector(".result")
    first, second, third, *_ = desk.ids()
    desk.until("document.activeElement.classList.contains('title')")
    press("r")
    press("j")
    press("n")
    press("j")
    press("Shift+R")
    desk.until("document.querySelectorAll('.marks [aria-pressed=true]').length === 2")
    desk.saved()
    marks = desk.marks()
    assert marks[first] == ("relevant", "")
    assert marks[second] == ("not", "")
    assert any(id_.startswith(f"{third}/") and said == ("relevant", "") for id_, said in marks.items())
    press("u")
    press("u")
    desk.until("document.querySelectorAll('.marks [aria-pressed=true]').length === 1")
    desk.saved()
    assert desk.marks() == {first: ("relevant", "")}
    press("e")
    page.wait_for_selector("dialog[open]")
    page.keyboard.type("of the third")
    press("Tab")
    press("Tab")
    press("Enter")
    page.wait_for_selector("dialog", state="detached")
    press("k")
    press("k")
    press("Enter")
    page.wait_for_selector(".match")
    assert first in page.url
    press("j")
    desk.until("document.activeElement.dataset.rank === '1'")
    press("Shift+N")
    page.wait_for_selector(".match .mark-not[aria-pressed=true]")
    press("]")
    desk.until(f"location.hash.includes('{second}')")
    press("Escape")
    page.wait_for_selector(".result")
    press("g")
    page.get_by_text("Ranked with 1 marked relevant, 1 not.").wait_for()
    press("c")
    page.wait_for_selector(".chart-table")
    press("3")
    page.wait_for_selector(".project-head")
    press("?")
    page.wait_for_selector("dialog[open] .keys")
    press("Escape")
    desk.saved()
    assert desk.marks()[third] == (None, "of the third")


def test_a_small_screen_shows_every_view_whole(desks):
    desk = desks(viewport={"width": 390, "height": 844}, has_touch=True)
    page = desk.page
    assert not desk.too_wide()
    desk.search()
    assert not page.locator("#claim").is_visible()  # the form makes room for what was found
    assert not desk.too_wide()
    page.locator(".result .title").first.click()
    page.wait_for_selector(".match")
    assert not desk.too_wide()
    page.get_by_role("button", name="Read side by side").click()
    page.wait_for_selector(".compare-document .match")
    assert not desk.too_wide()
    page.go_back()
    page.wait_for_selector(".match")
    page.get_by_role("button", name="Chart against the claim").click()
    page.wait_for_selector(".chart-table")
    assert not desk.too_wide()
    page.locator(".cell-button").first.click()
    box = page.locator("dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Project", exact=True).click()
    page.wait_for_selector(".project-head")
    assert not desk.too_wide()


def test_side_by_side_each_document_is_scrolled_to_what_answers_the_chosen_feature(desk):
    page = desk.page
    desk.search()
    page.keyboard.press("s")
    page.wait_for_selector(".compare-document .paragraph.chosen")
    assert page.locator(".compare-document").count() == 3
    feature = page.locator(".feature").nth(1)
    feature.click()
    assert feature.get_attribute("aria-pressed") == "true"
    label = feature.locator(".chip").inner_text()
    assert all(told.startswith(f"{label}: ") for told in page.locator(".answer").all_inner_texts())
    colour = page.locator(".compare-document").first.locator(".paragraph.chosen mark.f1")
    assert colour.count() >= 1
    page.get_by_role(
        "button", name=f"Take {desk.page.locator('.compare-document header h2').nth(2).inner_text()} away"
    ).click()
    desk.until("document.querySelectorAll('.compare-document').length === 2")


def test_an_expression_searches_alone_points_at_what_is_wrong_and_says_what_is_new(desk):
    page = desk.page
    page.locator("details.fold > summary", has_text="Filters").click()
    box = page.get_by_label("Expression")
    box.fill("device near valve")
    box.press("Enter")
    told = page.locator(".state.failed pre")
    told.wait_for()
    assert told.inner_text().splitlines()[-2:] == ["  device near valve", "         ^"]
    box.fill("device near/9 (device or spring) or ti:devi*")
    box.press("Enter")
    page.wait_for_selector(".result")
    assert not page.locator(".state.failed").count()
    page.goto(f"{desk.server.address}/#/project")
    page.get_by_role("button", name="What is new for search 1").click()
    page.get_by_role("heading", name="Nothing was found").wait_for()  # not the notice at the foot, which says it too
    made = desk.http.get(f"/v1/projects/{desk.project}/searches").json()
    assert [one["documents"] for one in made][-1] == 0
    assert made[-1]["request"]["new_since"] == made[0]["made"][:10]
    desk.wrong = [one for one in desk.wrong if "400" not in one]  # the browser's own note of the refusal


def test_a_hostile_document_is_only_text(desk):
    page = desk.page
    desk.search()
    assert HOSTILE in page.locator(".result .title").all_inner_texts()
    page.get_by_role("link", name=HOSTILE).click()
    page.wait_for_selector(".match")
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("main script, main img, main b b").count() == 0
    page.keyboard.press("e")
    page.get_by_role("textbox", name="Note").fill("<img src=x onerror=alert(3)>")
    page.get_by_role("button", name="Save").click()
    page.locator(".note", has_text="<img src=x onerror=alert(3)>").wait_for()
    page.get_by_role("button", name="Chart against the claim").click()
    page.wait_for_selector(".chart-table")
    assert HOSTILE in page.locator(".chart-table thead").inner_text()
    assert desk.wrong == []


@pytest.mark.skipif(not AXE, reason="SPARSE_COVERAGE_AXE does not name axe.min.js of the npm package axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view(desks, scheme):
    desk = desks(color_scheme=scheme, reduced_motion="reduce")
    page = desk.page
    found = {"before a search": desk.axe()}
    desk.search()
    page.locator(".mark-relevant").nth(0).click()
    page.locator(".mark-not").nth(1).click()
    page.wait_for_selector(".mark-not[aria-pressed=true]")
    page.locator(".claim-form summary", has_text="Filters").click()
    found["results"] = desk.axe()
    page.locator(".result .title").first.click()
    page.wait_for_selector(".match")
    found["reading"] = desk.axe()
    page.get_by_role("button", name="Read side by side").click()
    page.wait_for_selector(".compare-document .match")
    found["side by side"] = desk.axe()
    page.go_back()
    page.wait_for_selector(".match")
    page.get_by_role("button", name="Chart against the claim").click()
    page.wait_for_selector(".chart-table")
    found["chart"] = desk.axe()
    page.locator(".cell-button").first.click()
    page.wait_for_selector("dialog[open]")
    found["a cell"] = desk.axe()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Project", exact=True).click()
    page.wait_for_selector(".marked-list")
    found["project"] = desk.axe()
    assert {view: told for view, told in found.items() if told} == {}


def test_matches_are_gone_through_best_first_and_no_number_of_the_map_covers_another(desk):
    def many(route):
        answer = route.fetch()
        found = answer.json()
        ranks = (3, 1, 2, *([None] * 97))
        found["paragraphs"] = [{**found["paragraphs"][0], "id": f"p{n}", "rank": rank} for n, rank in enumerate(ranks)]
        route.fulfill(response=answer, json=found)

    page = desk.page
    desk.search()
    page.route("**/view", many)
    page.locator("a.title").first.click()
    page.get_by_text("3 passages match").wait_for()
    for key, rank in (("j", 1), ("j", 2), ("j", 3), ("j", 3), ("k", 2), ("k", 1), ("k", 1)):
        page.keyboard.press(key)
        desk.until(f"document.activeElement.dataset.rank === '{rank}'")
    edges = page.eval_on_selector_all(
        ".map button", "all => all.map(one => one.getBoundingClientRect()).map(one => [one.top, one.bottom])"
    )
    assert all(above[1] < below[0] for above, below in itertools.pairwise(edges))
