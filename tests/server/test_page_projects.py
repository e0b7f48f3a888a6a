"""Projects through the service: changes are checked, stale ones refused with what is there, everything exported and imported."""

from __future__ import annotations

import json

import pytest
from served_devices import CLAIM, WANTED

from sparse_coverage.present.export_kinds import PROJECT_EXPORTS
from sparse_coverage.present.page_view import search_view
from sparse_coverage.present.terms import ordinal
from sparse_coverage.projects import SearchMade

UPLOAD = {"x-sparse-coverage": "1"}
WANTED_TEXT = next(part for part in CLAIM.replace(" and ", ", ").split(", ") if WANTED[0][0] in part)
ONE, OTHER = "EP-1000001-A1", "EP-1000002-A1"


@pytest.fixture
def project(keeping):
    return keeping.post("/v1/projects", json={"name": "Devices"}).json()["head"]["id"]


def mark(client, project, id_, mark, version=0, note=""):
    body = {"mark": mark, "note": note, "version": version}
    return client.put(f"/v1/projects/{project}/marks/devices/{id_}", json=body)


def searched(client, project, elements=(), **more):
    asked = {"query": CLAIM, "k": 4, "filters": {"before": "2003"}, "elements": elements}
    made = client.post(f"/v1/projects/{project}/searches", json={"index": "devices", "search": asked, **more})
    assert made.status_code == 200, made.text
    return made.json()


def test_a_mark_keeps_what_the_index_knows_and_no_folder_of_the_machine(keeping, project):
    made = mark(keeping, project, ONE, "relevant", note="closest").json()
    assert (made["mark"], made["note"], made["document"], made["version"]) == ("relevant", "closest", ONE, 1)
    passage = mark(keeping, project, f"{ONE}/description/p[2]", "not").json()
    assert passage["document"] == ONE
    assert passage["passage"]["number"] == "0002"
    exported = keeping.get(f"/v1/projects/{project}/export").text
    assert "secret folder" not in exported
    assert json.loads(exported)["documents"][0]["title"] == "Device 0"


def test_a_search_says_what_is_new_and_an_expression_searches_alone(keeping, project):
    first = searched(keeping, project)
    again = keeping.post(f"/v1/projects/{project}/searches/{first['number']}/new", json={}).json()
    assert (again["documents"], again["number"]) == (0, first["number"] + 1)
    assert again["history"]["filters"] == f"published before 2003; new since {first['made'][:10]}"
    old = {**first["request"]["filters"], "since": f"0.0.{first['result']['about']['state'][-8:]}"}
    everything = searched(keeping, project, search={"query": CLAIM, "k": 4, "filters": old})
    assert everything["documents"] == first["documents"]
    alone = searched(keeping, project, search={"filters": {"filter": "device near/9 valve or device"}, "k": 4})
    assert alone["documents"] == 4
    assert alone["history"]["query"] == "device valve"
    wrong = {"index": "devices", "search": {"filters": {"filter": "device near valve"}}}
    answer = keeping.post(f"/v1/projects/{project}/searches", json=wrong)
    assert answer.status_code in (400, 422)
    assert "device near valve\\n         ^" in answer.text


def test_a_stale_change_is_refused_with_what_is_there(keeping, project):
    first = mark(keeping, project, ONE, "relevant").json()
    assert mark(keeping, project, ONE, "not", first["version"]).status_code == 200
    stale = mark(keeping, project, ONE, None, first["version"])
    assert stale.status_code == 409
    assert stale.json()["current"]["mark"] == "not"
    assert "changed meanwhile" in stale.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/projects/000000000000", 404),
        ("/v1/projects/..%2f..%2fetc", 404),
        ("/v1/projects/nothing", 422),
        ("/v1/projects/{}/searches/7", 404),
        ("/v1/projects/{}/report.exe", 422),
    ],
)
def test_what_is_not_there_is_said_so(keeping, project, path, status):
    answer = keeping.get(path.format(project))
    assert answer.status_code == status
    assert answer.json()["error"]["message"] or status == 404


