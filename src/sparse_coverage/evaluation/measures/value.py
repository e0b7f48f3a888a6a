"""Measures as values: `R @ 100` is one, `str(R @ 100)` is "R@100", and calling it measures a ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Judgements, Ranking, Relevance, Run

Ranked = Literal["document", "passage"]
Compute = Callable[[Relevance, Ranking, int | None], float]


class AnyMeasure(Protocol):
    """What every measure can do, ours or another library's."""

    @property
    def ranked(self) -> Ranked:
        """What is ranked: documents or passages."""

    def per_query(self, judgements: Judgements, run: Run) -> dict[str, float]:
        """Return the value for each query that has something relevant; a query without an answer has an empty ranking."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure, perhaps with a cutoff.

    >>> from sparse_coverage.evaluation.measures import R
    >>> str(R @ 100)
    'R@100'
    >>> (R @ 2)(Relevance({"a": 1, "b": 1}), Ranking(("a", "x", "b")))
    0.5
    """

    name: str
    ranked: Ranked
    compute: Compute
    about: str
    cutoff: int | None = None
    needs_cutoff: bool = False
    takes_cutoff: bool = True

    def __matmul__(self, cutoff: int) -> Measure:
        if not self.takes_cutoff:
            raise InputError(f"{self.name} is measured on the whole ranking: it takes no cutoff.")
        if cutoff < 1:
            raise InputError(f"The cutoff of {self.name} must be at least 1, not {cutoff}.")
        return replace(self, cutoff=cutoff)

    def __call__(self, relevance: Relevance, ranking: Ranking) -> float:
        """Return the value of one ranking."""
        if self.needs_cutoff and self.cutoff is None:
            raise InputError(f"{self.name} needs a cutoff, as in {self.name}@100.")
        return self.compute(relevance, ranking, self.cutoff)

    def per_query(self, judgements: Judgements, run: Run) -> dict[str, float]:
        """Return the value for each query that has something relevant; a query without an answer has an empty ranking."""
        empty = Ranking(())
        return {
            query: self(relevance, run.get(query, empty))
            for query, relevance in judgements.items()
            if (relevance.passages if self.ranked == "passage" else relevance.documents)
        }

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"
