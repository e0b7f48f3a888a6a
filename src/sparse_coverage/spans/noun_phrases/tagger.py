"""A part-of-speech tagger: a greedy averaged perceptron over words, two tags back and two words ahead, compiled."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels.tagging import tag_words
from sparse_coverage.spans.noun_phrases.tagger_weights import TaggerWeights

MOST_WORDS_REMEMBERED = 200_000
# How the training text wrote marks that a text writes otherwise. "I" is a letter or a numeral in a patent ("an I beam", "formula I");
# newspapers knew it as a person, who acts.
_TRAINED_AS = {"(": "-LRB-", ")": "-RRB-", "[": "-LRB-", "]": "-RRB-", "{": "-LRB-", "}": "-RRB-", "and/or": "and",
               "“": "``", "”": "''", '"': "''", "’s": "'s", "—": "--",
               "I": "X"}  # fmt: skip
_BORDERS = ("-START-", "-START2-", "-END-", "-END2-")

Rows = npt.NDArray[np.int32]
Tags = npt.NDArray[np.uint8]


class PerceptronTagger:
    """Gives every word a Penn Treebank tag. `fixed` names words whose tag is always the same.

    What a word contributes is worked out once and remembered; tagging itself runs on integer arrays. Safe to share
    between threads.
    """

    def __init__(self, weights: TaggerWeights, fixed: Mapping[str, str] | None = None) -> None:
        self.tags = weights.tags
        self._weights = weights
        self._tag_number = {tag: i for i, tag in enumerate(weights.tags)}
        self._fixed = {word: self._tag_number[tag] for word, tag in (fixed or {}).items()}
        self._start = (self._tag_number["."], self._tag_number["NN"])  # every sentence begins as if another went before
        self._borders = np.array([self._row_of(border) for border in _BORDERS], dtype=np.int32)
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._rows: Rows = self._borders[:0]

    def tag(self, words: Sequence[str], sentence_ends: npt.NDArray[np.intp]) -> Tags:
        """Return the tag of each word as an index into `tags`. Sentences end before the word numbers given, the last after all."""
        bounds = np.concatenate(([0], sentence_ends))
        if bounds[-1] != len(words) or (np.diff(bounds) < 0).any():  # compiled code checks no bounds itself
            raise ValueError(f"{len(words)} words do not fall into sentences that end at {sentence_ends.tolist()}.")
        with self._lock:
            if len(self._numbers) > MOST_WORDS_REMEMBERED:
                self._numbers, self._rows = {}, self._borders[:0]
            numbers = self._number_all(words)
            rows = self._rows[numbers]
        w = self._weights
        tags: Tags = tag_words(
            rows, sentence_ends, self._borders, self._start[0], self._start[1], len(self.tags), w.offsets, w.classes,
            w.weights, w.tag_word, w.tag_before, w.tag_before2, w.tag_pair, w.bias,
        )  # fmt: skip
        return tags

    def _number_all(self, words: Sequence[str]) -> npt.NDArray[np.intp]:
        numbers = self._numbers
        try:
            return np.array([numbers[word] for word in words], dtype=np.intp)
        except KeyError:
            new = [word for word in dict.fromkeys(words) if word not in numbers]
            known, needed = len(numbers), len(numbers) + len(new)
            if needed > len(self._rows):  # grow by doubling, so that adding words stays cheap
                grown = np.empty((max(needed, 2 * known), self._borders.shape[1]), dtype=np.int32)
                grown[:known] = self._rows[:known]
                self._rows = grown
            self._rows[known:needed] = [self._row_of(word) for word in new]
            numbers.update(zip(new, range(known, needed), strict=True))
            return np.array([numbers[word] for word in words], dtype=np.intp)

    def _row_of(self, word: str) -> list[int]:
        """Return what a word contributes: its only tag or -1, its string, then its features (`STRING_FEATURES`)."""
        weights = self._weights
        word = _TRAINED_AS.get(word, word)
        shape = _normalised(word)
        unknown = len(weights.features) - 1
        number = weights.strings.get
        of_word = number(shape, unknown)
        of_suffix = number(shape[-3:], unknown)
        sources = (number(word[-3:], unknown), number(word[0], unknown), of_word, of_word, of_suffix, of_word, of_word,
                   of_suffix, of_word)  # fmt: skip
        fixed = self._fixed.get(word.lower(), weights.known_tags.get(word, -1))
        return [fixed, of_word, *(int(weights.features[string, i]) for i, string in enumerate(sources))]


def _normalised(word: str) -> str:
    """Return the form under which the training counted a word."""
    if word in _BORDERS:
        return word
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    if word[0].isdigit():
        return "!DIGITS"
    return word.lower()