def test_only_documents_of_the_index_can_be_marked(keeping, project):
    assert mark(keeping, project, "EP-9999999-A1", "relevant").status_code == 404
    answer = keeping.put(f"/v1/projects/{project}/marks/elsewhere/{ONE}", json={"mark": None, "version": 0})
    assert answer.status_code == 404


def test_a_search_asked_for_in_a_project_is_made_and_kept_by_the_server(keeping, project):
    made = searched(
        keeping, project, elements=[{"label": "1a", "text": WANTED_TEXT}], automatic="the priority date of it"
    )
    assert keeping.get(f"/v1/projects/{project}/searches/{made['number']}").json() == made
    alone = keeping.post(
        "/v1/indexes/devices/search", json={"query": CLAIM, "k": 4, "filters": {"before": "2003"}}
    ).json()
    assert made["result"]["hits"] == alone["hits"]
    assert made["view"]["told"] == made["history"]["found"] == "4 shown of 8"
    assert made["view"]["filters"] == "published before 2003 (the priority date of it)"
    assert "secret folder" not in json.dumps(made)
    listed = keeping.get(f"/v1/projects/{project}").json()
    assert listed["history"] == {str(made["number"]): made["history"]}
    refused = keeping.post(f"/v1/projects/{project}/searches", json={"index": "devices", "search": {"k": 4}})
    assert refused.status_code == 400
    assert len(keeping.get(f"/v1/projects/{project}").json()["searches"]) == 1


def test_each_hit_says_which_features_one_of_its_passages_has_most_words_of(keeping, project):
    elements = [{"label": "1a", "text": WANTED[0][0]}, {"label": "1b", "text": "a lid of titanium", "weight": 0}]
    view = searched(keeping, project, elements=elements)["view"]
    first, second = view["hits"][0]["features"]
    assert (first["label"], first["has"], first["left_out"]) == ("1a", "touched", False)
    assert first["passage"].startswith(view["hits"][0]["document"])
    assert first["told"].startswith("most of its words in ")
    assert (second["has"], second["passage"], second["left_out"]) == ("", "", True)
    assert view["lacking"] == [], "what is left out is not looked for"


def test_a_hit_is_shown_with_its_place_its_features_and_where_it_stood_before(keeping, project):
    first = searched(
        keeping, project, elements=[{"label": "1a", "text": WANTED_TEXT}, {"label": "1b", "text": "no such words"}]
    )
    hit = first["view"]["hits"][0]
    assert hit["passages"][0]["place"].startswith(("claim 1", "paragraph [000"))
    assert (
        "".join(piece["text"] for piece in hit["passages"][0]["pieces"])
        in first["result"]["hits"][0]["passages"][0]["text"]
    )
    assert [one["label"] for one in hit["features"]] == ["1a", "1b"]
    assert [one["has"] for one in hit["features"]] == ["some", ""]
    assert first["view"]["lacking"] == ["1b"]
    assert {piece["feature"] for one in hit["passages"] for piece in one["pieces"] if piece["strength"]} <= {-1, 0}
    assert hit["links"]["Google Patents"].endswith(hit["document"].replace("-", ""))
    marks = {"relevant": [first["view"]["hits"][3]["document"]], "not_relevant": [hit["document"]]}
    asked = {"query": CLAIM, "k": 4, "filters": {"before": "2003"}, "marks": marks}
    body = {"index": "devices", "search": asked, "previous": first["number"]}
    again = keeping.post(f"/v1/projects/{project}/searches", json=body).json()
    before = [one["document"] for one in first["view"]["hits"]]
    for rank, one in enumerate(again["view"]["hits"], 1):
        there = before.index(one["document"]) + 1 if one["document"] in before else 0
        assert one["was"] == ("new" if not there else "" if there == rank else f"was {ordinal(there)}")


