"""From the scores of windows to the cells of a document: quotations, shared and missing phrases, numbers, negations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sparse_coverage.charts.calibration import Calibration, Word
from sparse_coverage.charts.cells import QUOTES, Cell, ChartDocument, Quote
from sparse_coverage.charts.elements import Element
from sparse_coverage.charts.phrases import Pair, denied, head, noun_phrases, phrase_vectors, stem, stems, telling
from sparse_coverage.charts.quantities import NumberFound, compare, quantities
from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.encoding import Encoder
from sparse_coverage.kernels import Floats
from sparse_coverage.search.results import Place

_LOOKED_AT = 12
_HALF = 0.5


class Reader:
    """Reads documents for the elements of one claim."""

    def __init__(self, elements: Sequence[Element], encoder: Encoder, calibration: Calibration) -> None:
        self._elements = elements
        self._encoder = encoder
        self._calibration = calibration
        texts = [element.text for element in elements]
        self._phrases = [telling(places) for places in noun_phrases(texts)]
        self._denied = [denied(text) for text in texts]
        self._numbers = [quantities(text) for text in texts]
        encoded = encoder.encode(texts)
        self._vectors = [
            phrase_vectors(text, vectors, places, calibration.space.prose)
            for text, vectors, places in zip(texts, encoded, self._phrases, strict=True)
        ]

    def cells(self, document: ChartDocument, sentences: Sentences, evidence: Floats) -> Iterator[Cell]:
        """Yield the cell of each element; `evidence` of each window, an element a row."""
        picked = [self._picked(number, document, sentences, row) for number, row in enumerate(evidence)]
        first = {quotes[0] for quotes in picked if quotes}
        texts = {quote: quote.text for quote in first}
        places = dict(zip(texts, noun_phrases(list(texts.values())), strict=True))
        tokens = dict(zip(texts, self._encoder.encode(texts.values()), strict=True))
        vectors = {
            quote: phrase_vectors(quote.text, tokens[quote], places[quote], self._calibration.space.prose)
            for quote in first
        }
        words = _Words(document)
        for number, quotes in enumerate(picked):
            element = self._elements[number]
            if not quotes:
                yield Cell(element.label, document.id, "not found", 0.0, missing=tuple(self._phrases[number]))
                continue
            pairs = self._pairs(number, quotes[0], places[quotes[0]], vectors[quotes[0]])
            missing = self._missing(number, pairs, words)
            numbers = self._compared(number, quotes)
            share = self._share(number, missing)
            most = self._most(share, any(not one.agrees for one in numbers))
            worth = self._calibration.capped(quotes[0].evidence, most, share)
            word = self._calibration.word(worth)
            yield Cell(element.label, document.id, word, worth, quotes, pairs, missing, numbers)

    def _picked(
        self, number: int, document: ChartDocument, sentences: Sentences, evidence: Floats
    ) -> tuple[Quote, ...]:
        """Return the best windows, none with a sentence of a better one, none that denies what the element asks for."""
        wanted = {head(place) for place in self._phrases[number]} - self._denied[number]
        used: set[int] = set()
        quotes: list[Quote] = []
        last = sentences.window_ends()
        for window in np.argsort(-evidence, kind="stable")[: _LOOKED_AT * 2].tolist():
            end_sentence = int(last[window])
            if {window, end_sentence} & used:
                continue
            passage = document.passages[int(sentences.passages[window])]
            start, end = int(sentences.starts[window]), int(sentences.ends[end_sentence])
            text = passage.text[start:end]
            if denied(text) & wanted:
                continue
            used |= {window, end_sentence}
            quotes.append(Quote(passage.id, passage.section, passage.number, text, start, end, float(evidence[window])))
            if len(quotes) == QUOTES:
                break
        return tuple(quotes)

    def _pairs(self, number: int, quote: Quote, places: Sequence[Place], vectors: Floats) -> tuple[Pair, ...]:
        pairs = []
        for phrase, vector in zip(self._phrases[number], self._vectors[number], strict=True):
            if not places:
                continue
            likeness = vectors @ vector
            same = np.asarray(
                [bool(stems(place.text) & stems(phrase.text)) and head(place) == head(phrase) for place in places]
            )
            best = int(np.argmax(likeness + same))
            if same[best] or likeness[best] >= self._calibration.phrase:
                pairs.append(Pair(phrase, places[best], round(float(max(likeness[best], float(same[best]))), 4)))
        return tuple(pairs)

    def _missing(self, number: int, pairs: Sequence[Pair], words: _Words) -> tuple[Place, ...]:
        found = {pair.element for pair in pairs}
        return tuple(
            place
            for place in self._phrases[number]
            if place not in found and not words.has(place, self._denied[number])
        )

    def _share(self, number: int, missing: Sequence[Place]) -> float:
        """Return the share of an element's phrases that a document has; the first, the thing that it is about, counts twice."""
        phrases = self._phrases[number]
        if not phrases:
            return 1.0
        return 1 - (len(missing) + (phrases[0] in missing)) / (len(phrases) + 1)

    @staticmethod
    def _most(share: float, contradicted: bool) -> Word:
        """Return what an element can be at most: not found where half or more is missing, partly disclosed where anything is."""
        if share <= _HALF:
            return "not found"
        return "partly" if share < 1 or contradicted else "disclosed"

    def _compared(self, number: int, quotes: Sequence[Quote]) -> tuple[NumberFound, ...]:
        """Compare numbers with those of the quotations; one that agrees anywhere is not contradicted elsewhere."""
        best: dict[str, NumberFound] = {}
        for quote in quotes:
            for one in compare(self._numbers[number], quantities(quote.text)):
                if one.claimed not in best or (one.agrees and not best[one.claimed].agrees):
                    best[one.claimed] = one
        return tuple(best.values())


class _Words:
    """The words of a document: whether it names a phrase somewhere without denying it."""

    def __init__(self, document: ChartDocument) -> None:
        self._texts = [(passage.text, passage.text.lower()) for passage in document.passages]

    def has(self, place: Place, denied_there: set[str]) -> bool:
        wanted = head(place)
        every = stems(place.text)
        for text, small in self._texts:
            if wanted not in small:
                continue
            there = stems(text)
            if (
                wanted in there
                and 2 * len(every & there) >= len(every)
                and (wanted in denied_there or stem(wanted) not in denied(text))
            ):
                return True
        return False
