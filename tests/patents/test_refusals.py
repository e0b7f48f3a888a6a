"""What an attacker may send, and what is refused: clearly, and without harm."""

import gzip
import http.server
import io
import json
import tarfile
import threading
import zipfile
import zlib

import pytest

from sparse_coverage.patents import read_patents
from sparse_coverage.patents.reading.context import MEBIBYTE, Limits

BODY = '<patent-document ucid="EP-1-A1" lang="en"><abstract><p>Text {}.</p></abstract></patent-document>'
GOOD = BODY.format("good").encode()


def read(path, **options):
    problems = []
    found = list(read_patents(path, on_problem=problems.append, **options))
    return found, problems


def read_xml(tmp_path, content, encoding="utf-8"):
    path = tmp_path / "x.xml"
    path.write_bytes(content.encode(encoding))
    return read(path)


def test_an_external_entity_is_refused_and_its_file_never_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP SECRET", encoding="utf-8")
    found, problems = read_xml(
        tmp_path, f'<!DOCTYPE patent-document [\n<!ENTITY x SYSTEM "{secret.as_uri()}">]>' + BODY.format("&x;")
    )
    assert found == []
    (problem,) = problems
    assert problem.line == 2
    assert problem.cause.startswith("refused: it declares the external entity 'x'")
    assert "SECRET" not in str(problem)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;',
        '<!ENTITY x PUBLIC "-//X//EN" "http://127.0.0.1:9/x">',
        '<!ENTITY x "harmless">',
        "<!ENTITY  %  x \"<!ENTITY y SYSTEM 'file:///etc/hostname'>\">",
        '<!ENTITY x SYSTEM "file:///etc/hostname"',
    ],
)
def test_declared_entities_are_refused(declaration, tmp_path):
    found, problems = read_xml(tmp_path, f"<!DOCTYPE patent-document [{declaration}]>" + BODY.format("&x;"))
    assert found == []
    assert problems[0].cause.startswith("refused: it declares the")


def test_an_entity_bomb_is_refused(tmp_path):
    levels = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
    bomb = f'<!DOCTYPE patent-document [<!ENTITY a0 "lol">{levels}]>'
    found, problems = read_xml(tmp_path, bomb + BODY.format("&a12;"))
    assert (found, problems[0].cause.split(",")[0]) == ([], "refused: it declares the entity 'a0'")
    in_attribute = BODY.format("x").replace("EP-1-A1", "&a12;")
    found, problems = read_xml(tmp_path, bomb + in_attribute)
    assert (found, problems[0].cause.split(",")[0]) == ([], "refused: it declares the entity 'a0'")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp037"])
def test_an_entity_hidden_in_another_encoding_is_not_expanded(encoding, tmp_path):
    name = {"cp037": "IBM037"}.get(encoding, "UTF-32" if encoding == "utf-32" else "UTF-16")
    content = f'<?xml version="1.0" encoding="{name}"?><!DOCTYPE patent-document [<!ENTITY x "boom">]>' + BODY.format(
        "&x;"
    )
    found, problems = read_xml(tmp_path, content, encoding)
    assert found == []
    assert len(problems) == 1


def test_a_dtd_is_never_fetched(tmp_path):
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found, problems = read_xml(
            tmp_path,
            f'<!DOCTYPE patent-document SYSTEM "http://127.0.0.1:{server.server_port}/patent-document.dtd">'
            + BODY.format("plain"),
        )
        server.shutdown()
    # Genuine MAREC files name their DTD by address: such a document is read, its DTD is not.
    assert ([patent.abstract[0].text for patent in found], problems, asked) == (["Text plain."], [], [])


def test_deep_nesting_is_refused(tmp_path):
    found, problems = read_xml(tmp_path, BODY.format("<b>" * 5000 + "x" + "</b>" * 5000))
    assert found == []
    assert problems[0].cause == "refused: elements nested more than 256 deep. Patents need far fewer."


def test_a_text_without_end_is_refused_by_our_limit(tmp_path):
    found, problems = read_xml(tmp_path, BODY.format("x" * 10_000_100))
    assert found == []
    assert problems[0].cause == "refused: a text of more than 10 MB in one element. Patents need far less."


def test_a_file_that_ends_within_a_document_is_called_cut_and_what_stands_before_it_is_read(tmp_path):
    whole = '<exchange-document country="EP" doc-number="1000000" kind="A1"><abstract><p>Text.</p></abstract></exchange-document>'
    found, problems = read_xml(tmp_path, f"<exchange-documents>\n{whole}\n{whole[:70]}")
    assert [patent.id for patent in found] == ["EP-1000000-A1"]
    (problem,) = problems
    assert (problem.line, problem.cause) == (3, "not well-formed XML: the file ends inside of this document.")


def test_the_parsers_words_stay_on_one_line(tmp_path):
    found, problems = read_xml(tmp_path, BODY.format("\0"))
    assert found == []
    assert problems[0].cause.startswith("not well-formed XML: ")
    assert "\n" not in problems[0].cause


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b.xml", "..\\..\\b.xml", "C:\\b.xml"])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_member_whose_path_leads_outside_is_refused_and_the_others_are_read(name, kind, tmp_path):
    path = tmp_path / "x"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            info = zipfile.ZipInfo("placeholder")
            info.filename = name
            archive.writestr(info, GOOD)
            archive.writestr("good.xml", GOOD)
    else:
        with tarfile.open(path, "w") as archive:
            for member in (name, "good.xml"):
                info = tarfile.TarInfo(member)
                info.size = len(GOOD)
                archive.addfile(info, io.BytesIO(GOOD))
    found, problems = read(path)
    assert [patent.source.rpartition("!")[2] for patent in found] == ["good.xml"]
    assert [problem.cause for problem in problems] == ["refused: the path of this member leads out of the archive."]


