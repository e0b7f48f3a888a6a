"""The index in LangChain."""

from __future__ import annotations

import pytest
from adapted_index import QUERY

pytest.importorskip("langchain_core", reason="LangChain is not installed (extra [langchain])")

from sparse_coverage.adapters.langchain import LangChainRetriever


def test_a_chain_gets_passages_with_their_places(adapted):
    documents = LangChainRetriever(index=adapted, k=4).invoke(QUERY)
    hits = adapted.search_passages(QUERY, k=4)
    assert [document.page_content for document in documents] == [hit.text for hit in hits]
    assert [document.id for document in documents] == [hit.id for hit in hits]
    assert documents[0].metadata == {
        "document": hits[0].document,
        "section": hits[0].section,
        "score": pytest.approx(hits[0].score),
    }


def test_documents_come_with_their_data(adapted):
    documents = LangChainRetriever(index=adapted, passages=False).invoke(QUERY)
    hit = adapted.search(QUERY)[0]
    assert documents[0].id == hit.document
    assert documents[0].metadata["title"] == hit.title
    assert documents[0].metadata["publication_date"] == hit.metadata["publication_date"]
    assert documents[0].page_content == "\n".join(passage.text for passage in hit.passages)


def test_filter_and_k_are_set_once_or_when_asking(adapted):
    retriever = LangChainRetriever(index=adapted, passages=False, filter="published<2002")
    assert {document.id for document in retriever.invoke(QUERY)} == {"XX-0-A1", "XX-1-A1"}
    assert {document.id for document in retriever.invoke(QUERY, filter="published>=2003")} == {"XX-3-A1"}
    assert len(retriever.invoke(QUERY, k=1)) == 1


def test_it_is_a_runnable(adapted):
    chain = LangChainRetriever(index=adapted, k=2) | (lambda documents: [document.id for document in documents])
    assert chain.batch([QUERY, QUERY]) == [[hit.id for hit in adapted.search_passages(QUERY, k=2)]] * 2


def test_a_folder_is_opened(adapted):
    retriever = LangChainRetriever(index=str(adapted.store.folder), k=3)
    assert retriever.invoke(QUERY) == LangChainRetriever(index=adapted, k=3).invoke(QUERY)
