"""Reasons that a person can read: phrases of the query beside phrases of the passage, and the words that found nothing.

Tokens and pieces of words are summed into the phrases they stand in, on both sides. Function words, numerals and pieces of
unlike words count in a score, because in their context they carry topic, but they are no reason by themselves: what they add
is one sum. So is what feedback adds, which comes from the passages that were found first and not from the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sparse_coverage.kernels import Doubles, Int64s, Mask
from sparse_coverage.search.results import Match, Place, Reason, Reasons
from sparse_coverage.text import Word, comparable, content_words, guess_language, stems, stems_of
from sparse_coverage.vectors import Activations


@dataclass(frozen=True, slots=True, eq=False)
class SpanWords:
    """Where spans lie: the number of the word that each ends in, -1 where that says nothing, and whether it is only a piece of it."""

    words: Int64s
    pieces: Mask

    def of(self, spans: Int64s) -> SpanWords:
        """Return the same for some of the spans."""
        return SpanWords(self.words[spans], self.pieces[spans])


@dataclass(frozen=True, eq=False)
class Phrases:
    """The phrases of a text: runs of words that say something, nothing but blanks between them."""

    text: str
    starts: Int64s
    ends: Int64s
    phrases: list[Place]
    phrase_of: Int64s  # the number of each word's phrase

    @staticmethod
    @lru_cache(64)
    def of(text: str) -> Phrases:
        """Find the phrases of a text."""
        words = content_words(text)
        runs: list[list[Word]] = []
        numbers = []
        for word in words:
            if not runs or text[runs[-1][-1].end : word.start].strip():
                runs.append([])
            runs[-1].append(word)
            numbers.append(len(runs) - 1)
        phrases = [Place(text[run[0].start : run[-1].end], run[0].start, run[-1].end) for run in runs]
        starts, ends = (np.asarray([getattr(one, side) for one in words], np.int64) for side in ("start", "end"))
        return Phrases(text, starts, ends, phrases, np.asarray(numbers, np.int64))

    @cached_property
    def words(self) -> list[str]:
        """The words, in small letters."""
        bounds = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [comparable(self.text[start:end]).lower() for start, end in bounds]

    def at(self, starts: Int64s, ends: Int64s) -> SpanWords:
        """Return where spans lie."""
        words = np.searchsorted(self.starts, np.maximum(ends - 1, starts), side="right") - 1
        if not len(self.starts):
            return SpanWords(words, np.zeros(len(words), bool))
        words[self.ends[words] <= starts] = -1
        return SpanWords(words, (starts > self.starts[words]) | (ends < self.ends[words]))

    def phrase(self, place: Place) -> Place | None:
        """Return the phrase around a place of the text, or None where that says nothing."""
        number = self._word(place)
        return None if number < 0 else self.phrases[self.phrase_of[number]]

    def word(self, place: Place) -> str | None:
        """Return the word around a place of the text in small letters, or None where that says nothing."""
        number = self._word(place)
        return None if number < 0 else self.words[number]

    def _word(self, place: Place) -> int:
        return int(self.at(np.asarray([place.start]), np.asarray([place.end])).words[0])


_ALIKE = 4
"""Two words of which only pieces met are alike if they begin with the same so many letters: plunger, plungers."""


def reasons_for(query: str, passage: str, matches: Iterable[Match]) -> Reasons:
    """Sum the matches of an explanation into reasons."""
    ours, theirs, every = Phrases.of(query), Phrases.of(passage), list(matches)
    contributions = np.asarray([match.contribution for match in every], np.float64)
    lent = np.asarray([bool(match.lender) for match in every], bool)
    at_ours = _found(ours, [match.query for match in every])
    at_theirs = _found(theirs, [match.passage for match in every])
    return summed_up(ours, theirs, at_ours, at_theirs, contributions, lent)


def summed_up(
    ours: Phrases, theirs: Phrases, at_ours: SpanWords, at_theirs: SpanWords, contributions: Doubles, lent: Mask
) -> Reasons:
    """Sum matches into reasons: where their spans lie on both sides, what each adds, and which are lent by feedback.

    Values are added in the order of the matches, so that every way to the same matches gives the same sums to the last bit.
    """
    own = ~lent & (at_ours.words >= 0) & (at_theirs.words >= 0)
    for row in np.flatnonzero(own & (at_ours.pieces | at_theirs.pieces)).tolist():
        # Where only pieces of words met, unlike words say nothing.
        own[row] = ours.words[at_ours.words[row]][:_ALIKE] == theirs.words[at_theirs.words[row]][:_ALIKE]
    rows = np.flatnonzero(own)
    queries, passages = ours.phrase_of[at_ours.words[rows]], theirs.phrase_of[at_theirs.words[rows]]
    pairs, places = np.unique(queries * len(theirs.phrases) + passages, return_inverse=True)
    sums = np.bincount(places, contributions[rows], len(pairs))
    # By the sum, then by where the phrases stand, as their numbers do.
    found = tuple(
        Reason(ours.phrases[pair // len(theirs.phrases)], theirs.phrases[pair % len(theirs.phrases)], value)
        for pair, value in ((int(pairs[place]), float(sums[place])) for place in np.argsort(-sums, kind="stable"))
    )
    return Reasons(found, _added(contributions[~own & ~lent]), _added(contributions[lent]))


def _found(phrases: Phrases, places: list[Place]) -> SpanWords:
    starts, ends = (np.asarray([getattr(one, side) for one in places], np.int64) for side in ("start", "end"))
    return phrases.at(starts, ends)


def _added(values: Doubles) -> float:
    """Return a sum that is made one by one."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


