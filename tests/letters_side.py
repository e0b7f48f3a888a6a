"""A side that needs no package: how often each letter stands in a text. It is found by its name, as one of an installed package is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from sparse_coverage import systems
from sparse_coverage.index.sides import Block
from sparse_coverage.kernels import Array, Floats, Mask
from sparse_coverage.retrievers import RankingSide

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class Letters(RankingSide):
    """The counts of letters as a vector of length one; texts are compared by their cosine. Counts the texts that it read."""

    kind = "letters"

    def __init__(self, alphabet: str = ALPHABET) -> None:
        self.alphabet, self.read = alphabet, 0

    @classmethod
    def made_with(cls, settings: Mapping[str, Any], threads: int | None) -> Letters:
        return cls(settings.get("alphabet", ALPHABET))

    @property
    def settings(self) -> dict[str, Any]:
        return {"alphabet": self.alphabet}

    def rows(self, texts: Iterable[str]) -> Iterator[Floats]:
        for text in texts:
            self.read += 1
            counts = np.asarray([text.lower().count(letter) for letter in self.alphabet], np.float32)
            yield counts / max(float(np.linalg.norm(counts)), 1.0)

    def pack(self, rows: Iterable[Floats]) -> dict[str, Array]:
        return {
            "vectors": np.concatenate([np.zeros((0, len(self.alphabet)), np.float32), *(row[None] for row in rows)])
        }

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[Floats]:
        return arrays["vectors"]  # type: ignore[return-value]

    def scorer(self, blocks: Sequence[Block]) -> LettersScorer:
        return LettersScorer(self, blocks)


class LettersScorer:
    """Cosines, each summed by itself: texts without a letter of the query have none."""

    def __init__(self, side: Letters, blocks: Sequence[Block]) -> None:
        self._side, self._blocks = side, blocks

    def scores(self, query: str, allowed: Mask | None = None) -> Floats:
        [asked] = self._side.rows([query])
        found = [np.einsum("ij,j->i", block.arrays["vectors"], asked) for block in self._blocks]
        scores = np.concatenate([np.zeros(0, np.float32), *found])
        scores[scores <= 0] = -np.inf
        return scores

    def cost(self, query: str) -> int:
        return sum(map(len, self._blocks))


OPENING = "retrievers.opening"
ROW = systems.System("letters", "By letters", f"{OPENING}:open_side", f"{OPENING}:side_reranker", side=Letters)


def install_letters(patch: pytest.MonkeyPatch) -> None:
    """Make the side known by its name."""
    patch.setitem(systems._BY_NAME, "letters", ROW)