def test_links_in_an_archive_are_refused(tmp_path):
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo("link.xml")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    found, problems = read(path)
    assert found == []
    assert {problem.cause for problem in problems} == {"refused: a link or a device instead of a file."}
    assert len(problems) == 3


def bomb(megabytes):
    """A small file that unpacks to a document full of white space."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    opening = packer.compress(b"<patent-document>")
    return b"".join([opening, *(packer.compress(b" " * MEBIBYTE) for _ in range(megabytes)), packer.flush()])


def test_a_gzip_bomb_is_refused(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(bomb(200))
    assert path.stat().st_size < MEBIBYTE
    found, problems = read(path)
    assert found == []
    assert problems[0].cause.startswith("refused: it decompresses to far more than patents do")


def test_a_zip_bomb_is_refused_and_the_next_member_read(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open("bomb.xml", "w") as member:
            member.write(b"<patent-document>")
            for _ in range(100):
                member.write(b" " * MEBIBYTE)
        archive.writestr("good.xml", GOOD)
    found, problems = read(path)
    assert [patent.source.rpartition("!")[2] for patent in found] == ["good.xml"]
    assert "decompresses to far more" in problems[0].cause
    assert problems[0].file.endswith("!bomb.xml")


def test_many_members_that_unpack_to_too_much_together_are_refused(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for n in range(6):
            archive.writestr(f"{n}.xml", GOOD.replace(b"good", b" " * (900 * 1024)))
    limits = Limits(expansion=100, expansion_from=MEBIBYTE)
    found, problems = read(path, limits=limits)
    assert len(found) < 6
    assert all("decompresses to far more" in problem.cause for problem in problems)
    assert len(found) + len(problems) == 6


def test_archives_nested_too_deep_are_refused(tmp_path):
    content = GOOD
    for _ in range(10):
        content = gzip.compress(content)
    path = tmp_path / "x.gz"
    path.write_bytes(content)
    found, problems = read(path)
    assert (found, problems[0].cause) == ([], "refused: archives nested more than 4 deep.")


def test_ordinary_compression_is_no_bomb(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress((b'<?xml version="1.0"?>' + GOOD) * 1000))
    found, problems = read(path)
    assert (len(found), problems) == (1000, [])


@pytest.mark.parametrize("kind", ["gz", "zip", "tar", "encrypted zip", "truncated gz", "truncated tar.gz"])
def test_a_damaged_archive_is_a_problem_and_no_crash(kind, tmp_path):
    path = tmp_path / "x"
    if kind == "gz":
        content = bytearray(gzip.compress(GOOD * 50))
        content[20:30] = b"0123456789"
    elif kind == "truncated gz":
        content = gzip.compress(GOOD)[:-12]
    elif kind == "tar":
        content = b"x.xml".ljust(257, b"\0") + b"ustar" + b"\0" * 500
    elif kind == "truncated tar.gz":
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            info = tarfile.TarInfo("x.xml")
            info.size = len(GOOD)
            archive.addfile(info, io.BytesIO(GOOD))
        content = buffer.getvalue()[:-60]
    else:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("x.xml", GOOD)
        content = bytearray(buffer.getvalue())
        if kind == "zip":
            content[-22:] = b"\0" * 22
        else:
            for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
                content[content.index(mark) + offset] |= 1  # says that the member is encrypted
    path.write_bytes(content)
    found, problems = read(path)
    assert found == []
    assert problems
    assert all("damaged file" in problem.cause for problem in problems)


def test_a_line_over_the_limit_is_refused_and_the_next_one_read(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "A", "title": "' + "a" * 5000 + '"}\n{"id": "B", "title": "b"}\n', encoding="utf-8")
    found, problems = read(path, limits=Limits(document_bytes=1000))
    assert [patent.id for patent in found] == ["B"]
    assert [(problem.line, problem.cause) for problem in problems] == [(1, "refused: a line of more than 1000 bytes.")]


def test_json_nested_without_end_is_a_problem(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": ' + "[" * 100_000, encoding="utf-8")
    found, problems = read(path)
    assert found == []
    assert len(problems) == 1


def test_a_document_with_more_passages_than_an_index_holds_is_left_out_and_the_next_one_read(tmp_path):
    paragraph = " ".join(["word"] * 30)
    long, short = {"id": "LONG", "description": [paragraph] * 70_000}, {"id": "B", "title": "b"}
    path = tmp_path / "x.jsonl"
    path.write_text(f"{json.dumps(long)}\n{json.dumps(short)}\n", encoding="utf-8")
    found, problems = read(path)
    assert [patent.id for patent in found] == ["B"]
    cause = "it has 70,000 passages, and an index holds at most 65,536 of a document. Split it, or leave parts out."
    assert [(problem.document, problem.cause) for problem in problems] == [("LONG", cause)]
