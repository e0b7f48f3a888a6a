"""Fuzzes the REST service: any bytes, and bodies with the right names and wrong values, to every route that takes a body."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from made_documents_for_charts import claim_of, document, features, made_calibration
from tiny_bert import write_checkpoint

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.present.export_kinds import PROJECT_EXPORTS
from sparse_coverage.server import project_bodies
from sparse_coverage.server.routes import changing, searching
from sparse_coverage.workspace import requests
from sparse_coverage.workspace.requests import public_name

CLAIM = "A device comprising: a brandri folgra; a kellum morpol."
_INDEX = "/v1/indexes/devices"
_PROJECT = "/v1/projects/{project}"
ROUTES: tuple[tuple[str, str, Any], ...] = (
    ("POST", f"{_INDEX}/search", requests.SearchRequest),
    ("POST", f"{_INDEX}/feedback", searching.FeedbackBody),
    ("POST", f"{_INDEX}/similar", searching.SimilarBody),
    ("POST", f"{_INDEX}/batch", requests.BatchRequest),
    ("POST", f"{_INDEX}/explain", requests.ExplainRequest),
    ("POST", f"{_INDEX}/read", requests.ReadRequest),
    ("POST", f"{_INDEX}/chart", requests.ChartRequest),
    ("POST", f"{_INDEX}/combine", requests.CombineRequest),
    ("POST", "/v1/elements", requests.ElementsRequest),
    ("POST", f"{_INDEX}/add", changing.AddBody),
    ("POST", f"{_INDEX}/delete", changing.DeleteBody),
    ("POST", "/v1/projects", project_bodies.NewProject),
    ("PUT", _PROJECT, project_bodies.HeadBody),
    ("PUT", f"{_PROJECT}/draft", project_bodies.DraftBody),
    ("PUT", f"{_PROJECT}/marks/devices/EP-1-A1", project_bodies.MarkBody),
    ("PUT", f"{_PROJECT}/cells", project_bodies.RulingBody),
    ("POST", f"{_PROJECT}/searches", project_bodies.SearchBody),
    ("POST", f"{_PROJECT}/charts", project_bodies.ChartBody),
)
_VALUES: tuple[Any, ...] = (
    *(
        CLAIM,
        "EP-1-A1",
        "EP-1-A1/description/p[1]",
        "devices",
        "2001-05-17",
        "ipc:F16K and not country:US",
        "words",
        "relevant",
    ),
    *(
        None,
        True,
        False,
        0,
        1,
        3,
        -1,
        2**31,
        2**70,
        1.5,
        1e308,
        float("nan"),
        float("inf"),
        "",
        " ",
        "\x00",
        "\ud800",
        "a" * 5000,
        "EP-1-A1/" * 70,
        "sp\u00adring \x1b[2J",
    ),
    *(
        "1. A valve. 2. A valve according to claim 1.",
        "1-3",
        "9" * 40,
        "*",
        '"',
        "(",
        "sp\u00adring",
        "\x1b[2J",
        "EP-1-A1/" * 70,
        "0000-00-00",
        "\u202eabc",
        "ﬁ𝐱",
    ),
    *([], {}, [None], [[]], ["EP-1-A1"], ["EP-1-A1", 3], {"q": CLAIM}, {"": ""}, {"a": {"b": [1]}}),
)


def rest(data: bytes) -> None:
    """Any request: answered, or refused in the form that is described, and never with an error of the server."""
    if len(data) < 2:
        return
    method, path, form = ROUTES[data[0] % len(ROUTES)]
    client = _client()
    project = ""
    if "{project}" in path:
        project = client.post("/v1/projects", json={"name": "Fuzzed"}).json()["head"]["id"]
        path = path.replace("{project}", project)
    body = data[2:] if data[1] % 3 == 0 else json.dumps(_made(form, iter(data[2:]))).encode()
    answer = client.request(method, path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code < 500, (method, path, body[:1000], answer.text[:1000])
    if answer.status_code >= 400:
        assert answer.json()["error"]["message"].strip()
    if not project:
        if method == "POST" and path == "/v1/projects" and answer.status_code == 200:
            client.delete(f"{path}/{answer.json()['head']['id']}")
        return
    # Whatever a project took can be read, exported and reported.
    for kind in ["export", "", *(f"report.{kind}" for kind in PROJECT_EXPORTS)] if answer.status_code == 200 else []:
        shown = client.get(f"/v1/projects/{project}/{kind}".rstrip("/"))
        assert shown.status_code == 200, (kind, method, path, body[:1000], shown.text[:1000])
    client.delete(f"/v1/projects/{project}")


def tools(data: bytes) -> None:
    """Any call of an assistant's tool: answered, or refused with a reason."""
    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

    from sparse_coverage.server.mcp import whole_characters

    server, left = _tools(), iter(data)
    every = asyncio.run(server.list_tools())
    tool = every[next(left, 0) % len(every)]
    arguments = {
        name: _VALUES[value % len(_VALUES)]
        for name in tool.input_schema["properties"]
        if (value := next(left, 255)) < 250
    }
    if next(left, 1) == 0:
        arguments["unknown"] = 1
    try:
        asyncio.run(server.call_tool(tool.name, arguments))
    except UnexpectedToolError:
        raise
    except ToolError as refused:
        told = str(refused)
    else:
        told = "answered"
    assert told.strip().encode()
    escapes = "".join(f"\\u{0xD7F0 + value:04x}" for value in data).encode()
    json.loads(b'"' + whole_characters(escapes) + b'"').encode()


