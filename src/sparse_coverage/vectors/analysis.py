"""How a vocabulary behaves (Appendix C of the paper): compact cells, sparse activations, balanced posting lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.progress import progress_bar
from sparse_coverage.vectors.activation import activate, count_covering
from sparse_coverage.vectors.sparse_vector import ActivationConfig
from sparse_coverage.vocabulary import SpanSample, Vocabulary

DEFAULT_SPANS = 20_000


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One vocabulary size under the three measures of the paper, on `spans` spans of the sample.

    `covering` is the mean number of centers that cover a span before the top-K cap, `activation_rate` the same divided by
    V. `skew` is the longest posting list divided by the mean one, after the cap, centers without any entry included.
    """

    encoder: str
    unit: str
    size: int
    median_radius: float
    covering: float
    activation_rate: float
    skew: float
    uncovered: float
    spans: int
    selection: str = "farthest-first"


def analyse(
    vocabulary: Vocabulary,
    sample: SpanSample,
    *,
    spans: int | None = DEFAULT_SPANS,
    seed: int = 0,
    activation: ActivationConfig | None = None,
    lists: npt.NDArray[np.int64] | None = None,
    threads: int | None = None,
) -> list[Behaviour]:
    """Measure every fitted size of a vocabulary on spans drawn from its sample (all of them with `spans=None`).

    The paper's skew is that of an index: `lists` are the lengths of its posting lists, and the size that they belong to is
    measured alone. Without an index, skew is that of the lists of the spans drawn, where an entry is a document.
    """
    total = len(sample) if spans is None else min(spans, len(sample))
    rows = np.sort(np.random.default_rng([seed, 6]).choice(len(sample), total, replace=False))
    vectors = sample.points.rows(rows)
    names = [anchor.document for anchor in sample.anchors(rows)]
    documents = np.unique(names, return_inverse=True)[1].astype(np.int64)
    found = []
    sizes = vocabulary.sizes if lists is None else (len(lists),)
    with progress_bar("Measuring activations", len(sizes)) as advance:
        for size in sizes:
            smaller = vocabulary.truncate(size)
            covering = count_covering(vectors, smaller, threads=threads)
            lengths = lists
            if lengths is None:
                active = activate(vectors, smaller, activation or ActivationConfig(), threads=threads).centers
                lengths = list_lengths(active, documents, size)
            found.append(
                Behaviour(
                    encoder=vocabulary.config.encoder,
                    unit=vocabulary.config.unit,
                    size=size,
                    median_radius=float(np.median(smaller.radii)),
                    covering=float(covering.mean()),
                    activation_rate=float(covering.mean() / size),
                    skew=posting_skew(lengths),
                    uncovered=float((covering == 0).mean()),
                    spans=total,
                    selection=vocabulary.config.selection,
                )
            )
            advance()
    return found


def list_lengths(active: npt.NDArray[np.int32], documents: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Return how many documents each center's posting list holds, given the centers and the document of each span.

    >>> list_lengths(np.array([[0, 1], [0, -1], [0, -1]], np.int32), np.array([0, 1, 1]), 2).tolist()
    [2, 1]
    """
    span, place = np.nonzero(active >= 0)
    pairs = np.unique(np.stack([active[span, place].astype(np.int64), documents[span]]), axis=1)
    return np.bincount(pairs[0], minlength=size)


def posting_skew(lengths: npt.NDArray[np.int64]) -> float:
    """Return the longest posting list divided by the mean one; 0 where all are empty.

    >>> posting_skew(np.array([2, 1]))
    1.3333333333333333
    """
    return float(lengths.max() / lengths.mean()) if lengths.any() else 0.0
