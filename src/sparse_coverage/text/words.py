"""What a word is: where it stands, which words say something, its stem, and how rare it is.

A word is a run of letters and digits; a hyphen or an apostrophe between two runs joins them (`letters.py` has letters that are spelled
oddly). For comparing, small letters without accents are taken apart at hyphens and stemmed by Snowball's stemmer of the language:
"Lead-Acid batteries" has the stems lead, acid and batteri. The word filters of an index use the same stems (see `index/words.py`).
Chinese, Japanese and Korean have no blanks to tell words by: every two letters that stand together are a word there, so that any text
is found by a part of it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Container, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import Stemmer

from sparse_coverage.text.languages import function_words, guess_language
from sparse_coverage.text.letters import aligned, comparable

_EAST_ASIAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_LETTER = rf"[^\W_{_EAST_ASIAN}]"
_PAIR = rf"[{_EAST_ASIAN}](?=([{_EAST_ASIAN}]?))"
"""A letter and, looked ahead, the next: together a word, from which the search goes on at the next letter."""
_WORD = re.compile(rf"{_PAIR}|{_LETTER}+(?:[-'’]{_LETTER}+)*")
_PART = re.compile(rf"{_PAIR}|{_LETTER}+")
_SIMPLE = re.compile(r"[^\W_]+")
_SIMPLE_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_ANY_EAST_ASIAN = re.compile(f"[{_EAST_ASIAN}]")
_EAST = "\u3005"  # a letter from here on says something by itself
_NUMERAL = re.compile(r"[\d'’-]+[a-z]?")
"""A number, or a reference numeral such as 10a; but H2O2, 3D and p53 are words."""
_STEMMERS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
}


class Word(NamedTuple):
    """A word as it stands in a text, from `start` to `end`."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Return every word of a text.

    >>> [word.text for word in words("A lead-acid battery (12).")]
    ['A', 'lead-acid', 'battery', '12']
    >>> [word.text for word in words("二次電池 Li")]
    ['二次', '次電', '電池', 'Li']
    """
    return [word for _, word in _placed(text, _SIMPLE_WORD, _WORD)]


def _placed(text: str, simple: re.Pattern[str], pattern: re.Pattern[str]) -> Iterator[tuple[str, Word]]:
    """Yield words as they are compared, and as they stand in a text."""
    plain, places = aligned(text)
    for word in _found(plain, simple, pattern):
        if places is None:
            yield word.text, word
        else:
            start, end = places[word.start], places[word.end]
            yield word.text, Word(text[start:end], start, end)


def _found(text: str, simple: re.Pattern[str], pattern: re.Pattern[str]) -> Iterator[Word]:
    if text.isascii() or not _ANY_EAST_ASIAN.search(text):
        yield from (Word(found[0], *found.span()) for found in simple.finditer(text))
        return
    last = -1  # where the pair before ends: the last letter of several is no word by itself
    for found in pattern.finditer(text):
        second = found[1]
        if second is None:
            yield Word(found[0], *found.span())
        elif second or found.start() >= last:
            last = found.end() + len(second)
            yield Word(found[0] + second, found.start(), last)


@lru_cache(64)  # the query, and the passage at hand, are looked at several times
def content_words(text: str, language: str = "") -> tuple[Word, ...]:
    """Return the words of a text that say something: no function words, numerals and single letters.

    >>> [word.text for word in content_words("The valve (12) of claim 3 is closed by a spring.")]
    ['valve', 'closed', 'spring']
    """
    without = function_words(language or guess_language(text))
    return tuple(word for word in words(text) if _says_something(word.text, without))


def _says_something(word: str, without: Container[str]) -> bool:
    word = comparable(word)
    return _is_term(word, without) and not _NUMERAL.fullmatch(word)


def index_terms(text: str) -> list[str]:
    """Return the stems that a text is found by, in order, with repetitions. Function words and single letters are left out.

    >>> index_terms("The valve closes the 12 valves of the lead-acid battery.")
    ['valv', 'close', '12', 'valv', 'lead', 'acid', 'batteri']
    """
    language = guess_language(text)
    without = function_words(language)
    return [stem(word, language) for word in word_pieces(text) if _is_term(word, without)]


@lru_cache(64)  # the query is looked at again for every passage
def term_places(text: str) -> dict[str, list[Word]]:
    """Return where each of the `index_terms` of a text stands.

    >>> [word.start for word in term_places("The valve closes the 12 valves.")["valv"]]
    [4, 24]
    >>> term_places("within a thin film")["thin"]
    [Word(text='thin', start=9, end=13)]
    >>> [word.start for places in term_places("二次電池").values() for word in places]
    [0, 1, 2]
    """
    found: dict[str, list[Word]] = {}
    language = guess_language(text)
    without = function_words(language)
    for piece, word in _placed(text, _SIMPLE, _PART):
        if _is_term(piece, without):
            found.setdefault(stem(piece, language), []).append(word)
    return found


def _is_term(word: str, without: Container[str]) -> bool:
    """Tell whether texts are found by a word: by no function word and no single letter."""
    return (len(word) > 1 or word >= _EAST) and word.lower() not in without


def stems(text: str, language: str = "") -> set[str]:
    """Return the stems of the words of a text that say something; a compound gives those of its parts.

    >>> sorted(stems("The springs of a lead-acid battery"))
    ['acid', 'batteri', 'lead', 'spring']
    """
    language = language or guess_language(text)
    text = comparable(text)
    plain = text.isascii() or not _ANY_EAST_ASIAN.search(text)
    found = set(_SIMPLE_WORD.findall(text)) if plain else {word.text for word in words(text)}
    return {stem for word in found for stem in _telling_stems(word, language)}


@lru_cache(100_000)
def _telling_stems(word: str, language: str) -> tuple[str, ...]:
    """Return the stems of a word that says something, and none of another."""
    return stems_of(word, language) if _says_something(word, function_words(language)) else ()


@lru_cache(100_000)
def stems_of(word: str, language: str = "en") -> tuple[str, ...]:
    """Return the stem of each part of a word.

    >>> stems_of("Lead-Acid")
    ('lead', 'acid')
    """
    return tuple(stem(part, language) for part in word_pieces(word))


@lru_cache(100_000)
def stem(word: str, language: str = "en") -> str:
    """Return the stem of a word without hyphens; where the language has no stemmer, the word in small letters without accents.

    >>> stem("Batteries") == stem("battery"), stem("Ventile", "de") == stem("Ventil", "de")
    (True, True)
    """
    small = folded(word)
    return str(_stemmer(language).stemWord(small)) if language in _STEMMERS or not language else small


@cache
def _stemmer(language: str) -> Any:
    return Stemmer.Stemmer(_STEMMERS[language or "en"])


def folded(word: str) -> str:
    """Return a word in small letters and without accents.

    >>> folded("Müller-Étage")
    'muller-etage'
    """
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", comparable(word).lower())
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


def word_pieces(text: str) -> list[str]:
    """Return the words of a text as they are compared but for capitals and accents, cut at hyphens, in order."""
    text = comparable(text)
    if text.isascii() or not _ANY_EAST_ASIAN.search(text):
        return _SIMPLE.findall(text)
    return [word.text for word in _found(text, _SIMPLE, _PART)]


def word_forms(text: str) -> list[str]:
    """Return the words of a text as they are looked for: cut at hyphens, in small letters and without accents, in order.

    >>> word_forms("A Lead-Acid Étage")
    ['a', 'lead', 'acid', 'etage']
    """
    return [folded(word) for word in word_pieces(text)]


def idf(frequency: float, texts: float) -> float:
    """Return the inverse document frequency of BM25 for a word that is in `frequency` of the texts; never below 0.

    >>> round(idf(1, 3), 3), idf(0, 3) > idf(3, 3) > 0
    (0.981, True)
    """
    return math.log(1 + (texts - frequency + 0.5) / (frequency + 0.5))
