"""The page when things do not go smoothly: two users at once, a server that is gone or busy, files, filters, keys to enter."""

from __future__ import annotations

import re

import pytest
from browsing import downloaded, why_not
from running import Running
from served_devices import CLAIM, WANTED
from waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is a browser")]


def test_two_browsers_on_one_project_lose_no_update(desks):
    one = desks()
    other = desks(project=one.project)
    one.search()
    other.page.reload()
    other.page.wait_for_selector(".result")
    first = one.ids()[0]
    other.stop_listening()
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
    automatic = page.get_by_role("group", name="Filters that come with it")
    assert automatic.inner_text().split("\n") == [
        "before 1997-06-15, its priority date",
        "exclude the family of EP-1000005-A1",
    ]
    assert desk.ids()
    assert set(desk.ids()) <= {"EP-1000001-A1", "EP-1000002-A1"}  # published in 1995 and 1996; it itself is left out
    page.get_by_text("the priority date of EP-1000005-A1").wait_for()
    automatic.get_by_role("checkbox").first.uncheck()
    page.locator("button.primary", has_text="Search").click()
    desk.until("document.querySelectorAll('.result').length > 5")
    assert "EP-1000005-A1" not in desk.ids()
    page.fill("#claim", "1000006")  # the filters of the one before go with it
    page.keyboard.press("Control+Enter")
    page.get_by_text("the priority date of EP-1000006-A1").wait_for()
    assert automatic.get_by_text("before 1998-06-15, its priority date").is_visible()
    asked = desk.http.get(f"/v1/projects/{desk.project}/searches").json()[-1]["request"]["filters"]
    assert (asked["before"], asked["not_family_of"]) == ("1998-06-15", ["EP-1000006-A1"])
    page.fill("#claim", CLAIM)
    assert automatic.count() == 0
    page.fill("#claim", "EP 7777777 A1")
    page.keyboard.press("Control+Enter")
    page.locator(".source", has_text="holds no document EP 7777777 A1").wait_for()
    assert page.locator(".result").count() == 0  # nothing that was found for another text stands below it


def test_a_list_of_numbers_is_a_selection(desk):
    page = desk.page
    page.fill("#claim", "EP 1000001 A1\nEP1000002; 1000005\nEP 7777777 A1")
    page.keyboard.press("Control+Enter")
    page.get_by_label("search among these 3 documents").wait_for()
    page.get_by_text("Not in the index: EP 7777777 A1.").wait_for()
    page.get_by_role("button", name="Mark them relevant").click()
    page.get_by_text("3 marked relevant.").wait_for()
    assert set(desk.marks()) == {"EP-1000001-A1", "EP-1000002-A1", "EP-1000005-A1"}
    desk.search()
    assert set(desk.ids()) == set(desk.marks())
    page.get_by_role("button", name="Chart them").click()
    page.wait_for_selector(".chart-table")
    assert page.locator(".chart-table thead a").count() == 3


def test_a_list_is_charted_against_the_claim_of_the_form_and_no_other(desk):
    page = desk.page
    desk.search()
    page.fill("#claim", "EP1000001, EP1000002")
    page.keyboard.press("Control+Enter")
    page.get_by_label("search among these 2 documents").wait_for()
    page.get_by_role("button", name="Chart them").click()
    page.get_by_text("Type or paste the claim first.").wait_for()
    assert "chart" not in page.evaluate("location.hash")
    page.locator("#claim").blur()
    page.keyboard.press("c")  # the claim that was searched for before is none any more
    page.get_by_text("Search for a claim first.").wait_for()
    assert not desk.http.get(f"/v1/projects/{desk.project}").json()["charts"]


def test_a_year_of_the_facets_narrows_an_expression_with_or(desk):
    page = desk.page
    page.locator("details.fold > summary", has_text="Filters").click()
    page.get_by_label("Expression").fill("device or nothing")
    desk.search()
    before = len(desk.ids())
    year = page.locator(".facet-value").filter(has_text=re.compile(r"^(19|20)\d\d")).first
    count = int(year.locator(".count").inner_text())
    assert 0 < count < before
    year.click()
    desk.until(f"document.querySelectorAll('.result').length === {count}")
    year = page.locator(".facet-value[aria-pressed=true]")
    year.click()
    desk.until(f"document.querySelectorAll('.result').length === {before}")


