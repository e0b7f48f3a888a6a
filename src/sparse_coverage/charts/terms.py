"""Key terms of a feature: the words that a document must have in some form to disclose it, wherever they stand in the feature.

A key term is a word that few full texts have: a name, a material, a technical term; or one of several that are fairly common ("pulsed
laser"). It is missing where no form of it is in the document, and nothing near to it in what was read. Of alternatives ("selected from
A, B and C", "A or B") one is enough, if it stands with the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sparse_coverage.charts.alternatives import alternatives
from sparse_coverage.search.results import Place
from sparse_coverage.text import Word, content_words, folded, stems_of

_UNITS = frozenset(
    "mm cm nm µm μm um kg mg µg μg ml µl μl hz khz mhz ghz wt vol rpm db da kda kb bp nt mol mmol pa kpa mpa kv mv ma kw mw sec msec hr atm"
    " celsius kelvin fahrenheit".split()
)
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "σ": "sigma", "ω": "omega", "θ": "theta",
}  # fmt: skip
_SYMBOL = re.compile(r"[a-z]{1,2}\d*|[a-z]?\d+[a-z]?", re.I)
"""A variable or a numeral: R27, n, 12a."""
_OPTIONAL = re.compile(
    r"(?:such as|e\.g\.|for example|for instance|preferably|optionally|in particular)\b[^,;.)]*", re.I
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NO_ITEM = re.compile(r"\bthereof\b|\bcombinations?\b|\bmixtures?\b|\bthe like\b|\bothers?\b", re.I)
"""Says no alternative of its own: "combinations thereof"."""
_BEGINNING, _ALIKE = 5, 0.8
"""Words with so many first letters in common, and this share of the longer one's, are forms of one word."""
_OPPOSITE = ("non", "un", "anti", "in", "im", "de", "dis")
_SEVERAL = 2
"""So many words that are fairly common are missed where a document lacks them all."""
_NEAR = 0.5
"""A word is not missing where something that was read has this likeness to it (`benchmarks/charts.py`)."""
_MEETS = 0.5
"""An alternative is there where it stands with this much of what the feature says besides."""


@cache
def common_words(fairly: bool = False) -> frozenset[str]:
    """Return the stems that more than 30 in 100 of 1,800 full texts have, patents and papers of all fields: none is a key term.

    Those that are `fairly` common are in 15 to 30 of 100: one alone is no key term, two are.
    """
    name = "fairly_common_words.txt" if fairly else "common_words.txt"
    return frozenset((files("sparse_coverage.charts") / name).read_text(encoding="utf-8").split())


@dataclass(frozen=True, slots=True)
class _Term:
    stem: str
    place: Place


class DocumentWords:
    """The words of a document: their stems, and in which sentences the stems of the features stand."""

    def __init__(self, texts: Sequence[str], stems: set[str], places: Mapping[str, Sequence[int]]) -> None:
        self._texts = texts
        self.stems = stems | {name for letter, name in _GREEK.items() if any(letter in text for text in texts)}
        self.places = {stem: frozenset(rows) for stem, rows in places.items()}
        self._forms: dict[str, bool] = {}

    def has(self, stem: str) -> bool:
        """Tell whether some form of a word is there: its stem, one with the same beginning, or a longer word that it is part of."""
        if stem not in self._forms:
            self._forms[stem] = stem in self.stems or any(_akin(stem, other) for other in self.stems)
        return self._forms[stem]

    def says(self, phrase: str) -> bool:
        """Tell whether a phrase is there word for word."""
        return any(phrase.lower() in text.lower() for text in self._texts)

    def sentences(self, stems: Sequence[str]) -> frozenset[int]:
        """Return the sentences that have all of some stems of the features."""
        return frozenset.intersection(*(self.places.get(stem, frozenset()) for stem in stems)) if stems else frozenset()


