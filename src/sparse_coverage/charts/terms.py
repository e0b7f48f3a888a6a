"""Key terms of a feature: the words that a document must have in some form to disclose it, wherever they stand in the feature.

A key term is a word that few full texts have: a name, a material, a technical term. It is missing where no form of it is in the document,
and nothing near to it in what was read. Of alternatives ("selected from A, B and C", "A or B") one is enough, if it stands with the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from sparse_coverage.search.results import Place
from sparse_coverage.text import Word, content_words, folded, stems_of

_UNITS = frozenset(
    "mm cm nm µm μm um kg mg µg μg ml µl μl hz khz mhz ghz wt vol rpm db da kda kb bp nt mol mmol pa kpa mpa kv mv ma kw mw sec hr".split()
)
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "σ": "sigma", "ω": "omega", "θ": "theta",
}  # fmt: skip
_SYMBOL = re.compile(r"[a-z]{1,2}\d*|[a-z]?\d+[a-z]?", re.I)
"""A variable or a numeral: R27, n, 12a."""
_SEPARATOR = re.compile(r"\s*(?:[,;]\s*(?:and/or\b|or\b|and\b)?|\band/or\b|\bor\b|\band\b)\s*", re.I)
_OR = re.compile(r"\bor\b", re.I)
_SELECTED = re.compile(
    r"(?:selected|chosen)\s+(?:\w+\s+)?(?:from|as|between|among)\b|group\s+consisting|one\s+of|either|any\s+of|one\s+or\s+more\s+of",
    re.I,
)
_OPTIONAL = re.compile(
    r"(?:such as|e\.g\.|for example|for instance|preferably|optionally|in particular)\b[^,;.)]*", re.I
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NO_ITEM = re.compile(r"\bthereof\b|\bcombinations?\b|\bmixtures?\b|\bthe like\b|\bothers?\b", re.I)
"""Says no alternative of its own: "combinations thereof"."""
_SHORT = 6
"""Before an "or", items of at most so many words between commas are alternatives."""
_FIRST, _LAST = 3, 4
"""So many words before the first separator, and behind the last "or", belong to the alternatives."""
_BEGINNING, _ALIKE = 5, 0.8
"""Words with so many first letters in common, and this share of the longer one's, are forms of one word."""
_OPPOSITE = ("non", "un", "anti", "in", "im", "de", "dis")
_NEAR = 0.5
"""A word is not missing where something that was read has this likeness to it (`benchmarks/charts.py`)."""
_MEETS = 0.5
"""An alternative is there where it stands with this much of what the feature says besides."""


@cache
def common_words() -> frozenset[str]:
    """Return the stems that more than a tenth of 1,800 full texts have, patents and papers of all fields: none is a key term."""
    return frozenset((files("sparse_coverage.charts") / "common_words.txt").read_text(encoding="utf-8").split())


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

    def __init__(self, text: str, rarity: Callable[[str], float]) -> None:
        self._text, self._rarity = text, rarity
        self._words = content_words(text, "en")
        self._brackets = [match.span() for match in _BRACKETS.finditer(text)]
        self._terms = list(self._found())
        self._groups = list(_alternatives(text)) if self._terms else []
        self._total = sum(rarity(stem) for stem in {stem for word in self._words for stem in stems_of(word.text)})

    def _found(self) -> Iterator[_Term]:
        optional = [match.span() for match in _OPTIONAL.finditer(self._text)]
        for word in self._words:
            if _inside(word, optional):
                continue
            for stem in stems_of(_spelled(word.text)):
                short = len(stem) < 3 or _SYMBOL.fullmatch(stem)
                if not short and folded(word.text) not in _UNITS and stem not in common_words():
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


def _alternatives(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield groups of alternatives: items with an "or" before the last, and all that something is selected from.

    >>> text = "made of steel, brass or tin alloy"
    >>> [[text[start:end] for start, end in group] for group in _alternatives(text)]
    [['made of steel', 'brass', 'tin alloy']]
    """
    cuts = list(_SEPARATOR.finditer(text))
    items = list(pairwise([0, *(edge for cut in cuts for edge in cut.span()), len(text)]))[::2]
    done = -1
    for number, cut in enumerate(cuts):
        if number <= done or not _OR.search(cut[0]):
            continue
        first = last = number
        while first and cuts[first - 1][0].strip() in (",", ";") and len(text[slice(*items[first])].split()) <= _SHORT:
            first -= 1
        while last + 1 < len(cuts) and _OR.search(cuts[last + 1][0]):
            last += 1
        group, done = items[first : last + 2], last
        head = [match.start() for match in re.finditer(r"\S+", text[slice(*group[0])])]
        tail = [match.end() for match in re.finditer(r"\S+", text[slice(*group[-1])])]
        if len(head) > _FIRST:
            group[0] = (group[0][0] + head[-_FIRST], group[0][1])
        if len(tail) > _LAST:
            group[-1] = (group[-1][0], group[-1][0] + tail[_LAST - 1])
        yield group
    for match in _SELECTED.finditer(text):
        stop = re.search(r"[;.]", text[match.end() :])
        end = match.end() + stop.start() if stop else len(text)
        edges = [edge for cut in _SEPARATOR.finditer(text, match.end(), end) for edge in cut.span()]
        group = [item for item in list(pairwise([match.end(), *edges, end]))[::2] if text[slice(*item)].strip()]
        if len(group) > 1:
            yield group


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
