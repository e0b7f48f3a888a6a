"""Several retrievers as one: their rankings joined by rank or by score, for whole documents or passage by passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.kernels import Doubles
from sparse_coverage.search.index import Index
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Retriever, Searcher, as_filter, require_counts
from sparse_coverage.systems import FusionLevel, FusionRule

DEPTH = 1000
CONSTANT = 60


@dataclass(frozen=True, slots=True)
class PartScore:
    """What one part of a fusion says of a document (or passage): its rank and score there, None where it was not found, and
    what that adds to the fused score.
    """

    system: str
    rank: int | None
    score: float | None
    adds: float


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
        found = [part.search(queries, depth, passages=passages, filter=condition) for part in self.parts]
        fuse = self._by_document if self._level == "document" else self._by_passage
        return [
            [replace(hit, passages=hit.passages[:passages]) for hit in fuse([part[place] for part in found])[:k]]
            for place in range(len(queries))
        ]

    def search_parts(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> tuple[list[Hit], dict[str, tuple[PartScore, ...]]]:
        """Search, and say what each part added to the score of each document found (or of its best passage, by `level`)."""
        require_counts(k=k, passages=passages)
        depth, condition = max(k, self._depth), as_filter(filter)
        found = [part.search(query, depth, passages=passages, filter=condition) for part in self.parts]
        fuse = self._by_document if self._level == "document" else self._by_passage
        hits = [replace(hit, passages=hit.passages[:passages]) for hit in fuse(found)[:k]]
        if self._level == "document":
            scores = [{hit.document: hit.score for hit in part} for part in found]
            wanted = {hit.document: hit.document for hit in hits}
        else:
            scores = [{one.id: one.score for hit in part for one in hit.passages} for part in found]
            wanted = {hit.document: hit.passages[0].id for hit in hits}
        ids = sorted({id_ for part in scores for id_ in part})
        arrays = [np.asarray([part.get(id_, -np.inf) for id_ in ids], dtype=np.float64) for part in scores]
        added = fused_parts(arrays, self._how, self._weights)
        ranks = [np.argsort(np.argsort(-array, kind="stable"), kind="stable") + 1 for array in arrays]
        row_of = {id_: row for row, id_ in enumerate(ids)}
        return hits, {
            document: tuple(
                PartScore(
                    system_name(part),
                    int(rank[row_of[id_]]) if id_ in known else None,
                    known.get(id_),
                    float(adds[row_of[id_]]),
                )
                for part, known, rank, adds in zip(self.parts, scores, ranks, added, strict=True)
            )
            for document, id_ in wanted.items()
        }

    @property
    def depth(self) -> int:
        """How many documents of each part are looked at."""
        return self._depth

    @property
    def how(self) -> str:
        """How the parts are joined, in words."""
        rule = f"1 / ({CONSTANT} + rank)" if self._how == "rrf" else "share of the part's largest score"
        return f"{self._how}: each part adds {rule} of the {self._level}"

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


def fused_parts(parts: Sequence[Doubles], how: FusionRule, weights: Sequence[float]) -> list[Doubles]:
    """Return what each part adds to the score of each thing."""
    single = reciprocal_ranks if how == "rrf" else shares
    return [weight * single(part) for part, weight in zip(parts, weights, strict=True)]


def system_name(part: Retriever) -> str:
    """Return the name of the system that a retriever is: that of its side, or `coverage`, or of its class."""
    kind = getattr(getattr(part, "side", None), "kind", None)
    return str(kind) if kind else "coverage" if isinstance(part, Index) else type(part).__name__


def fuse_scores(parts: Sequence[Doubles], how: FusionRule, weights: Sequence[float]) -> Doubles:
    """Return one score for each thing from the scores that several parts gave it. The order of the parts does not matter."""
    if how not in ("rrf", "weighted"):
        raise InputError(f"There is no fusion '{how}'. Use rrf (by rank) or weighted (by share of the largest score).")
    added = np.stack(fused_parts(parts, how, weights))
    # Floating point sums depend on the order of what is added: a fixed one, whatever the order of the parts.
    return np.asarray(np.sort(added, axis=0).sum(axis=0))
