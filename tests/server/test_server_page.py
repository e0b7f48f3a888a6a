"""The page docs/rest.md is true: its examples run, its tables name what there is; and so are the commands of the Containerfile."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from served_devices import CLAIM, made_patents

from sparse_coverage.cli.serving import serve_command as command
from sparse_coverage.patents.readers.records import to_record
from sparse_coverage.server.app import create_app
from sparse_coverage.server.errors import may_answer
from sparse_coverage.server.running import serving
from sparse_coverage.server.settings import ServerLimits, ServerSettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rest.md").read_text(encoding="utf-8")
EXAMPLES = [block for block in re.findall(r"^```bash\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) if "$SERVER" in block]


def test_the_curl_examples_run(copied, made, tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    (tmp_path / "claim.txt").write_text(f"1. {CLAIM}\n2. The device of claim 1, made of steel.\n", encoding="utf-8")
    (tmp_path / "patents.jsonl").write_text(json.dumps(to_record(made_patents()[5])) + "\n", encoding="utf-8")
    settings = ServerSettings({"my-index": copied}, allow_changes=True, calibration=made / "calibration.json")
    answers = 0
    with serving(create_app(settings)) as address:
        for example in EXAMPLES:
            script = f"set -e\n{example}".replace("curl ", "echo; curl ")
            done = subprocess.run(
                ["bash", "-c", script],
                env={**os.environ, "SERVER": address},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert done.returncode == 0, f"{example}\n{done.stdout}\n{done.stderr}"
            for answer in done.stdout.split("\n\n") if "event-stream" in example else done.stdout.strip().splitlines():
                if answer.startswith(("{", "[")):
                    assert "error" not in json.loads(answer)
                    answers += 1
                answers += "event: result" in answer
    assert answers >= 18
    assert len(EXAMPLES) >= 8


def test_every_status_that_a_route_may_answer_with_is_explained():
    section = PAGE.partition("An error is always")[2].partition("##")[0]
    told = {int(status) for row in re.findall(r"^\| ([\d, ]+) \|", section, re.MULTILINE) for status in row.split(", ")}
    assert set(may_answer(404, 409)) == told


def test_the_limits_of_the_page_are_those_of_the_server():
    section, limits = PAGE.partition("## Limits")[2].partition("##")[0], ServerLimits()
    for value in (
        limits.characters,
        limits.k,
        limits.batch,
        limits.documents,
        limits.combined,
        limits.waiting,
        limits.shown,
    ):
        assert f"{value:,}" in section
    for size in (limits.body, limits.upload):
        assert f"{size >> 20} MB" in section


def test_the_container_file_starts_the_server_with_options_that_there_are():
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    entry = json.loads(next(line for line in lines if line.startswith("ENTRYPOINT")).partition(" ")[2])
    assert entry[:2] == ["sparse-coverage", "serve"]
    words = [word if word != "/key.txt" else str(ROOT / "LICENSE") for word in entry[2:]]
    context = command.make_context("serve", [*words, "--name", "patents.example.com"])
    assert context.params["host"] == "0.0.0.0"
    assert context.params["indexes"] == ("index=/index",)
    for line in lines:
        if line.startswith("COPY"):
            assert all((ROOT / name).exists() for name in shlex.split(line)[1:-1])
    extras = re.search(r"\[([\w,]+)\]", next(line for line in lines if "pip install" in line))[1].split(",")
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{extra} = \[", declared, re.MULTILINE) for extra in extras)
    assert isinstance(command, click.Command)
