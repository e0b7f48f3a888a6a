"""What several commands share: the text a user gives, where output goes, and files that others may read."""

from __future__ import annotations

import errno
import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from inspect import signature
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sparse_coverage import SparseCoverage, cli
from sparse_coverage.cli.options import NamesIn
from sparse_coverage.cli.options.inputs import read_query
from sparse_coverage.errors import InputError
from sparse_coverage.files import new_folder, write_text
from sparse_coverage.search.searcher import Searcher


class Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def test_a_text_comes_from_a_file_or_standard_input_without_its_byte_order_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "\ufeffA valve for µl.".encode()
    (tmp_path / "claim.txt").write_bytes(content)
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    assert read_query("-").text == read_query(f"@{tmp_path / 'claim.txt'}").text == "A valve for µl."
    monkeypatch.setattr(sys, "stdin", io.StringIO("A valve."))
    assert read_query("-").text == "A valve."
    assert read_query("A valve.").text == "A valve."


def test_a_text_that_is_not_utf_8_is_refused_in_the_same_words_wherever_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claim.txt").write_bytes(b"caf\xe9 pump")
    monkeypatch.setattr(sys, "stdin", Stdin(b"caf\xe9 pump"))
    for given in ("-", f"@{tmp_path / 'claim.txt'}"):
        with pytest.raises(InputError, match=r"is not UTF-8: byte 3 is 0xe9\. Save it as UTF-8"):
            read_query(given)


@pytest.fixture(scope="module")
def large_collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "patents.jsonl"
    lines = (json.dumps({"id": f"XX-{n}-A1", "title": "word " * 200}) for n in range(2000))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run_with(output: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = shlex.join([sys.executable, "-m", "sparse_coverage", *map(str, arguments)]) + " " + output
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [["convert"], ["inspect", "--json"]])
def test_a_reader_that_has_seen_enough_is_no_failure(arguments: list[str], large_collection: Path) -> None:
    # Quiet: on a slow machine a line of progress would come.
    done = run_with("| head -1", "--quiet", *arguments, large_collection)
    assert (done.returncode, done.stderr) == (0, "")
    closed_at_once = run_with("| true", "--quiet", *arguments, large_collection)
    assert (closed_at_once.returncode, closed_at_once.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("arguments", [["convert"], ["--help"]])
def test_a_full_disk_is_told_and_no_more_is_promised_than_is_true(arguments: list[str], large_collection: Path) -> None:
    done = run_with("> /dev/full", *arguments, *([large_collection] if arguments != ["--help"] else []))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "redirected output is incomplete" in done.stderr


@pytest.fixture
def umask() -> object:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
@pytest.mark.usefixtures("umask")
def test_what_is_written_has_the_rights_that_the_umask_leaves(tmp_path: Path) -> None:
    write_text(tmp_path / "page.html", "x")
    with new_folder(tmp_path / "model") as partial:
        write_text(partial / "file", "x")
    rights = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert rights == {"page.html": 0o640, "model": 0o750}


def test_errors_in_writing_name_the_file_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"page\.html cannot be written: there is no folder .*gone"):
        write_text(tmp_path / "gone" / "page.html", "x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"folder is a folder\. Name a file in it"):
        write_text(tmp_path / "folder", "x")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"page\.html") as no_space:
        write_text(tmp_path / "page.html", "x")
    assert no_space.value.errno == errno.ENOSPC
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def every_command() -> Iterator[click.Command]:
    waiting = [cli.cli.get_command(click.Context(cli.cli), name) for name in cli.COMMANDS]
    while waiting:
        command = waiting.pop()
        assert command is not None
        yield command
        waiting += getattr(command, "commands", {}).values()


