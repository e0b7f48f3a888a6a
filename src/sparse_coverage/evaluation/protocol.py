"""The paper's two-stage protocol: passages rank documents, then all passages of the best documents are ranked again.

Deterministic: higher score first, then corpus order. A passage without evidence has the score minus infinity.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sparse_coverage.aggregation import Aggregation, Best, document_scores
from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Corpus, Ranking
from sparse_coverage.search import Hit

DEPTH = 100
UNSCORED = -np.inf

Scores = npt.NDArray[np.floating]


def rank_scores(
    scores: Scores,
    corpus: Corpus,
    excluded: frozenset[str] = frozenset(),
    depth: int = DEPTH,
    aggregation: Aggregation = Best(),  # noqa: B008 - immutable
) -> Ranking:
    """Rank documents by their best passage, or as `aggregation` says, then all passages of the first `depth` documents by their own scores.

    Documents without any scored passage are not ranked; among the passages of a ranked document, unscored ones come last, in
    corpus order. `excluded` documents are no candidates at all.
    """
    if len(scores) != len(corpus):
        raise InputError(f"There are {len(scores)} scores for {len(corpus)} passages. Was another collection indexed?")
    best = document_scores(scores, corpus.starts[:-1], aggregation)
    candidates = np.flatnonzero(best > UNSCORED)
    if excluded:
        candidates = candidates[[corpus.documents[number] not in excluded for number in candidates]]
    ranked = candidates[np.lexsort((candidates, -best[candidates]))]
    return _with_passages(ranked, best[ranked].tolist(), scores, corpus, depth)


def _with_passages(
    ranked: npt.NDArray[np.intp], best: Sequence[float], scores: Scores, corpus: Corpus, depth: int
) -> Ranking:
    """Return documents, by their numbers, with their scores and with all passages of the first `depth`, best first."""
    parts = [np.arange(corpus.starts[number], corpus.starts[number + 1]) for number in np.sort(ranked[:depth])]
    pool = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    pool = pool[np.lexsort((pool, -scores[pool]))]
    owners = np.searchsorted(corpus.starts, pool, side="right") - 1
    return Ranking(
        tuple(corpus.documents[number] for number in ranked),
        tuple(best),
        tuple(corpus.ids[passage] for passage in pool),
        tuple(corpus.documents[number] for number in owners),
        tuple(scores[pool].tolist()),
    )


def rank_hits(
    hits: Sequence[Hit], corpus: Corpus, excluded: frozenset[str] = frozenset(), depth: int = DEPTH
) -> Ranking:
    """Do the same from the hits of any retriever: documents in their order, and every passage that the hits carry."""
    if strange := [hit for hit in hits if not hasattr(hit, "document")]:
        raise InputError(
            f"The retriever returned a list of {type(strange[0]).__name__} for one text. Give a list of Hit."
        )
    numbers = {document: number for number, document in enumerate(corpus.documents)}
    kept = [hit for hit in hits if hit.document not in excluded]
    unknown = next((hit.document for hit in kept if hit.document not in numbers), None)
    if unknown is not None:
        raise InputError(
            f"The retriever returned '{unknown}', which the collection does not hold. Was another one indexed?"
        )
    scores = np.full(len(corpus), UNSCORED)
    places = {id_: place for place, id_ in enumerate(corpus.ids)}
    for passage in (passage for hit in kept[:depth] for passage in hit.passages):
        if passage.id not in places:
            raise InputError(
                f"The retriever returned the passage '{passage.id}', which the collection does not hold. Cut its documents as the "
                "collection is cut, or return hits without passages."
            )
        scores[places[passage.id]] = passage.score
    ranked = np.array([numbers[hit.document] for hit in kept], dtype=np.intp)
    return _with_passages(ranked, [hit.score for hit in kept], scores, corpus, depth)


def evidence(scores: Scores) -> npt.NDArray[np.float64]:
    """Turn the scores of an inverted index, where zero means that nothing matched, into scores for ranking."""
    ranked = scores.astype(np.float64)
    ranked[ranked <= 0] = UNSCORED
    return ranked
