"""Reasons a person can read, from the matches of an explanation: phrases of the query beside phrases of the passage.

Tokens and pieces of words are summed into the phrases they stand in, on both sides. Function words, numerals and pieces of
unlike words count in a score, because in their context they carry topic, but they are no reason by themselves: what they add
is one sum. So is what feedback adds, which comes from the passages that were found first and not from the query.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from sparse_coverage.search.results import Match, Place, Reason, Reasons

FUNCTION_WORDS = frozenset(
    """a about above according accordingly across after again against all almost along already also although always among an and
    another any are around as at away based be because been before being below beneath besides between beyond both but by can
    cannot could did do does done down due during each eg either else embodiment embodiments especially et etc even ever every
    example few for from further furthermore had has have having he hence her here herein hereinafter his how however i ie if in
    include included includes including inter into invention is it its itself just least less let like may means might more
    moreover most much must near neither no nor not now of off often on once one only onto or other others otherwise our out over
    own particularly per plurality preferably preferred present rather respective respectively said same several shall she should
    since so some such than that the their them then there thereby therefore therefrom therein thereof thereon thereto these they
    this those through throughout thus to together too toward towards two under until up upon us use used uses using various very
    via was we well were what when where whereby wherein whether which while who whole whom whose will with within without would
    yet you claim claims claimed comprise comprised comprises comprising consist consisting consists characterised characterized
    described disclosed first second third fourth fifth step steps invented""".split()
)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_NUMERAL = re.compile(r"[\d'’-]+[a-z]?")
"""A number, or a reference numeral such as 10a; but H2O2, 3D and p53 are words."""
_BREAK = re.compile(r"\S")
_ALIKE = 4
"""Two words of which only pieces met are alike if they begin with the same so many letters: plunger, plungers."""


def reasons_for(query: str, passage: str, matches: Iterable[Match]) -> Reasons:
    """Sum the matches of an explanation into reasons."""
    ours, theirs = _Phrases.of(query), _Phrases.of(passage)
    found: dict[tuple[Place, Place], float] = {}
    wording = feedback = 0.0
    for match in matches:
        if match.lender:
            feedback += match.contribution
            continue
        pair = _pair(ours.at(match.query), theirs.at(match.passage))
        if pair is None:
            wording += match.contribution
        else:
            found[pair] = found.get(pair, 0.0) + match.contribution
    strongest = sorted(found.items(), key=lambda item: (-item[1], item[0][0].start, item[0][1].start))
    return Reasons(tuple(Reason(*pair, value) for pair, value in strongest), wording, feedback)


@lru_cache(64)  # the query, and the passage at hand, are looked at several times
def content_words(text: str) -> tuple[Place, ...]:
    """Return the words of a text that say something: no function words, numerals and single letters.

    >>> [word.text for word in content_words("The valve (12) of claim 3 is closed by a spring.")]
    ['valve', 'closed', 'spring']
    """
    return tuple(
        Place(found.group(), *found.span())
        for found in _WORD.finditer(text)
        if len(found.group()) > 1
        and found.group().lower() not in FUNCTION_WORDS
        and not _NUMERAL.fullmatch(found.group())
    )


def phrase_at(text: str) -> Callable[[Place], Place | None]:
    """Return what finds the phrase around a place of a text, or None where that says nothing."""
    phrases = _Phrases.of(text)

    def find(place: Place) -> Place | None:
        found = phrases.at(place)
        return found.phrase if found else None

    return find


def word_at(text: str) -> Callable[[Place], str | None]:
    """Return what finds the word around a place of a text, or None where that says nothing."""
    phrases = _Phrases.of(text)

    def find(place: Place) -> str | None:
        found = phrases.at(place)
        return found.word if found else None

    return find


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a span lies: the word and the phrase around it, and whether it is only a piece of that word."""

    word: str
    phrase: Place
    piece: bool


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The phrases of a text: runs of words that say something, nothing but blanks between them."""

    text: str
    words: list[tuple[int, int]]
    phrases: list[Place]  # that of each word

    @staticmethod
    @lru_cache(64)
    def of(text: str) -> _Phrases:
        """Find the phrases of a text."""
        words: list[tuple[int, int]] = []
        runs: list[int] = []  # where the phrase of each word begins
        for found in content_words(text):
            adjoining = bool(words) and _BREAK.search(text, words[-1][1], found.start) is None
            words.append((found.start, found.end))
            runs.append(runs[-1] if adjoining else found.start)
        ends = {begin: end for begin, (_, end) in zip(runs, words, strict=True)}
        phrases = [Place(text[begin : ends[begin]], begin, ends[begin]) for begin in runs]
        return _Phrases(text, words, phrases)

    def at(self, place: Place) -> _Found | None:
        """Return what is around a span, or None where that says nothing."""
        number = bisect_right(self.words, max(place.end - 1, place.start), key=lambda word: word[0]) - 1
        if number < 0 or self.words[number][1] <= place.start:
            return None
        start, end = self.words[number]
        return _Found(self.text[start:end].lower(), self.phrases[number], place.start > start or place.end < end)


def _pair(query: _Found | None, passage: _Found | None) -> tuple[Place, Place] | None:
    """Return the phrases that a match joins; None where a side says nothing, or where pieces of unlike words met."""
    if query is None or passage is None:
        return None
    if (query.piece or passage.piece) and query.word[:_ALIKE] != passage.word[:_ALIKE]:
        return None
    return query.phrase, passage.phrase
