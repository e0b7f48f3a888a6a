"""The dataset table of the paper, for any collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.corpus import Corpus
from sparse_coverage.evaluation.protocol import missing_passages


@dataclass(frozen=True, slots=True)
class Statistic:
    """One line of the table: what is counted, and the count, or the mean and the median."""

    key: str
    name: str
    values: tuple[float, ...]


def dataset_statistics(collection: Collection, corpus: Corpus) -> list[Statistic]:
    """Count documents, passages, queries and judgements as the paper does; lengths are in words between blanks."""
    judged = collection.judged
    relevance = [collection.judgements[query.id] for query in judged]
    relevant = frozenset().union(*(r.documents for r in relevance))
    per_document = np.diff(corpus.starts)
    held = np.array([document in relevant for document in corpus.documents])
    lines = [
        Statistic("documents", "documents", (len(corpus.documents),)),
        Statistic("relevant_documents", "of them relevant", (int(held.sum()),)),
        Statistic("other_documents", "of them not relevant", (int((~held).sum()),)),
        Statistic("passages", "passages", (len(corpus),)),
        Statistic("relevant_document_passages", "of them from relevant documents", (int(per_document[held].sum()),)),
        Statistic("other_document_passages", "of them from other documents", (int(per_document[~held].sum()),)),
        Statistic("passages_per_document", "passages a document", _mean_median(per_document)),
        Statistic("queries", "queries", (len(judged),)),
        Statistic("query_words", "words a query", _mean_median([*query_lengths(collection)])),
        Statistic(
            "documents_per_query", "relevant documents a query", _mean_median([len(r.documents) for r in relevance])
        ),
    ]
    if collection.has_passages:
        by_query = [frozenset().union(*r.passages.values()) for r in relevance]
        unique = frozenset().union(*by_query)
        lines += [
            Statistic("passages_per_query", "relevant passages a query", _mean_median([*map(len, by_query)])),
            Statistic("passage_judgements", "relevant (query, passage) pairs", (sum(map(len, by_query)),)),
            Statistic("passages_judged", "different relevant passages", (len(unique),)),
            Statistic("passages_present", "of them in the corpus", (len(unique) - missing_passages(unique, corpus),)),
        ]
    return [*lines, Statistic("passage_words", "words a passage", _mean_median(corpus.words))]


def query_lengths(collection: Collection) -> list[int]:
    """Return the number of words of each judged query."""
    return [len(query.text.split()) for query in collection.judged]


def _mean_median(values: Sequence[int] | npt.NDArray[np.int64]) -> tuple[float, float]:
    return (float(np.mean(values)), float(np.median(values))) if len(values) else (0.0, 0.0)
