"""A model that reads claim and passage together ranks again over REST and on the page as on the command line, and only what is offered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from served_devices import CLAIM
from starlette.testclient import TestClient
from tiny_onnx import pair_graph, write_onnx_checkpoint

from sparse_coverage import InputError, ModelError
from sparse_coverage.server.app import create_app
from sparse_coverage.server.indexes import ServedIndexes
from sparse_coverage.server.settings import ServerSettings

SEARCH = "/v1/indexes/devices/search"
NAME = "cross-encoder:reader"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_onnx_checkpoint(tmp_path_factory.mktemp("models") / "reader", pair_graph())


@pytest.fixture(scope="module")
def offering(settings: ServerSettings, reader: Path) -> Iterator[TestClient]:
    with TestClient(
        create_app(replace(settings, rerankers=(f"cross-encoder:{reader}",))), base_url="http://localhost"
    ) as client:
        yield client


def test_a_search_is_ranked_again_as_on_the_command_line(offering, made, run, reader):
    here = offering.post(SEARCH, json={"query": CLAIM, "k": 5, "rerank": NAME, "top": 8, "facets": True}).json()
    wishes = ["-k", 5, "--rerank", f"cross-encoder:{reader}", "--top", 8, "--json"]
    status, out, err = run("search", made / "devices", CLAIM, *wishes)
    assert status == 0, err
    there = json.loads(out)
    order = [(hit["document"], hit["score"]) for hit in here["hits"]]
    assert order == [(hit["document"], hit["score"]) for hit in there["hits"]]
    plain = offering.post(SEARCH, json={"query": CLAIM, "k": 5, "facets": True}).json()
    assert [id_ for id_, _ in order] != [hit["document"] for hit in plain["hits"]]
    assert here["facets"] == plain["facets"]
    assert here["about"]["settings"]["rerank"] == NAME
    assert here["about"]["settings"]["top"] == 8


def test_many_queries_are_ranked_again_one_by_one(offering):
    asked = {"k": 3, "rerank": NAME, "passages": 3}
    together = offering.post("/v1/indexes/devices/batch", json={"queries": {"q": CLAIM}, **asked}).json()["rankings"]
    alone = offering.post(SEARCH, json={"query": CLAIM, "group": False, **asked}).json()["hits"]
    assert [hit["document"] for hit in together["q"]] == [hit["document"] for hit in alone]


def test_what_is_offered_is_listed_without_its_path(offering, client):
    [about] = offering.get("/v1/indexes").json()
    assert about["rerankers"] == ["letters", NAME]
    assert client.get("/v1/indexes").json()[0]["rerankers"] == ["letters"]


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        (
            {"rerank": "cross-encoder:someone/else"},
            "cannot be ranked again by cross-encoder:someone/else here; they can by",
        ),
        ({"rerank": "words"}, f"cannot be ranked again by words here; they can by: letters, {NAME}."),
        ({"rerank": "colour"}, f"cannot be ranked again by colour here; they can by: letters, {NAME}."),
        ({"rerank": "splade"}, f"cannot be ranked again by splade here; they can by: letters, {NAME}."),
        ({"rerank": NAME, "marks": {"relevant": ["EP-1000001-A1"]}}, "Marks and `rerank`"),
        ({"rerank": NAME, "top": 100_000}, "top is 100,000"),
        ({"rerank": NAME, "top": 0}, "top"),
    ],
)
def test_what_cannot_rank_again_is_refused_with_what_can(offering, wishes, told):
    answer = offering.post(SEARCH, json={"query": CLAIM, **wishes})
    assert answer.status_code in (400, 422), answer.text
    assert told in answer.text


def test_no_request_makes_a_server_load_a_model_it_does_not_offer(client, reader):
    answer = client.post(SEARCH, json={"query": CLAIM, "rerank": f"cross-encoder:{reader}"})
    assert answer.status_code == 400
    assert "they can by: letters" in answer.json()["error"]["message"]


def test_an_assistant_ranks_again_by_what_is_offered(offering, settings, reader):
    mcp = pytest.importorskip(
        "sparse_coverage.server.mcp", reason="the extra [mcp] is not installed", exc_type=ImportError
    )
    tools = mcp.Tools(replace(settings, rerankers=(f"cross-encoder:{reader}",)))

    async def asked():
        [about] = (await tools.list_indexes())["indexes"]
        with pytest.raises(mcp.ToolError, match="they can by: letters, cross-encoder:reader"):
            await tools.search(CLAIM, rerank="splade")
        return about["rerankers"], (await tools.search(CLAIM, k=5, passages=3, rerank=NAME))["documents"]

    offered, documents = asyncio.run(asked())
    there = offering.post(SEARCH, json={"query": CLAIM, "k": 5, "rerank": NAME}).json()["hits"]
    assert offered == ["letters", NAME]
    assert [one["document"] for one in documents] == [hit["document"] for hit in there]


def test_a_page_keeps_the_search_and_says_what_ranked_again(offering):
    project = offering.post("/v1/projects", json={"name": "Valves"}).json()["head"]["id"]
    body = {"index": "devices", "search": {"query": CLAIM, "rerank": NAME}}
    made = offering.post(f"/v1/projects/{project}/searches", json=body)
    assert made.status_code == 200, made.text
    assert made.json()["view"]["ranking"] == f"combined, then by {NAME}"


def test_a_model_that_cannot_be_loaded_stops_the_server_at_once(made, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"no onnx/model\.onnx"):
        ServedIndexes({"devices": made / "devices"}, None, [f"cross-encoder:{tmp_path / 'empty'}"])
    with pytest.raises(InputError, match="Two rerankers would be called cross-encoder:empty"):
        ServedIndexes({"devices": made / "devices"}, None, ["cross-encoder:a/empty", "cross-encoder:b/empty"])


@pytest.mark.parametrize("name", ["colour", "words", "splade", "letters"])
def test_a_server_is_told_what_it_can_offer(made, name):
    with pytest.raises(InputError, match=rf"--rerank {name} cannot be offered.* Give --rerank cross-encoder:NAME"):
        ServedIndexes({"devices": made / "devices"}, None, [name])


@pytest.mark.parametrize(
    ("name", "told"), [("colour", "There is no reranker 'colour'. There are: splade"), ("words", "There are: splade")]
)
def test_the_command_line_names_all_that_can_rank_again(made, run, name, told):
    status, _, err = run("search", made / "devices", CLAIM, "--rerank", name)
    assert status == 1
    assert told in " ".join(err.split())
