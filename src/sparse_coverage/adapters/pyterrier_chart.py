"""Claim charts as the last step of a PyTerrier pipeline (extra [pyterrier])."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from sparse_coverage.charts.charting import Charts
from sparse_coverage.charts.elements import read_claims
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.search import Index

try:
    import pyterrier as pt

    pd: Any = import_module("pandas")  # it has no types of its own
except ImportError:
    raise MissingExtraError("The PyTerrier transformer", "pyterrier") from None

ADDED = ("score", "rank", "elements", "disclosed", "partly", "quote")


class ClaimChart(pt.Transformer):  # type: ignore[misc]
    """Charts the documents of a ranking against the claim that is their query, and ranks them by the share of it they cover.

        from sparse_coverage.adapters.pyterrier import SparseCoverageRetriever
        from sparse_coverage.adapters.pyterrier_chart import ClaimChart

        sc, chart = SparseCoverageRetriever("my-index"), ClaimChart("my-index")
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
        chart = self.charts.chart(read_claims(rows["query"].iloc[0]), rows["docno"].tolist())
        told = []
        for place, column in enumerate(chart.documents):
            cells = [row[place] for row in chart.cells]
            words = {word: [cell.element for cell in cells if cell.word == word] for word in ("disclosed", "partly")}
            quotes = [quote for cell in cells for quote in cell.quotes]
            best = max(quotes, key=lambda quote: quote.evidence).text if quotes else ""
            told.append((column.id, column.share, len(cells), words["disclosed"], words["partly"], best))
        columns = ["docno", "score", "elements", "disclosed", "partly", "quote"]
        found = pd.DataFrame(told, columns=columns).drop_duplicates("docno")
        joined = found.merge(rows.drop_duplicates("docno"), on="docno", how="left")
        joined["rank"] = range(pt.model.FIRST_RANK, pt.model.FIRST_RANK + len(joined))
        return joined[[*rows.columns, *ADDED]]