def test_headings_of_the_help_list_options_that_there_are() -> None:
    known = {name for command in every_command() for option in command.params for name in option.opts}
    listed = [name for names in cli.HEADINGS.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    assert set(listed) <= known


def test_every_default_is_a_name_in_its_registry() -> None:
    checked = 0
    for command in every_command():
        for option in command.params:
            if isinstance(option.type, NamesIn) and isinstance(option.default, str | tuple):
                defaults = option.default if isinstance(option.default, tuple) else (option.default,)
                assert set(defaults) <= set(option.type.names()), option.name
                checked += 1
    assert checked >= 8


def test_defaults_are_those_of_the_library() -> None:
    defaults = {(command.name, option.name): option.default for command in every_command() for option in command.params}
    kept = {name: parameter.default for name, parameter in signature(Searcher.search).parameters.items()}
    for name in ("k", "passages"):
        assert {value for (_, option), value in defaults.items() if option == name and value} - {5} == {kept[name]}
    fitted = {name: parameter.default for name, parameter in signature(SparseCoverage.fit).parameters.items()}
    fitted |= {"selection": fitted["selection"].method, "tau": fitted["selection"].tau}
    fitted |= {"max_spans": fitted["sampling"].max_spans}
    for name in ("preset", "unit", "selection", "tau", "max_spans", "seed"):
        assert defaults["command", name] == fitted[name]


def test_a_name_is_checked_only_when_it_is_given() -> None:
    @click.command()
    @click.option("--preset", type=NamesIn("presets:PRESETS", "mine", what="preset"), default="default")
    @click.option("--other", type=NamesIn("no_such_module:NOTHING"), default="anything")
    def command(preset: str, other: str) -> None:
        click.echo(preset)

    runner = CliRunner()
    assert [runner.invoke(command, ["--preset", name]).output for name in ("paper", "mine")] == ["paper\n", "mine\n"]
    refused = runner.invoke(command, ["--preset", "precision"])
    assert refused.exit_code == 2
    assert "There is no preset 'precision'. Choose one of: mine, paper, default." in refused.output


@pytest.mark.parametrize("name", ["--language", "--lang"])
@pytest.mark.parametrize("command", ["convert", "inspect", "fit", "index"])
def test_the_language_has_one_name_everywhere_and_the_short_one_still_works(
    command: str, name: str, large_collection: Path, tmp_path: Path
) -> None:
    output = ["-o", str(tmp_path / "new")] if command in ("fit", "index") else []
    arguments = [command, str(large_collection), *output, name, "english"]
    refused = CliRunner().invoke(cli.cli, arguments)
    assert refused.exit_code == 2
    assert "'english' is not a language" in refused.output


def test_an_address_is_for_a_cluster(large_collection: Path, tmp_path: Path) -> None:
    arguments = ["fit", str(large_collection), "-o", str(tmp_path), "--address", "auto"]
    (tmp_path / "file").touch()
    new = CliRunner().invoke(cli.cli, [*arguments, "--on", "ray"])
    assert "exists already" in str(new.exception)
    assert "give --on ray" in str(CliRunner().invoke(cli.cli, arguments).exception)


def test_the_list_of_commands_loads_nothing_heavy() -> None:
    program = (
        "import sys, sparse_coverage.cli; print(*{'numpy', 'numba', 'lxml', 'rich', 'openvino'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "\n"


def test_a_folder_without_an_index_is_refused_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    code = f"""
import sys
from sparse_coverage import cli
sys.argv = ["sparse-coverage", "search", {str(tmp_path)!r}, "A valve"]
try:
    cli.main()
except SystemExit as stop:
    print(stop.code, *{{'numpy', 'numba', 'lxml', 'openvino'}} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]
    assert "there is no index here (no manifest.json). Build one with: sparse-coverage index" in done.stderr


def test_all_that_a_search_can_be_asked_for_has_an_option() -> None:
    from dataclasses import fields

    from sparse_coverage.workspace import Filters, SearchRequest

    params = cli.cli.get_command(click.Context(cli.cli), "search").params
    given = {str(option.name).removeprefix("rerank_") for option in params} | {"rerank"}
    of_the_page = {
        "facets",
        "reasons",
        "source",
        "profile",
    }  # counted and explained always, said by the file that is read, or a program's
    asked = {one.name for one in fields(SearchRequest)} - {"filters", "marks"} - of_the_page
    assert asked | {"relevant", "not_relevant"} <= given
    assert "rerank_by" in {option.name for option in params}
    in_an_expression = {"must", "any_", "not_", "undated"}
    assert {one.name for one in fields(Filters)} - in_an_expression - {"since"} <= given  # which `watch` asks for
