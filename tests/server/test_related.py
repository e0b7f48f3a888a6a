"""Around a document: what it cites and is cited by, as links where the index holds it, and the drawings beside its file."""

from __future__ import annotations

import pytest

from sparse_coverage.index import DocumentRecord
from sparse_coverage.workspace.related import drawing_content, drawings_of


def test_citations_are_links_where_the_index_holds_them(client):
    found = client.get("/v1/indexes/devices/related/EP-1000001-A1").json()
    assert found["cites"] == [
        {"id": "EP-1000002-A1", "held": "EP-1000002-A1"},
        {"id": "US-5700647-A", "held": ""},
    ]
    assert [one["held"] for one in found["cited_by"]] == ["EP-1000007-A1"]
    assert found["drawings"] == []
    other = client.get("/v1/indexes/devices/related/EP-1000002-A1").json()
    assert [one["held"] for one in other["cited_by"]] == ["EP-1000001-A1"]
    assert client.get("/v1/indexes/devices/drawings/EP-1000001-A1?file=all.xml").status_code == 404


def test_publications_that_a_text_names_are_links_where_the_index_holds_them(client):
    with client.app.state.indexes.opened("devices") as opened:
        relatives = opened.relatives
    text = "As in EP 1 000 002 A1, EP-1000003, U.S. Pat. No. 5,700,647 and EP1000001; a US 20 mm screw, claims 1000002."
    found = relatives.mentioned(text, "EP-1000001-A1")
    assert [(text[start:end], id_) for start, end, id_ in found] == [
        ("EP 1 000 002 A1", "EP-1000002-A1"),
        ("EP-1000003", "EP-1000003-A1"),
    ]


@pytest.fixture
def folder(tmp_path):
    for name in ("US6103599.xml", "US6103599-D00001.png", "US6103599-D00000.png", "US7000000.xml", "US7000000-D1.png"):
        (tmp_path / name).write_bytes(b"content")
    return tmp_path


def record(path):
    return DocumentRecord("US-6103599-A", "Wafer", {"source": str(path)})


def test_drawings_are_those_named_as_the_document_or_all_of_a_folder_of_its_own(folder):
    names = [path.name for path in drawings_of(record(folder / "US6103599.xml"))]
    assert names == ["US6103599-D00000.png", "US6103599-D00001.png"]
    (folder / "US7000000.xml").unlink()
    assert len(drawings_of(record(folder / "US6103599.xml"))) == 3
    assert drawings_of(record("US6103599.xml")) == []  # an upload has no folder
    assert drawings_of(record(folder / "gone.xml")) == []


def test_the_files_of_other_documents_are_no_drawings(tmp_path):
    for name in ("US6103599.pdf", "US7000000.pdf", "US6103599-figures.pdf", "export.csv"):
        (tmp_path / name).write_bytes(b"content")
    for source in ("US6103599.pdf", "export.csv"):
        names = {path.name for path in drawings_of(record(tmp_path / source))}
        assert "US6103599-figures.pdf" in names
        assert "US7000000.pdf" not in names


def test_tiff_is_sent_as_png(tmp_path):
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "a.xml").write_text("<a/>", encoding="utf-8")
    image.new("1", (4, 4), 1).save(tmp_path / "fig1.tif")
    [drawing] = drawings_of(record(tmp_path / "a.xml"))
    assert drawing_content(drawing).startswith(b"\x89PNG")
