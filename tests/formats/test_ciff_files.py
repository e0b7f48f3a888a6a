"""CIFF files: what is written is read again, by us and by Google's protocol buffers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.formats.ciff import CiffDocument, CiffHeader, CiffList, open_ciff, write_ciff

TERM = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)
POSTINGS = st.dictionaries(st.integers(0, 2**31 - 1), st.integers(1, 2**31 - 1), min_size=1, max_size=40)
LISTS = st.dictionaries(TERM, POSTINGS, max_size=8)


def as_list(term: str, postings: dict[int, int]) -> CiffList:
    units = sorted(postings)
    return CiffList(term, np.asarray(units, np.int64), np.asarray([postings[unit] for unit in units], np.int64))


def write(path: Path, lists: dict[str, dict[int, int]]) -> tuple[CiffHeader, list[CiffDocument]]:
    documents = [CiffDocument(number, f"D-ä{number}", number * 1000) for number in range(3)]
    header = CiffHeader(len(lists), len(documents), 3_000_000_000, 12.75, "über alles")
    write_ciff(path, header, [as_list(term, lists[term]) for term in sorted(lists)], documents)
    return header, documents


def read_all(path: Path) -> None:
    with open_ciff(path) as (_, lists, documents):
        list(lists)
        list(documents)


@given(LISTS)
@settings(max_examples=examples(60))
def test_a_file_is_read_as_it_was_written(tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("ciff") / "index.ciff"
    header, documents = write(path, lists)
    with open_ciff(path) as (read_header, read_lists, read_documents):
        assert read_header == header
        found = {one.term: dict(zip(one.documents.tolist(), one.impacts.tolist(), strict=True)) for one in read_lists}
        assert found == lists
        assert list(found) == sorted(found)
        assert list(read_documents) == documents


@pytest.fixture(scope="module")
def messages() -> dict[str, Any]:
    """The messages of CIFF's schema, made by Google's library."""
    pytest.importorskip("google.protobuf", reason="protobuf is not installed (pip install protobuf)")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    schema = {
        "Header": "int32 version, int32 num_postings_lists, int32 num_docs, int32 total_postings_lists, int32 total_docs, "
        "int64 total_terms_in_collection, double average_doclength, string description",
        "Posting": "int32 docid, int32 tf",
        "PostingsList": "string term, int64 df, int64 cf, Posting postings",
        "DocRecord": "int32 docid, string collection_docid, int32 doclength",
    }
    file = descriptor_pb2.FileDescriptorProto(name="ciff-test.proto", package="ciff", syntax="proto3")
    field_type = descriptor_pb2.FieldDescriptorProto
    for name, fields in schema.items():
        message = file.message_type.add(name=name)
        for number, declared in enumerate(fields.split(", "), 1):
            kind, field = declared.split()
            if kind == "Posting":
                message.field.add(
                    name=field,
                    number=number,
                    type=field_type.TYPE_MESSAGE,
                    type_name=".ciff.Posting",
                    label=field_type.LABEL_REPEATED,
                )
            else:
                message.field.add(
                    name=field,
                    number=number,
                    type=getattr(field_type, f"TYPE_{kind.upper()}"),
                    label=field_type.LABEL_OPTIONAL,
                )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"ciff.{name}")) for name in schema}


@given(LISTS)
@settings(max_examples=examples(30))
def test_protocol_buffers_read_what_we_write(messages, tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("ciff") / "index.ciff"
    header, documents = write(path, lists)
    content, place = path.read_bytes(), 0

    def take(name: str) -> Any:
        nonlocal place
        size = shift = 0
        while True:
            byte = content[place]
            place, size, shift = place + 1, size | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                break
        place += size
        return messages[name].FromString(content[place - size : place])

    first = take("Header")
    assert (first.version, first.num_postings_lists, first.num_docs) == (1, len(lists), 3)
    assert (first.total_postings_lists, first.total_docs) == (len(lists), 3)
    assert (first.total_terms_in_collection, first.average_doclength) == (header.total_terms, header.average_length)
    assert first.description == header.description
    for term in sorted(lists):
        one = take("PostingsList")
        assert (one.term, one.df, one.cf) == (term, len(lists[term]), sum(lists[term].values()))
        units = np.cumsum([posting.docid for posting in one.postings]).tolist()
        assert dict(zip(units, (posting.tf for posting in one.postings), strict=True)) == lists[term]
    for document in documents:
        record = take("DocRecord")
        assert (record.docid, record.collection_docid, record.doclength) == (
            document.number,
            document.id,
            document.length,
        )
    assert place == len(content)


@given(LISTS)
@settings(max_examples=examples(20))
def test_we_read_what_protocol_buffers_write(messages, tmp_path_factory, lists):
    """Their way of writing leaves out every zero, such as a list's first document when it is number 0."""
    path = tmp_path_factory.mktemp("ciff") / "index.ciff"
    parts = [messages["Header"](version=1, num_postings_lists=len(lists), num_docs=1)]
    for term, postings in sorted(lists.items()):
        units = sorted(postings)
        gaps = np.diff(units, prepend=0).tolist()
        made = [messages["Posting"](docid=gap, tf=postings[unit]) for gap, unit in zip(gaps, units, strict=True)]
        parts.append(messages["PostingsList"](term=term, df=len(units), cf=sum(postings.values()), postings=made))
    parts.append(messages["DocRecord"](collection_docid="only"))
    with path.open("wb") as out:
        for part in parts:
            content = part.SerializeToString()
            size = len(content)
            while size > 0x7F:
                out.write(bytes([size & 0x7F | 0x80]))
                size >>= 7
            out.write(bytes([size]) + content)
    with open_ciff(path) as (header, read_lists, documents):
        assert (header.lists, header.average_length) == (len(lists), 0.0)
        found = {one.term: dict(zip(one.documents.tolist(), one.impacts.tolist(), strict=True)) for one in read_lists}
        assert found == lists
        assert list(documents) == [CiffDocument(0, "only", 0)]


def test_a_file_that_was_cut_short_is_refused_wherever_the_cut_is(tmp_path):
    whole = tmp_path / "whole.ciff"
    write(whole, {"c1": {0: 300, 7: 5}, "c2": {3: 1}})
    content = whole.read_bytes()
    cut = tmp_path / "cut.ciff"
    for size in range(len(content)):
        cut.write_bytes(content[:size])
        with pytest.raises(InputError, match="not a whole CIFF file"):
            read_all(cut)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "index.ciff"
    path.write_bytes(b"PK\x03\x04" + bytes(range(200)))
    with pytest.raises(InputError, match="not a whole CIFF file"):
        read_all(path)
