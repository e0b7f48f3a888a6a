"""An index as a LangChain retriever (extra [langchain])."""

from __future__ import annotations

from typing import Any

from sparse_coverage.adapters import find, opened
from sparse_coverage.errors import MissingExtraError

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError:
    raise MissingExtraError("The LangChain retriever", "langchain") from None


class LangChainRetriever(BaseRetriever):  # type: ignore[misc]
    """Finds passages, or documents, for a chain.

        from sparse_coverage.adapters.langchain import LangChainRetriever

        retriever = LangChainRetriever(index="my-index", k=5)
        retriever.invoke("A valve comprising a plunger", filter="published<2001-05-17")

    `index` is the folder of an index or anything that ranks documents (`open_retriever("my-index", "words")`); `filter` a
    filter or its text. Both `k` and `filter` may also be given when asking. Metadata holds the score, the document, and its
    section (a passage) or its bibliographic data (a document).
    """

    index: Any
    k: int = 10
    passages: bool = True
    filter: Any = None

    def model_post_init(self, context: Any, /) -> None:
        """Open the index, where a folder was given."""
        super().model_post_init(context)
        self.index = opened(self.index)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: Any,
        k: int | None = None,
        filter: Any = None,  # noqa: A002
    ) -> list[Any]:
        condition = self.filter if filter is None else filter
        (found,) = find(self.index, [query], self.k if k is None else k, passages=self.passages, condition=condition)
        return [
            Document(id=hit.id, page_content=hit.text, metadata={**hit.metadata, "score": hit.score}) for hit in found
        ]
