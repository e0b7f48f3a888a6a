"""Projects: what is kept, that nothing is overwritten unseen, and that an export holds all of it."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from made_project import CLAIM, chart_record, filled, search_record

from sparse_coverage.charts.chart import Verdict
from sparse_coverage.errors import InputError
from sparse_coverage.projects import Mark, ProjectFolder, Ruling, StaleError, UnknownError


@pytest.fixture
def folder(tmp_path):
    return ProjectFolder(tmp_path / "projects")


def test_everything_is_there_when_it_is_opened_again(folder):
    with folder.create("Valves", "for the opposition") as project:
        filled(project)
        before = project.content(whole=True)
    with folder.open(project.id) as again:
        after = again.content(whole=True)
    assert after == before
    assert [mark.mark for mark in after.marks] == ["relevant", "not"]
    assert after.searches[0].result == search_record()
    assert after.charts[0].chart == chart_record()
    assert after.facts("demo", "EP-1-A1").title == "Device EP-1-A1"


def test_a_change_on_an_old_version_is_refused_and_says_what_is_there(folder):
    with folder.create("Valves") as one, folder.open(one.id) as other:
        seen = one.set_mark(Mark("demo", "EP-1-A1", "EP-1-A1", "relevant"))
        other.set_mark(replace(seen, note="see [0034]"))
        with pytest.raises(StaleError, match="changed meanwhile") as stale:
            one.set_mark(replace(seen, mark="not"))
        assert stale.value.current.note == "see [0034]"
        kept = one.overrule(Ruling("demo", "a spring", "EP-1-A1", "disclosed", "implicit"))
        with pytest.raises(StaleError):
            other.overrule(replace(kept, version=0, verdict=Verdict.PARTLY))
        with pytest.raises(StaleError):
            one.rename("Pumps", "", 7)
        draft = one.keep_draft({"query": "a valve"}, 0)
        with pytest.raises(StaleError):
            other.keep_draft({"query": "a pump"}, 0)
        assert other.keep_draft({"query": "a pump"}, draft.version).content == {"query": "a pump"}


RADIO = "A radio comprising an antenna, and an amplifier that is connected to the antenna."


def test_marks_and_verdicts_belong_to_a_claim_which_stays_the_same_when_words_are_changed(folder):
    def searched(text):
        made = project.add_search("demo", {"query": text}, {**search_record(), "query": text})
        return made.claim

    with folder.create("Two inventions") as project:
        assert [searched(text) for text in (CLAIM, RADIO)] == [1, 2]
        assert searched(RADIO.replace("an antenna,", "a folded antenna,")) == 2
        assert searched(f"1. {CLAIM} 2. The valve of claim 1, wherein the spring is made of steel.") == 1
        assert project.add_search("demo", {"filters": {"filter": "ipc:H01Q"}}, search_record()).claim == 0
        assert project.add_chart("demo", {"claim": CLAIM}, chart_record()).claim == 1
        assert [one.number for one in project.content().claims] == [2, 1]
        for claim, mark in ((1, "relevant"), (2, "not")):
            project.set_mark(Mark("demo", "EP-1-A1", "EP-1-A1", mark, claim=claim))
            project.overrule(Ruling("demo", "a spring", "EP-1-A1", "partly", claim=claim))
        for claim, mark in ((1, "relevant"), (2, "not")):
            of_claim = project.content().of_claim(claim)
            assert [one.mark for one in of_claim.marks] == [mark]
            assert len(of_claim.rulings) == 1


def test_what_changed_since_a_revision(folder):
    with folder.create("Valves") as project:
        filled(project)
        seen = project.head().revision
        assert not project.content(seen).marks
        project.set_mark(Mark("demo", "EP-9-A1", "EP-9-A1", "not"))
        changed = project.content(seen)
        assert [mark.id for mark in changed.marks] == ["EP-9-A1"]
        assert changed.documents == ()  # nothing is known of it
        project.set_mark(Mark("demo", "EP-3-A1", "EP-3-A1", "not"))
        assert [one.title for one in project.content(seen).documents] == ["Device EP-3-A1"]
        assert changed.head.revision == seen + 1
        assert {one.id for one in project.content().documents} >= {"EP-1-A1", "EP-3-A1"}


def test_no_update_is_lost_between_threads(folder):
    """Eight writers add a letter to one note, each on the version it has seen, and try again when it is stale."""
    with folder.create("Valves") as project:
        id_ = project.id

    def write(letter):
        with folder.open(id_) as mine:
            for _ in range(5):
                seen = Mark("demo", "EP-1-A1", "EP-1-A1", None)
                while True:
                    try:
                        mine.set_mark(replace(seen, note=seen.note + letter))
                        break
                    except StaleError as stale:
                        seen = stale.current

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with folder.open(id_) as project:
        assert sorted(project.content().marks[0].note) == sorted("abcdefgh" * 5)


def test_an_exported_project_is_the_same_elsewhere(folder, tmp_path):
    with folder.create("Valves", "note ✓ \ud800") as project:
        filled(project)
        before = project.content(whole=True)
    text = folder.exported(project.id)
    with ProjectFolder(tmp_path / "elsewhere").imported(text) as there:
        after = there.content(whole=True)
    assert replace(after, head=before.head) == before
    assert (after.head.name, after.head.note, after.head.revision) == ("Valves", before.head.note, before.head.revision)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.pop("head"),
        lambda record: record.update(kind="something else"),
        lambda record: record.update(format=99),
        lambda record: record["marks"][0].update(mark="perhaps"),
        lambda record: record["searches"][0]["result"]["hits"][0].pop("title"),
        lambda record: record["charts"][0].update(chart={}),
        lambda record: record["marks"].append(record["marks"][0]),
    ],
)
def test_what_is_no_exported_project_is_refused_and_leaves_nothing(folder, change):
    with folder.create("Valves") as project:
        filled(project)
    record = json.loads(folder.exported(project.id))
    change(record)
    with pytest.raises(InputError):
        folder.imported(json.dumps(record).encode())
    with pytest.raises(InputError, match="no JSON"):
        folder.imported(b"\xff\x00")
    assert [entry.id for entry in folder.entries()] == [project.id]


@pytest.mark.parametrize("id_", ["../../etc/passwd", "0123456789ab", "", "0123456789AB"])
def test_no_path_comes_from_an_id(folder, id_):
    with pytest.raises(UnknownError, match="no project"):
        folder.open(id_)
    with pytest.raises(UnknownError):
        folder.delete(id_)


@pytest.mark.parametrize(
    "change",
    [
        lambda chart: chart["cells"].pop(),
        lambda chart: chart["cells"][0].pop(),
        lambda chart: chart["weights"].append(1.0),
        lambda chart: chart["documents"].clear(),
        lambda chart: chart["documents"].reverse(),
        lambda chart: chart["cells"][1][0].update(document="EP-9-A1"),
    ],
)
def test_a_chart_whose_cells_do_not_fit_is_refused_before_a_report_needs_it(folder, change):
    """Found by `make fuzz`: such a chart was taken, and every report of the project failed."""
    with folder.create("Valves") as project:
        filled(project)
        exported = json.loads(folder.exported(project.id))
        broken = exported["charts"][0]["chart"]
        change(broken)
        with pytest.raises(InputError, match="as many"):
            project.add_chart("demo", {}, broken)
    with pytest.raises(InputError, match="as many"):
        folder.imported(json.dumps(exported).encode())
    exported["charts"][0] |= {"chart": json.loads(json.dumps(chart_record())), "combinations": {"found": 3}}
    with pytest.raises(InputError, match="found"):
        folder.imported(json.dumps(exported).encode())
    assert len(folder.entries()) == 1


def test_a_damaged_file_is_listed_with_what_is_wrong(folder):
    with folder.create("Valves"):
        pass
    (folder.path / "0123456789ab.sqlite").write_bytes(b"not a database, but long enough to look at" * 40)
    (folder.path / "notes.sqlite").write_bytes(b"of someone else")
    good, bad = folder.entries()
    assert good.head is not None
    assert good.head.name == "Valves"
    assert bad.head is None
    assert "0123456789ab.sqlite: not a project" in bad.problem
