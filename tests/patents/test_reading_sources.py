"""Files, folders, patterns, archives and streams; formats recognised from content."""

import gzip
import io
import sys
import tarfile
import zipfile

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents import raise_problem, read_patents
from sparse_coverage.patents.readers.xml_documents import split_documents
from sparse_coverage.patents.reading.context import Limits


def ids(*sources, **options):
    return [patent.id for patent in read_patents(list(sources), **options)]


@pytest.fixture
def folder(tmp_path, xml_samples):
    for name, content in xml_samples.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "document").write_text(content, encoding="utf-8")
    return tmp_path / "in"


ALL_IDS = ["EP-2000001-B1", "EP-0100001-B1", "US-20010000009-A1", "US-9000001-B2", "US-6000001-B1", "WO-2010000001-A1"]


def test_a_folder_is_read_in_the_order_of_names(folder):
    assert ids(folder) == ALL_IDS


def test_a_pattern_and_a_list_of_sources(folder):
    assert ids(f"{folder}/us_*/*") == ["US-20010000009-A1", "US-9000001-B2", "US-6000001-B1"]
    assert ids(folder / "wipo", folder / "ep" / "document") == ["WO-2010000001-A1", "EP-2000001-B1"]


def test_a_name_that_matches_nothing_is_an_error():
    with pytest.raises(InputError, match="no such file or folder"):
        read_patents("nowhere/*.xml")  # at once, not when the first patent is asked for


def test_a_bulk_file_of_different_documents_is_read_one_by_one(tmp_path, xml_samples):
    bulk = tmp_path / "bulk.xml"
    bulk.write_text("".join(xml_samples.values()), encoding="utf-8")
    assert sorted(ids(bulk)) == sorted(ALL_IDS)


def test_a_malformed_document_is_reported_with_file_line_and_cause_and_the_others_are_read(
    tmp_path, xml_samples, problems
):
    bulk = tmp_path / "bulk.xml"
    broken = xml_samples["wipo"].replace("Une lampe.", "Une & lampe.")
    bulk.write_text(xml_samples["ep"] + broken + xml_samples["marec"], encoding="utf-8")
    notes = []
    every = ["EP-2000001-B1", "WO-2010000001-A1", "EP-0100001-B1"]
    assert ids(bulk, on_problem=problems.append, on_note=notes.append) == every
    assert problems == []
    mended = [note for note in notes if note.cause.startswith("mended: & not written &amp;")]
    strict = Limits(mend=False)
    assert ids(bulk, on_problem=problems.append, limits=strict) == ["EP-2000001-B1", "EP-0100001-B1"]
    (problem,) = problems
    assert [note.line for note in mended] == [problem.line]
    assert problem.file == str(bulk)
    assert problem.line == 1 + (xml_samples["ep"] + broken).split("Une & lampe")[0].count("\n")
    assert problem.cause.startswith("not well-formed XML: an & that is not written &amp;")


def test_without_a_listener_problems_are_logged_and_the_rest_is_read(tmp_path, xml_samples, caplog):
    (tmp_path / "a.xml").write_text("<patent-document>\n<a></patent-document>", encoding="utf-8")
    (tmp_path / "b.xml").write_text(xml_samples["ep"], encoding="utf-8")
    assert ids(tmp_path) == ["EP-2000001-B1"]
    [logged] = caplog.records
    assert (logged.name, logged.levelname) == ("sparse_coverage", "WARNING")
    assert f"left out {tmp_path / 'a.xml'}:2: not well-formed XML" in logged.getMessage()


