"""Where the noun phrases of a text are: the protocol, and the extractor that is always there."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from sparse_coverage.encoding.encoder import IntArray
from sparse_coverage.spans.noun_phrases.grammar import (
    PATENT_TAGS,
    lexical_letter,
    phrase_runs,
    reference_numerals,
    says_nothing,
    split_words,
    trimmed_start,
    word_letters,
)
from sparse_coverage.spans.noun_phrases.tagger import MOST_WORDS_REMEMBERED, PerceptronTagger, load_weights

#: Start and end of each phrase: characters of the text, in text order, never overlapping.
Phrases = tuple[IntArray, IntArray]

BLOCK_CHARACTERS = 20_000
BLOCK_TEXTS = 256
_TEXT_END = "\n\n"  # as a blank line inside a text: no phrase and no sentence goes on after it


class NounPhraseExtractor(Protocol):
    """Finds the noun phrases of texts."""

    @property
    def name(self) -> str:
        """Says which extractor this is; equal names give equal phrases."""
        ...

    def extract(self, texts: Iterable[str]) -> Iterator[Phrases]:
        """Yield the places of each text's noun phrases, in order."""
        ...


class EmbeddedExtractor:
    """Tags words with a compiled perceptron and finds phrases with a grammar made for patents. Needs no other package.

    Example:
        >>> text = "A washing machine comprising a rotating drum (10)."
        >>> [(starts, ends)] = EmbeddedExtractor().extract([text])
        >>> [text[start:end] for start, end in zip(starts, ends)]
        ['washing machine', 'rotating drum']
    """

    name = "embedded"

    def __init__(self, tagger: PerceptronTagger | None = None) -> None:
        self._tagger = tagger or PerceptronTagger(load_weights(), PATENT_TAGS)
        self._lexical = functools.lru_cache(MOST_WORDS_REMEMBERED)(lexical_letter)

    def extract(self, texts: Iterable[str]) -> Iterator[Phrases]:
        """Yield the places of each text's noun phrases, in order. Texts are taken in blocks; each counts only for itself."""
        for block in _blocks(texts):
            yield from self._phrases(block)

    def _phrases(self, texts: list[str]) -> Iterator[Phrases]:
        """Find the phrases of several texts at once: their words in one row, a sentence end after each text."""
        split = [split_words(text) for text in texts]
        words = [word for part in split for word in (*part.strings, _TEXT_END)]
        letters = self._letters(words)
        lower = [word.lower() for word in words]
        runs = []
        for first, last in phrase_runs(letters):
            head = letters[last - 1]
            plural = head == "M" or (head == "E" and lower[last - 1].endswith("s"))  # "tables" is a plural, too
            first = trimmed_start(lower, first, last, plural)
            if first < last and not says_nothing(lower, first, last):
                runs.append((first, last - 1))
        first_words, last_words = np.array(runs, dtype=np.intp).reshape(-1, 2).T
        begin = 0
        for part in split:
            inside = slice(*np.searchsorted(first_words, (begin, begin + len(part))))
            yield part.starts[first_words[inside] - begin], part.ends[last_words[inside] - begin]
            begin += len(part) + 1

    def _letters(self, words: list[str]) -> str:
        """Return the words as letters. The tagger never sees reference numerals: they would only mislead it."""
        spelled = "".join(map(self._lexical, words))
        lexical = np.frombuffer(spelled.encode(), dtype=np.uint8)
        seen = np.ones(len(words), dtype=np.bool_)
        for first, last in reference_numerals(spelled):
            seen[first:last] = False
        lexical = lexical[seen]
        shown = list(itertools.compress(words, seen.tolist()))
        stops = np.flatnonzero(lexical == ord("."))
        for stop in stops.tolist():  # whatever ends a sentence: the tagger learned from sentences with a full stop
            shown[stop] = "."
        tags = self._tagger.tag(shown, np.append(stops + 1, len(shown)))
        letters = np.full(len(words), ord("#"), dtype=np.uint8)
        letters[seen] = word_letters(lexical, tags, self._tagger.tags)
        return letters.tobytes().decode()


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Gather texts until a block is worth the fixed cost of a pass over it."""
    block, characters = [], 0
    for text in texts:
        block.append(text)
        characters += len(text)
        if characters >= BLOCK_CHARACTERS or len(block) >= BLOCK_TEXTS:
            yield block
            block, characters = [], 0
    if block:
        yield block


@functools.cache
def embedded_extractor() -> EmbeddedExtractor:
    """Return the embedded extractor, loaded once in a process."""
    return EmbeddedExtractor()