class KeyTerms:
    """The key terms of a feature, its alternatives, and how much of it a term is."""

    def __init__(self, text: str, rarity: Callable[[str], float], without: Set[str] = frozenset()) -> None:
        """`without` are stems that need not be there: what the feature excludes."""
        self._text, self._rarity, self._without = text, rarity, common_words() | without
        self._words = content_words(text, "en")
        self._brackets = [match.span() for match in _BRACKETS.finditer(text)]
        self._terms = list(self._found())
        self._groups = list(alternatives(text)) if self._terms else []
        self._total = sum(rarity(stem) for stem in {stem for word in self._words for stem in stems_of(word.text)})

    def _found(self) -> Iterator[_Term]:
        optional = [match.span() for match in _OPTIONAL.finditer(self._text)]
        for word in self._words:
            if _inside(word, optional):
                continue
            for stem in stems_of(_spelled(word.text)):
                short = len(stem) < 3 or _SYMBOL.fullmatch(stem)
                if not short and folded(word.text) not in _UNITS and stem not in self._without:
                    yield _Term(stem, Place(word.text, word.start, word.end))

    def missing(self, document: DocumentWords, likeness: Mapping[int, float]) -> tuple[Place, ...]:
        """Return the terms that a document lacks, those that stand side by side as one; `likeness` is that of the word at each place."""
        spared = self._spared(document)
        absent = [
            term.place
            for term in self._terms
            if not _inside(term.place, spared)
            and likeness.get(term.place.start, -1.0) < _NEAR
            and not document.has(term.stem)
        ]
        for group in self._groups:
            if any(_inside(place, group) for place in absent) and self._has_one(group, absent, document):
                absent = [place for place in absent if not _inside(place, group)]
        fairly = {stem for place in absent for stem in stems_of(_spelled(place.text)) if stem in common_words(True)}
        if len(fairly) < _SEVERAL:
            absent = [place for place in absent if not fairly.issuperset(stems_of(_spelled(place.text)))]
        joined: list[Place] = []
        for place in dict.fromkeys(absent):
            start = place.start
            if joined and not self._text[joined[-1].end : start].strip():
                start = joined.pop().start
            joined.append(Place(self._text[start : place.end], start, place.end))
        return tuple(joined)

    def share(self, places: Sequence[Place]) -> float:
        """Return how much of the feature some of its terms are, rare ones counting more."""
        gone = {stem for place in places for stem in stems_of(place.text)}
        return sum(map(self._rarity, gone)) / self._total if self._total else 0.0

    def _spared(self, document: DocumentWords) -> list[tuple[int, int]]:
        """Return what need not be there: what brackets hold, but an abbreviation; and what the document calls by its abbreviation."""
        spared = []
        for start, end in self._brackets:
            short = self._text[start + 1 : end - 1]
            before = list(re.finditer(r"\w+", self._text[:start]))[-len(short) :]
            if not (short.isalpha() and short.isupper() and 2 <= len(short) <= 8 and before):
                spared.append((start, end))
            elif short.lower() in document.stems:
                spared.append((before[0].start(), end))
            elif document.says(self._text[before[-2:][0].start() : start].strip()):
                spared.append((start, end))
        return spared

    def _has_one(self, group: Sequence[tuple[int, int]], absent: Sequence[Place], document: DocumentWords) -> bool:
        """Tell whether the document has one of some alternatives, in a sentence with most of what the feature says besides or beside it."""
        others = [stems_of(word.text) for word in self._words if not _inside(word, group)]
        weights = [max(map(self._rarity, stems), default=0.0) for stems in others]
        for item in group:
            words = [word for word in self._words if _inside(word, [item])]
            idle = not words or _NO_ITEM.search(self._text[slice(*item)])
            if idle or any(_inside(place, [item]) for place in absent):
                continue
            here = document.sentences(stems_of(words[-1].text))
            around = [
                frozenset(row + step for row in document.sentences(stems) for step in (-1, 0, 1)) for stems in others
            ]
            if not others and here:
                return True
            pairs = list(zip(around, weights, strict=True))
            if any(sum(weight for rows, weight in pairs if row in rows) >= _MEETS * sum(weights) for row in here):
                return True
        return False


def _inside(word: Word | Place, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= word.start < end for start, end in spans)


def _spelled(word: str) -> str:
    """Return a word with its Greek letters spelled out."""
    return word if word.isascii() else "".join(_GREEK.get(letter, letter) for letter in word)


def _akin(stem: str, other: str) -> bool:
    """Tell whether a document's word is a form of a feature's, begins it, or holds it.

    >>> _akin("titanium", "titan"), _akin("polymer", "copolymeris"), _akin("polymeris", "polymer")
    (True, True, True)
    >>> _akin("picosecond", "second"), _akin("hydrophil", "hydrophob"), _akin("metal", "nonmetal")
    (False, False, False)
    """
    if min(len(stem), len(other)) < _BEGINNING:
        return False
    before, found, _ = other.partition(stem)
    if found:
        return before not in _OPPOSITE
    if stem[:_BEGINNING] != other[:_BEGINNING]:
        return False
    if stem.startswith(other):
        return 2 * len(other) >= len(stem)
    same = next(place for place, pair in enumerate(zip(stem, other, strict=False)) if pair[0] != pair[1])
    return same >= _ALIKE * max(len(stem), len(other))
