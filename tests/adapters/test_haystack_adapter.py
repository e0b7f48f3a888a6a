"""The index in Haystack."""

from __future__ import annotations

import os

import pytest
from adapted_index import QUERY

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # read when the library is imported
haystack = pytest.importorskip("haystack", reason="Haystack is not installed (extra [haystack])")

from sparse_coverage.adapters.haystack import HaystackRetriever  # noqa: E402
from sparse_coverage.errors import InputError  # noqa: E402


def test_a_pipeline_finds_passages(adapted):
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", HaystackRetriever(str(adapted.store.folder), top_k=3))
    documents = pipeline.run({"retriever": {"query": QUERY}})["retriever"]["documents"]
    hits = adapted.search_passages(QUERY, k=3)
    assert [(document.id, document.content) for document in documents] == [(hit.id, hit.text) for hit in hits]
    assert [document.score for document in documents] == pytest.approx([hit.score for hit in hits])
    assert documents[0].meta["document"] == hits[0].document


def test_a_filter_given_when_running_takes_the_place_of_the_other(adapted):
    retriever = HaystackRetriever(str(adapted.store.folder), passages=False, filter="published<2002")
    assert {document.id for document in retriever.run(QUERY)["documents"]} == {"XX-0-A1", "XX-1-A1"}
    later = retriever.run(QUERY, filter="published>=2003", top_k=1)["documents"]
    assert [(document.id, document.meta["title"]) for document in later] == [("XX-3-A1", "Title 3")]


def test_a_pipeline_is_written_and_read_again(adapted):
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", HaystackRetriever(str(adapted.store.folder), top_k=2, filter="country:XX"))
    try:
        again = haystack.Pipeline.loads(pipeline.dumps())
    except haystack.DeserializationError:
        again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["sparse_coverage.*"])
    query = {"retriever": {"query": QUERY}}
    assert again.run(query) == pipeline.run(query)
    assert again.get_component("retriever").to_dict() == pipeline.get_component("retriever").to_dict()


def test_a_retriever_is_taken_as_it_is_and_cannot_be_written(adapted):
    retriever = HaystackRetriever(adapted, passages=False)
    assert [document.id for document in retriever.run(QUERY)["documents"]] == [
        hit.document for hit in adapted.search(QUERY)
    ]
    with pytest.raises(InputError, match="folder of an index, not with a Index"):
        retriever.to_dict()
