"""The units made of noun phrases: `np`, and `np+token`, which adds the tokens that no phrase covers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from sparse_coverage.encoding.encoder import IntArray, Tokens, TokenVectors
from sparse_coverage.kernels import Mask
from sparse_coverage.spans.noun_phrases.extractor import NounPhraseExtractor, Phrases
from sparse_coverage.spans.pooling import Index, Spans, TokenPlaces, pool_runs, token_places


class PhraseUnit:
    """Noun phrases as spans; with `rest`, also every token with a letter or digit that lies in no phrase.

    A phrase is the run of tokens whose characters lie inside it, and its offsets are theirs. One that was cut by a chunk
    border keeps its offsets and takes its vector from the chunk that holds most of its tokens (the first, if two hold the same).
    """

    def __init__(self, extractor: NounPhraseExtractor, *, rest: bool) -> None:
        self._extractor = extractor
        self._rest = rest
        backend = "" if extractor.name == "embedded" else f"[{extractor.name}]"
        self.name = ("np+token" if rest else "np") + backend

    def locate(self, text: str, tokens: Tokens) -> tuple[IntArray, IntArray]:
        """Return where the spans of a text start and end, in text order, without encoding it."""
        [phrases] = self._extractor.extract([text])
        places = token_places(text, tokens)
        first, last = self._runs(phrases, places)
        return places.starts[first], places.ends[last - 1]

    def pool(self, text: str, tokens: TokenVectors) -> Spans:
        """Return the spans of a text with their vectors."""
        [spans] = self.pool_many([text], [tokens])
        return spans

    def pool_many(self, texts: Iterable[str], tokens: Iterable[TokenVectors]) -> Iterator[Spans]:
        """Yield the spans of each text, in order. The extractor sees the texts as one stream, so that it can batch them."""
        to_extract, to_pool = itertools.tee(texts)
        for text, phrases, vectors in zip(to_pool, self._extractor.extract(to_extract), tokens, strict=True):
            places = token_places(text, vectors)
            first, last = self._runs(phrases, places)
            inside = _largest_chunk(first, last, vectors.chunks)
            yield Spans(pool_runs(vectors.vectors, *inside), places.starts[first], places.ends[last - 1])

    def _runs(self, phrases: Phrases, places: TokenPlaces) -> tuple[Index, Index]:
        """Return the spans as runs of tokens, `first[i]:last[i]`, in text order."""
        starts, ends = phrases
        first = np.searchsorted(places.starts, starts, side="left")
        last = np.searchsorted(places.ends, ends, side="right")
        first[1:] = np.maximum(first[1:], last[:-1])
        first, last = _without_blanks(first, last, places.ends > places.starts)
        lexical_before = np.concatenate(([0], np.cumsum(places.lexical)))
        real = (first < last) & (lexical_before[last] > lexical_before[np.minimum(first, last)])
        first, last = first[real], last[real]
        if not self._rest:
            return first, last
        changes = np.zeros(len(places.lexical) + 1, dtype=np.intp)
        changes[first] += 1
        changes[last] -= 1  # runs are disjoint, so no index repeats within either line
        alone = np.flatnonzero(places.lexical & (np.cumsum(changes[:-1]) == 0))
        all_first = np.concatenate((first, alone))
        all_last = np.concatenate((last, alone + 1))
        order = np.argsort(all_first)
        return all_first[order], all_last[order]


def _without_blanks(first: Index, last: Index, ink: Mask) -> tuple[Index, Index]:
    """Narrow each run so that it neither begins nor ends with a token of blanks only; it may become empty."""
    if ink.all():
        return first, last
    here = np.arange(len(ink))
    next_ink = np.minimum.accumulate(np.append(np.where(ink, here, len(ink)), len(ink))[::-1])[::-1]
    after_ink = np.maximum.accumulate(np.insert(np.where(ink, here + 1, 0), 0, 0))
    return next_ink[first], after_ink[last]


def _largest_chunk(first: Index, last: Index, chunks: IntArray) -> tuple[Index, Index]:
    """Narrow each run to its tokens of one chunk: the one with most of them. One step for every chunk a run can touch."""
    best_first, best_last = first.copy(), first.copy()
    left = first.copy()
    while (left < last).any():
        inside = np.minimum(left, len(chunks) - 1)
        right = np.minimum(np.searchsorted(chunks, chunks[inside], side="right"), last)
        better = right - left > best_last - best_first
        best_first, best_last = np.where(better, left, best_first), np.where(better, right, best_last)
        left = np.maximum(right, left)
    return best_first, best_last