def _made(form: Any, left: Any) -> Any:
    """Return a body with the names of a form, some left out, and values that fit or do not."""
    found: dict[str, Any] = {}
    hints = get_type_hints(form)
    for field in fields(form):
        name, hint, word = public_name(field.name), hints[field.name], next(left, None)
        if word is None or word % 8 == 7:
            if field.default is MISSING:
                found[name] = _VALUES[len(name) % 3]
            continue
        inner = [
            one
            for one in (hint, *get_args(hint), *(get_args(get_args(hint)[0]) if get_args(hint) else ()))
            if is_dataclass(one)
        ]
        if inner and word % 8 < 5:
            made = _made(inner[0], left)
            found[name] = [made] if "tuple" in str(hint) else made
        else:
            found[name] = _VALUES[next(left, 0) % len(_VALUES)]
    if next(left, 1) == 0:
        found["unknown"] = 1
    return found


@lru_cache(1)
def _tools() -> Any:
    from sparse_coverage.server.mcp import create_mcp

    return create_mcp(_settings())


def _settings() -> Any:
    from sparse_coverage.server.settings import ServerLimits, ServerSettings

    folder = made_index()
    return ServerSettings(
        {"devices": folder / "devices"},
        projects=folder / "projects",
        calibration=folder / "calibration.npz",
        limits=ServerLimits(concurrency=1, body=1 << 20, characters=20_000, long_seconds=60),
    )


@lru_cache(1)
def _client() -> Any:
    from starlette.testclient import TestClient

    from sparse_coverage.server.app import create_app

    client = TestClient(create_app(_settings()), base_url="http://localhost")
    client.__enter__()
    return client


@lru_cache(1)
def made_index() -> Path:
    """Return a folder with an index of few devices, a calibration, and the encoder of both."""
    import numpy as np

    from sparse_coverage.patents import Claim, Paragraph, Patent

    folder = Path(tempfile.mkdtemp(prefix="fuzz-served-"))
    checkpoint = write_checkpoint(folder / "encoder")
    encoder = OpenVinoEncoder(checkpoint, name=str(checkpoint), precision="fp32", threads=1)
    chance = np.random.default_rng(3)
    patents = []
    for number in range(8):
        made = features(chance, 4)
        texts = [one.text for one in document(str(number), made).passages]
        paragraphs = tuple(
            Paragraph(text, f"/description/p[{place}]", str(place)) for place, text in enumerate(texts, 1)
        )
        claim = Claim(1, claim_of(made), "/claims/claim[1]", ())
        patents.append(
            Patent(f"EP-{number}-A1", title="Device", claims=(claim,), description=paragraphs, language="en")
        )
    model = SparseCoverage.fit(patents, encoder=encoder, size=40)
    Index.build(folder / "devices", model, patents)
    made_calibration(encoder).save(folder / "calibration.npz")
    return folder
