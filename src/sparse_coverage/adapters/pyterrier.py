"""An index as a PyTerrier transformer (extra [pyterrier])."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from sparse_coverage.adapters.finding import find, opened
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.index import Filter
from sparse_coverage.search import Retriever

try:
    import pyterrier as pt

    pd: Any = import_module("pandas")  # it has no types of its own
except ImportError:
    raise MissingExtraError("The PyTerrier transformer", "pyterrier") from None


class SparseCoverageRetriever(pt.Transformer):  # type: ignore[misc]
    """Ranks documents, or passages, for a frame of queries (`qid`, `query`): adds `docno`, `score` and `rank`.

        from sparse_coverage.adapters.pyterrier import SparseCoverageRetriever

        first = SparseCoverageRetriever("my-index", num_results=1000, text=True)
        pipeline = first % 100 >> a_reranker

    `index` is the folder of an index or anything that ranks documents (`open_retriever("my-index", "hybrid")`).
    `filter` is a filter or its text (`"published<2001"`). With `text` there is a column of that name for what comes after.
    """

    def __init__(
        self,
        index: Retriever | str | Path,
        *,
        num_results: int = 1000,
        passages: bool = False,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        text: bool = False,
    ) -> None:
        super().__init__()
        self.index = opened(index)
        self.num_results = num_results
        self.passages = passages
        self.filter = filter
        self.text = text

    def transform(self, queries: Any) -> Any:
        """Return a row for each thing found, queries in their order, best first; columns of the queries are kept."""
        if missing := {"qid", "query"} - set(queries.columns):
            raise InputError(f"The frame of queries has no column {' and no '.join(sorted(missing))}.")
        added = ["docno", "score", "rank", *(["text"] if self.text else [])]
        asked = queries.drop(columns=[name for name in added if name in queries.columns])
        answers = find(
            self.index, asked["query"].tolist(), self.num_results, passages=self.passages, condition=self.filter
        )
        rows = [
            (place, hit.id, hit.score, rank, hit.text)
            for place, hits in enumerate(answers)
            for rank, hit in enumerate(hits, pt.model.FIRST_RANK)
        ]
        columns = ["place", "docno", "score", "rank", "text"]
        found = pd.DataFrame(rows, columns=columns).astype({"place": int, "score": float, "rank": int})
        result = asked.iloc[found["place"].to_numpy()].reset_index(drop=True)
        return result.assign(**{name: found[name] for name in added})

    def fuse_rank_cutoff(self, k: int) -> SparseCoverageRetriever | None:
        """Return a transformer that finds fewer, where a pipeline keeps only the first `k` anyway."""
        if k >= self.num_results:
            return None
        return SparseCoverageRetriever(
            self.index, num_results=k, passages=self.passages, filter=self.filter, text=self.text
        )
