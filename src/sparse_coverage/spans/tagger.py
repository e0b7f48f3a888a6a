"""A part-of-speech tagger: a greedy averaged perceptron over words, two tags back and two words ahead, compiled."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels import Array, Bytes, Int32s
from sparse_coverage.kernels.tagging import tag_words

WEIGHTS = Path(__file__).with_name("tagger.npz")
"""An averaged perceptron trained on newspaper text, as plain arrays; see NOTICE for where it comes from."""

#: The features that look at one string, in the order of the columns of `TaggerWeights.features`.
STRING_FEATURES = (
    "i suffix",
    "i pref1",
    "i word",
    "i-1 word",
    "i-1 suffix",
    "i-2 word",
    "i+1 word",
    "i+1 suffix",
    "i+2 word",
)


@dataclass(frozen=True, slots=True, eq=False)
class TaggerWeights:
    """An averaged perceptron as arrays. Weights are whole thousandths, so that sums are exact on every machine.

    A feature is a row number of a sparse matrix (`offsets`, `classes`, `weights`: one column a tag); the last row is empty
    and stands for every feature that was never seen in training, the last string for every unknown word.
    """

    tags: tuple[str, ...]
    strings: dict[str, int]
    known_tags: dict[str, int]
    offsets: Int32s
    classes: Bytes
    weights: Int32s
    features: Int32s  # string x STRING_FEATURES
    tag_word: Int32s  # string x tag before it
    tag_before: Int32s  # tag before
    tag_before2: Int32s  # tag two before
    tag_pair: Int32s  # tag before x tag two before
    bias: int


def weights_from_arrays(arrays: dict[str, Array]) -> TaggerWeights:
    """Build the tables the tagger works with from the stored arrays."""
    tags = _unblob(arrays["tags"])
    number = {tag: i for i, tag in enumerate(tags)}
    names = _unblob(arrays["feature_names"])
    never = len(names)
    column = {name: i for i, name in enumerate(STRING_FEATURES)}
    strings: dict[str, int] = {}
    of_string: list[tuple[int, int, int]] = []
    of_tag_word: list[tuple[int, int, int]] = []
    tag_before = np.full(len(tags), never, dtype=np.int32)
    tag_before2 = tag_before.copy()
    tag_pair = np.full((len(tags), len(tags)), never, dtype=np.int32)
    bias = never
    for row, name in enumerate(names):
        kind, _, value = name.partition(" ")
        if kind == "bias":
            bias = row
            continue
        what, _, value = value.partition(" ")
        if (template := f"{kind} {what}") in column:
            of_string.append((strings.setdefault(value, len(strings)), column[template], row))
        elif template == "i-1 tag+i":
            tag, _, word = value.removeprefix("word ").partition(" ")
            if tag in number:
                of_tag_word.append((strings.setdefault(word, len(strings)), number[tag], row))
        elif template == "i tag+i-2":
            before, _, before2 = value.removeprefix("tag ").partition(" ")
            if before in number and before2 in number:
                tag_pair[number[before], number[before2]] = row
        elif value in number:
            (tag_before if template == "i-1 tag" else tag_before2)[number[value]] = row
    features = np.full((len(strings) + 1, len(STRING_FEATURES)), never, dtype=np.int32)
    tag_word = np.full((len(strings) + 1, len(tags)), never, dtype=np.int32)
    for table, entries in ((features, of_string), (tag_word, of_tag_word)):
        string, place, row_numbers = np.array(entries, dtype=np.int32).T
        table[string, place] = row_numbers
    offsets = np.append(arrays["offsets"], arrays["offsets"][-1:]).astype(np.int32)
    known = dict(zip(_unblob(arrays["known_words"]), arrays["known_tags"].tolist(), strict=True))
    return TaggerWeights(
        tuple(tags), strings, known, offsets, arrays["classes"], arrays["weights"], features, tag_word,
        tag_before, tag_before2, tag_pair, bias,
    )  # fmt: skip


def load_weights() -> TaggerWeights:
    """Return the tagger's weights."""
    return weights_from_arrays(load_arrays())


def load_arrays() -> dict[str, Array]:
    """Return the stored arrays of the weights."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _unblob(blob: Array) -> list[str]:
    return blob.tobytes().decode().split("\n")


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
