"""Documents read for the elements of a claim: figures, evidence, quotations, shared and missing phrases, numbers.

The words of an element choose the passages that are read closely, by the vectors of their tokens. Reading less than a third of a
document in this way gives verdicts as good as reading all of it (`benchmarks/charts.py`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.chart import QUOTES, Cell, Chart, ChartDocument, Column, Quote, Verdict
from sparse_coverage.charts.claims import EncodedClaims, Sentences, is_english
from sparse_coverage.charts.phrases import Pair, denied, noun_phrases
from sparse_coverage.charts.quantities import DocumentQuantities, compare, quantities
from sparse_coverage.charts.score import Figures, PlacedTokens
from sparse_coverage.charts.terms import DocumentWords
from sparse_coverage.encoding import Encoder, TokenVectors
from sparse_coverage.encoding.batching import windows
from sparse_coverage.encoding.one_thread import ONE_THREAD
from sparse_coverage.kernels import Floats, Int64s
from sparse_coverage.progress import tracked
from sparse_coverage.search.results import Place
from sparse_coverage.search.stored import whole_id
from sparse_coverage.text import stems

_READ = 6
"""So many windows for each element have their passages read closely (`benchmarks/charts.py` compares): those with most of its words,
and a third of them those with most of its words that name its first thing."""
_TOGETHER = 30_000
"""Characters of passages that are encoded at a time."""
_KEPT = 128 << 20
"""Bytes of token vectors that are kept for the next chart of the same documents."""
_WORDS = 1 / 3
"""How much the share of an element's words counts beside the likeness of its tokens where quotations are chosen."""
_NAMES = 0.1
"""How much it counts there that a sentence names the first thing of an element."""
_ADDS = 0.05
"""A neighbouring sentence is quoted, too, where it adds this much likeness."""
_NEAR_ENOUGH = 0.55
"""Nearness to the claim lowers a verdict where it is less than this; more of it raises none."""
_MOST = 0.35
"""A document that lacks this much of a feature, in key terms, does not disclose it; one that lacks less does so partly at most."""
_LITERAL, _APART = 0.9, -0.12
"""Where a document has this share of a feature's words, a sentence must come as near to its thing and to what is said of it together
as any come to each, but for so much: words that stand apart do not disclose that one is the other's."""


_EXCLUDES_NOTHING = {"limit", "necessarili", "onli"}
"""What a feature says "not" of without excluding a thing: "not limited to"."""


