"""The command line as a user meets it: what it prints, its exit status, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from waiting import SECONDS, wait_until

from sparse_coverage import cli

TEXTS = {
    "XX-1-A1": "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "XX-2-A1": "A pump housing with a sensor for noise of the pump.",
    "XX-3-A1": "Rubber device wherein the rubber is vulcanised at 150 degrees.",
}


class Result:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["sparse-coverage", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Result(int(stop.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("collection") / "patents.jsonl"
    lines = [json.dumps({"id": id_, "title": f"Title of {id_}", "abstract": text}) for id_, text in TEXTS.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(collection: Path, tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    published = ["--encoder", tiny_checkpoint, "-V", 20, "--preset", "paper"]
    for words in (
        ["fit", collection, "-o", folder / "model", *published],
        ["index", collection, "--model", folder / "model", "-o", folder / "index"],
    ):
        done = CliRunner().invoke(cli.cli, [str(word) for word in words])
        assert done.exit_code == 0, done.output
    return folder


def test_explain_shows_the_matches(run, built: Path) -> None:  # type: ignore[no-untyped-def]
    text = run("explain", built / "index", "a valve with a spring", "XX-1-A1")
    assert "spring" in text.out
    facts = json.loads(run("explain", built / "index", "a valve with a spring", "XX-1-A1", "--json").out)
    assert sum(match["contribution"] for match in facts["matches"]) == pytest.approx(facts["score"], rel=1e-5)


def test_search_writes_a_report(run, built: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("search", built / "index", "a <valve> with a spring", "--report", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "XX-1-A1" in page
    assert "<valve>" not in page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", "nowhere", "a valve"], "there is no index here"),
        (["search", "{index}", "  "], "query is empty"),
        (["search", "{index}", "@no-such-file"], "no-such-file"),
        (["explain", "{index}", "a valve", "XX-9-A1"], "XX-9-A1"),
        (["index", "{collection}", "--model", "nowhere", "-o", "{new}"], "no vocabulary here"),
        (["index", "{collection}", "--model", "{model}", "-o", "{index}"], "holds an index already"),
        (["fit", "{collection}", "-o", "{new}", "--encoder", "no such encoder"], "no such encoder"),
        (["fit", "{collection}", "-o", "{new}", "--encoder", "{tiny}", "-V", "100000"], "distinct points"),
        (["fit", "{collection}", "-o", "{new}", "--encoder", "{tiny}", "--unit", "sentence"], "token"),
        (["fit", "no-such-path", "-o", "{new}", "--encoder", "{tiny}"], "no-such-path"),
        (["demo", "--topic", "PSG-99", "-o", "{new}"], "PSG-99"),
    ],
)
def test_mistakes_are_answered_in_words(  # type: ignore[no-untyped-def]
    run,
    built: Path,
    collection: Path,
    tiny_checkpoint: Path,
    tmp_path: Path,
    monkeypatch,
    arguments: list[str],
    says: str,
) -> None:
    monkeypatch.setenv("SPARSE_COVERAGE_CACHE", str(tmp_path / "cache"))
    places = {
        "index": built / "index", "model": built / "model", "collection": collection, "tiny": tiny_checkpoint, "new": tmp_path / "new",
    }  # fmt: skip
    result = run(*(argument.format(**places) for argument in arguments))
    assert result.status != 0
    assert says in result.err
    assert not (tmp_path / "new").exists()


def test_help_has_sections_and_the_common_options_come_first(run) -> None:  # type: ignore[no-untyped-def]
    page = run("--help").out
    headings = ["Every day:", "Keep an index:", "Research:", "Engines and programs:"]
    assert [line for line in page.splitlines() if line in headings] == headings
    assert (
        page.index("\n  search ")
        < page.index("Keep an index:")
        < page.index("\n  index ")
        < page.index("\n  evaluate ")
    )
    found = run("search", "--help").out
    _, first, *others = re.split(r"^(?=\S.*:$)", found[found.index("Options:\n") :], flags=re.MULTILINE)
    assert len(re.findall(r"^  -", first, re.MULTILINE)) <= 12
    assert "  -k " in first
    assert [one.split(":")[0] for one in others] == ["Filters", "Ranking", "Output"]


def test_a_closed_pipe_is_no_error(built: Path) -> None:
    command = f"{sys.executable} -m sparse_coverage models --json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_an_interrupted_fit_leaves_nothing(collection: Path, tiny_checkpoint: Path, tmp_path: Path) -> None:
    import signal

    big = tmp_path / "big.jsonl"
    words = " ".join(TEXTS.values())  # and a number, since equal texts are encoded once
    lines = [json.dumps({"id": f"YY-{n}-A1", "abstract": f"{words} Example {n}."}) for n in range(20_000)]
    big.write_text("\n".join(lines), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "sparse_coverage",
        "fit",
        str(big),
        "-o",
        str(tmp_path / "model"),
        "--encoder",
        str(tiny_checkpoint),
    ]

    def listen() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whatever started the tests in the background has switched it off

    scratch = (
        tmp_path / "scratch"
    )  # where it draws its sample, in a folder of its own: once that holds something, it is at work
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=listen) as process:
        try:
            wait_until(lambda: any(scratch.glob("*/*")) or process.poll() is not None, "a sample under way")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.jsonl", "scratch"]
    assert list(scratch.iterdir()) == []