def test_a_hit_says_how_close_it_is_where_that_was_measured(keeping, project):
    made = searched(keeping, project)
    assert {one["closeness"] for one in made["view"]["hits"]} == {""}  # nothing was measured for a made-up encoder
    assert all(one["why"].startswith("Found because ") for one in made["view"]["hits"])
    result = {**made["result"], "hits": [{**made["result"]["hits"][0], "closeness": "related"}]}
    view = search_view(SearchMade(1, made["made"], "devices", made["request"], 1, result, 1))
    assert [one.closeness for one in view.hits] == ["related"]


def test_every_report_is_given_as_a_file(keeping, project):
    searched(keeping, project)
    mark(keeping, project, ONE, "relevant", note="closest")
    for kind in PROJECT_EXPORTS:
        answer = keeping.get(f"/v1/projects/{project}/report.{kind}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"] == f'attachment; filename="Devices.{kind}"'
        assert len(answer.content) > 100


def test_a_project_goes_elsewhere_in_one_file(keeping, project):
    searched(keeping, project)
    mark(keeping, project, ONE, "relevant", note="closest")
    content = keeping.get(f"/v1/projects/{project}/export").content
    made = keeping.post("/v1/projects/import", files={"file": ("a.json", content)}, headers=UPLOAD)
    assert made.status_code == 200, made.text
    assert made.json()["marks"] == keeping.get(f"/v1/projects/{project}").json()["marks"]
    refused = keeping.post("/v1/projects/import", files={"file": ("a.json", b"{}")}, headers=UPLOAD)
    assert refused.status_code == 400
    assert len(keeping.get("/v1/projects").json()["projects"]) == 2


def test_a_deleted_project_is_gone(keeping, project):
    assert keeping.request("DELETE", f"/v1/projects/{project}", json={}).status_code == 200
    assert keeping.get(f"/v1/projects/{project}").status_code == 404


def test_without_a_folder_projects_work_and_it_is_said_that_they_end_with_the_server(own_client):
    assert own_client.get("/v1/projects").json() == {"kept": False, "projects": []}
    made = own_client.post("/v1/projects", json={"name": "Passing"})
    assert made.status_code == 200
    assert [entry["id"] for entry in own_client.get("/v1/projects").json()["projects"]] == [made.json()["head"]["id"]]


def test_the_page_loads_nothing_from_elsewhere_and_has_nothing_inline(client):
    import re

    page = client.get("/")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert re.findall(r"<script(?![^>]*src=)|<style|style=|\son\w+=", page.text) == []
    for address in re.findall(r'(?:src|href)="([^"#]+)"', page.text):
        assert address.startswith("/static/")
        assert client.get(address).status_code == 200
    assert client.get("/static/..%2f__init__.py").status_code == 404
    assert client.get("/static/workbench.html").status_code == 404


def test_every_module_that_the_page_imports_is_shipped(client):
    import re

    seen, waiting = set(), ["workbench.js"]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            answer = client.get(f"/static/{name}")
            assert answer.status_code == 200, name
            assert "innerHTML" not in answer.text
            waiting += re.findall(r"from '\./([^']+)'", answer.text)
    assert len(seen) > 10


def test_an_import_and_a_body_are_bounded_before_they_are_parsed(keeping, project):
    """Parsed in the answering process, 62 MB of brackets took 1.6 GB and blocked every other request for 13 seconds."""
    brackets = b"[" + b"[]," * 600_000 + b"[]]"
    json_type = {"content-type": "application/json"}
    many = keeping.put(f"/v1/projects/{project}/draft", content=brackets, headers=json_type)
    assert (many.status_code, "more than 500,000 values" in many.text) == (413, True)
    deep = keeping.put(f"/v1/projects/{project}/draft", content=b'{"content":{"a":' + b"[" * 600, headers=json_type)
    assert (deep.status_code, "nested more than 64 levels" in deep.text) == (413, True)
    upload = {"file": ("project.json", b'{"kind": ' + b"[" * 600)}
    refused = keeping.post("/v1/projects/import", files=upload, headers=UPLOAD)
    assert (refused.status_code, "nested more than 64 levels" in refused.text) == (400, True)
    assert len(keeping.get("/v1/projects").json()["projects"]) == 1


