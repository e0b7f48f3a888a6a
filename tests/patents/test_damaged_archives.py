"""Archives that are cut, damaged or put together: what can be read is read, and what is lost is told with its place."""

import gzip
import io
import os
import tarfile
import zipfile

import pytest
from click.testing import CliRunner

from sparse_coverage.cli.patents import convert_command as command
from sparse_coverage.errors import InputError
from sparse_coverage.patents import Problem, read_patents
from sparse_coverage.patents.queries import file_query

PATENT = '<patent-document ucid="EP-{}-A1" lang="en"><abstract><p>A valve.</p></abstract></patent-document>'
BLOCK = 512


def tar_of(*numbers: int) -> bytearray:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for number in numbers:
            content = PATENT.format(number).encode()
            info = tarfile.TarInfo(f"{number}.xml")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return bytearray(buffer.getvalue())


def read(path) -> tuple[list[str], list[Problem]]:
    problems: list[Problem] = []
    return [patent.id for patent in read_patents(path, on_problem=problems.append)], problems


def test_a_flipped_bit_in_a_header_is_a_problem_with_its_place(tmp_path):
    content = tar_of(1, 2, 3)
    content[2 * BLOCK + 3] ^= 1  # each member is a header and a block
    path = tmp_path / "week.tar"
    path.write_bytes(content)
    found, [problem] = read(path)
    assert found == ["EP-1-A1"]
    assert problem.file == str(path)
    assert problem.cause == "damaged file: bad checksum (in the member at byte 1,024); what follows was not read."


@pytest.mark.parametrize(
    ("length", "ids", "cause"),
    [
        (2 * BLOCK, ["EP-1-A1"], "it ends at byte 1,024 without the mark of an archive's end"),
        (2 * BLOCK + 100, ["EP-1-A1"], "truncated header (in the member at byte 1,024); what follows was not read."),
        (3 * BLOCK + 20, ["EP-1-A1"], "unexpected end of data"),
    ],
)
def test_a_cut_is_told_wherever_it_is(length, ids, cause, tmp_path):
    path = tmp_path / "week.tar"
    path.write_bytes(tar_of(1, 2)[:length])
    found, problems = read(path)
    assert found == ids
    assert any(cause in str(problem) for problem in problems), problems


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_archives_one_after_the_other_are_all_read(compress, tmp_path):
    path = tmp_path / "both.tar"
    path.write_bytes(compress(bytes(tar_of(1, 2) + tar_of(3))))
    assert read(path) == (["EP-1-A1", "EP-2-A1", "EP-3-A1"], [])


def test_what_follows_an_archive_and_is_none_is_a_problem(tmp_path):
    path = tmp_path / "week.tar"
    path.write_bytes(tar_of(1) + b"no header" * 100)
    found, [problem] = read(path)
    assert found == ["EP-1-A1"]
    assert "what follows was not read" in problem.cause


def test_the_command_ends_with_status_1_where_something_was_lost(tmp_path):
    path = tmp_path / "week.tar"
    path.write_bytes(tar_of(1, 2)[: 2 * BLOCK])
    ended = CliRunner().invoke(command, [str(path)])
    assert ended.exit_code == 1
    assert '"EP-1-A1"' in ended.stdout
    assert "damaged file" in ended.stderr


def test_what_stands_before_a_damaged_place_of_a_compressed_file_is_read(tmp_path):
    path = tmp_path / "week.jsonl.gz"
    lines = "".join(f'{{"id": "EP-{number}-A1", "title": "A valve"}}\n' for number in range(1, 5001))
    content = bytearray(gzip.compress(lines.encode()))
    content[-8] ^= 1  # the checksum
    path.write_bytes(content)
    found, [problem] = read(path)
    assert len(found) == 5000
    assert "CRC check failed" in problem.cause
    path.write_bytes(content[: len(content) // 2])
    found, [problem] = read(path)
    assert 1000 < len(found) < 5000
    assert "damaged file" in problem.cause


def zip_of(*numbers: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in numbers:
            archive.writestr(f"{number}.xml", PATENT.format(number))
    return buffer.getvalue()


def test_members_that_a_damaged_directory_hides_are_told(tmp_path):
    """One bit in the length of a comment made `zipfile` skip the entries after it, and nothing was said."""
    content = bytearray(zip_of(1, 2, 3))
    directory = content.index(b"PK\x01\x02")
    content[directory + 32] = len(content[content.index(b"PK\x01\x02", directory + 1) : content.rindex(b"PK\x01\x02")])
    path = tmp_path / "week.zip"
    path.write_bytes(content)
    found, [problem] = read(path)
    assert found == ["EP-1-A1", "EP-3-A1"]
    assert problem.cause == "damaged file: its directory shows 2 members of 3; the others were not read."


def test_a_zip_file_before_another_is_told(tmp_path):
    path = tmp_path / "both.zip"
    path.write_bytes(zip_of(1, 2) + zip_of(3))
    found, [problem] = read(path)
    assert found == ["EP-3-A1"]
    assert problem.cause.startswith("damaged file: its directory lists nothing of its first ")
    path.write_bytes(zip_of(1, 2))
    assert read(path) == (["EP-1-A1", "EP-2-A1"], [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_is_refused_instead_of_waited_for(tmp_path):
    pipe = tmp_path / "pipe.xml"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="a pipe or a device, not a file"):
        read_patents(pipe)
    with pytest.raises(InputError, match="a pipe or a device"):
        file_query(pipe)


def test_a_word_file_with_entities_is_refused(tmp_path):
    docx = pytest.importorskip("docx", reason="the extra [documents] is not installed")
    made, changed = io.BytesIO(), io.BytesIO()
    document = docx.Document()
    document.add_paragraph("A valve with NAME.")
    document.save(made)
    with zipfile.ZipFile(made) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "word/document.xml":
                declared = b'<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><w:document'
                content = content.replace(b"<w:document", declared, 1).replace(b"NAME", b"&b;")
            after.writestr(name, content)
    path = tmp_path / "bomb.docx"
    path.write_bytes(changed.getvalue())
    found, [problem] = read(path)
    assert found == []
    assert problem.cause.startswith("refused: word/document.xml in it declares a document type")
