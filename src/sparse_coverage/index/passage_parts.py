"""What is kept of passages beside their centers: their words as inverted lists, which BM25 reads, and one vector for each as a whole.

Of words only counts and lengths are kept. How rare a word is and how long a passage is on average are statistics of the texts that are
live when a search is made, so deleting documents rewrites nothing here. Vectors have 8 bits a number and a scale for each passage.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np

from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.kernels import NARROW, Array, Bytes, Floats, Int8s, Int64s, Mask, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.dense import best_products
from sparse_coverage.vocabulary.points import padded

_HEAD = 8  # bytes of a word that are compared as one number
MOST_OFTEN = 0xFFFF
"""A word that stands in a passage more often than this counts so many times."""


class WordListsBuilder:
    """Collects the words of passages, in their order."""

    def __init__(self) -> None:
        self._lists: dict[str, array[int]] = {}
        self._lengths: list[int] = []

    def add(self, words: Sequence[str]) -> None:
        """Add the next passage: its words in the form that is looked for, each as often as it stands there."""
        place = len(self._lengths) << 16
        for word, count in Counter(words).items():
            self._lists.setdefault(word, array("I")).append(place | min(count, MOST_OFTEN))
        self._lengths.append(len(words))

    def copy(self, lists: WordLists, numbers: Int64s) -> None:
        """Add the passages of a segment by their new numbers, which rise; -1 leaves one out. No text is read again."""
        words, offsets, postings = lists.everything()
        moved = numbers[postings >> np.uint32(16)]
        kept = moved >= 0
        packed = (moved[kept].astype(np.uint32) << np.uint32(16)) | (postings[kept] & np.uint32(0xFFFF))
        bounds = np.concatenate(([0], np.cumsum(kept)))[offsets].tolist()
        for word, first, last in zip(words, bounds, bounds[1:], strict=False):
            if first < last:
                self._lists.setdefault(word, array("I")).frombytes(packed[first:last].tobytes())
        self._lengths.extend(lists.lengths[numbers >= 0].tolist())

    def build(self) -> tuple[dict[str, Array], Uint32s]:
        """Return the small arrays that say where each word's list is, and the lists themselves, one after the other."""
        words = sorted(self._lists, key=str.encode)
        arrays = packed_words("word", words, [len(self._lists[word]) for word in words])
        arrays["lengths"] = np.asarray(self._lengths, dtype=np.uint32)
        postings = np.empty(int(arrays["word_offsets"][-1]), dtype=np.uint32)
        offsets = arrays["word_offsets"].tolist()
        for word, first, last in zip(words, offsets, offsets[1:], strict=False):
            postings[first:last] = self._lists[word]
        return arrays, postings


def packed_words(name: str, words: Sequence[str], counts: Sequence[int]) -> dict[str, Array]:
    """Return the arrays that `SortedWords` reads, of words in the order of their bytes and how long the list of each is."""
    encoded = [word.encode() for word in words]
    return {
        f"{name}s": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        f"{name}_ends": np.asarray([0, *accumulate(map(len, encoded))], dtype=np.uint32),
        f"{name}_offsets": np.asarray([0, *accumulate(counts)], dtype=np.uint32),
    }


class SortedWords(Sequence[bytes]):
    """Words in the order of their bytes, so that `bisect` finds them, each with a list of numbers. With `sums` these are checked."""

    def __init__(
        self, arrays: Mapping[str, Array], name: str, lists: Array, sums: Uint32s | None = None, path: Path = Path()
    ) -> None:
        self._words, self._word_ends = arrays[f"{name}s"], arrays[f"{name}_ends"]
        self._offsets = arrays[f"{name}_offsets"]
        self._lists = lists
        self._guarded = None if sums is None else GuardedArray(lists, sums, path)

    def __len__(self) -> int:
        return len(self._word_ends) - 1

    def __getitem__(self, place: int) -> bytes:  # type: ignore[override]
        if not 0 <= place < len(self):
            raise IndexError(place)
        first, last = self._word_ends[place : place + 2].tolist()
        return self._words[first:last].tobytes()

    def numbers(self, word: str) -> list[int]:
        """Return the number of a word, or nothing where it is not there."""
        wanted = word.encode()
        place = bisect_left(self, wanted)
        return [place] if place < len(self) and self[place] == wanted else []

    def find(self, words: Sequence[str]) -> list[int]:
        """Return the numbers of many words, -1 for one that is not there; much quicker than one by one."""
        wanted = [word.encode() for word in words]
        heads = np.asarray([int.from_bytes(one[:_HEAD].ljust(_HEAD, b"\0"), "big") for one in wanted], np.uint64)
        firsts, lasts = (np.searchsorted(self._heads, heads, side).tolist() for side in ("left", "right"))
        places = [bisect_left(self, *one) for one in zip(wanted, firsts, lasts, strict=True)]
        found = zip(wanted, places, lasts, strict=True)
        return [place if place < last and self[place] == word else -1 for word, place, last in found]

    @cached_property
    def _heads(self) -> Array:
        """The first bytes of each word as a number, so that numbers sort as words do."""
        starts, ends = self._word_ends[:-1].astype(np.int64), self._word_ends[1:].astype(np.int64)
        heads = np.zeros((len(self), _HEAD), np.uint8)
        for place in range(_HEAD):
            longer = np.flatnonzero(starts + place < ends)
            heads[longer, place] = self._words[starts[longer] + place]
        return heads.view(">u8")[:, 0].astype(np.uint64)

    def list_at(self, number: int) -> Uint32s:
        """Return the list of the word with a number."""
        return self.lists_at([number])[0]

    def lists_at(self, numbers: Sequence[int]) -> list[Uint32s]:
        """Return the lists of the words with some numbers."""
        rows = np.asarray(numbers, np.int64)
        if self._guarded is not None and len(rows):
            self._guarded.check_runs(self._offsets, rows)
        bounds = zip(self._offsets[rows].tolist(), self._offsets[rows + 1].tolist(), strict=True)
        return [np.asarray(self._lists[first:last]) for first, last in bounds]


