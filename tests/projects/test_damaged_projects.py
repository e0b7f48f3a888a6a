"""Projects from outside: files that are damaged or made to do harm, and exports whose fields are of a wrong kind or size."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from made_project import CLAIM, filled, search_record

from sparse_coverage.dataclass_json import JsonScan, parse_json
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import PROJECT_EXPORTS
from sparse_coverage.present.project_view import project_view
from sparse_coverage.projects import Mark, ProjectFolder, Ruling
from sparse_coverage.projects.folder import read_export


@pytest.fixture
def folder(tmp_path):
    return ProjectFolder(tmp_path / "projects")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """An export with something of everything in it."""
    folder = ProjectFolder(tmp_path_factory.mktemp("projects"))
    with folder.create("Valves") as project:
        filled(project)
    return folder.exported(project.id)


def nested(levels):
    value = "deep"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "statements",
    [
        "DELETE FROM project",
        "UPDATE project SET name = x'00ff'",
        "UPDATE project SET revision = 9223372036854775807",
        "UPDATE project SET revision = 'many'",
        "DROP TABLE project",
        """DROP TABLE project;
           CREATE VIEW project AS WITH RECURSIVE n(one) AS (SELECT 1 UNION ALL SELECT one + 1 FROM n)
           SELECT one, 'Valves' AS name, '' AS note, '' AS created, '' AS changed, 0 AS version, 0 AS revision FROM n""",
        "CREATE TRIGGER busy AFTER UPDATE ON project BEGIN DELETE FROM marks; END",
        "PRAGMA user_version = 7",
        "PRAGMA application_id = 7",
    ],
)
def test_a_damaged_file_is_listed_as_such_and_the_others_work(folder, statements):
    with folder.create("Valves") as bad, folder.create("Pumps") as good:
        pass
    with closing(sqlite3.connect(folder.path / f"{bad.id}.sqlite")) as connection:
        connection.executescript(f"PRAGMA ignore_check_constraints = ON; {statements}")
    entries = {entry.id: entry for entry in folder.entries()}
    assert entries[good.id].head.name == "Pumps"
    assert entries[bad.id].head is None
    assert entries[bad.id].problem


@pytest.mark.parametrize(
    ("statement", "value", "place"),
    [
        ("UPDATE draft SET content = ?", '{"own":' * 600 + "1" + "}" * 600, "Draft.content is damaged"),
        ("UPDATE searches SET request = ?", '{"filters": ["before"]}', "SearchMade.request.filters must be an object"),
        ("UPDATE charts SET request = ?", "3", "KeptChart.request must be an object"),
    ],
)
def test_what_no_write_could_have_left_in_a_file_is_an_error_with_its_place(folder, statement, value, place):
    with folder.create("Valves") as project:
        filled(project)
    with closing(sqlite3.connect(folder.path / f"{project.id}.sqlite")) as connection:
        assert connection.execute(statement, (value,)).rowcount
        connection.commit()
    with folder.open(project.id) as project, pytest.raises(InputError, match=place):
        project.content()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("put", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_in_the_place_of_a_project_is_listed_as_such_and_not_waited_for(folder, put):
    with folder.create("Pumps") as good, folder.create("Valves") as other:
        pass
    (folder.path / f"{other.id}.sqlite").unlink()
    put(folder.path / f"{other.id}.sqlite")
    entries = {entry.id: entry for entry in folder.entries()}
    assert entries[good.id].head.name == "Pumps"
    assert entries[other.id].problem


def test_a_file_of_another_format_names_both_numbers_and_the_remedy(folder, exported):
    with folder.create("Valves") as project:
        pass
    with closing(sqlite3.connect(folder.path / f"{project.id}.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(InputError, match=r"format 7; this program reads format 3\. Export it"):
        folder.open(project.id)
    with pytest.raises(InputError, match=r"format 9; this program reads format 3\. Export it"):
        folder.imported(json.dumps({**json.loads(exported), "format": 9}).encode())


def test_a_draft_that_is_nested_deep_is_refused_and_locks_nothing(folder):
    with folder.create("Valves") as project:
        for levels in (64, 600, 100_000):
            with pytest.raises(InputError, match="nested more than 64 levels"):
                project.keep_draft({"own": nested(levels)}, 0)
        assert project.keep_draft({"own": nested(20)}, 0).version == 1
        assert project.content().draft.content == {"own": nested(20)}


@pytest.mark.parametrize(
    "change",
    [
        lambda project: project.rename("x" * 1_000_000, "", 0),
        lambda project: project.rename("Valves", "x" * 1_000_000, 0),
        lambda project: project.set_mark(Mark("demo", "EP-1-A1", "EP-1-A1", "perhaps")),
        lambda project: project.set_mark(Mark("demo", "x" * 10_000, "EP-1-A1", "relevant")),
        lambda project: project.overrule(Ruling("demo", "", "EP-1-A1", "partly")),
        lambda project: project.add_search("demo", {"query": CLAIM, "filters": ["before"]}, search_record()),
        lambda project: project.add_search("demo", {"query": CLAIM, "marks": {"relevant": 3}}, search_record()),
    ],
)
def test_no_write_takes_what_could_not_be_read_again(folder, change):
    with folder.create("Valves") as project:
        before = project.content(whole=True)
        with pytest.raises(InputError):
            change(project)
        assert project.content(whole=True) == before


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda record: record["head"].update(name="x" * 1_000_000), "project.head.name"),
        (lambda record: record["head"].update(revision=2**63 - 1), "project.head.revision"),
        (lambda record: record["head"].update(revision=2**70), "project.head.revision"),
        (lambda record: record["marks"][0].update(note=3), r"project.marks\[0\].note"),
        (lambda record: record["searches"][0]["request"].update(filters=["before"]), r"searches\[0\].request.filters"),
        (lambda record: record["searches"][0]["request"].update(filters={"must": [3]}), "request.filters.must"),
        (
            lambda record: record["documents"][0]["metadata"].update(ipc={"a": 1}),
            r"project.documents\[0\].metadata.ipc",
        ),
        (lambda record: record["charts"][0]["request"].update(claim=nested(40)), r"charts\[0\].request.claim"),
        (lambda record: record["draft"].update(content=nested(70)), "nested more than 64"),
    ],
)
def test_an_imported_field_of_a_wrong_kind_or_size_is_refused_with_its_place(folder, exported, change, place):
    record = json.loads(exported)
    change(record)
    with pytest.raises(InputError, match=place):
        folder.imported(json.dumps(record).encode())
    assert list(folder.path.iterdir()) == []


def leaves(value, path=()):
    """Every value of an export by its path, one of each list."""
    inner = value.items() if isinstance(value, dict) else [(0, value[0])] if isinstance(value, list) and value else ()
    for name, one in inner:
        yield (*path, name)
        yield from leaves(one, (*path, name))


def test_whatever_is_taken_can_be_reported(exported):
    """Each field in turn is replaced by something else: the export is refused, or every report of it works."""
    taken = 0
    for path in leaves(json.loads(exported)):
        for other in ([], {}, -3, "x", None):
            record = json.loads(exported)
            at = record
            for name in path[:-1]:
                at = at[name]
            at[path[-1]] = other
            try:
                view = project_view(read_export(json.dumps(record).encode()))
            except InputError:
                continue
            taken += 1
            for kind in ("html", "csv", "ris", "json"):
                assert PROJECT_EXPORTS[kind].make(view) is not None, (path, other, kind)
    assert taken > 100


def test_json_is_measured_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr("sparse_coverage.projects.folder.MOST_VALUES", 1000)
    with pytest.raises(InputError, match="more than 1,000 values"):
        read_export(b"[" + b"[]," * 1000 + b"[]]")
    with pytest.raises(InputError, match="nested more than 64 levels"):
        read_export(b"[" * 900)
    monkeypatch.setattr("sparse_coverage.projects.folder.MOST_BYTES", 1000)
    with pytest.raises(InputError, match="at most 1,000 bytes"):
        read_export(b" " * 1001)


def test_values_and_levels_are_counted_outside_of_strings():
    text = rb'{"a\"[[": ["\\", {"b": "\\\"]"}, 1, 2]}'
    assert parse_json(text, values=8, depth=3) == json.loads(text)
    for piece in (1, 2, 3, 7):
        scan = JsonScan(values=8, depth=3)
        for start in range(0, len(text), piece):
            scan.feed(text[start : start + piece])
    with pytest.raises(InputError, match="more than 3 values"):
        parse_json(text, values=3)
    with pytest.raises(InputError, match="nested more than 2"):
        parse_json(text, values=8, depth=2)
