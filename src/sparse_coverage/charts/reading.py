"""From the scores of windows to the cells of a document: quotations, shared and missing phrases, numbers, negations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sparse_coverage.charts.calibration import Calibration, Word
from sparse_coverage.charts.cells import QUOTES, Cell, ChartDocument, Quote
from sparse_coverage.charts.elements import Element
from sparse_coverage.charts.phrases import Pair, Wanted, denied, head, noun_phrases, phrase_vectors, stems, telling
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
        phrases = [telling(places) for places in noun_phrases(texts)]
        self._wanted = [[Wanted(place, calibration.rarity.of) for place in places] for places in phrases]
        self._denied = [denied(text) for text in texts]
        self._numbers = [quantities(text) for text in texts]
        encoded = encoder.encode(texts)
        self._vectors = [
            phrase_vectors(text, vectors, places, calibration.space.prose)
            for text, vectors, places in zip(texts, encoded, phrases, strict=True)
        ]

    def cells(self, document: ChartDocument, sentences: Sentences, evidence: Floats) -> Iterator[Cell]:
        """Yield the cell of each element; `evidence` of each window, an element a row."""
        picked = [self._picked(number, document, sentences, row) for number, row in enumerate(evidence)]
        read = self._read({quote.text for quotes in picked for quote in quotes})
        words = _Words(document)
        for number, quotes in enumerate(picked):
            element = self._elements[number]
            if not quotes:
                every = tuple(phrase.place for phrase in self._wanted[number])
                yield Cell(element.label, document.id, "not found", 0.0, missing=every)
                continue
            pairs = self._pairs(number, [read[quote.text] for quote in quotes])
            missing = self._missing(number, pairs, words)
            numbers = self._compared(number, quotes)
            share = self._share(number, missing)
            most = self._most(number, missing, share, any(not one.agrees for one in numbers))
            worth = self._calibration.capped(quotes[0].evidence, most, share)
            word = self._calibration.word(worth)
            yield Cell(element.label, document.id, word, worth, quotes, pairs, missing, numbers)

    def _picked(
        self, number: int, document: ChartDocument, sentences: Sentences, evidence: Floats
    ) -> tuple[Quote, ...]:
        """Return the best windows, none with a sentence of a better one, none that denies what the element asks for."""
        wanted = {phrase.head for phrase in self._wanted[number]} - self._denied[number]
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

    def _read(self, quoted: Iterable[str]) -> dict[str, _Read]:
        """Find the phrases of quotations, their words and vectors."""
        texts = sorted(quoted)
        middle = self._calibration.space.prose
        rows = zip(texts, noun_phrases(texts), self._encoder.encode(texts), strict=True)
        return {text: _Read(places, phrase_vectors(text, vectors, places, middle)) for text, places, vectors in rows}

    def _pairs(self, number: int, quotes: Sequence[_Read]) -> tuple[Pair, ...]:
        """Pair each phrase of an element with the phrase of its quotations that is most alike; words count more than vectors."""
        places = [(quote, place) for quote, read in enumerate(quotes) for place in read.places]
        if not places:
            return ()
        named = [each for read in quotes for each in read.named]
        vectors = np.concatenate([read.vectors for read in quotes])
        pairs = []
        for phrase, vector in zip(self._wanted[number], self._vectors[number], strict=True):
            likeness = vectors @ vector
            same = np.asarray([phrase.named_by(*each) for each in named])
            best = int(np.argmax(likeness + same))
            if same[best] or likeness[best] >= self._calibration.phrase:
                quote, place = places[best]
                likely = round(float(max(likeness[best], float(same[best]))), 4)
                pairs.append(Pair(phrase.place, place, likely, quote))
        return tuple(pairs)

    def _missing(self, number: int, pairs: Sequence[Pair], words: _Words) -> tuple[Place, ...]:
        found = {pair.element for pair in pairs}
        return tuple(
            phrase.place
            for phrase in self._wanted[number]
            if phrase.place not in found and not words.have(phrase, self._denied[number])
        )

    def _share(self, number: int, missing: Sequence[Place]) -> float:
        """Return the share of an element's phrases that a document has; the first, the thing that it is about, counts twice."""
        if not missing:
            return 1.0
        return 1 - (len(missing) + self._without_its_thing(number, missing)) / (len(self._wanted[number]) + 1)

    def _without_its_thing(self, number: int, missing: Sequence[Place]) -> bool:
        """Return whether the first phrase of an element, the thing that it is about, is missing."""
        return bool(missing) and missing[0] == self._wanted[number][0].place

    def _most(self, number: int, missing: Sequence[Place], share: float, contradicted: bool) -> Word:
        """Return what an element can be at most: not found without its thing or half of its phrases, partly without any other."""
        if share <= _HALF or self._without_its_thing(number, missing):
            return "not found"
        return "partly" if missing or contradicted else "disclosed"

    def _compared(self, number: int, quotes: Sequence[Quote]) -> tuple[NumberFound, ...]:
        """Compare numbers with those of the quotations; one that agrees anywhere is not contradicted elsewhere."""
        best: dict[str, NumberFound] = {}
        for quote in quotes:
            for one in compare(self._numbers[number], quantities(quote.text)):
                if one.claimed not in best or (one.agrees and not best[one.claimed].agrees):
                    best[one.claimed] = one
        return tuple(best.values())


class _Read:
    """The phrases of a quotation: their places, what each is about with its words, and their vectors."""

    def __init__(self, places: Sequence[Place], vectors: Floats) -> None:
        self.places = places
        self.named = [(head(place), stems(place.text)) for place in places]
        self.vectors = vectors


class _Words:
    """The words of a document: whether a passage names a phrase without denying it."""

    def __init__(self, document: ChartDocument) -> None:
        self._texts = [(passage.text, passage.text.lower()) for passage in document.passages]

    def have(self, phrase: Wanted, denied_there: set[str]) -> bool:
        for text, small in self._texts:
            if phrase.head not in small:
                continue
            there = stems(text)
            if (
                phrase.head in there
                and phrase.named_by(phrase.head, there)
                and (phrase.head in denied_there or phrase.head not in denied(text))
            ):
                return True
        return False
