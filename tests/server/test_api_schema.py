"""The description of the service is true: whatever is sent, the answer is one of those that it names, and never a failure."""

from __future__ import annotations

import json
import shutil

import pytest
from drawing import examples
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as tested_with

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as openapi_checks
from served_devices import CLAIM
from waiting import SECONDS

from sparse_coverage.server.app import create_app
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerLimits, ServerSettings

DRAWINGS = "/v1/indexes/{name}/drawings/{id}"
CHECKS = (
    not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
)
IDS = ("EP-1000001-A1", "EP-1000002-A1")
STARTS_A_PROCESS = ("/add", "/replace", "/upload", "/query-file")
EXAMPLES, FEW = 8, 1


@pytest.fixture(scope="module")
def fuzzed(made, tmp_path_factory):
    """A server that allows everything, of an index of its own."""
    folder = shutil.copytree(made / "devices", tmp_path_factory.mktemp("fuzzed") / "devices")
    limits = ServerLimits(k=20, passages=20, documents=3, combined=10, ids=5, batch=3, characters=2000, concurrency=2)
    app = create_app(
        ServerSettings({"devices": folder}, allow_changes=True, calibration=made / "calibration.json", limits=limits)
    )
    with serving(app) as address:
        yield schemathesis.openapi.from_url(f"{address}/v1/openapi.json")


def make_sensible(case):
    """Put the names of things that are there into a request, so that it comes further."""
    known = {"name": "devices", "id": IDS[0], "number": "EP1000001"}
    given = case.path_parameters or {}
    case.path_parameters = {name: known.get(name, value) for name, value in given.items()}
    case.query = {}
    if isinstance(case.body, dict):
        known = {"query": CLAIM, "claim": CLAIM, "like": None, "id": IDS[0], "documents": list(IDS), "elements": None}
        known |= {"claims": None, "ranking": "combined", "filters": {"before": "2004"}, "marks": {"relevant": [IDS[1]]}}
        chosen = [
            name
            for place, name in enumerate(sorted(case.body))
            if name in known and (name == "ranking" or (place + len(case.body)) % 4)
        ]
        case.body = case.body | {name: known[name] for name in chosen}
        if case.operation.path.endswith("/search"):  # it needs no field, but one of three
            case.body.setdefault("query", CLAIM)
        if case.operation.path.endswith("/feedback"):
            case.body |= {"query": CLAIM, "marks": known["marks"]}


def operations():
    """The paths and methods of the service, without any index."""
    from sparse_coverage.server.routes import changing, documents, searching, state

    return [
        (route.path.replace(":path", ""), method)
        for part in (state, documents, searching, changing)
        for route in part.router.routes
        for method in route.methods
    ]


@pytest.mark.hypothesis
@pytest.mark.parametrize(("path", "method"), operations())
def test_no_answer_is_a_failure_or_one_that_is_not_described(fuzzed, path, method):
    answered = set()

    def sent(case):
        if path.endswith(("/upload", "/query-file")):
            case.headers = {**(case.headers or {}), "x-sparse-coverage": "1"}
        response = case.call(timeout=SECONDS)
        answered.add((response.status_code, response.text[:300] if response.status_code == 422 else ""))
        case.validate_response(response, checks=CHECKS)

    def once(case):
        sent(case)
        make_sensible(case)
        sent(case)

    few = path.endswith(STARTS_A_PROCESS)
    quick = tested_with(
        max_examples=examples(FEW if few else EXAMPLES),
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    quick(given(case=fuzzed[path][method].as_strategy())(once))()
    if not few and path not in ("/v1/indexes/{name}/delete", DRAWINGS):  # no device has drawings
        assert 200 in {status for status, _ in answered}, answered


def test_the_description_names_its_bounds_and_needs_nothing_from_the_network(client):
    described = client.get("/v1/openapi.json")
    document = described.json()
    search = document["components"]["schemas"]["SearchRequest"]["properties"]
    assert search["k"]["maximum"] == 1000
    assert search["query"]["anyOf"][0]["maxLength"] == 200_000
    assert document["components"]["schemas"]["BatchRequest"]["properties"]["queries"]["maxProperties"] == 1000
    assert "x-limit" not in described.text
    for path, methods in document["paths"].items():
        for method in methods.values():
            assert method.get("summary"), path
            assert method["responses"]["200"], path
            if path not in ("/metrics", DRAWINGS):
                assert method["responses"]["200"]["content"]["application/json"]["schema"], path
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404


def test_smaller_limits_are_described_too(settings):
    small = ServerSettings(settings.indexes, limits=ServerLimits(k=7, characters=50))
    document = create_app(small).openapi()
    assert document["components"]["schemas"]["SearchRequest"]["properties"]["k"]["maximum"] == 7
    assert json.dumps(document).count('"maxLength": 50,') + json.dumps(document).count('"maxLength": 50}') >= 3
