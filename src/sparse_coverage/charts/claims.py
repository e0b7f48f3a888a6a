"""Claims as they are looked for in documents: the words and token vectors of their elements, encoded once for any number of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.chart import ChartDocument
from sparse_coverage.charts.elements import Element
from sparse_coverage.charts.phrases import Wanted, denied, noun_phrases, telling
from sparse_coverage.charts.score import ElementTokens, PlacedTokens, Rarity
from sparse_coverage.charts.terms import KeyTerms
from sparse_coverage.encoding import Encoder
from sparse_coverage.kernels import Floats, Int64s
from sparse_coverage.patents import Claim
from sparse_coverage.text import guess_language, stems
from sparse_coverage.text.sentences import sentence_ends

_KNOWN = ("en", "")
"""Key terms are known of English, and of texts too short to tell."""
_SAMPLE = 2000
"""The language of a document is told by so many characters."""


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of a document in text order: the number of the passage each is in, where in it, and which of the words looked for.

    Evidence is looked for in windows of two sentences that follow one another in a passage; `last` is the second of each.
    """

    passages: Int64s
    starts: Int64s
    ends: Int64s
    places: Mapping[str, Sequence[int]]
    last: Int64s

    @classmethod
    def of(cls, document: ChartDocument, words: Iterable[str]) -> Sentences:
        """Cut the passages of a document into sentences; those without a letter or digit are left out."""
        rows: list[tuple[int, int, int]] = []
        places: dict[str, list[int]] = {word: [] for word in words}
        for number, passage in enumerate(document.passages):
            begin = 0
            for end in sentence_ends(passage.text):
                piece = passage.text[begin:end]
                start = begin + len(piece) - len(piece.lstrip())
                begin = end
                text = piece.strip()
                if any(map(str.isalnum, text)):
                    for stem in places.keys() & stems(text, "en"):
                        places[stem].append(len(rows))
                    rows.append((number, start, start + len(text)))
        table = np.asarray(rows, np.int64).reshape(-1, 3)
        last = np.arange(len(table))
        last[:-1] += table[1:, 0] == table[:-1, 0]
        return cls(table[:, 0], table[:, 1], table[:, 2], places, last)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedClaims:
    """Claims with the elements to look for: the tokens of each as its claim says it, and as it stands alone; the mean vector of its
    claim less that of all claims; how much each word (stem) counts; where the first thing that each names ends, 0 where it names none;
    the phrases that are looked for, and the key terms.
    """

    claims: tuple[Claim, ...]
    elements: tuple[Element, ...]
    tokens: tuple[ElementTokens, ...]
    alone: tuple[ElementTokens, ...]
    wholes: Floats
    columns: Mapping[str, int]
    weights: Floats
    things: tuple[int, ...]
    phrases: tuple[tuple[Wanted, ...], ...]
    terms: tuple[KeyTerms, ...]

    def shares(self, sentences: Sentences) -> tuple[Floats, Floats]:
        """Return the share of each element's words that stand in each sentence, and in each window, an element a row.

        Rare words count more.
        """
        there = np.zeros((len(sentences.passages), len(self.columns)), np.float32)
        for word, column in self.columns.items():
            there[sentences.places[word], column] = 1
        return self.weights @ there.T, self.weights @ np.maximum(there, there[sentences.last]).T

    def naming(self, sentences: Sentences) -> Floats:
        """Return 1 for each sentence that names what the first phrase of an element is about, an element a row; else 0."""
        found = np.zeros((len(self.phrases), len(sentences.passages)), np.float32)
        for row, phrases in zip(found, self.phrases, strict=True):
            row[list(sentences.places.get(phrases[0].head, ())) if phrases else []] = 1
        return found


def encode_claims(
    claims: Sequence[Claim], elements: Sequence[Element], encoder: Encoder, calibration: Calibration
) -> EncodedClaims:
    """Encode claims once, for any number of documents."""
    wholes = np.zeros((len(elements), encoder.dimension), np.float32)
    tokens: dict[int, ElementTokens] = {}
    means: dict[int, Floats] = {}
    sizes: dict[int, int] = {}
    for claim, vectors in zip(claims, encoder.encode(claim.text for claim in claims), strict=True):
        placed = PlacedTokens.of(claim.text, vectors, calibration.space)
        means[claim.number], sizes[claim.number] = placed.mean, len(placed.starts)
        said = [claim.number, *(number for number in _parents(claim, claims) if number in means)]
        mean = np.average([means[one] for one in said], axis=0, weights=[sizes[one] + 1e-9 for one in said])
        whole = calibration.space.place_means(mean[None].astype(np.float32))[0] - calibration.space.claims
        for number, element in enumerate(elements):
            if element.claim == claim.number:
                tokens[number] = ElementTokens.of(claim.text, element.start, element.end, placed, calibration.rarity)
                wholes[number] = whole
    texts = [element.text for element in elements]
    rarity = calibration.rarity.of
    placed_alone = (
        PlacedTokens.of(text, one, calibration.space) for text, one in zip(texts, encoder.encode(texts), strict=True)
    )
    alone = [
        ElementTokens.of(text, 0, len(text), one, calibration.rarity)
        for text, one in zip(texts, placed_alone, strict=True)
    ]
    columns, weights = _words(texts, calibration.rarity)
    every = tuple(tokens[number] for number in range(len(elements)))
    named = noun_phrases(texts)
    things = tuple(places[0].end if places else 0 for places in named)
    phrases = tuple(tuple(Wanted(place, rarity) for place in telling(places)) for places in named)
    english = is_english([claim.text for claim in claims])
    terms = tuple(KeyTerms(text if english else "", rarity, denied(text)) for text in texts)
    return EncodedClaims(
        tuple(claims), tuple(elements), every, tuple(alone), wholes, columns, weights, things, phrases, terms
    )


def is_english(texts: Sequence[str]) -> bool:
    """Tell whether the words of a document can be held against English key terms."""
    return guess_language("\n".join(texts)[:_SAMPLE]) in _KNOWN


def _parents(claim: Claim, claims: Sequence[Claim]) -> set[int]:
    """Return the numbers of the claims that a claim builds on: what they say it says too."""
    by_number = {one.number: one for one in claims}
    found: set[int] = set()
    waiting = [claim]
    while waiting:
        new = set(waiting.pop().depends_on) - found
        found |= new
        waiting += [by_number[number] for number in new if number in by_number]
    return found


def _words(texts: Sequence[str], rarity: Rarity) -> tuple[dict[str, int], Floats]:
    """Return a column for each stem, and how much each counts in each text; rows sum to 1."""
    every = [stems(text, "en") for text in texts]
    columns = {word: number for number, word in enumerate(sorted(set().union(*every)))}
    weights = np.zeros((len(texts), len(columns)), np.float32)
    for row, words in zip(weights, every, strict=True):
        for word in words:
            row[columns[word]] = rarity.of(word)
        row /= max(float(row.sum()), 1e-9)
    return columns, weights
