"""The REST service answers what the command line prints with `--json`, and says what is wrong in one shape."""

from __future__ import annotations

import json

import pytest
from served_devices import CLAIM, WANTED, events_of, made_patents

from sparse_coverage import Index
from sparse_coverage.dataclass_json import record

SEARCH = "/v1/indexes/devices/search"


def asked(client, path, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_indexes_are_listed_with_what_can_rank_them(client):
    [about] = client.get("/v1/indexes").json()
    assert about["name"] == "devices"
    assert about["documents"] == 12
    assert about["rankings"] == ["combined", "centers", "words", "vectors", "letters"]


@pytest.mark.parametrize("ranking", ["combined", "centers", "words", "vectors", "letters"])
def test_a_search_is_that_of_the_command_line(client, made, run, ranking):
    here = asked(client, SEARCH, query=CLAIM, k=4, passages=2, ranking=ranking, filters={"before": "2003"})
    wishes = ["-k", 4, "--passages", 2, "--ranking", ranking, "--before", "2003"]
    status, out, err = run("search", made / "devices", CLAIM, *wishes, "--json")
    assert status == 0, err
    there = json.loads(out)
    assert {hit["metadata"].pop("source") for hit in here["hits"]} == {"all.xml"}
    assert {hit["metadata"].pop("source") for hit in there["hits"]} == {"/srv/patents/secret folder/all.xml"}
    assert here["hits"] == there["hits"]
    assert here["reasons"] == there["reasons"]
    assert here.get("parts") == there.get("parts")
    for name in ("documents", "passages", "model", "ranking", "settings", "filters", "version"):
        assert here["about"][name] == there["about"][name], name


def test_filters_of_every_kind_hold_and_what_they_leave_out_is_told(client):
    every = asked(client, SEARCH, query=CLAIM, k=20)["hits"]
    assert len(every) == 12
    some = asked(
        client,
        SEARCH,
        query=CLAIM,
        k=20,
        filters={
            "before": "2004",
            "filter": "ipc:H04N",
            "not_family_of": ["EP-1000001-A1", "EP-7777777-A1"],
            "must": ["device"],
            "any": ["frame,nothing"],
            "not": [WANTED[0][0]],
        },
    )
    assert {hit["document"] for hit in some["hits"]} == {
        f"EP-{number}-A1" for number in (1000003, 1000005, 1000007, 1000009)
    }
    assert any("EP-7777777-A1" in note for note in some["notes"])
    nothing = asked(client, SEARCH, query=CLAIM, filters={"before": "1900"})
    assert nothing["hits"] == []
    assert "allow none of the 12 documents" in nothing["notes"][-1]


def test_facets_count_the_documents_found(client):
    facets = asked(client, SEARCH, query=CLAIM, k=1, facets=True)["facets"]
    assert facets["country"] == {"EP": 12}
    assert facets["applicant"] == {"Bosch GmbH": 8, "Thornbury Limited": 4}
    assert facets["class"] == {"F16K": 6, "G06F": 6, "H04N": 6}
    assert facets["year"]["1995"] == 1


def test_a_document_of_the_index_is_searched_with_and_left_out(client):
    like = asked(client, SEARCH, like="EP1000001", k=3)
    similar = asked(client, "/v1/indexes/devices/similar", id="EP-1000001-A1", k=3)
    assert like["hits"] == similar["hits"]
    assert "EP-1000001-A1" not in {hit["document"] for hit in like["hits"]}
    assert "claim 1 of EP-1000001-A1" in like["notes"][0]
    kept = asked(client, SEARCH, like="EP-1000001-A1", keep_family=True, k=3)
    assert "EP-1000001-A1" in {hit["document"] for hit in kept["hits"]}


def test_marks_rank_again_as_on_the_command_line(client, made, run):
    marks = {"relevant": ["EP-1000007-A1"], "not_relevant": ["EP-1000002-A1"]}
    here = asked(client, "/v1/indexes/devices/feedback", query=CLAIM, k=4, marks=marks, facets=True)
    wishes = ["--relevant", "EP-1000007-A1", "--not-relevant", "EP-1000002-A1", "-k", 4]
    status, out, err = run("search", made / "devices", CLAIM, *wishes, "--json")
    assert status == 0, err
    assert [hit["score"] for hit in here["hits"]] == [hit["score"] for hit in json.loads(out)["hits"]]
    assert here["hits"] != asked(client, SEARCH, query=CLAIM, k=4)["hits"]
    refused = client.post(SEARCH, json={"query": CLAIM, "marks": {"relevant": ["EP-5-A1"]}})
    assert refused.status_code == 404
    assert client.post(SEARCH, json={"query": CLAIM, "ranking": "words", "marks": marks}).status_code == 400


def test_a_batch_ranks_as_single_searches_do(client, made):
    texts = {patent.id: patent.claims[0].text for patent in made_patents()[:3]}
    rankings = asked(client, "/v1/indexes/devices/batch", queries=texts, k=3)["rankings"]
    index = Index.open(made / "devices")
    for id_, text in texts.items():
        there = record(index.search(text, 3, passages=1))
        assert [hit["document"] for hit in rankings[id_]] == [hit["document"] for hit in there]
        assert [hit["score"] for hit in rankings[id_]] == [hit["score"] for hit in there]


@pytest.mark.parametrize("ranking", ["combined", "centers", "words", "letters"])
def test_an_explanation_is_that_of_the_command_line(client, made, run, ranking):
    here = asked(client, "/v1/indexes/devices/explain", query=CLAIM, id="EP-1000002-A1", ranking=ranking)
    status, out, err = run("explain", made / "devices", CLAIM, "EP-1000002-A1", "--ranking", ranking, "--json")
    assert status == 0, err
    assert here.pop("notes") == []
    assert here == json.loads(out)


def test_a_document_is_read_in_full_and_its_matches_are_marked(client, made, run):
    here = asked(client, "/v1/indexes/devices/read", id="EP-1000001-A1", claim=CLAIM, matches=2)
    status, out, err = run("show", made / "devices", "EP-1000001-A1", "--claim", CLAIM, "-n", 2, "--json")
    assert status == 0, err
    there = json.loads(out)
    there["metadata"]["source"] = "all.xml"
    assert here == there
    plain = client.get("/v1/indexes/devices/documents/EP1000001").json()
    assert plain["passages"] == here["passages"]
    assert plain["matched"] == {}


def test_a_chart_and_a_combination_are_those_of_the_command_line(client, made, run):
    body = {"claim": CLAIM, "documents": ["EP-1000002-A1", "EP-1000003-A1"]}
    here = asked(client, "/v1/indexes/devices/chart", **body)
    shared = ["--calibration", made / "calibration.json", "--json"]
    status, out, err = run("chart", made / "devices", CLAIM, "EP-1000002-A1", "EP-1000003-A1", *shared)
    assert status == 0, err
    there = json.loads(out)
    assert here["cells"] == there["cells"]
    assert here["elements"] == there["elements"]

    wanted = {"claim": CLAIM, "filters": {"not_family_of": ["EP-1000001-A1"]}}
    here = asked(client, "/v1/indexes/devices/combine", **wanted)
    status, out, err = run("combine", made / "devices", CLAIM, "--not-family-of", "EP-1000001-A1", *shared)
    assert status == 0, err
    assert here["combinations"] == json.loads(out)["combinations"]
    assert here["chart"]["cells"] == json.loads(out)["chart"]["cells"]


def test_a_users_own_elements_are_charted(client):
    rows = [{"label": "x", "text": f"a {' '.join(WANTED[0])}"}, {"text": f"a {' '.join(WANTED[1])}"}]
    chart = asked(client, "/v1/indexes/devices/chart", claim=CLAIM, documents=["EP-1000001-A1"], elements=rows)
    assert [element["label"] for element in chart["elements"]] == ["x", "1b"]
    refused = client.post("/v1/indexes/devices/chart", json={"claim": CLAIM, "elements": [{"text": "a goat"}]})
    assert refused.status_code == 400
    assert "a goat" in refused.json()["error"]["message"]


def test_elements_have_their_places(client):
    answer = asked(client, "/v1/elements", claim="A pump comprising a housing, and a rotor.")
    for element in answer["elements"]:
        assert answer["claims"][0]["text"][element["start"] : element["end"]] == element["text"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chart", {"claim": CLAIM, "k": 2}),
        ("combine", {"claim": CLAIM, "top": 5}),
        ("batch", {"queries": {"1": CLAIM, "2": CLAIM}}),
    ],
)
def test_long_work_tells_its_progress_and_then_gives_the_same_answer(client, path, body):
    address = f"/v1/indexes/devices/{path}"
    plain = client.post(address, json=body).json()
    streamed = client.post(address, json=body, headers={"accept": "text/event-stream"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    events = events_of(streamed.text)
    assert [name for name, _ in events[:-1]] == ["progress"] * (len(events) - 1)
    assert len(events) > 1
    assert {"stage", "done", "total"} == set(events[0][1])
    name, result = events[-1]
    assert name == "result"
    for answer in (plain, result):
        answer.pop("about", None)
    assert result == plain


def test_an_error_of_long_work_comes_as_an_event(client):
    body = {"claim": CLAIM, "documents": ["EP-9-A1"]}
    streamed = client.post("/v1/indexes/devices/chart", json=body, headers={"accept": "text/event-stream"})
    assert events_of(streamed.text)[-1] == (
        "error",
        {"error": {"message": "The index has no document EP-9-A1. Ids look like EP-1234567-A1; `search` shows them."}},
    )


@pytest.mark.parametrize(
    ("status", "path", "body", "told"),
    [
        (404, "/v1/indexes/nothing/search", {"query": "x"}, "There are: devices"),
        (404, "/v1/indexes/devices/read", {"id": "EP-5-A1"}, "EP-5-A1"),
        (400, SEARCH, {}, "query, with `like`, the id of a document, or with an expression alone"),
        (400, SEARCH, {"query": "x", "filters": {"filter": "colour:red"}}, "there is no field 'colour'"),
        (400, SEARCH, {"query": "x", "filters": {"filter": "(" * 500}}, "brackets"),
        (400, SEARCH, {"query": "x", "ranking": "splade"}, "it can by: combined, centers, words, vectors, letters"),
        (422, SEARCH, {"query": "x", "k": 0}, "k is 0"),
        (422, SEARCH, {"query": "x", "k": 1001}, "at most 1,000"),
        (422, SEARCH, {"query": "x" * 200_001}, "at most 200,000"),
        (422, SEARCH, {"query": "x", "kk": 1}, "body.kk"),
        (422, SEARCH, {"query": "x", "filters": {"must": ["x"] * 1001}}, "filters.must"),
        (422, "/v1/indexes/devices/batch", {"queries": {str(n): "x" for n in range(1001)}}, "at most 1,000"),
        (422, SEARCH, {"query": "x", "k": 1000, "passages": 100}, "at most 20,000"),
        (
            422,
            "/v1/indexes/devices/chart",
            {"claim": "A device comprising " + "a wheel, " * 2000},
            "number of elements",
        ),
        (422, "/v1/indexes/devices/feedback", {"query": "x"}, "body.marks"),
        (403, "/v1/indexes/devices/delete", {"ids": ["EP-1000001-A1"]}, "--allow-changes"),
    ],
)
def test_errors_say_what_is_wrong_in_one_shape(client, status, path, body, told):
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}
    assert told in answer.json()["error"]["message"]


def test_no_folder_of_the_server_leaves_it(client, made):
    answer = client.post(SEARCH, json={"query": CLAIM, "k": 12, "passages": 1})
    assert "secret folder" not in answer.text
    assert str(made) not in answer.text


def test_verdicts_on_what_is_not_here_are_told(client):
    split = client.post("/v1/elements", json={"claim": CLAIM}).json()
    feature = split["elements"][1]["text"]
    verdicts = [
        {"element": feature, "document": "EP 1000002 A1", "verdict": "disclosed"},
        {"element": "a wheel", "document": "EP-1000002-A1", "verdict": "disclosed"},
        {"element": feature, "document": "EP-9999999-A1", "verdict": "not found"},
    ]
    answer = client.post("/v1/indexes/devices/combine", json={"claim": CLAIM, "verdicts": verdicts}).json()
    told = [note for note in answer["notes"] if "counts for nothing" in note]
    assert told == [
        "A verdict on what is no feature of the claim counts for nothing: “a wheel”.",
        "A verdict on a document that the search did not find counts for nothing: EP-9999999-A1.",
    ]
    cells = answer["chart"]["cells"]
    columns = [one["id"] for one in answer["chart"]["documents"]]
    assert "EP-1000002-A1" in columns
    assert cells


def test_half_a_character_is_refused_and_not_stumbled_over(client):
    broken = b'{"query": "\\ud800"}'
    answer = client.post(SEARCH, content=broken, headers={"content-type": "application/json"})
    assert answer.status_code == 422
