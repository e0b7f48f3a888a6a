"""Ranking query vectors on an engine: passages, and from these documents, exactly."""

from __future__ import annotations

from sparse_coverage.engines.conditions import AnyOf, Condition, Not, all_of
from sparse_coverage.engines.engine import Centers, EngineError, Found, RemoteCollection, Request, Weights
from sparse_coverage.engines.statistics import Statistics
from sparse_coverage.search.statistics import CenterStatistics, ScoringConfig
from sparse_coverage.vectors import SparseVector

AT_ONCE = 8
_PASSAGES_PER_DOCUMENT = 4
_FEWEST = 32


class Ranker:
    """Ranks what a collection holds, with the document frequencies that it held when this was made or last refreshed."""

    known: Statistics
    statistics: CenterStatistics

    def __init__(self, collection: RemoteCollection, scoring: ScoringConfig | None = None) -> None:
        self.collection = collection
        self._scoring = scoring
        self.refresh()

    def refresh(self) -> None:
        """Take the newest document frequencies."""
        text = self.collection.read_statistics() if self.collection.exists() else None
        if text is None:
            raise EngineError(
                f"The collection '{self.collection.name}' holds no finished index. "
                "Run `sparse-coverage engine push` (again): it goes on where it stopped."
            )
        known = Statistics.from_text(text)
        self.known, self.statistics = known, known.scored(self._scoring or known.scoring)

    def rank_passages(self, vector: SparseVector, k: int, condition: Condition | None = None) -> list[Found]:
        """Return the `k` best points of a query vector."""
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        return self.collection.search([Request(centers, factors, k, condition)])[0] if len(centers) else []

    def rank_documents(
        self, vector: SparseVector, k: int, passages: int, condition: Condition | None = None
    ) -> list[list[Found]]:
        """Return the best points of the `k` best documents, document by document.

        Engines rank passages. The best documents are those met first on the way down that ranking; what is met already is
        left out of the next request, until there are enough documents or nothing more is found. A document whose best
        passages were not all met on the way is asked for by itself.
        """
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        if not len(centers):
            return []
        met, short = self._meet(centers, factors, k, passages, condition)
        asked = [
            Request(centers, factors, passages, all_of([condition, AnyOf("document", (document,))]))
            for document in short
        ]
        for first in range(0, len(asked), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            for document, found in zip(short[part], self.collection.search(asked[part]), strict=True):
                # A document that was deleted since keeps what it was met with.
                met[document] = found or met[document]
        return sorted((found[:passages] for found in met.values()), key=lambda found: -found[0].score)

    def _meet(
        self, centers: Centers, factors: Weights, k: int, passages: int, condition: Condition | None
    ) -> tuple[dict[str, list[Found]], list[str]]:
        """Return the points of the `k` best documents that were met, and the documents that may have more of them."""
        met: dict[str, list[Found]] = {}
        short: list[str] = []
        while len(met) < k:
            limit = min(max(_PASSAGES_PER_DOCUMENT * (k - len(met)), _FEWEST), self.collection.limit)
            others = Not(AnyOf("document", tuple(met))) if met else None
            (found,) = self.collection.search([Request(centers, factors, limit, all_of([condition, others]))])
            new: dict[str, list[Found]] = {}
            for point in found:
                if point.document in new or len(met) + len(new) < k:
                    new.setdefault(point.document, []).append(point)
            met |= new
            if len(found) < limit:
                break  # that was everything there is
            short += [document for document, points in new.items() if len(points) < passages]
        return met, short