def test_a_large_body_is_parsed_in_the_pool(keeping, project, monkeypatch):
    import threading

    from sparse_coverage.server import answering

    threads, parse = [], answering.json.loads
    monkeypatch.setattr(
        answering.json, "loads", lambda *given: threads.append(threading.current_thread().name) or parse(*given)
    )
    body = {"content": {"text": "a valve " * 20_000}, "version": 0}
    assert keeping.put(f"/v1/projects/{project}/draft", json=body).status_code == 200
    assert threads[0].startswith("work")


def test_combinations_and_charts_take_what_was_said_for_their_own_claim(keeping, project):
    asked = {"index": "devices", "combine": {"claim": CLAIM, "max": 1, "top": 4}}
    charts = f"/v1/projects/{project}/charts"
    first = keeping.post(charts, json=asked).json()
    assert first["claim"] == 1
    for claim, mark in ((1, "relevant"), (2, "not")):
        body = {"mark": mark, "claim": claim, "version": 0}
        assert keeping.put(f"/v1/projects/{project}/marks/devices/{ONE}", json=body).status_code == 200
    assert keeping.post(charts, json=asked).json()["combinations"]["left_out"] == 0
    other = keeping.post(
        charts, json={**asked, "combine": {"claim": "A radio with an antenna and a tuner.", "top": 4}}
    ).json()
    assert (other["claim"], other["combinations"]["left_out"]) == (2, 0), "nothing was known of the claim before"
    again = keeping.post(charts, json={**asked, "combine": {"claim": "A radio with an antenna and a tuner.", "top": 4}})
    assert again.json()["combinations"]["left_out"] == 1
    verdict = {
        "index": "devices",
        "element": first["view"]["rows"][0]["text"],
        "document": ONE,
        "verdict": "partly",
        "version": 0,
    }
    assert keeping.put(f"/v1/projects/{project}/cells", json={**verdict, "claim": 2}).status_code == 200
    shown = keeping.get(f"{charts}/{first['number']}").json()["view"]
    assert not any(cell["own"] for row in shown["rows"] for cell in row["cells"])


def test_a_chart_asked_for_in_a_project_is_made_and_kept_by_the_server(keeping, project):
    filters = {"before": "2003", "not": ["kelmormor zzz"]}
    body = {"index": "devices", "chart": {"claim": CLAIM, "documents": [ONE, OTHER], "filters": filters}}
    made = keeping.post(f"/v1/projects/{project}/charts", json=body)
    assert made.status_code == 200, made.text
    kept = keeping.get(f"/v1/projects/{project}/charts/{made.json()['number']}").json()
    assert kept == made.json()
    quotes = [quote for row in kept["view"]["rows"] for cell in row["cells"] for quote in cell["quotes"]]
    assert quotes
    assert {one["place"] for one in quotes} <= {"claim 1", *(f"paragraph [{place:04}]" for place in range(1, 5))}
    assert [column["id"] for column in kept["chart"]["documents"]] == [ONE, OTHER]
    assert kept["request"]["filters"] == {"before": "2003", "undated": "drop", "not": ["kelmormor zzz"]}
    assert "secret folder" not in made.text
    alone = keeping.post("/v1/indexes/devices/chart", json=body["chart"]).json()
    assert kept["chart"]["cells"] == alone["cells"]
    together = {"index": "devices", "combine": {"claim": CLAIM, "max": 2, "top": 4}}
    combined = keeping.post(f"/v1/projects/{project}/charts", json=together).json()
    assert combined["combinations"]["documents"] == 4
    assert len(keeping.get(f"/v1/projects/{project}").json()["charts"]) == 2
    assert keeping.post(f"/v1/projects/{project}/charts", json={"index": "devices"}).status_code == 400
    assert keeping.post("/v1/projects/0123456789ab/charts", json=body).status_code == 404
