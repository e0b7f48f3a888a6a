"""BM25 (Lucene's variant, k1 = 1.5, b = 0.75) over raw term counts: statistics are those of the texts that are live.

The index keeps counts only, so adding and deleting texts rewrites nothing: idf and the average length are computed when
blocks are opened, from what still counts. Scores are those of the library bm25s, bit for bit.
"""

from __future__ import annotations

import importlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log

import numpy as np

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.kernels import Array, Mask, Uint16s
from sparse_coverage.kernels.scoring import add_bm25
from sparse_coverage.retrievers.side import Block, Evidence, Scores, Side
from sparse_coverage.search.results import Match, Place

K1, B = 1.5, 0.75
_LARGEST = 65_535  # a word that stands in a text more often than this scores no better for it
_WORD = re.compile(r"\b\w\w+\b")
STOPWORDS = frozenset(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
    was will with""".split()
)


class Bm25(Side):
    """Words, stemmed, without stopwords; a claim is a query in full. Needs the extra [baselines], for the stemmer."""

    kind = "bm25"

    def __init__(self) -> None:
        self._words = word_reader()

    @property
    def settings(self) -> dict[str, str]:
        """What the kept counts depend on."""
        return {"stemmer": "english", "stopwords": "english"}

    def rows(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the stems of each text."""
        return map(self._words, texts)

    def pack(self, rows: Iterable[list[str]]) -> dict[str, Array]:
        """Return term counts by term, and the length of each text in words."""
        lists: dict[str, list[tuple[int, int]]] = {}
        lengths = []
        for passage, words in enumerate(rows):
            lengths.append(len(words))
            for term, count in Counter(words).items():
                lists.setdefault(term, []).append((passage, min(count, _LARGEST)))
        terms = sorted(lists)
        written = [term.encode() for term in terms]
        postings = np.asarray([one for term in terms for one in lists[term]], dtype=np.uint16).reshape(-1, 2)
        return {
            "terms": np.frombuffer(b"".join(written), dtype=np.uint8),
            "term_ends": np.cumsum([0, *map(len, written)]).astype(np.uint32),
            "offsets": np.cumsum([0, *(len(lists[term]) for term in terms)]).astype(np.uint32),
            "units": np.ascontiguousarray(postings[:, 0]),  # passages; what is on disk keeps its first name
            "counts": np.ascontiguousarray(postings[:, 1]),
            "lengths": np.asarray(lengths, dtype=np.uint32),
        }

    def scorer(self, blocks: Sequence[Block]) -> Bm25Scorer:
        """Return a scorer over blocks."""
        return Bm25Scorer(self, blocks)


class Bm25Scorer:
    """Adds up the lists of a query's words, in the query's order, each word as often as it stands there."""

    def __init__(self, side: Bm25, blocks: Sequence[Block]) -> None:
        self._side = side
        self._blocks = [_Postings(block.arrays, block.live) for block in blocks]
        self._live = sum(int(block.live.sum()) for block in blocks)
        words = sum(int(block.arrays["lengths"][block.live].sum()) for block in blocks)
        average = np.float64(words / self._live) if words else np.float64(1)
        self._norms = [K1 * ((1 - B) + B * block.arrays["lengths"].astype(np.float64) / average) for block in blocks]

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the score of every text; minus infinity where it shares no word with the query."""
        words = next(self._side.rows([query]))
        idf = {word: self._idf(word) for word in dict.fromkeys(words)}
        found = []
        for postings, norms in zip(self._blocks, self._norms, strict=True):
            scores = np.zeros(len(norms), dtype=np.float32)
            for word in words:
                passages, counts = postings.list_of(word)
                add_bm25(passages, counts, idf[word], norms, scores)
            scores[scores <= 0] = -np.inf
            found.append(scores)
        return np.concatenate([np.zeros(0, np.float32), *found])

    def cost(self, query: str) -> int:
        """Return the postings scanned: the lengths of the lists of the query's different words."""
        words = set(next(self._side.rows([query])))
        return sum(len(postings.list_of(word)[0]) for postings in self._blocks for word in words)

    def evidence(self, query: str, number: int, text: str) -> Evidence:
        """Return what each word that query and text share adds: its sum, in equal parts over the places where it stands."""
        asked, there = _stem_places(self._side, query), _stem_places(self._side, text)
        block = 0
        while number >= len(self._norms[block]):
            number -= len(self._norms[block])
            block += 1
        postings, norm = self._blocks[block], float(self._norms[block][number])
        matches = []
        for stem in asked.keys() & there.keys():
            passages, counts = postings.list_of(stem)
            count = float(counts[passages == number][0])
            worth = count / (count + norm) / len(there[stem])
            idf, often = self._idf(stem), len(asked[stem])
            matches += [
                Match(0, stem, asked[stem][0], place, often, worth, idf, often * worth * idf) for place in there[stem]
            ]
        return Evidence(tuple(sorted(matches, key=lambda match: (-match.contribution, match.passage.start))))

    def _idf(self, word: str) -> float:
        frequency = sum(postings.frequency(word) for postings in self._blocks)
        if not frequency:
            return 0.0
        # Rounded as bm25s rounds it.
        return float(np.float32(log(1 + (self._live - frequency + 0.5) / (frequency + 0.5))))


class _Postings(Sequence[str]):
    """The lists of one block. As a sequence it is its terms, sorted, so that `bisect` finds them where they lie on disk."""

    def __init__(self, arrays: Mapping[str, Array], live: Mask) -> None:
        self._arrays = arrays
        self._live = live
        self._all_live = bool(live.all())

    def __len__(self) -> int:
        return len(self._arrays["term_ends"]) - 1

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        first, last = self._arrays["term_ends"][place : place + 2].tolist()
        return self._arrays["terms"][first:last].tobytes().decode()

    def list_of(self, word: str) -> tuple[Uint16s, Uint16s]:
        place = bisect_left(self, word)
        found = place < len(self) and self[place] == word
        first, last = self._arrays["offsets"][place : place + 2].tolist() if found else (0, 0)
        return self._arrays["units"][first:last], self._arrays["counts"][first:last]

    def frequency(self, word: str) -> int:
        passages, _ = self.list_of(word)
        return len(passages) if self._all_live else int(self._live[passages].sum())


def _stem_places(side: Bm25, text: str) -> dict[str, list[Place]]:
    """Return where each stem of a text stands."""
    found: dict[str, list[Place]] = {}
    for word in _WORD.finditer(text):
        for stem in next(side.rows([word.group()])):
            found.setdefault(stem, []).append(Place(word.group(), *word.span()))
    return found


def word_reader() -> Callable[[str], list[str]]:
    """Return the function that gives the stems of a text, in order, each as often as it stands there."""
    try:
        stem: Callable[[str], str] = importlib.import_module("Stemmer").Stemmer("english").stemWord
    except ImportError:
        raise MissingExtraError("BM25", "baselines") from None

    def read(text: str) -> list[str]:
        return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOPWORDS]

    return read
