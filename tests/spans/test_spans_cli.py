"""The command `spans`, on a checkpoint that needs no download."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from sparse_coverage.cli.spans import command
from sparse_coverage.errors import InputError

TEXT = "A machine with a rotating drum (10) & <said> LED lamp."


@pytest.fixture
def run(tiny_checkpoint):
    def call(*arguments, **options):
        return CliRunner().invoke(
            command, [*arguments, "--encoder", str(tiny_checkpoint)], catch_exceptions=False, **options
        )

    return call


def test_spans_stand_in_brackets_where_there_are_no_colours(run):
    result = run(TEXT, "--unit", "np")
    assert "A [machine] with a [rotating drum] (10) & <said> [LED lamp]." in result.output
    assert "3 spans, unit np" in result.output


def test_json_is_a_list_of_text_start_and_end(run):
    spans = json.loads(run(TEXT, "--unit", "np+token", "--json").output)
    assert {"text": "rotating drum", "start": 17, "end": 30} in spans
    assert all(TEXT[span["start"] : span["end"]] == span["text"] for span in spans)
    assert [span["text"] for span in spans][:2] == ["A", "machine"]


def test_a_file_is_read(run, tmp_path):
    file = tmp_path / "claim.txt"
    file.write_text(TEXT, encoding="utf-8")
    assert run(str(file), "--json").output == run(TEXT, "--json").output


def test_standard_input_is_read(run):
    assert run("-", "--json", input=TEXT).output == run(TEXT, "--json").output


def test_a_text_too_long_for_a_file_name_is_a_text(run):
    assert json.loads(run("A drum. " * 1000, "--json").output)[-1]["text"] == "drum"


def test_the_page_shows_the_whole_text_with_the_spans_marked(run, tmp_path):
    page = tmp_path / "spans.html"
    assert run(TEXT, "--html", str(page)).exit_code == 0

    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.text, self.marks, self.inside, self.marking = "", [], False, False

        def handle_starttag(self, tag, attributes):
            self.inside |= ("class", "text") in attributes
            if tag == "mark":
                self.marking = True
                self.marks.append("")

        def handle_endtag(self, tag):
            self.marking &= tag != "mark"
            self.inside &= tag != "div"

        def handle_data(self, data):
            if self.inside:
                self.text += data
            if self.marking:
                self.marks[-1] += data

    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    assert reader.text == TEXT
    assert reader.marks == ["machine", "rotating drum", "LED lamp"]


def test_an_unknown_unit_is_an_error_that_a_user_can_act_on(run):
    with pytest.raises(InputError, match="There is no span unit 'sentence'"):
        run(TEXT, "--unit", "sentence")


def test_an_empty_text_is_an_error(run):
    with pytest.raises(InputError, match="empty"):
        run(" ")
