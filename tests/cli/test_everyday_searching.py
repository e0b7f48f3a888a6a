"""What a searcher types, and what is printed: numbers in any spelling, words, families, and all that was left out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage, read_patents
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

Run = Callable[..., tuple[int, str, str]]
QUERY = "a housing with a plunger and a spring of a battery"
RECORDS = [
    {"id": "EP 0 049 154 A1", "title": "Spring", "abstract": "A plunger biased by a spring in the housing.",
     "claims": ["1. A housing with a plunger, wherein a phase change cools the battery."],
     "publication_date": "12.05.1982", "applicants": ["Bosch GmbH"], "inventors": ["Müller, Eva"]},
    {"id": "EP0049154B1", "title": "Spring", "abstract": "A plunger biased by a spring in the housing of a pump.",
     "publication_date": "1984-03-07", "applicants": ["Bosch GmbH"]},
    {"id": "US 2023/0007979 A1", "title": "Accumulator", "publication_date": "2023-01-12",
     "abstract": "An accumulator with a housing. Lead-acid batteries are not meant.", "family": "F9"},
    {"id": "WO 02/12345 A2", "title": "Valve", "publication_date": "2002-02-14", "family": "F9",
     "abstract": "A spring and a valve. The phase of the battery may change."},
    {"id": "note 1", "title": "ignored"},
    {"id": "D7", "title": "Undated", "abstract": "A housing with a spring for batteries."},
    {"id": "D8", "title": "Undated too", "abstract": "A plunger in a housing."},
]  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Path:
    folder = tmp_path_factory.mktemp("everyday")
    path = folder / "all.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = list(read_patents(path, on_problem=lambda problem: None))
    activation = ActivationConfig(k=8, assignment="nearest")
    model = SparseCoverage.fit(patents, encoder=encoder, size=60, preset=Preset(activation=activation))
    Index.build(folder / "index", model, patents)
    return folder / "index"


@pytest.fixture
def own(built: Path, tmp_path: Path) -> Path:
    """An index that a test may change."""
    shutil.copytree(built, tmp_path / "index")
    return tmp_path / "index"


def found(printed: str) -> list[str]:
    return sorted(hit["document"] for hit in json.loads(printed)["hits"])


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        ("document:EP0049154A1", ["EP-0049154-A1"]),
        ('document:"EP 0 049 154"', ["EP-0049154-A1", "EP-0049154-B1"]),
        ('document:"US 2023/0007979 A1",WO0212345', ["US-20230007979-A1", "WO-2002012345-A2"]),
        ("document:EP-A-0049154", ["EP-0049154-A1"]),
        ("family:US2023007979A1", ["US-20230007979-A1", "WO-2002012345-A2"]),
        ("not family:EP-0049154-B1 not document:d7,D8", ["D7", "US-20230007979-A1", "WO-2002012345-A2"]),
        ("published:none", ["D7", "D8"]),
        ("published<1.1.1983 or published:none", ["D7", "D8", "EP-0049154-A1"]),
    ],
)
def test_numbers_in_a_filter_may_be_spelled_in_any_way(
    run: Run, built: Path, filter_: str, expected: list[str]
) -> None:
    assert found(run("search", built, QUERY, "--json", "--no-group", "--filter", filter_)[1]) == expected


def test_explain_takes_any_spelling_and_names_near_ones(run: Run, built: Path) -> None:
    for id_ in ("EP-0049154-A1", "EP 0 049 154 A1", "ep0049154a1", "EP0049154A1/claims/claim[1]", "WO 02/12345"):
        status, out, _ = run("explain", built, QUERY, id_, "--json")
        assert status == 0
        assert json.loads(out)["passage"]["document"] == ("WO-2002012345-A2" if "WO" in id_ else "EP-0049154-A1")
    status, _, err = run("explain", built, QUERY, "EP 0 049 154")
    assert (status, "with the id 'EP 0 049 154' (near it: EP-0049154-A1, EP-0049154-B1)" in err) == (1, True)
    status, _, err = run("explain", built, QUERY, "EP0049154A2", "--whole")
    assert (status, "no document with the id 'EP0049154A2' (near it: EP-0049154-A1," in err) == (1, True)


def test_documents_are_deleted_by_any_spelling(run: Run, own: Path) -> None:
    status, _, err = run("index", "delete", own, "US20230007979A1", "EP0049154B2")
    assert status == 1
    assert "Not in the index: EP0049154B2 (near it: EP-0049154-A1, EP-0049154-B1). Nothing was deleted." in err
    status, out, _ = run("index", "delete", own, "US 2023/0007979 A1", "WO 02/12345")
    assert (status, "2 documents deleted. The index holds 4 documents" in out) == (0, True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--filter", '"phase change"'], ["EP-0049154-A1"]),
        (["--filter", "battery"], ["D7", "EP-0049154-A1", "US-20230007979-A1", "WO-2002012345-A2"]),
        (["--filter", "battery and phase"], ["EP-0049154-A1", "WO-2002012345-A2"]),
        (["--filter", "pump or accumulator"], ["EP-0049154-B1", "US-20230007979-A1"]),
        (["--filter", "battery not lead-acid"], ["D7", "EP-0049154-A1", "WO-2002012345-A2"]),
        (["--filter", 'batter* not phase not "lead acid"'], ["D7"]),
        (["--filter", "applicant:bosch and not text:pump"], ["EP-0049154-A1"]),
        (["--filter", 'inventor:muller or title:"undated too"'], ["D8", "EP-0049154-A1"]),
        (["--filter", "claims:battery"], ["EP-0049154-A1"]),
        (["--filter", "battery", "--before", "2003"], ["EP-0049154-A1", "WO-2002012345-A2"]),
    ],
)
def test_words_say_what_may_be_found(run: Run, built: Path, options: list[str], expected: list[str]) -> None:
    assert found(run("search", built, QUERY, "--json", "--no-group", *options)[1]) == expected


def test_results_are_grouped_by_family(run: Run, built: Path) -> None:
    _, out, _ = run("search", built, QUERY, "--json")
    rows = {hit["document"]: hit["members"] for hit in json.loads(out)["hits"]}
    together = {frozenset([id_, *members]) for id_, members in rows.items()}
    assert together == {
        frozenset({"EP-0049154-A1", "EP-0049154-B1"}),
        frozenset({"US-20230007979-A1", "WO-2002012345-A2"}),
        frozenset({"D7"}),
        frozenset({"D8"}),
    }
    ranked = [hit["document"] for hit in json.loads(run("search", built, QUERY, "--json", "--no-group")[1])["hits"]]
    assert len(ranked) == 6
    assert list(rows) == [id_ for id_ in ranked if id_ in rows]  # each at the place of its best
    _, out, _ = run("search", built, QUERY, "-k", "1", "--filter", "document:EP0049154")
    assert "family: EP-0049154-B1" in out or "family: EP-0049154-A1" in out
    assert "\n  2. " not in out
    _, out, _ = run("search", built, QUERY, "--json", "--before", "1983")
    assert [hit["members"] for hit in json.loads(out)["hits"]] == [
        []
    ]  # the other was published later, so it may not be found


def test_undated_documents_are_left_out_aloud(run: Run, built: Path) -> None:
    _, out, err = run("search", built, QUERY, "--json", "--before", "2003")
    assert err == '2 of 6 documents have no publication date and were left out (--filter "… or pd:none" lets them in)\n'
    assert found(out) == ["EP-0049154-B1", "WO-2002012345-A2"] or found(out) == ["EP-0049154-A1", "WO-2002012345-A2"]
    _, out, err = run("search", built, QUERY, "--json", "--filter", "pd<2003 or pd:none")
    assert (err, "D7" in found(out), "D8" in found(out)) == ("", True, True)
    _, _, err = run("search", built, QUERY, "--json", "--filter", "published<2003 and not document:D7")
    assert err == '1 of 6 documents has no publication date and was left out (--filter "… or pd:none" lets them in)\n'
    _, _, err = run("search", built, QUERY, "--json", "--filter", "not published>2003")
    assert err == ""  # nothing was left out


def test_filters_that_allow_nothing_are_told(run: Run, built: Path) -> None:
    status, out, _ = run("search", built, QUERY, "--before", "1900", "--filter", "battery")
    assert status == 0
    assert " ".join(out.split()) == (
        "Nothing was found: the filters allow none of the 6 documents (--before 1900 allows 0; --filter 'battery' allows 4)."
    )
    _, out, _ = run("search", built, QUERY, "--rerank", "passages", "--filter", "zeppelin")
    assert "the filters allow none of the 6 documents" in " ".join(out.split())
    assert json.loads(run("search", built, QUERY, "--json", "--filter", "zeppelin")[1])["hits"] == []


def test_a_claim_in_another_language_is_told(run: Run, built: Path) -> None:
    german = "Ventil mit einem Kolben, wobei der Kolben durch eine Feder belastet ist und sich in dem Gehäuse der Pumpe bewegt"
    _, _, err = run("search", built, german, "--json")
    assert "the query seems to be in German, and the index in English" in err
    assert run("search", built, QUERY, "--json")[2] == ""


def test_an_index_by_whole_documents_knows_no_claims(run: Run, built: Path, tmp_path: Path) -> None:
    run("index", built.parent / "all.jsonl", "--model", built / "model", "--by", "document", "-o", tmp_path / "whole")
    status, _, err = run("search", tmp_path / "whole", QUERY, "--filter", "claims:battery")
    assert (status, "claims cannot be told apart" in err) == (1, True)


def test_a_list_of_numbers_selects_what_may_be_found(built: Path, run: Run, tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("Publication number\nEP 0 049 154 A1\nWO0212345 (Valve)\nEP7654321A1\n", encoding="utf-8")
    status, out, err = run("search", built, QUERY, "--only", listed, "--no-group", "--json")
    assert (status, found(out)) == (0, ["EP-0049154-A1", "WO-2002012345-A2"])
    assert "does not hold 1 of the 3 documents of --only: EP-7654321-A1" in err
    status, out, _ = run("search", built, QUERY, "--only", "EP0049154, D7", "--no-group", "--json")
    assert (status, found(out)) == (0, ["D7", "EP-0049154-A1", "EP-0049154-B1"])


def test_a_list_of_numbers_is_a_query_each(built: Path, run: Run, tmp_path: Path) -> None:
    """Each by its own claims and without its own family; a single query must say which of both is meant."""
    listed = tmp_path / "list.csv"
    listed.write_text("Publication Number,Title\nEP0049154A1,Spring\nEP7654321A1,Not here\n", encoding="utf-8")
    status, out, err = run("search", built, "--queries", listed, "--json")
    assert status == 0, err
    rankings = json.loads(out)["rankings"]
    assert list(rankings) == ["EP-0049154-A1"]
    assert {hit["document"] for hit in rankings["EP-0049154-A1"]}.isdisjoint({"EP-0049154-A1", "EP-0049154-B1"})
    assert "does not hold 1 of the documents to search with: EP-7654321-A1" in err
    listed.with_suffix(".txt").write_text("EP0049154A1\nWO0212345A2\n", encoding="utf-8")
    status, _, err = run("search", built, listed.with_suffix(".txt"))
    assert status != 0
    assert "a list of publication numbers" in err
    assert "--only" in err
