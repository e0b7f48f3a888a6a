"""Projects through the service: changes are checked, stale ones refused with what is there, everything exported and imported."""

from __future__ import annotations

import json

import pytest
from served_devices import CLAIM
from starlette.testclient import TestClient

from sparse_coverage.present.project_report import REPORTS
from sparse_coverage.server.app import create_app

UPLOAD = {"x-sparse-coverage": "1"}
ONE, OTHER = "EP-1000001-A1", "EP-1000002-A1"


@pytest.fixture
def keeping(settings, tmp_path):
    """A client of a server that keeps projects."""
    from dataclasses import replace

    app = create_app(replace(settings, projects=tmp_path / "projects"))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def project(keeping):
    return keeping.post("/v1/projects", json={"name": "Devices"}).json()["head"]["id"]


def mark(client, project, id_, mark, version=0, note=""):
    body = {"mark": mark, "note": note, "version": version}
    return client.put(f"/v1/projects/{project}/marks/devices/{id_}", json=body)


def searched(client, project):
    asked = {"query": CLAIM, "k": 4, "system": "coverage", "filters": {"before": "2003"}}
    result = client.post("/v1/indexes/devices/search", json=asked).json()
    made = client.post(
        f"/v1/projects/{project}/searches", json={"index": "devices", "request": asked, "result": result}
    )
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


def test_a_search_that_is_none_is_refused(keeping, project):
    body = {"index": "devices", "request": {}, "result": {"query": "a", "hits": [{"document": 1}]}}
    answer = keeping.post(f"/v1/projects/{project}/searches", json=body)
    assert answer.status_code == 400
    assert "Found.hits[0]" in answer.json()["error"]["message"]


def test_every_report_is_given_as_a_file(keeping, project):
    searched(keeping, project)
    mark(keeping, project, ONE, "relevant", note="closest")
    for kind in REPORTS:
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


def test_without_a_folder_projects_work_and_it_is_said_that_they_end_with_the_server(client):
    assert client.get("/v1/projects").json() == {"kept": False, "projects": []}
    made = client.post("/v1/projects", json={"name": "Passing"})
    assert made.status_code == 200
    client.request("DELETE", f"/v1/projects/{made.json()['head']['id']}", json={})


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
