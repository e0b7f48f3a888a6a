"""Several retrievers as one: their rankings of documents joined by rank or by score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.kernels import Doubles
from sparse_coverage.search.index import Index
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Retriever, Searcher
from sparse_coverage.systems import FusionRule

DEPTH = 1000
CONSTANT = 60


class Fuse(Searcher):
    """Searches with several retrievers and joins what they find. It is a retriever itself, so fusions can be fused.

        fused = Fuse(index.ranked_by("centers"), index.ranked_by("words"), my_own_retriever)
        fused.search("A valve comprising a plunger biased by a spring")

    `how`: `rrf` adds 1 / (60 + rank), `weighted` adds scores, each divided by the largest of its retriever. `weights`: how much each part
    counts, equal by default. `depth`: how many documents of each
    part are looked at. Equal scores: by id, so that a ranking never depends on the order of the parts. A filter goes to every
    part. A document's best passage has the document's score.
    """

    def __init__(
        self,
        *parts: Retriever,
        how: FusionRule = "rrf",
        weights: Sequence[float] | None = None,
        depth: int = DEPTH,
    ) -> None:
        if len(parts) < 2:
            raise InputError(f"A fusion needs at least two parts, not {len(parts)}.")
        given = [1.0] * len(parts) if weights is None else [float(weight) for weight in weights]
        if len(given) != len(parts) or not all(weight > 0 for weight in given):
            raise InputError(f"{len(parts)} parts need {len(parts)} weights above 0, not {given}.")
        fuse_scores([np.zeros(1)] * len(parts), how, given)  # refuses an unknown way at once
        self.parts = parts
        self._how = how
        self._weights = given
        self._depth = depth

    @property
    def coverage(self) -> Index | None:
        """The index of Sparse Coverage among the parts, if there is one."""
        return next((part.coverage for part in self.parts if part.coverage is not None), None)

    @property
    def store(self) -> IndexStore:
        """The index that the first part searches."""
        return self.parts[0].store

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        depth = max(k, self._depth)
        found = [part.search(queries, depth, passages=passages, filter=condition) for part in self.parts]
        return [
            [
                replace(hit, passages=hit.passages[:passages])
                for hit in self._joined([part[place] for part in found])[:k]
            ]
            for place in range(len(queries))
        ]

    def _joined(self, parts: Sequence[Sequence[Hit]]) -> list[Hit]:
        every = {hit.document: hit for part in reversed(parts) for hit in part}
        values = self._fused([{hit.document: hit.score for hit in part} for part in parts])
        passages = self._fused_passages(parts)
        hits = []
        for document, value in values.items():
            mine = passages[document]
            # The passages of a document keep their own order, at the height of the document.
            factor = value / mine[0].score if mine and mine[0].score > 0 else 0.0
            hits.append(
                replace(
                    every[document], score=value, passages=tuple(replace(one, score=one.score * factor) for one in mine)
                )
            )
        return sorted(hits, key=lambda hit: (-hit.score, hit.document))

    def _fused_passages(self, parts: Sequence[Sequence[Hit]]) -> dict[str, list[PassageHit]]:
        """Return the passages of each document with their fused scores, best first."""
        texts = {passage.id: passage for part in parts for hit in part for passage in hit.passages}
        values = self._fused([{one.id: one.score for hit in part for one in hit.passages} for part in parts])
        grouped: dict[str, list[PassageHit]] = {hit.document: [] for part in parts for hit in part}
        for id_, value in sorted(values.items(), key=lambda item: (-item[1], item[0])):
            grouped[texts[id_].document].append(replace(texts[id_], score=value))
        return grouped

    def _fused(self, parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
        ids = sorted({id_ for part in parts for id_ in part})
        arrays: list[Doubles] = [
            np.asarray([part.get(id_, -np.inf) for id_ in ids], dtype=np.float64) for part in parts
        ]
        return dict(zip(ids, fuse_scores(arrays, self._how, self._weights).tolist(), strict=True))


def reciprocal_ranks(scores: Doubles, constant: int = CONSTANT) -> Doubles:
    """Return 1 / (constant + rank) of each score, ties in the order given, and 0 where there is none (minus infinity).

    >>> reciprocal_ranks(np.array([0.5, -np.inf, 0.9])).tolist() == [1 / 62, 0.0, 1 / 61]
    True
    """
    order = np.argsort(-scores, kind="stable")
    values = np.empty(len(scores))
    values[order] = 1 / (constant + np.arange(1, len(scores) + 1))
    values[scores == -np.inf] = 0
    return values


def shares(scores: Doubles) -> Doubles:
    """Return each score divided by the largest; what is not positive, or not there, counts as 0.

    >>> shares(np.array([2.0, -np.inf, 4.0, -1.0])).tolist()
    [0.5, 0.0, 1.0, 0.0]
    """
    largest = scores.max(initial=0.0)
    return np.maximum(scores, 0) / largest if largest > 0 else np.zeros(len(scores))


def fuse_scores(parts: Sequence[Doubles], how: FusionRule, weights: Sequence[float]) -> Doubles:
    """Return one score for each thing from the scores that several parts gave it. The order of the parts does not matter."""
    if how not in ("rrf", "weighted"):
        raise InputError(f"There is no fusion '{how}'. Use rrf (by rank) or weighted (by share of the largest score).")
    single = reciprocal_ranks if how == "rrf" else shares
    added = np.stack([weight * single(part) for part, weight in zip(parts, weights, strict=True)])
    # Floating point sums depend on the order of what is added: a fixed one, whatever the order of the parts.
    return np.asarray(np.sort(added, axis=0).sum(axis=0))