class KeptTokenVectors:
    """Encodes passages, and keeps the vectors of the last ones in half precision: the same whether they were kept or not."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._kept: OrderedDict[str, TokenVectors] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the token vectors of texts."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        halved = (replace(one, vectors=one.vectors.astype(np.float16)) for one in self.encoder.encode(new))
        found |= zip(new, halved, strict=True)
        with self._lock:
            for text, vectors in found.items():
                if text not in self._kept:
                    self._bytes += vectors.vectors.nbytes
                self._kept[text] = vectors
                self._kept.move_to_end(text)
            while self._bytes > _KEPT and self._kept:
                self._bytes -= self._kept.popitem(last=False)[1].vectors.nbytes
        return [found[text] for text in texts]


class CloseReading:
    """The passages of a document that may matter, by their tokens: the figures of each element, and its match with each sentence."""

    def __init__(
        self,
        encoded: EncodedClaims,
        sentences: Sentences,
        passages: Sequence[int],
        read: Sequence[PlacedTokens],
        calibration: Calibration,
        own: Sequence[Int64s],
    ) -> None:
        """`own` are the passages that were chosen for each element: what it is measured by, whatever else the claim says."""
        self.rows = np.flatnonzero(np.isin(sentences.passages, passages))
        alone, together = encoded.shares(sentences)
        self.shares, self.names = alone[:, self.rows], encoded.naming(sentences)[:, self.rows]
        self.likeness: list[Floats] = []
        self.alone: list[Floats] = []
        self.windows: list[Floats] = []
        self.figures = [Figures(-10.0, element.telling, -1.0, 0.0) for element in encoded.tokens]
        if not len(self.rows):
            return
        dimension = encoded.wholes.shape[1]
        pieces: list[Floats] = []
        for number, tokens in zip(passages, read, strict=True):
            inside = np.flatnonzero(sentences.passages == number)
            ends = sentences.ends[inside]
            sentence = np.minimum(np.searchsorted(ends, tokens.starts, side="right"), len(inside) - 1)
            found = np.split(tokens.vectors, np.searchsorted(sentence, np.arange(1, len(inside))))
            pieces += [piece if len(piece) else np.zeros((1, dimension), np.float32) for piece in found]
        vectors, borders = np.concatenate(pieces), np.cumsum([0, *map(len, pieces)]).astype(np.int64)
        follows = np.searchsorted(self.rows, sentences.last[self.rows])
        counts = np.asarray([len(tokens.vectors) for tokens in read], np.float64)
        means = np.stack([tokens.mean for tokens in read])
        mean = (counts @ means / max(float(counts.sum()), 1.0)).astype(np.float32)
        context = np.minimum(encoded.wholes @ calibration.space.place_means(mean[None])[0], _NEAR_ENOUGH)
        here = [np.isin(sentences.passages[self.rows], chosen) for chosen in own]
        self.alone = [one.likeness(vectors, borders)[:, mine] for one, mine in zip(encoded.alone, here, strict=True)]
        self.likeness = [element.likeness(vectors, borders) for element in encoded.tokens]
        both = list(zip(encoded.tokens, self.likeness, strict=True))
        self.windows = [element.match(np.maximum(near, near[:, follows])) for element, near in both]
        rows = zip(both, here, context.tolist(), together.max(1).tolist(), strict=True)
        self.figures = [Figures(one.unmet(near[:, mine]), one.telling, *rest) for (one, near), mine, *rest in rows]


def read_documents(
    encoded: EncodedClaims,
    documents: Sequence[ChartDocument],
    vectors: KeptTokenVectors,
    calibration: Calibration,
    best: int = _READ,
) -> Iterator[tuple[Sentences, CloseReading]]:
    """Read documents closely at the `best` windows for each element by its words, in small batches, to report progress and to stop."""
    chosen = (_worth_reading(encoded, document, best) for document in documents)
    with ONE_THREAD:
        for group in windows(chosen, lambda one: sum(map(len, one[1].values())), _TOGETHER):
            encoded_texts = iter(vectors.of([text for _, texts, _ in group for text in texts.values()]))
            for sentences, texts, own in group:
                read = [PlacedTokens.of(text, next(encoded_texts), calibration.space) for text in texts.values()]
                yield sentences, CloseReading(encoded, sentences, list(texts), read, calibration, own)


def _worth_reading(
    encoded: EncodedClaims, document: ChartDocument, best: int
) -> tuple[Sentences, dict[int, str], list[Int64s]]:
    """Return the sentences of a document, by their numbers its passages with the `best` windows for an element, and which for each."""
    sentences = Sentences.of(document, encoded.columns)
    shares, naming = encoded.shares(sentences)[1], encoded.naming(sentences)
    first = shares + np.maximum(naming, naming[:, sentences.last])
    counts = ((shares, best - best // 3), (first, best // 3))
    places = np.hstack([np.argsort(-each, axis=1, kind="stable")[:, :count] for each, count in counts])
    own = [sentences.passages[row] for row in places]
    numbers = np.unique(np.concatenate(own)).tolist() if places.size else []
    return sentences, {number: document.passages[number].text for number in numbers}, own


def make_chart(
    encoded: EncodedClaims,
    documents: Sequence[ChartDocument],
    encoder: Encoder,
    calibration: Calibration,
    *,
    vectors: KeptTokenVectors | None = None,
) -> Chart:
    """Set claims against documents. `vectors` are those of an earlier chart, where some may be kept."""
    reader = ElementReader(encoded, calibration)
    read = read_documents(encoded, documents, vectors or KeptTokenVectors(encoder), calibration)
    columns = [
        tuple(reader.cells(document, *found))
        for document, found in zip(documents, tracked(read, "Reading documents", len(documents)), strict=True)
    ]
    rare = tuple(calibration.rarity.of_text(element.text) for element in encoded.elements)
    shown = tuple(Column(document.id, document.title, document.metadata, 0.0) for document in documents)
    rows = tuple(tuple(column[number] for column in columns) for number in range(len(encoded.elements)))
    return Chart(encoded.claims, encoded.elements, shown, rows, rare, encoder.name).with_cells(rows)


class ElementReader:
    """Reads documents for the elements of claims: the score of each, and what caps it."""

    def __init__(self, encoded: EncodedClaims, calibration: Calibration) -> None:
        self._encoded = encoded
        self._calibration = calibration
        self._wanted = encoded.phrases
        texts = [element.text for element in encoded.elements]
        self._denied = [denied(text) - _EXCLUDES_NOTHING for text in texts]
        self._numbers = [quantities(text) for text in texts]

    def cells(self, document: ChartDocument, sentences: Sentences, read: CloseReading) -> Iterator[Cell]:
        """Yield the cell of each element."""
        texts = [passage.text for passage in document.passages]
        words, denies = [stems(text, "en") for text in texts], cache(lambda place: denied(texts[place]))
        every = DocumentWords(texts, set().union(*words), sentences.places)
        numbers, english = DocumentQuantities(texts) if any(self._numbers) else None, is_english(texts)
        for number, element in enumerate(self._encoded.elements):
            wanted = self._wanted[number]
            quotes = self._quotes(number, document, sentences, read)
            if not quotes:
                lost = tuple(one.place for one in wanted)
                yield Cell(element.label, document.id, Verdict.NOT_FOUND, 0.0, missing=lost)
                continue
            refused = []
            for each in wanted:
                there = [place for place, here in enumerate(words) if each.head in here]
                refused.append(
                    each.head not in self._denied[number] and bool(there) and all(each.head in denies(p) for p in there)
                )
            missing = self._missing(number, every, read) if english else ()
            compared = (
                compare(element.text, self._numbers[number], numbers, self._calibration.rarity.of) if numbers else ()
            )
            evidence = float(self._calibration.score.evidence([read.figures[number]])[0])
            excluded = self._denied[number]
            if excluded and not any(excluded & here and excluded & denies(p) for p, here in enumerate(words)):
                doubt = "excluded"
            else:
                doubt = "apart" if self._apart(number, every, read) else ""
            if refused[:1] == [True] or self._encoded.terms[number].share(missing) >= _MOST:
                evidence = self._calibration.at_most(evidence, Verdict.NOT_FOUND)
            elif missing or any(refused) or doubt or not all(one.agrees for one in compared):
                evidence = self._calibration.at_most(evidence, Verdict.PARTLY)
            gone = [*missing, *(one.place for one, no in zip(wanted, refused, strict=True) if no)]
            yield Cell(
                element.label,
                document.id,
                self._calibration.verdict(evidence),
                evidence,
                tuple(quotes),
                self._pairs(number, [quote.text for quote in quotes]),
                tuple(sorted(set(gone), key=lambda place: place.start)),
                tuple(compared),
                doubt,
            )

    def _missing(self, number: int, words: DocumentWords, read: CloseReading) -> tuple[Place, ...]:
        """Return the key terms of an element that a document lacks."""
        starts, nearest = self._encoded.alone[number].starts.tolist(), read.alone[number].max(1, initial=-1.0).tolist()
        return self._encoded.terms[number].missing(words, dict(zip(starts, nearest, strict=True)))

    def _apart(self, number: int, words: DocumentWords, read: CloseReading) -> bool:
        """Tell whether a document has the words of an element, but nowhere its thing and what is said of it together.

        Of an element that names no thing ("inputting to") nobody can tell.
        """
        element, likeness = self._encoded.alone[number], read.alone[number]
        thing = element.starts < self._encoded.things[number]
        if not self._encoded.things[number]:
            return True
        if thing.all() or not thing.any() or not likeness.size:
            return False
        weights = self._encoded.weights[number]
        there = sum(weights[column] for stem, column in self._encoded.columns.items() if stem in words.stems)
        if there < _LITERAL:
            return False
        parts = [
            element.rarity[some] @ likeness[some] / max(element.rarity[some].sum(), 1e-9) for some in (thing, ~thing)
        ]
        return float(np.minimum(*parts).max() - min(part.max() for part in parts)) < _APART

    def _quotes(self, number: int, document: ChartDocument, sentences: Sentences, read: CloseReading) -> list[Quote]:
        """Return the best sentences of the best paragraphs, with a neighbour that adds to them; none that denies a thing."""
        wanted = {phrase.head for phrase in self._wanted[number]} - self._denied[number]
        if not len(read.rows):
            return []
        element, likeness = self._encoded.tokens[number], read.likeness[number]
        match, shares = element.match(likeness), read.shares[number]
        worth = match + _WORDS * shares + _NAMES * read.names[number]
        used: set[str] = set()
        quotes: list[Quote] = []
        for place in np.argsort(-worth, kind="stable").tolist():
            passage = document.passages[int(sentences.passages[read.rows[place]])]
            if whole_id(passage.id) in used:
                continue
            first, last = _with_neighbour(place, match, read.windows[number], sentences.passages[read.rows])
            start, end = int(sentences.starts[read.rows[first]]), int(sentences.ends[read.rows[last]])
            text = passage.text[start:end]
            if denied(text) & wanted:
                continue
            used.add(whole_id(passage.id))
            alone = read.figures[number]._replace(
                unmet=element.unmet(likeness[:, first : last + 1]), shared=float(shares[first : last + 1].max())
            )
            evidence = self._calibration.score.evidence([alone])
            quotes.append(Quote(passage.id, passage.section, passage.number, text, start, end, float(evidence[0])))
            if len(quotes) == QUOTES:
                break
        return quotes

    def _pairs(self, number: int, quotes: Sequence[str]) -> tuple[Pair, ...]:
        """Pair each phrase of an element with the phrase of a quotation that names it."""
        there = [
            (quote, place, stems(place.text, "en"))
            for quote, places in enumerate(noun_phrases(quotes))
            for place in places
        ]
        found = {
            one.place: (place, quote)
            for one in self._wanted[number]
            for quote, place, words in reversed(there)
            if one.named_by(words)
        }
        return tuple(Pair(element, place, quote) for element, (place, quote) in found.items())


def _with_neighbour(place: int, match: Floats, windows: Floats, passages: Int64s) -> tuple[int, int]:
    """Return the first and last sentence to quote: one, or two where the next or the one before adds enough to it."""
    after = float(windows[place])
    before = float(windows[place - 1]) if place and passages[place - 1] == passages[place] else -1.0
    if max(after, before) < match[place] + _ADDS:
        return place, place
    return (place, place + 1) if after >= before else (place - 1, place)