def test_facets_narrow_the_search_and_elements_can_be_split(desk):
    page = desk.page
    desk.search()
    assert len(desk.ids()) == 12
    page.get_by_role("button", name="H04N 6").click()
    desk.until("document.querySelectorAll('.result').length === 6")
    page.get_by_role("button", name="H04N 6").click()
    desk.until("document.querySelectorAll('.result').length === 12")
    page.get_by_role("button", name="Split or join").click()
    area = page.get_by_label("One feature a line")
    area.fill(area.input_value().replace("\n", " ", 1) + "\nnot in the claim at all")
    page.get_by_role("button", name="Use these").click()
    page.get_by_text("is not in the claim, after what comes before it").wait_for()
    page.get_by_role("button", name="Split or join").click()
    area = page.get_by_label("One feature a line")
    first, second = WANTED[0]
    area.fill(f"A device comprising\na {first}\n{second}")
    page.get_by_role("button", name="Use these").click()
    page.locator(".elements li", has_text=f"1b a {first}").wait_for()
    page.keyboard.press("Control+Enter") if page.locator("#claim:focus").count() else page.locator(
        "button.primary", has_text="Search"
    ).click()
    desk.until("document.querySelector('.result .chips')?.children.length === 3")
    page.locator(".claim-form summary", has_text="Filters").click()
    page.get_by_label("Must have", exact=True).fill("nothing of the kind")
    page.locator("button.primary", has_text="Search").click()
    page.get_by_role("heading", name="Nothing was found").wait_for()
    page.get_by_role("button", name="Clear the filters").click()
    page.wait_for_selector(".result")


def test_a_server_that_is_gone_is_said_so_and_nothing_is_pretended(desk, workbench):
    page = desk.page
    desk.search()
    workbench.stop()
    page.locator(".mark-relevant").nth(0).click()
    page.get_by_role("alert").filter(has_text="The server does not answer").wait_for()
    assert page.locator(".mark-relevant[aria-pressed=true]").count() == 0
    assert page.locator("#saved").inner_text() == "Not saved"
    page.locator("button.primary", has_text="Search").click()
    page.get_by_role("heading", name="That did not work").wait_for()
    workbench.start()
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
    downloaded(page, "Back up project").save_as(file)
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
    page.locator("input[aria-label='A project that was backed up']").set_input_files(file)
    page.get_by_text("Restored as Devices").wait_for()
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
        desk.close()  # it asks for news now and then, and would find the server gone
    finally:
        server.stop()


def test_marks_rank_again_by_the_combined_ranking_whatever_found_the_documents(desk):
    page = desk.page
    page.get_by_role("combobox", name="Ranking").select_option("words")
    desk.search()
    page.locator(".mark-relevant").nth(1).click()
    page.get_by_role("button", name="Rank again with 1 marked relevant, 0 not, by the combined ranking").click()
    page.get_by_text("Ranked with 1 marked relevant, 0 not.").wait_for()
    page.get_by_role("button", name="Rank without marks").click()
    page.get_by_text("· by words").wait_for()
    history = desk.http.get(f"/v1/projects/{desk.project}/searches").json()
    assert [one["request"]["ranking"] for one in history] == ["words", "combined", "words"]


def test_long_work_tells_that_it_goes_on_and_can_be_cancelled(desk):
    page = desk.page
    desk.search()
    page.route("**/charts", lambda route: None)  # it never comes to an answer
    page.get_by_role("button", name="Chart the claim").click()
    page.locator("progress").wait_for()
    cell = {"index": "devices", "element": "a pump", "document": desk.ids()[0] if desk.ids() else "EP-1000001-A1"}
    desk.http.put(f"/v1/projects/{desk.project}/cells", json={**cell, "verdict": "partly", "version": 0})
    for _ in range(2):  # the second answer to what changed elsewhere comes after the first was shown
        with page.expect_response(lambda answer: "since=" in answer.url):
            pass
    assert page.locator("progress").count() == 1
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="No chart yet").wait_for()
    page.route("**/searches", lambda route: None)
    page.get_by_role("link", name="Search", exact=True).click()
    page.locator("button.primary", has_text="Search").click()
    page.get_by_text("Searching 12 documents").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector(".result")


def test_a_claim_typed_in_two_windows_is_not_lost(desks):
    one = desks()
    other = desks(project=one.project)
    one.page.fill("#claim", "A pump of the first window.")
    one.saved()
    other.until("document.getElementById('claim').value.includes('first window')")  # it hears of it
    other.stop_listening()
    one.page.fill("#claim", "A pump of the first window, changed.")
    wait_until(
        lambda: "changed" in one.http.get(f"/v1/projects/{one.project}").json()["draft"]["content"]["text"], "a draft"
    )
    other.page.fill("#claim", "A pump of the second window.")
    told = other.page.get_by_role("alert").filter(has_text="The claim was changed in another window")
    told.wait_for()
    told.get_by_role("button", name="Take that one").click()
    assert other.page.input_value("#claim") == "A pump of the first window, changed."
    other.wrong.clear()  # the browser's own words about the answer 409


