"""The command `spans`, on a checkpoint that needs no download."""

from __future__ import annotations

import json
import re
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


def test_an_unknown_unit_is_a_usage_error_that_names_the_units(run):
    result = run(TEXT, "--unit", "sentence")
    assert result.exit_code == 2
    assert "There is no span unit 'sentence'" in result.output


def test_an_empty_text_is_an_error(run):
    with pytest.raises(InputError, match="empty"):
        run(" ")


@pytest.mark.parametrize("name", ["nofile.txt", "claims/first", "../claim.md", "claim.jsonl"])
def test_a_file_name_without_its_file_is_not_taken_for_a_text(run, name):
    with pytest.raises(InputError, match=f"no such file: {re.escape(name)}"):
        run(name)


@pytest.mark.parametrize("text", ["drum", "1.5", "drum.", "A drum and/or a lid"])
def test_a_word_without_suffix_or_slash_and_a_sentence_are_texts(run, text):
    assert run(text, "--json").exit_code == 0


def test_a_folder_is_named_as_one(run, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        run(str(tmp_path))


@pytest.mark.parametrize(
    "content",
    [
        b'<?xml version="1.0" encoding="ISO-8859-1"?><claim>A dr\xfcm.</claim>',
        b"\xef\xbb\xbf\n<claim>A drum.</claim>\n",
        b"<!DOCTYPE html><p>A drum",
    ],
)
def test_markup_is_refused_with_advice(run, tmp_path, content):
    file = tmp_path / "claim.xml"
    file.write_bytes(content)
    with pytest.raises(InputError, match="sparse-coverage convert"):
        run(str(file))
    with pytest.raises(InputError, match="sparse-coverage convert"):
        run("-", input=content)


def test_a_text_that_only_begins_with_an_angle_bracket_is_no_markup(run, tmp_path):
    file = tmp_path / "claim.txt"
    file.write_text("<said> drum", encoding="utf-8")
    assert json.loads(run(str(file), "--json").output)[-1]["text"] == "drum"


def test_offsets_count_characters_without_the_byte_order_mark_and_with_line_ends_as_they_are(run, tmp_path):
    file = tmp_path / "claim.txt"
    file.write_bytes("\ufeffA γ-alumina bed\r\nand a drum.".encode())
    for result in (run(str(file), "--json"), run("-", "--json", input=file.read_bytes())):
        assert json.loads(result.output) == [
            {"text": "γ-alumina bed", "start": 2, "end": 15},
            {"text": "drum", "start": 23, "end": 27},
        ]


def test_json_writes_letters_of_every_script_as_they_are(run):
    assert '"γ-alumina bed"' in run("A γ-alumina bed.", "--json").output


@pytest.mark.parametrize("content", [b"A dr\xfcm.", b"\xff\xfeA\x00"])
def test_a_file_that_is_not_utf8_is_an_error_that_says_so(run, tmp_path, content):
    file = tmp_path / "claim.txt"
    file.write_bytes(content)
    with pytest.raises(InputError, match="not UTF-8"):
        run(str(file))


def test_bytes_of_the_command_line_that_are_not_utf8_are_an_error(run):
    with pytest.raises(InputError, match="not UTF-8"):
        run("A dr\udcfcm", "--unit", "token", "--json")
