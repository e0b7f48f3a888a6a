"""Several retrievers as one: their rankings joined by rank or by score, for whole documents or passage by passage."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.retrievers.fusion_scores import FusionRule, Values, fuse_scores
from sparse_coverage.search.results import Hit, PassageHit, Retriever
from sparse_coverage.search.searcher import Searcher

FusionLevel = Literal["document", "passage"]
DEPTH = 1000


class Fuse(Searcher):
    """Searches with several retrievers and joins what they find. It is a retriever itself, so fusions can be fused.

        hybrid = Fuse(index, bm25, dense)
        hybrid.search("A valve comprising a plunger biased by a spring")

    `how`: `rrf` adds 1 / (60 + rank), `weighted` adds scores, each divided by the largest of its retriever. `level`: what is
    ranked by each part before the sums are made, `document`s (by their best passage) or `passage`s; documents are then
    ranked by their best one. `weights`: how much each part counts, equal by default. `depth`: how many documents of each
    part are looked at. Equal scores: by id, so that a ranking never depends on the order of the parts. A filter goes to every
    part. A document's best passage has the document's score.
    """

    def __init__(
        self,
        *parts: Retriever,
        how: FusionRule = "rrf",
        level: FusionLevel = "document",
        weights: Sequence[float] | None = None,
        depth: int = DEPTH,
    ) -> None:
        if len(parts) < 2:
            raise InputError(f"A fusion needs at least two parts, not {len(parts)}.")
        if level not in ("document", "passage"):
            raise InputError(f"There is no level '{level}'. Fuse rankings of documents or of passages.")
        given = [1.0] * len(parts) if weights is None else [float(weight) for weight in weights]
        if len(given) != len(parts) or not all(weight > 0 for weight in given):
            raise InputError(f"{len(parts)} parts need {len(parts)} weights above 0, not {given}.")
        fuse_scores([np.zeros(1)] * len(parts), how, given)  # refuses an unknown way at once
        self.parts = parts
        self._how = how
        self._level = level
        self._weights = given
        self._depth = depth

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        depth = max(k, self._depth)
        found = [ask(part, queries, depth, passages, condition) for part in self.parts]
        fuse = self._by_document if self._level == "document" else self._by_passage
        return [
            [replace(hit, passages=hit.passages[:passages]) for hit in fuse([part[place] for part in found])[:k]]
            for place in range(len(queries))
        ]

    def _by_document(self, parts: Sequence[Sequence[Hit]]) -> list[Hit]:
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

    def _by_passage(self, parts: Sequence[Sequence[Hit]]) -> list[Hit]:
        every = {hit.document: hit for part in reversed(parts) for hit in part}
        hits = [
            replace(every[document], score=mine[0].score, passages=tuple(mine))
            for document, mine in self._fused_passages(parts).items()
            if mine
        ]
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
        arrays: list[Values] = [np.asarray([part.get(id_, -np.inf) for id_ in ids], dtype=np.float64) for part in parts]
        return dict(zip(ids, fuse_scores(arrays, self._how, self._weights).tolist(), strict=True))


def ask(part: Retriever, queries: Sequence[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
    """Search with any retriever; one that can say how many passages it wants is asked for as many as are wanted."""
    more: dict[str, Any] = {}
    if "passages" in inspect.signature(part.search).parameters:
        more["passages"] = passages
    if len(queries) == 1:  # a retriever may share one query out over its threads
        return [part.search(queries[0], k, filter=condition, **more)]
    return part.search(list(queries), k, filter=condition, **more)