def test_only_the_claim_that_was_chosen_is_charted(desk):
    page = desk.page
    page.fill("#claim", f"1. {CLAIM}\n2. The device of claim 1, made of steel.\n3. The device of claim 2, painted.")
    page.locator(".elements li", has_text="3a").wait_for()
    page.get_by_role("textbox", name="Claims").fill("2")
    page.locator(".elements li", has_text="3a").wait_for(state="detached")
    page.locator("button.primary", has_text="Search").click()
    page.wait_for_selector(".result")
    page.get_by_role("button", name="Chart the claim").click()
    page.wait_for_selector(".chart-table")
    assert [one.strip() for one in page.locator(".chart-table tbody b").all_inner_texts() if one[0] in "123"] == ["2a"]
    [kept] = desk.http.get(f"/v1/projects/{desk.project}").json()["charts"]
    assert kept["request"]["claim"] == "2. The device of claim 1, made of steel."


def test_each_claim_has_its_own_marks_and_its_earlier_charts_are_one_click_away(desk):
    page = desk.page
    desk.search()
    first = desk.ids()[0]
    page.locator(f'.result[data-id="{first}"] .mark-relevant').click()
    desk.saved()
    for _ in range(2):
        with page.expect_response(lambda answer: answer.url.endswith("/charts")):
            page.keyboard.press("c")
        page.wait_for_selector(".chart-table")
    earlier = page.get_by_role("group", name="Charts of this claim").get_by_role("button")
    assert earlier.evaluate_all("all => all.map(one => one.getAttribute('aria-pressed'))") == ["true", "false"]
    earlier.nth(1).click()
    desk.until(
        "document.querySelectorAll('.row [aria-pressed=\"true\"]')[0]?.previousElementSibling?.tagName === 'BUTTON'"
    )

    page.goto(f"{desk.server.address}/#/search")
    desk.search("A method of brewing tea, in which leaves are steeped in water that was boiled.")
    desk.until("!document.querySelector('.mark-relevant[aria-pressed=true]')")
    page.keyboard.press("2")
    page.wait_for_selector("text=No chart yet")
    page.keyboard.press("3")
    page.get_by_role("button", name="Work on the claim", exact=False).first.wait_for()
    assert not page.locator(f'.marked-list a:text-is("{first}")').count()
    page.locator('[aria-label^="Work on the claim"][aria-pressed=false]').click()
    page.locator(f'.marked-list a:text-is("{first}")').wait_for()
    page.keyboard.press("2")
    page.wait_for_selector(".chart-table")
    assert not desk.wrong


def test_a_feature_is_left_out_before_the_search_and_the_others_lead_to_their_passages(desk):
    page = desk.page
    page.fill("#claim", CLAIM)
    page.get_by_label("1a in the search").select_option("left out")
    desk.saved()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".result")
    assert page.locator(".result .chip.left-out").count() == len(desk.ids())
    page.reload()
    page.wait_for_selector(".result")
    assert page.get_by_label("1a in the search").input_value() == "0"
    link = page.locator(".result:not([data-id='']) a.chip").first
    passage = link.get_attribute("href").split("/")[-1]
    link.click()
    page.wait_for_selector(".reading-text")
    desk.until(f"document.activeElement?.dataset.id === decodeURIComponent('{passage}')")
    assert not desk.wrong


def test_a_category_is_told_and_listed_without_any_mark(desk):
    page = desk.page
    desk.search()
    second = desk.ids()[1]
    page.get_by_role("button", name="Chart the claim").click()
    page.get_by_role("combobox", name=f"Category of {second}").select_option("Y")
    page.get_by_text(f"{second}: category Y").wait_for()
    page.get_by_role("link", name="Project", exact=True).click()
    page.locator(".marked-list li", has_text=second).get_by_text("Y", exact=True).wait_for()


def test_an_assessment_that_is_refused_is_written_no_second_time(desk):
    page = desk.page
    desk.search()
    best = desk.ids()[:2]
    for number in (1, 0):  # marked in the other order, charted as they are ranked
        page.locator(".mark-relevant").nth(number).click()
        desk.saved()
    with page.expect_request(lambda asked: asked.method == "POST" and "chart" in asked.url) as asked:
        page.get_by_role("button", name="Chart the claim").click()
    assert re.findall("|".join(map(re.escape, best)), asked.value.post_data) == best
    page.wait_for_selector(".chart-table tbody tr")
    page.locator(".cell-button").first.click()
    page.get_by_role("combobox", name="Verdict").select_option("disclosed")
    page.get_by_label("Reason").fill("see its figure 2")
    page.get_by_label("Quotation").fill("words that stand in no document")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_text("The quotation does not stand in").wait_for()
    assert page.get_by_label("Reason").input_value() == "see its figure 2"
    assert page.get_by_label("Quotation").input_value() == "words that stand in no document"
    page.get_by_role("button", name="Quote this").first.click()
    page.get_by_role("button", name="Save").click()
    page.locator(".own").wait_for()
    page.locator(".cell-note", has_text="see its figure 2").wait_for()
    assert page.locator("#notices .notice").count() == 0
    desk.wrong.clear()  # the browser's own words about the answer that refused
