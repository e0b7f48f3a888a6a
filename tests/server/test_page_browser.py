"""The page in a real browser: a search from the claim to the report, by mouse and by keys, on a small screen, and after a restart."""

from __future__ import annotations

import io
import re

import pytest
from browsing import AXE, CHROMIUM, Desk, why_not
from running import Running
from served_devices import CLAIM, HOSTILE, WANTED

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is a browser")]


@pytest.fixture(scope="module")
def server(made, tmp_path_factory):
    import os
    from pathlib import Path

    import sparse_coverage

    folder = tmp_path_factory.mktemp("browser")
    environment = {**os.environ, "PYTHONPATH": str(Path(sparse_coverage.__file__).parents[1]), "NO_COLOR": "1"}
    found = Running(made, folder / "projects", environment, folder / "log")
    yield found
    found.stop()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def desks(browser, server):
    """Makes desks; nothing may have gone wrong at any of them."""
    made = []

    def sit_down(at=server, **wishes):
        made.append(Desk(browser, at, **wishes))
        return made[-1]

    yield sit_down
    for desk in made:
        desk.close()
    assert [desk.wrong for desk in made] == [[]] * len(made)


@pytest.fixture
def desk(desks):
    return desks()


def downloaded(page, name):
    with page.expect_download() as waited:
        page.get_by_role("button", name=name, exact=True).click()
    return waited.value


def test_from_a_claim_to_a_word_file_and_all_there_after_a_restart(desk, server):
    page = desk.page
    desk.search()
    first = desk.ids()[0]
    assert page.locator(".result .passage mark").count() > 3
    assert page.locator(".result .element-bar").count() > 10
    page.get_by_role("button", name="Chart the claim").click()
    page.wait_for_selector(".chart-table")
    assert page.locator(".chart-table tbody tr").count() == 5
    page.locator(".cell-button").nth(1).click()
    page.get_by_role("combobox", name="Word").select_option("not found")
    page.get_by_label("Why").fill("only in the prior art of it")
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
    page.goto(f"{server.address}/#/project")
    file = downloaded(page, "Word")
    docx = pytest.importorskip("docx")
    document = docx.Document(io.BytesIO(file.path().read_bytes()))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    text = "\n".join([*(one.text for one in document.paragraphs), *cells])
    for said in (first, "the closest", "only in the prior art of it", CLAIM):
        assert said in text
    marks = desk.marks()
    assert len(marks) == 2
    server.stop()
    server.start()
    page.goto(f"{server.address}/#/search")
    page.reload()
    page.wait_for_selector(".result")
    assert page.input_value("#claim") == CLAIM
    assert page.locator(".mark-relevant[aria-pressed=true]").count() == 2
    assert page.locator(".note", has_text="the closest").is_visible()
    assert desk.marks() == marks
    page.get_by_role("link", name="Chart", exact=True).click()
    assert page.locator(".own").count() == 1
    desk.wrong.clear()  # the browser's own words about the server that was away


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
    desk.until("document.activeElement.classList.contains('paragraph')")
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


def test_two_browsers_on_one_project_lose_no_update(desks):
    one = desks()
    other = desks(project=one.project)
    one.search()
    other.page.reload()
    other.page.wait_for_selector(".result")
    first = one.ids()[0]
    other.page.evaluate(
        "for (let timer = 0; timer < 10000; timer++) clearInterval(timer)"
    )  # it hears of nothing by itself
    one.page.locator(".mark-relevant").nth(0).click()
    one.saved()
    other.page.locator(".mark-not").nth(0).click()
    told = other.page.get_by_role("alert").filter(has_text="changed in another window meanwhile: relevant")
    told.wait_for()
    assert one.marks() == {first: ("relevant", "")}
    assert other.page.locator(".mark-relevant").nth(0).get_attribute("aria-pressed") == "true"
    told.get_by_role("button", name="Use mine").click()
    other.page.locator(".mark-not[aria-pressed=true]").wait_for()
    one.page.locator(".mark-not[aria-pressed=true]").wait_for()  # the first one hears of it
    assert one.marks() == {first: ("not", "")}
    other.wrong.clear()  # the browser's own words about the answer 409


def test_files_and_numbers_become_claims_with_the_date_before_which_to_search(desk, tmp_path):
    page = desk.page
    file = tmp_path / "claim.txt"
    file.write_text(CLAIM, encoding="utf-8")
    page.locator("input[type=file]").first.set_input_files(file)
    desk.until("document.getElementById('claim').value.startsWith('A device comprising')")
    page.fill("#claim", "EP 1000005 A1")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".result")
    assert page.input_value("#claim").startswith("A device comprising")
    page.locator(".claim-form summary", has_text="Filters").click()
    assert page.get_by_label("Published before").input_value() == "1997-06-15"
    assert page.get_by_text("the priority date of EP-1000005-A1").is_visible()
    assert desk.ids()
    assert set(desk.ids()) <= {"EP-1000001-A1", "EP-1000002-A1"}  # published in 1995 and 1996; it itself is left out
    page.fill("#claim", "EP 7777777 A1")
    page.keyboard.press("Control+Enter")
    page.locator(".source", has_text="does not hold").wait_for()