def test_on_demand_the_first_problem_raises_with_the_same_words(tmp_path):
    path = tmp_path / "x.xml"
    path.write_text("<patent-document>\n<a></patent-document>", encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.xml:2: not well-formed XML"):
        ids(path, on_problem=raise_problem)


def archive_bytes(kind, members):
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz" if kind == "tar.gz" else "w") as archive:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_archives_are_read_and_sources_name_the_member(kind, tmp_path, xml_samples):
    members = {
        "a/ep.xml": xml_samples["ep"].encode(),
        "b.gz": gzip.compress(xml_samples["wipo"].encode()),
        "readme": b"hello",
    }
    path = tmp_path / "archive"
    path.write_bytes(archive_bytes(kind, members))
    notes = []
    found = list(read_patents(path, on_note=notes.append))
    assert [(p.id, p.source) for p in found] == [
        ("EP-2000001-B1", f"{path}!a/ep.xml"),
        ("WO-2010000001-A1", f"{path}!b.gz"),
    ]
    assert any(note.file.endswith("!readme") and note.cause.startswith("skipped") for note in notes)


def test_a_zip_inside_a_tar_and_a_gzip_file(tmp_path, xml_samples):
    inner = archive_bytes("zip", {"ep.xml": xml_samples["ep"].encode()})
    (tmp_path / "outer.tgz").write_bytes(archive_bytes("tar.gz", {"inner.zip": inner}))
    (tmp_path / "plain.xml.gz").write_bytes(gzip.compress(xml_samples["wipo"].encode()))
    assert ids(tmp_path) == ["EP-2000001-B1", "WO-2010000001-A1"]


@pytest.mark.parametrize("kind", ["xml", "zip", "gz"])
def test_standard_input(kind, xml_samples, monkeypatch):
    content = xml_samples["ep"].encode()
    content = {"xml": content, "gz": gzip.compress(content), "zip": archive_bytes("zip", {"x": content})}[kind]

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    class Stdin:
        buffer = Pipe(content)

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert ids("-") == ["EP-2000001-B1"]


def test_a_named_file_of_no_known_format_is_a_problem_and_one_in_a_folder_a_note(tmp_path, problems):
    (tmp_path / "a.txt").write_text("just words", encoding="utf-8")
    (tmp_path / "b.xz").write_bytes(b"\xfd7zXZ\x00 and more")
    (tmp_path / "c").write_text("", encoding="utf-8")
    notes = []
    assert ids(tmp_path, on_problem=problems.append, on_note=notes.append) == []
    assert len(notes) == 3
    assert [(p.file, p.cause.split(":")[0]) for p in problems] == [(str(tmp_path), "it holds no patents")]
    problems.clear()
    assert ids(*sorted(tmp_path.iterdir()), on_problem=problems.append) == []
    assert [p.cause.split(".")[0].split(" (")[0] for p in problems] == [
        "no patent format that is known here",
        "compressed as xz, which is not read here",
        "empty file",
    ]


def test_byte_order_marks_and_utf_16_are_understood(tmp_path, xml_samples):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + xml_samples["ep"].encode())
    (tmp_path / "b").write_text(xml_samples["wipo"].replace('"UTF-8"', '"UTF-16"'), encoding="utf-16")
    (tmp_path / "c").write_bytes(b"\n  " + xml_samples["marec"].replace('"UTF-8"', '"ISO-8859-1"').encode("latin-1"))
    (tmp_path / "d").write_bytes(b'\xef\xbb\xbf{"id": "X-1", "title": "t"}\n')
    assert ids(tmp_path) == ["EP-2000001-B1", "WO-2010000001-A1", "EP-0100001-B1", "X-1"]


def test_hidden_files_are_not_patents(tmp_path):
    (tmp_path / ".cache").write_text('{"id": "X", "title": "t"}', encoding="utf-8")
    (tmp_path / "y").write_text('{"id": "Y", "title": "t"}', encoding="utf-8")
    assert ids(tmp_path) == ["Y"]


@pytest.mark.parametrize("block", [1, 2, 7, 64, 10_000])
def test_documents_are_cut_at_their_declarations_whatever_the_block_size(block):
    documents = [
        '<?xml version="1.0"?>\n<a>\n</a>\n',
        '<?xml version="1.0"?><b/>',
        '<?xml version="1.0"?>\n<c><?xml-stylesheet?></c>',
    ]
    pieces = list(split_documents(io.BytesIO("".join(documents).encode()), 10_000, block))
    assert [(piece.content.decode(), piece.line) for piece in pieces] == list(zip(documents, [1, 4, 4], strict=True))


@pytest.mark.parametrize("block", [1, 16, 10_000])
def test_a_document_that_is_too_large_is_skipped_and_the_next_one_read(block):
    documents = [b'<?xml version="1.0"?>' + b"<a>\n" * 200, b'<?xml version="1.0"?><b/>']
    pieces = list(split_documents(io.BytesIO(b"".join(documents)), 100, block))
    assert [(piece.content, piece.line) for piece in pieces] == [(None, 1), (documents[1], 201)]


@pytest.mark.parametrize("language", ["", "english", "e", "42"])
def test_a_language_that_is_none_is_an_error_at_once(language, tmp_path):
    with pytest.raises(InputError, match=r"is not a language\. Give a code of two letters"):
        read_patents(tmp_path, language=language)


def test_a_document_over_the_limit_is_refused_with_its_line(tmp_path, xml_samples, problems):
    path = tmp_path / "x.xml"
    path.write_text(xml_samples["ep"], encoding="utf-8")
    assert ids(path, on_problem=problems.append, limits=Limits(document_bytes=1000)) == []
    assert problems[0].cause == "refused: a document of more than 1000 bytes."


def test_a_folder_that_links_to_itself_is_walked_once(tmp_path, xml_samples):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "ep.xml").write_text(xml_samples["ep"], encoding="utf-8")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "nowhere.xml").symlink_to(tmp_path / "gone")
    notes = []
    assert ids(tmp_path, on_note=notes.append) == ["EP-2000001-B1"]
    assert [(note.file, note.cause) for note in notes if note.cause.startswith("skipped")] == [
        (f"{tmp_path}/a/loop", "skipped: a link back to a folder that it lies in"),
        (f"{tmp_path}/a/nowhere.xml", "skipped: a link to nothing"),
    ]