class WordLists(SortedWords):
    """The words of one segment with the passages that hold them.

    A list has the number of each passage, rising, shifted left by 16 bits, and the count of the word there.
    """

    def __init__(self, arrays: Mapping[str, Array], postings: Array, sums: Uint32s, path: Path) -> None:
        super().__init__(arrays, "word", postings, sums, path)
        self.lengths: Uint32s = arrays["lengths"]

    def everything(self) -> tuple[list[str], Uint32s, Uint32s]:
        """Return all words, where the list of each begins and ends, and the lists."""
        if self._guarded is not None:
            self._guarded.check_all()
        return [word.decode() for word in self], self._offsets, np.asarray(self._lists)

    def frequency(self, number: int, live: Mask | None) -> int:
        """Return how many passages hold the word with a number: all, or those that are live."""
        if live is None:
            return int(self._offsets[number + 1]) - int(self._offsets[number])
        return int(live[self.list_at(number) >> np.uint32(16)].sum())


QUERY_LIMIT = 2_047
"""The largest number of a query vector: sums of its products with bytes stay far within 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedVectors:
    """Vectors of passages as they are kept: a row stands for `rows[i] * scales[i]`. Rows are padded with zeros."""

    rows: Int8s
    scales: Floats


def pack_vectors(vectors: Floats) -> PackedVectors:
    """Round vectors, one a row, to 8 bits.

    A scale has 16 significant bits, so that its products with bytes are exact: what was unpacked is packed to the same bytes again.
    """
    scales = (np.abs(vectors).max(axis=1, initial=0) / NARROW).astype(np.float32)
    scales = ((scales.view(np.uint32) + np.uint32(0xFF)) & ~np.uint32(0xFF)).view(np.float32)
    rows = np.zeros((len(vectors), padded(vectors.shape[1])), dtype=np.int8)
    rows[:, : vectors.shape[1]] = np.rint(vectors / np.where(scales == 0, 1, scales)[:, None])
    return PackedVectors(rows, scales)


def join_packed(parts: Sequence[PackedVectors], width: int) -> PackedVectors:
    """Return packed vectors one after the other; `width` is the length of a row."""
    rows = np.concatenate([np.zeros((0, width), np.int8), *(part.rows for part in parts)])
    return PackedVectors(rows, np.concatenate([np.zeros(0, np.float32), *(part.scales for part in parts)]))


def rounded_queries(queries: Floats) -> Floats:
    """Return vectors of a query as they are compared with those of passages: rounded to whole numbers of one unit."""
    unit = _unit(queries)
    return np.asarray(np.rint(queries / unit) * unit, np.float32)


def _unit(queries: Floats) -> float:
    return float(np.abs(queries).max(initial=0)) / QUERY_LIMIT or 1.0


class PassageVectors:
    """The vectors of the passages of one segment, mapped; every page is checked before it is first used."""

    def __init__(self, rows: Array, dimension: int, scales: Floats, sums: Uint32s, path: Path) -> None:
        self._rows = GuardedArray(rows, sums, path)
        self._dimension = dimension
        self._scales = scales

    def packed(self) -> PackedVectors:
        """Return all of them as they are kept."""
        self._rows.check_all()
        return PackedVectors(self._rows.data, self._scales)

    def unpacked(self, first: int, last: int) -> Floats:
        """Return the vectors of the passages from `first` up to `last` as numbers; packed again they are the same bytes."""
        kept = self.packed()
        return kept.rows[first:last, : self._dimension] * kept.scales[first:last, None]

    def products(self, queries: Floats, allowed: Bytes, scores: Floats) -> None:
        """Write the largest product of each vector with any of the queries; minus infinity where a passage is not allowed.

        `allowed`, where not empty, holds 1 or 0 for each passage.
        """
        self._rows.check_all()
        unit = _unit(queries)
        rounded = np.zeros((len(queries), self._rows.data.shape[1]), dtype=np.int16)
        rounded[:, : queries.shape[1]] = np.rint(queries / unit)
        quick = machine_code(plain.product_seconds(self._rows.data, rounded))
        (best_products if quick else plain.best_products)(self._rows.data, self._scales, rounded, unit, allowed, scores)
