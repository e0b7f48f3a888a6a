"""The words of a claim's elements in the sentences of a document, weighed by how rare they are.

Vectors tell whether a sentence is about the same thing; words tell whether it names the same parts. How rare a word is comes from
the documents that calibrated charts, so that evidence does not depend on what else an index holds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sparse_coverage.charts.phrases import WORD, stems
from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.kernels import Floats, Int32s

_MOST = 5000


@dataclass(frozen=True, slots=True)
class Rarity:
    """In how many of so many texts a word (its stem) stands; of those that are not listed, in none."""

    texts: int
    counts: Mapping[str, int]

    @classmethod
    def learn(cls, texts: Iterable[str]) -> Rarity:
        """Count the commonest words of texts."""
        counts: Counter[str] = Counter()
        number = 0
        for text in texts:
            counts.update(stems(text))
            number += 1
        return cls(number, dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]))

    def of(self, word: str) -> float:
        """Return how rare a stem is: its inverse frequency.

        >>> rarity = Rarity.learn(["a valve", "a valve with a spring"])
        >>> rarity.of("valv") < rarity.of("spring") < rarity.of("unheard")
        True
        """
        count = self.counts.get(word, 0)
        return math.log(1 + (self.texts - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, slots=True, eq=False)
class ElementWords:
    """The words of elements: `columns` numbers each stem, `weights` says how much each counts in each element; rows sum to 1."""

    columns: Mapping[str, int]
    weights: Floats

    @classmethod
    def of(cls, texts: Sequence[str], rarity: Rarity) -> ElementWords:
        """Weigh the words of elements."""
        every = [stems(text) for text in texts]
        columns = {word: number for number, word in enumerate(sorted(set().union(*every)))}
        weights = np.zeros((len(texts), len(columns)), np.float32)
        for row, words in zip(weights, every, strict=True):
            for word in words:
                row[columns[word]] = rarity.of(word)
            row /= max(float(row.sum()), 1e-9)
        return cls(columns, weights)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceWords:
    """In which sentences of a document each word stands."""

    places: Mapping[str, Sequence[int]]
    window_ends: Int32s

    @classmethod
    def of(cls, passages: Sequence[str], sentences: Sentences) -> SentenceWords:
        """Find the words of a document; `passages` are its texts."""
        places: dict[str, list[int]] = {}
        rows = zip(sentences.passages.tolist(), sentences.starts.tolist(), sentences.ends.tolist(), strict=True)
        for number, (passage, start, end) in enumerate(rows):
            for word in set(WORD.findall(passages[passage], start, end)):
                for stem in _stems(word):
                    places.setdefault(stem, []).append(number)
        return cls(places, sentences.window_ends())

    def shares(self, words: ElementWords) -> Floats:
        """Return the share of each element's words in each window of the document, an element a row."""
        there = np.zeros((len(self.window_ends), len(words.columns)), np.float32)
        for word, column in words.columns.items():
            there[self.places.get(word, ()), column] = 1
        shares: Floats = words.weights @ np.maximum(there, there[self.window_ends]).T
        return shares


@lru_cache(100_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))
