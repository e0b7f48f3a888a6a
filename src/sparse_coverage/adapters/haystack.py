"""An index as a Haystack component (extra [haystack])."""

# No postponed annotations here: Haystack reads the types of a component's sockets from them.
from pathlib import Path
from typing import Any

from sparse_coverage.adapters import find, opened
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.search import Retriever

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError:
    raise MissingExtraError("The Haystack retriever", "haystack") from None


@component
class HaystackRetriever:
    """Finds passages, or documents, for a pipeline.

        from sparse_coverage.adapters.haystack import HaystackRetriever

        pipeline.add_component("retriever", HaystackRetriever("my-index", top_k=5))
        pipeline.run({"retriever": {"query": "A valve comprising a plunger", "filter": "published<2001-05-17"}})

    `index` is the folder of an index, opened at the first use, so that a pipeline can be written to YAML and read again; or
    anything that ranks documents (`open_retriever("my-index", "words")`), for pipelines that are not written.
    `filter` is written as on the command line; one given when running takes the place of the one given here.
    """

    def __init__(
        self,
        index: str | Path | Retriever,
        top_k: int = 10,
        passages: bool = True,
        filter: str | None = None,  # noqa: A002
    ) -> None:
        self.index = str(index) if isinstance(index, Path) else index
        self.top_k = top_k
        self.passages = passages
        self.filter = filter
        self._opened: Retriever | None = None

    def warm_up(self) -> None:
        """Open the index and load its encoder."""
        if self._opened is None:
            self._opened = opened(self.index)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings."""
        if not isinstance(self.index, str):
            raise InputError(
                f"A pipeline can be written with the folder of an index, not with a {type(self.index).__name__}."
            )
        settings: dict[str, Any] = default_to_dict(
            self, index=self.index, top_k=self.top_k, passages=self.passages, filter=self.filter
        )
        return settings

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "HaystackRetriever":
        """Make a retriever from its settings."""
        made: HaystackRetriever = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator, unused-ignore]
    def run(self, query: str, top_k: int | None = None, filter: str | None = None) -> dict[str, list[Document]]:  # noqa: A002
        """Return the best documents or passages of a query."""
        self.warm_up()
        assert self._opened is not None
        condition = self.filter if filter is None else filter
        k = self.top_k if top_k is None else top_k
        (found,) = find(self._opened, [query], k, passages=self.passages, condition=condition)
        # Haystack's own id may be any string that is unique, as ours is.
        return {
            "documents": [Document(id=hit.id, content=hit.text, meta=hit.metadata, score=hit.score) for hit in found]
        }