def test_facets_narrow_the_search_and_elements_can_be_split(desk):
    page = desk.page
    desk.search()
    assert len(desk.ids()) == 12
    page.get_by_role("button", name="H04N 6").click()
    desk.until("document.querySelectorAll('.result').length === 6")
    page.get_by_role("button", name="H04N 6").click()
    desk.until("document.querySelectorAll('.result').length === 12")
    page.get_by_role("button", name="Split or join").click()
    area = page.get_by_label("One element a line")
    area.fill(area.input_value().replace("\n", " ", 1) + "\nnot in the claim at all")
    page.get_by_role("button", name="Use these").click()
    page.get_by_text("is not in the words of the claim").wait_for()
    page.get_by_role("button", name="Split or join").click()
    area = page.get_by_label("One element a line")
    first, second = WANTED[0]
    area.fill(f"A device comprising\na {first}\n{second}")
    page.get_by_role("button", name="Use these").click()
    page.locator(".elements li", has_text=f"1b a {first}").wait_for()
    page.keyboard.press("Control+Enter") if page.locator("#claim:focus").count() else page.locator(
        "button.primary", has_text="Search"
    ).click()
    desk.until("document.querySelector('.result .bars')?.children.length === 3")
    page.locator(".claim-form summary", has_text="Filters").click()
    page.get_by_label("Must have", exact=True).fill("nothing of the kind")
    page.locator("button.primary", has_text="Search").click()
    page.get_by_role("heading", name="Nothing was found").wait_for()
    page.get_by_role("button", name="Clear the filters").click()
    page.wait_for_selector(".result")


def test_a_server_that_is_gone_is_said_so_and_nothing_is_pretended(desk, server):
    page = desk.page
    desk.search()
    server.stop()
    page.locator(".mark-relevant").nth(0).click()
    page.get_by_role("alert").filter(has_text="The server does not answer").wait_for()
    assert page.locator(".mark-relevant[aria-pressed=true]").count() == 0
    assert page.locator("#saved").inner_text() == "Not saved"
    page.locator("button.primary", has_text="Search").click()
    page.get_by_role("heading", name="That did not work").wait_for()
    server.start()
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".result")
    page.locator(".mark-relevant").nth(0).click()
    desk.saved()
    assert [*desk.marks().values()] == [("relevant", "")]
    desk.wrong.clear()


def test_a_project_is_exported_deleted_and_imported_again(desk, tmp_path):
    page = desk.page
    desk.search()
    page.locator(".mark-relevant").nth(0).click()
    desk.saved()
    page.get_by_role("link", name="Project", exact=True).click()
    file = tmp_path / "project.json"
    downloaded(page, "The whole project as one file").save_as(file)
    for name, start in (
        ("Excel", b"PK"),
        ("CSV", b"\xef\xbb\xbfdocument"),
        ("RIS", b"TY  - PAT"),
        ("BibTeX", b"@misc{EP-10000"),
    ):
        assert downloaded(page, name).path().read_bytes().startswith(start)
    page.get_by_role("button", name="Delete this project").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_selector("dialog", state="detached")
    page.locator("input[aria-label='An exported project']").set_input_files(file)
    page.get_by_text("Imported.").wait_for()
    page.get_by_role("link", name="Search", exact=True).click()
    assert page.locator(".mark-relevant[aria-pressed=true]").count() == 1


def test_a_server_with_a_key_asks_for_it_once(desks, made, tmp_path, environment):
    key = tmp_path / "key"
    key.write_text("a-key-of-forty-letters-that-nobody-guesses", encoding="utf-8")
    server = Running(made, tmp_path / "projects", environment, tmp_path / "log", "--key-file", str(key))
    try:
        desk = desks(server, key=key.read_text(encoding="utf-8"))
        desk.page.get_by_role("textbox", name="Key").fill("wrong")
        desk.page.get_by_role("button", name="Go on").click()
        desk.page.get_by_text("That key is not the right one.").wait_for()
        desk.page.get_by_role("textbox", name="Key").fill(key.read_text(encoding="utf-8"))
        desk.page.get_by_role("button", name="Go on").click()
        desk.page.wait_for_selector("#claim")
        desk.search()
        assert "key" not in desk.page.url
        desk.wrong.clear()  # the browser's own words about the answers 401
    finally:
        server.stop()
