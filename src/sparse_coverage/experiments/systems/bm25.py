"""BM25 with stemming and stopword removal, through `bm25s` (extra [baselines])."""

from __future__ import annotations

import importlib

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.evaluation.protocol import evidence
from sparse_coverage.evaluation.units import unit_passages
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions


class Bm25System:
    """All units in memory; a claim is a query in full."""

    def __init__(self, bench: Workbench, options: SystemOptions) -> None:
        try:
            self._bm25s, stemmer = importlib.import_module("bm25s"), importlib.import_module("Stemmer")
        except ImportError:
            raise MissingExtraError("BM25", "baselines") from None
        self._stem = stemmer.Stemmer("english")
        texts = [unit.text for unit in unit_passages(bench.collection.documents(), bench.collection.by)]
        tokens = self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stem, show_progress=False)
        self._index = self._bm25s.BM25()
        self._index.index(tokens, show_progress=False)
        self._vocabulary = tokens.vocab
        self._lengths = np.diff(self._index.scores["indptr"])
        self._texts = {query.id: query.text for query in bench.collection.judged}

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of every unit for a query of the collection, by its id."""
        words = self._words(query)
        if not words:
            return np.full(self._index.scores["num_docs"], -np.inf)
        return evidence(self._index.get_scores(words))

    def cost(self, query: str) -> int:
        """Return the postings scanned: the lengths of the lists of the query's different words."""
        return int(sum(self._lengths[self._vocabulary[word]] for word in set(self._words(query))))

    def _words(self, query: str) -> list[str]:
        """Return the stems of a query that the collection knows, as often as they stand there."""
        [stems] = self._bm25s.tokenize(
            [self._texts[query]], stopwords="en", stemmer=self._stem, return_ids=False, show_progress=False
        )
        return [stem for stem in stems if stem in self._vocabulary]