FOUND = 0.65
"""The least product of the two weights in a shared center that counts as found: 4 % of the words of a claim that an unrelated
document does not have reach it."""


def unmatched_words(
    query: str,
    spans: Sequence[Place],
    activations: Activations,
    stop: Mask,
    weights: Mapping[int, float],
    texts: Iterable[str],
) -> tuple[Place, ...]:
    """Return the words of a query, each once, that texts have nothing for.

    `spans` are those of the query and `activations` their centers; `weights` are the largest weights that the texts have for
    centers. Words that nothing can match, since their centers do not count, are left out.
    """
    language = guess_language(query)
    there = {stem for text in texts for stem in stems(text, language)}
    words = content_words(query, language)
    parts = [stems_of(word.text, language) for word in words]
    numbers, rows = _words_of_spans(words, spans)
    centers, similarities = activations.centers[rows], activations.similarities[rows]
    counts = (centers >= 0) & (similarities > 0) & ~stop[centers]
    heaviest = np.zeros(len(stop))
    heaviest[list(weights)] = list(weights.values())
    products = np.where(counts, similarities, 0.0).astype(np.float64) * heaviest[centers]
    searched, evidence = np.zeros(len(words), bool), np.zeros(len(words))
    np.logical_or.at(searched, numbers, counts.any(axis=1))
    np.maximum.at(evidence, numbers, products.max(axis=1, initial=0.0))
    found = {
        part for part, value in zip(parts, evidence.tolist(), strict=True) if value >= FOUND or there.issuperset(part)
    }
    unmatched: dict[tuple[str, ...], Place] = {}
    for word, part, looked_for in zip(words, parts, searched.tolist(), strict=True):
        if looked_for and part not in found:
            unmatched.setdefault(part, Place(*word))
    return tuple(unmatched.values())


def _words_of_spans(words: Sequence[Word], spans: Sequence[Place]) -> tuple[Int64s, Int64s]:
    """Return pairs of a word and a span that lies over it, by their numbers."""
    starts, ends = (np.asarray([getattr(one, side) for one in spans], dtype=np.int64) for side in ("start", "end"))
    begins, stops = (np.asarray([getattr(one, side) for one in words], dtype=np.int64) for side in ("start", "end"))
    first = np.maximum(np.searchsorted(begins, starts, side="right") - 1, 0)
    counts = np.maximum(np.searchsorted(begins, ends - 1, side="right") - first, 0)
    rows = np.repeat(np.arange(len(spans)), counts)
    numbers = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    over = stops[numbers] > starts[rows]
    return numbers[over], rows[over]