def test_other_xml_in_a_folder_is_skipped_with_a_note_and_a_broken_patent_is_a_problem(tmp_path, xml_samples, problems):
    others = {
        "a.dtd": '<?xml version="1.0"?><!-- a > b --><!ENTITY % x "y">\n<!ELEMENT patent-document (abstract)>',
        "b.html": "<!DOCTYPE html><html><p>unclosed</html>",
        "c.txt": "<tid>PSG-1</tid>\n<tfile>EP-1-A1.xml</tfile>",
        "d.xml": '<?xml version="1.0"?>\n<!-- <html> --><patent-document><p></patent-document>',
    }
    for name, content in others.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    notes = []
    assert ids(tmp_path, on_problem=problems.append, on_note=notes.append) == []
    assert [note.file[-5:] for note in notes] == ["a.dtd", ".html", "c.txt"]
    assert notes[2].cause.startswith("skipped: unknown document <tid>. Known are")
    assert [(problem.file[-5:], problem.line) for problem in problems] == [("d.xml", 2)]


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("a.xml", b"", "empty file."),
        ("a.xml", b"<us-patent-gra", "not well-formed XML: it ends inside of its first element."),
        ("a.xml", b"\x93\x01\x02 noise", "no patent format that is known here"),
        ("a.xml", b"<!DOCTYPE html><html><body>Access denied</body></html>", "a web page, perhaps"),
        ("a.json", b"Access denied", "no patent format that is known here"),
        ("a.csv", b"", "empty file."),
        ("a.pdf", b"PDF", "no patent format that is known here"),
    ],
)
def test_an_empty_or_damaged_file_in_a_folder_is_a_problem_where_its_ending_promises_a_patent(
    tmp_path, problems, name, content, cause
):
    (tmp_path / "good.jsonl").write_text(LINE, encoding="utf-8")
    (tmp_path / name).write_bytes(content)
    (tmp_path / "readme").write_bytes(content)
    notes = []
    assert ids(tmp_path, on_problem=problems.append, on_note=notes.append) == ["D1"]
    [problem], [note] = problems, notes
    assert problem.file.endswith(name)
    assert problem.cause.startswith(cause)
    assert note.file.endswith("readme")


LINE = '{"_id": "D1", "title": "t", "text": "x"}\n'


def test_the_queries_of_a_test_collection_are_not_its_documents(tmp_path, problems):
    beir = tmp_path / "beir"
    beir.mkdir()
    (beir / "corpus.jsonl").write_text(LINE, encoding="utf-8")
    (beir / "queries.jsonl").write_text('{"_id": "Q1", "text": "a query"}\n', encoding="utf-8")
    notes = []
    assert ids(beir, on_note=notes.append) == ["D1"]
    assert [note.cause.split(",")[0] for note in notes] == ["skipped: the queries of a test collection"]
    assert ids(beir / "queries.jsonl") == ["Q1"]  # named, it is read
    zipped = tmp_path / "beir.zip"
    zipped.write_bytes(archive_bytes("zip", {f"b/{path.name}": path.read_bytes() for path in beir.iterdir()}))
    assert ids(zipped) == ["D1"]
    (beir / "corpus.jsonl").unlink()
    assert ids(beir) == ["Q1"]  # nothing says that these are queries


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "csv", "folder", "zip of others"])
def test_a_source_without_any_patent_is_a_problem(kind, tmp_path, problems):
    path = tmp_path / "source"
    if kind == "folder":
        path.mkdir()
    elif kind == "csv":
        path.write_text("id,title\n", encoding="utf-8")
    elif kind == "zip of others":
        path.write_bytes(archive_bytes("zip", {"readme": b"hello"}))
    else:
        path.write_bytes(archive_bytes(kind, {}))
    assert ids(path, on_problem=problems.append) == []
    assert [(p.file, p.cause.split(":")[0].rstrip(".")) for p in problems] == [(str(path), "it holds no patents")]
    with pytest.raises(InputError, match="it holds no patents"):
        ids(path, on_problem=raise_problem)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"BZh91AY", "compressed as bzip2, which is not read here. Unpack it first."),
        (b"\xfd7zXZ\x00\x00", "compressed as xz, which is not read here. Unpack it first."),
        (b"7z\xbc\xaf\x27\x1c\x00", "compressed as 7z, which is not read here. Unpack it first."),
    ],
)
def test_what_cannot_be_read_says_what_to_do(content, cause, tmp_path, problems):
    path = tmp_path / "x"
    path.write_bytes(content)
    assert ids(path, on_problem=problems.append) == []
    assert [problem.cause for problem in problems] == [cause]
