"""An index, and claim charts as the last step, in PyTerrier pipelines (extra [pyterrier])."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from sparse_coverage.adapters import FoundText, find, opened
from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import read_claims
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.index import Filter
from sparse_coverage.patents.numbers import printed_id
from sparse_coverage.search import Index, Retriever

try:
    import pyterrier as pt

    pd: Any = import_module("pandas")  # it has no types of its own
except ImportError:
    raise MissingExtraError("The PyTerrier transformer", "pyterrier") from None


class PyTerrierRetriever(pt.Transformer):  # type: ignore[misc]
    """Ranks documents, or passages, for a frame of queries (`qid`, `query`): adds `docno`, `score` and `rank`.

        from sparse_coverage.adapters.pyterrier import PyTerrierRetriever

        first = PyTerrierRetriever("my-index", num_results=1000, text=True)
        pipeline = first % 100 >> a_reranker

    `index` is the folder of an index or anything that ranks documents (`open_retriever("my-index", "words")`).
    `filter` is a filter or its text (`"published<2001"`). With `text` there is a column of that name for what comes after.
    An index keeps publication numbers in one form (`US-20050012345-A1`); where the judgements write them otherwise, `own_ids`
    says how, and `docno` has that form: `own_ids=load_collection("my-collection").own_ids()`.
    """

    def __init__(
        self,
        index: Retriever | str | Path,
        *,
        num_results: int = 1000,
        passages: bool = False,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        text: bool = False,
        own_ids: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.index = opened(index)
        self.own_ids = own_ids or {}
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
            (place, self._docno(hit), hit.score, rank, hit.text)
            for place, hits in enumerate(answers)
            for rank, hit in enumerate(hits, pt.model.FIRST_RANK)
        ]
        columns = ["place", "docno", "score", "rank", "text"]
        found = pd.DataFrame(rows, columns=columns).astype({"place": int, "score": float, "rank": int})
        result = asked.iloc[found["place"].to_numpy()].reset_index(drop=True)
        return result.assign(**{name: found[name] for name in added})

    def _docno(self, hit: FoundText) -> str:
        document: str = hit.metadata["document"]
        return self.own_ids.get(document, document) + hit.id.removeprefix(document)

    def fuse_rank_cutoff(self, k: int) -> PyTerrierRetriever | None:
        """Return a transformer that finds fewer, where a pipeline keeps only the first `k` anyway."""
        if k >= self.num_results:
            return None
        return PyTerrierRetriever(
            self.index,
            num_results=k,
            passages=self.passages,
            filter=self.filter,
            text=self.text,
            own_ids=self.own_ids,
        )


ADDED = ("score", "rank", "elements", "disclosed", "partly", "quote")


class ClaimChart(pt.Transformer):  # type: ignore[misc]
    """Charts the documents of a ranking against the claim that is their query, and ranks them by the share of it they cover.

        from sparse_coverage.adapters.pyterrier import ClaimChart, PyTerrierRetriever

        sc, chart = PyTerrierRetriever("my-index"), ClaimChart("my-index")
        pipeline = sc % 100 >> chart

    `score` becomes that share; `elements` is how many the claim has, `disclosed` and `partly` are the labels of those that the
    document has, `quote` is its strongest passage for any of them, verbatim. `index` is an index or its folder.
    """

    def __init__(self, index: Index | str | Path) -> None:
        super().__init__()
        self.charts = Charts(Index.open(index) if isinstance(index, str | Path) else index)

    def transform(self, ranked: Any) -> Any:
        """Return the rows of a ranking with what the charts say, each query's documents by their share, best first."""
        if missing := {"qid", "query", "docno"} - set(ranked.columns):
            raise InputError(f"The frame of results has no column {' and no '.join(sorted(missing))}.")
        kept = ranked.drop(columns=[name for name in ADDED if name in ranked.columns])
        parts = [self._charted(rows) for _, rows in kept.groupby("qid", sort=False)]
        return pd.concat(parts, ignore_index=True) if parts else kept.assign(**{name: [] for name in ADDED})

    def _charted(self, rows: Any) -> Any:
        docnos = {printed_id(docno): docno for docno in rows["docno"]}
        chart = self.charts.chart(read_claims(rows["query"].iloc[0]), list(docnos))
        told = []
        for place, column in enumerate(chart.documents):
            cells = [row[place] for row in chart.cells]
            words = {word: [cell.element for cell in cells if cell.verdict == word] for word in ("disclosed", "partly")}
            quotes = [quote for cell in cells for quote in cell.quotes]
            best = max(quotes, key=lambda quote: quote.evidence).text if quotes else ""
            told.append((docnos[column.id], column.share, len(cells), words["disclosed"], words["partly"], best))
        columns = ["docno", "score", "elements", "disclosed", "partly", "quote"]
        found = pd.DataFrame(told, columns=columns).drop_duplicates("docno")
        joined = found.merge(rows.drop_duplicates("docno"), on="docno", how="left")
        joined["rank"] = range(pt.model.FIRST_RANK, pt.model.FIRST_RANK + len(joined))
        return joined[[*rows.columns, *ADDED]]
