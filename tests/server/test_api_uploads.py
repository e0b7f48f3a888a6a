"""Files from outside become queries and documents, and hostile ones become errors, in a process of their own."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.evaluation import demo
from sparse_coverage.server import uploads
from sparse_coverage.server.errors import refusal_of
from sparse_coverage.server.settings import ServerSettings

HEADERS = {"x-sparse-coverage": "1"}
XML = """<?xml version="1.0"?>
<patent-document ucid="EP-2000001-A1" country="EP" doc-number="2000001" kind="A1" lang="EN" date="20010517" family-id="1">
<bibliographic-data><priority-claims><priority-claim ucid="GB-1-A" kind="A" date="19990203"/></priority-claims></bibliographic-data>
<claims lang="EN"><claim num="1"><claim-text>1. A teapot with a spout.</claim-text></claim>
<claim num="2"><claim-text>2. The teapot of claim 1 with a lid.</claim-text></claim></claims></patent-document>"""
BOMB = """<?xml version="1.0"?><!DOCTYPE patent-document [<!ENTITY a "aaaaaaaaaa">{}]><patent-document ucid="EP-1-A1" lang="EN">
<claims lang="EN"><claim num="1"><claim-text>&z;</claim-text></claim></claims></patent-document>""".format(
    "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(25))
)


def sent(client, name, content, query=""):
    return client.post(f"/v1/query-file{query}", files={"file": (name, content)}, headers=HEADERS)


def test_a_text_is_a_query_and_its_numbered_claims_can_be_chosen(client):
    text = "1. A pump with a rotor.\n2. The pump of claim 1 with a seal.\n"
    assert sent(client, "claim.txt", text.encode()).json()["text"] == text
    chosen = sent(client, "claim.txt", text.encode(), "?claims=2").json()
    assert chosen["source"] == "claim 2 of claim.txt, with claim 1, on which it depends"


def test_a_patent_gives_its_claims_and_its_dates(client):
    [path] = (Path(demo.__file__).parent / "collection").rglob("EP-9110112-A1.xml")
    found = sent(client, "valve.xml", path.read_bytes(), "?claims=1").json()
    assert found["text"].startswith("Solenoid valve")
    assert found["publication"] == "EP-9110112-A1"
    whole = sent(client, "valve.xml", path.read_bytes()).json()
    assert (whole["before"], whole["date"]) == ("1996-04-02", "priority date")
    assert whole["charted"] == whole["text"], "all claims, as on the command line"
    assert [claim["number"] for claim in whole["claims"]][:2] == [1, 2]


def test_a_word_file_gives_its_claims(client):
    docx = pytest.importorskip("docx", reason="the extra [documents] is not installed")
    document = docx.Document()
    for line in ("Claims", "1. A kettle with a whistle.", "2. The kettle of claim 1 made of steel."):
        document.add_paragraph(line)
    content = io.BytesIO()
    document.save(content)
    found = sent(client, "draft.docx", content.getvalue()).json()
    assert "A kettle with a whistle." in found["text"]
    assert found["publication"] == ""


def word_bomb() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * (200 << 20))
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bomb.docx", word_bomb, "decompression bomb"),
        ("entity.xml", BOMB.replace('"aaaaaaaaaa"', 'SYSTEM "file:///etc/passwd"').replace("&z;", "&a;").encode, ""),
        ("broken.pdf", lambda: b"%PDF-1.4\nnothing of the kind", "PDF"),
    ],
)
def test_hostile_and_broken_files_are_refused_with_a_reason(client, name, content, told):
    answer = sent(client, name, content())
    assert answer.status_code == 400, answer.text
    message = answer.json()["error"]["message"]
    assert told in message
    assert "root:" not in message
    assert "/tmp" not in message


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "..\\..\\boot.ini", "-rf", ".", "", "a" * 500 + ".txt", "x\0y\n.txt"]
)
def test_the_name_of_an_upload_is_never_a_path(name, tmp_path):
    with uploads.stored_upload(io.BytesIO(b"x"), name, 10) as path:
        assert path.parent.parent == Path(path.parent).parent
        assert path.name == uploads.harmless_name(name)
        assert not {"/", "\\", "\0", "\n"} & set(path.name)
        assert not path.name.startswith(("-", "."))
    assert not path.exists()


def test_an_upload_that_is_too_large_is_refused_while_it_is_kept():
    with pytest.raises(InputError, match="larger than 10 bytes"), uploads.stored_upload(io.BytesIO(b"x" * 11), "a", 10):
        pass


def test_a_file_that_takes_too_long_is_given_up(tmp_path):
    (tmp_path / "claim.txt").write_text("A pump.", encoding="utf-8")
    with pytest.raises(InputError, match="too long"):
        uploads.read_apart("query", tmp_path / "claim.txt", seconds=0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_reader_that_dies_takes_nothing_with_it(tmp_path, monkeypatch):
    program = tmp_path / "dies.py"
    program.write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", encoding="utf-8")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="cannot be read"):
        uploads.read_apart("query", program)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_the_reader_bounds_its_own_memory(tmp_path, monkeypatch, environment):
    import subprocess

    code = (
        "from sparse_coverage.server import uploads as r; r.MEMORY = 700 << 20\n"
        "r._query = lambda *_: bytes(4 << 30)\n"
        "print(r.main('query', 'x'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "more memory than is given" in done.stdout, done.stderr
    assert uploads.MEMORY == 4 << 30


def test_patents_are_read_as_lines(tmp_path):
    (tmp_path / "teapot.xml").write_text(XML, encoding="utf-8")
    found = uploads.read_apart("patents", tmp_path / "teapot.xml", "out.lines")
    assert found == {"read": 1, "left_out": [], "unused": ""}
    assert "A teapot with a spout." in (tmp_path / "out.lines").read_text(encoding="utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_as_what_it_is(tmp_path):
    """A project that was imported onto a full disk was said to take too much memory."""
    (tmp_path / "teapot.xml").write_text(XML, encoding="utf-8")
    with pytest.raises(SparseCoverageError, match="No space left on device") as told:
        uploads.read_apart("patents", tmp_path / "teapot.xml", "/dev/full")
    assert refusal_of(told.value, ServerSettings({})).status == 503
