"""The description of the projects' part of the service is true: no answer is a failure or one that is not described."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from drawing import examples
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as tested_with

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as openapi_checks
from waiting import SECONDS

from sparse_coverage.server.app import create_app
from sparse_coverage.server.routes.projects import router
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerSettings

CHECKS = (
    not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
)
EXAMPLES = 5


@pytest.fixture(scope="module")
def fuzzed(made, tmp_path_factory):
    """The description of a server, its address and the name of its folder of projects. Each test has a project of its own."""
    folder = tmp_path_factory.mktemp("fuzzed")
    with serving(create_app(ServerSettings({"devices": made / "devices"}, projects=folder))) as address:
        yield schemathesis.openapi.from_url(f"{address}/v1/openapi.json"), address, str(folder)


def operations():
    return [(route.path.replace(":path", ""), method) for route in router.routes for method in route.methods]


@pytest.mark.hypothesis
@pytest.mark.parametrize(("path", "method"), operations())
def test_no_answer_is_a_failure_or_one_that_is_not_described(fuzzed, path, method):
    schema, address, folder = fuzzed
    project = httpx.post(f"{address}/v1/projects", json={"name": "Devices"}, timeout=SECONDS).json()["head"]["id"]
    answered = set()

    @given(case=schema[path][method].as_strategy())
    @tested_with(
        max_examples=examples(EXAMPLES),
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def sent(case):
        known = {"project": project, "index": "devices", "id": "EP-1000001-A1"}
        if method != "DELETE" and len(answered) % 2 == 0:  # some requests name what is there, so that they come further
            case.path_parameters = {
                name: known.get(name, value) for name, value in (case.path_parameters or {}).items()
            }
        case.headers = {**(case.headers or {}), "x-sparse-coverage": "1"}
        response = case.call(timeout=SECONDS)
        case.validate_response(response, checks=CHECKS)
        answered.add(response.status_code)

    sent()
    assert answered
    assert not list(Path(folder).glob("*.partial"))
