"""The words of a text that say something, and the phrases they make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sparse_coverage.kernels import Int64s, Mask
from sparse_coverage.search.results import Place

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


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where spans lie: the number of the word that each ends in, -1 where that says nothing, and whether it is only a piece of it."""

    words: Int64s
    pieces: Mask

    def of(self, spans: Int64s) -> Found:
        """Return the same for some of the spans."""
        return Found(self.words[spans], self.pieces[spans])


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
        runs: list[list[Place]] = []
        numbers = []
        for word in words:
            if not runs or _BREAK.search(text, runs[-1][-1].end, word.start) is not None:
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
        return [self.text[start:end].lower() for start, end in bounds]

    def at(self, starts: Int64s, ends: Int64s) -> Found:
        """Return where spans lie."""
        words = np.searchsorted(self.starts, np.maximum(ends - 1, starts), side="right") - 1
        if not len(self.starts):
            return Found(words, np.zeros(len(words), bool))
        words[self.ends[words] <= starts] = -1
        return Found(words, (starts > self.starts[words]) | (ends < self.ends[words]))

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
