"""An expression alone is a search; a search that was made says what is new."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hash_encoder import HashEncoder

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.dataclass_json import record
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.index.filters import state_of
from sparse_coverage.patents import Claim, Patent
from sparse_coverage.projects import ProjectFolder
from sparse_coverage.workspace import Filters, OpenIndex, SearchRequest
from sparse_coverage.workspace.watching import watched_in

Run = Callable[..., tuple[int, str, str]]


def patent(number: int, text: str, date: str = "", applicant: str = "Bosch") -> Patent:
    metadata = {"publication_date": date, "applicants": [applicant]}
    return Patent(f"EP-100000{number}-A1", text.split(".")[0], claims=(Claim(1, text, "c1"),), **metadata)  # type: ignore[arg-type]


PATENTS = [
    patent(1, "A valve with a spring. A spring closes the valve.", "2001-01-01"),
    patent(2, "A valve with a seat and a housing.", "2003-01-01"),
    patent(3, "A battery with lithium electrodes.", "2002-01-01", "Varta"),
    patent(4, "Batteries in a housing.", "", "Varta"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone") / "index"
    Index.learn(folder, PATENTS, encoder=HashEncoder())
    return folder


@pytest.fixture
def opened(built: Path) -> OpenIndex:
    return over(Index.open(built, encoder=HashEncoder()))


def over(index: Index) -> OpenIndex:
    return OpenIndex(index.store, {"combined": index})


def found(opened: OpenIndex, expression: str, **filters: str) -> list[str]:
    request = SearchRequest(filters=Filters(filter=expression, **filters), group=False)  # type: ignore[arg-type]
    return [hit.document[3:10] for hit in opened.search(request).hits]


def test_an_expression_alone_is_ranked_by_its_words(opened: OpenIndex) -> None:
    assert found(opened, "valve (spring or seat or housing)") == ["1000002", "1000001"]
    assert found(opened, "housing not valve") == ["1000004"]
    assert found(opened, "batter*") == ["1000004", "1000003"]
    assert found(opened, "valve", before="2002") == ["1000001"]


def test_words_that_are_not_wanted_rank_nothing(opened: OpenIndex) -> None:
    result = opened.search(SearchRequest(filters=Filters(filter="valve not (seat and pa:bosch)")))
    assert result.query == "valve"
    assert result.source == "the expression valve not (seat and pa:bosch)"
    assert result.about is not None
    assert result.about.ranking == "words"


def test_without_words_the_newest_come_first(opened: OpenIndex) -> None:
    assert found(opened, "pa:bosch or pa:varta") == ["1000002", "1000003", "1000001", "1000004"]
    assert found(opened, "pd:none") == ["1000004"]
    assert "newest documents come first" in opened.search(SearchRequest(filters=Filters(filter="pd>2000"))).notes[0]


def test_a_search_needs_a_query_or_an_expression() -> None:
    with pytest.raises(InputError, match="or with an expression alone"):
        SearchRequest(filters=Filters(before="2001"))


def test_only_what_came_since_is_new_however_the_index_was_merged(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "index")
    index = Index.open(tmp_path / "index", encoder=HashEncoder())
    state = state_of(index.store)
    assert found(over(index), "valve", since=state) == []
    index.add([patent(5, "A valve with a gear.")])
    assert found(over(index), "valve", since=state) == ["1000005"]
    index.merge()
    assert found(over(index), "valve", since=state) == ["1000005"]
    later = state_of(index.store)
    index.add([patent(2, "A valve with a seat, a housing and a shaft.")], replace=True)
    assert found(over(index), "valve", since=later) == ["1000002"]
    index.delete(["EP-1000005-A1"])
    assert found(over(index), "valve", since=state) == ["1000002"]


def test_in_an_index_that_was_built_anew_everything_is_new(built: Path, tmp_path: Path) -> None:
    opened = over(Index.open(built, encoder=HashEncoder()))
    state = state_of(opened.store)
    generation, documents, model = state.split(".")
    for other in (
        f"{generation}.{int(documents) - 1}.{model}",
        f"{int(generation) + 9}.{documents}.{model}",
        f"{state[:-8]}00000000",
    ):
        answer = opened.search(SearchRequest(filters=Filters(filter="valve", since=other)))
        assert len(answer.hits) == 2
        assert "built anew" in " ".join(answer.notes)
    with pytest.raises(InputError, match="is not a state of an index"):
        Filters(since="yesterday")


def test_a_file_and_a_project_are_watched_and_remember_how_far_one_has_looked(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "index")
    index = Index.open(tmp_path / "index", encoder=HashEncoder())
    asked = SearchRequest(query="A valve", ranking="words", filters=Filters(not_=("battery",), undated="keep"))
    answer = record(over(index).search(asked).record())
    saved = tmp_path / "valves.json"
    saved.write_text(json.dumps(answer), encoding="utf-8")
    projects = ProjectFolder(tmp_path / "projects")
    with projects.create("Valves") as project:
        for _ in range(2):  # what was asked twice is watched once
            project.add_search("index", {"query": "A valve"}, answer)
        path = next((tmp_path / "projects").glob(f"{project.id}*"))
    for kept in (saved, path):
        [one] = watched_in(kept)
        assert one.request == asked
        assert [hit.document for hit in one.again(over(index)).hits] == []
    index.add([patent(6, "A valve with a magnet."), patent(7, "A valve for a battery.")])
    for kept in (saved, path):
        [one] = watched_in(kept)
        new = one.again(over(index))
        assert [hit.document for hit in new.hits] == ["EP-1000006-A1"]
        one.keep(new)
        [one] = watched_in(kept)
        assert one.request == asked
        assert one.again(over(index)).hits == []
    assert json.loads(saved.read_text(encoding="utf-8"))["hits"] == answer["hits"]


def test_what_is_no_saved_search_is_refused(tmp_path: Path) -> None:
    for content in ("{}", "[]", "no json", '{"about": {"state": "1.1.00000000"}}'):
        (tmp_path / "x.json").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match="search --json"):
            watched_in(tmp_path / "x.json")


def test_the_command_tells_what_is_new(run: Run, tiny_checkpoint: Path, tmp_path: Path) -> None:
    def lines(*patents: Patent) -> str:
        return "".join(
            json.dumps({"id": one.id, "title": one.title, "abstract": one.claims[0].text}) + "\n" for one in patents
        )

    (tmp_path / "new.jsonl").write_text(lines(patent(8, "A valve with a gear.")), encoding="utf-8")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    Index.build(tmp_path / "i", SparseCoverage.fit(PATENTS, encoder=encoder, size=20), PATENTS)
    status, answer, _ = run("search", tmp_path / "i", "--filter", "valve", "--json")
    assert status == 0
    (tmp_path / "valves.json").write_text(answer, encoding="utf-8")
    status, told, _ = run("watch", tmp_path / "valves.json")
    assert (status, told.split(".")[0].split(": ")[1]) == (0, "0")
    assert run("index", "add", tmp_path / "i", tmp_path / "new.jsonl")[0] == 0
    status, told, _ = run("watch", tmp_path / "valves.json", "--report", tmp_path / "new.csv")
    assert status == 0
    assert ": 1. the expression valve" in told
    assert "EP-1000008-A1" in told
    assert "EP-1000008-A1" in (tmp_path / "new.csv").read_text(encoding="utf-8")
    status, told, _ = run("watch", tmp_path / "valves.json", "--json")
    assert json.loads(told)["searches"][0]["hits"] == []
