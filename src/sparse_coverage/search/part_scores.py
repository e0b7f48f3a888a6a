"""The parts of a ranking: scores of passages by words and by whole vectors, how parts are scaled and added, and how close a document is.

Scores of a ranking cannot say how close something is: the best of nothing is still first. So two figures of a document are weighed, made
of its passages by the rule that makes documents: the cosine of its passages and the query as wholes, and the share of the query's words
that they hold, rare words counting more (the BM25 score divided by what all words of the query are worth, and `FEW_WORDS` more).
`benchmarks/closeness.py` fits the scale: claims of patents against the papers about the same inventions, and against the nearest others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import IndexStore
from sparse_coverage.index.manifest import Manifest
from sparse_coverage.index.passage_parts import MOST_OFTEN
from sparse_coverage.kernels import Bytes, Doubles, Floats, Int64s, Mask, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.scoring import add_word
from sparse_coverage.search.ranking import Allowed
from sparse_coverage.search.results import PartScore, Place, WordReason
from sparse_coverage.systems import PARTS
from sparse_coverage.text import idf, index_terms, term_places
from sparse_coverage.vectors import SparseVector

K1, B = 1.5, 0.75
_SECONDS_A_POSTING = 2e-8
_REMEMBERED = 10_000  # words
T = TypeVar("T")
Over = Callable[[Callable[[range], None]], object]
"""Does some work for all segments, each of several threads for some of them."""


class _Word(NamedTuple):
    """What is known of a word: its number in each segment (-1: it is not there), how many live passages hold it, and what it is worth."""

    numbers: tuple[int, ...]
    frequency: int
    worth: float


class WordScores:
    """BM25 (Lucene's variant) over the passages that are live; scores are those of bm25s, bit for bit.

    `k1` says how soon more of the same word counts no more, `b` how much long passages pay for their length.
    """

    def __init__(self, store: IndexStore, k1: float = K1, b: float = B) -> None:
        self._store = store
        self.lists = [_kept(segment.word_lists) for segment in store.segments]
        live = [None if segment.tombstones is None else segment.live_passages for segment in store.segments]
        self._live = live
        self._passages = store.state.passages
        self._known: dict[str, _Word] = {}
        pairs = zip(self.lists, live, strict=True)
        words = sum(int(part.lengths[slice(None) if mask is None else mask].sum()) for part, mask in pairs)
        average = np.float64(words / self._passages) if words else np.float64(1)
        self.average = average
        self.norms = [k1 * ((1 - b) + b * part.lengths.astype(np.float64) / average) for part in self.lists]

    def scores(self, query: str, allowed: Bytes | None = None, over: Over | None = None) -> Floats:
        """Return the score of every passage, 0 where it shares no word with the query, is deleted, or is not `allowed`.

        `over` shares the segments out to threads.
        """
        words = index_terms(query)
        asked = self._look_up(words)
        found = np.zeros(self._store.size, dtype=np.float32)

        def score(segments: range) -> None:
            for place in segments:
                segment, lists, live = self._store.segments[place], self.lists[place], self._live[place]
                here = found[segment.first_passage : segment.first_passage + len(segment)]
                there = {word: one.numbers[place] for word, one in asked.items() if one.numbers[place] >= 0}
                postings = dict(zip(there, lists.lists_at(list(there.values())), strict=True))
                add = (
                    add_word if machine_code(_SECONDS_A_POSTING * sum(map(len, postings.values()))) else plain.add_word
                )
                for word in words:
                    if word in postings:
                        add(postings[word], asked[word].worth, self.norms[place], here)
                if live is not None:
                    here[~live] = 0

        (over or _alone(self._store))(score)
        if allowed is not None:
            found[allowed == 0] = 0
        return found

    def reasons(self, query: str, passage: int, text: str) -> tuple[WordReason, ...]:
        """Return the words that a query and a passage share, and what each adds to the passage's score, strongest first."""
        asked, there = term_places(query), term_places(text)
        segment = self._store.segment_of_passage(passage)
        norm = float(self.norms[self._store.segments.index(segment)][passage - segment.first_passage])
        found = []
        for word, known in self._look_up([word for word in asked if word in there]).items():
            count = min(len(there[word]), MOST_OFTEN)
            adds = len(asked[word]) * known.worth * (count / (norm + count))
            found.append(WordReason(Place(*asked[word][0]), Place(*there[word][0]), known.frequency, adds))
        return tuple(sorted(found, key=lambda one: (-one.contribution, one.query.start)))

    def shares(self, text: str, documents: Sequence[int]) -> list[tuple[float, int]]:
        """Return for each document which share of a text's words stands in one passage of it, rare words counting more, and in which."""
        known = self._look_up(list(dict.fromkeys(index_terms(text))))
        unknown = float(idf(0, self._passages))
        total = sum(one.worth or unknown for one in known.values())
        lists: dict[int, list[tuple[Uint32s, float]]] = {}
        found = []
        for document in documents:
            own = self._store.passages_of(document)
            segment = self._store.segment_of_passage(own.start)
            place, first = self._store.segments.index(segment), own.start - segment.first_passage
            if place not in lists:
                there = [one for one in known.values() if one.numbers[place] >= 0]
                postings = self.lists[place].lists_at([one.numbers[place] for one in there])
                lists[place] = list(zip(postings, (one.worth for one in there), strict=True))
            worth = np.zeros(len(own))
            for posting, adds in lists[place]:
                begin, end = np.searchsorted(posting, np.asarray([first, first + len(own)], np.uint32) << np.uint32(16))
                worth[(posting[begin:end] >> np.uint32(16)) - np.uint32(first)] += adds
            best = int(worth.argmax()) if len(own) else 0
            found.append((float(worth[best] / total) if total and len(own) else 0.0, own.start + best))
        return found

    def worths(self, words: Sequence[str]) -> float:
        """Return what words are worth together, one that comes twice twice."""
        known = self._look_up(words)
        return sum(known[word].worth for word in words)

    def cost(self, query: str) -> int:
        """Return how many postings a query reads: the passages that hold each of its different words."""
        return sum(one.frequency for one in self._look_up(index_terms(query)).values())

    def _look_up(self, words: Sequence[str]) -> dict[str, _Word]:
        """Return what is known of words, each once, in their order. What was looked up is kept."""
        known = self._known
        fresh = [word for word in dict.fromkeys(words) if word not in known]
        if fresh:
            if len(known) > _REMEMBERED:
                self._known = known = {word: known[word] for word in words if word in known}
            each = zip(*(lists.find(fresh) for lists in self.lists), strict=True) if self.lists else ((),) * len(fresh)
            known.update((word, self._word(numbers)) for word, numbers in zip(fresh, each, strict=True))
        return {word: known[word] for word in words}

    def _word(self, numbers: tuple[int, ...]) -> _Word:
        each = zip(self.lists, self._live, numbers, strict=True)
        frequency = sum(lists.frequency(number, live) for lists, live, number in each if number >= 0)
        # Rounded as bm25s rounds it.
        return _Word(numbers, frequency, float(np.float32(idf(frequency, self._passages))) if frequency else 0.0)


class VectorScores:
    """Products of the vectors of whole passages with those of a query's chunks: the largest counts, none below 0."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store
        # What is not encoded yet, while the index is built, has none.
        encoded = (segment.entry.encoded for segment in store.segments)
        self._parts = [
            _kept(one.vectors) if there else None for one, there in zip(store.segments, encoded, strict=True)
        ]

    def scores(self, chunks: Floats, allowed: Bytes | None = None, over: Over | None = None) -> Floats:
        """Return the score of every passage for a query's chunks, one a row; 0 where it is deleted or not `allowed`.

        `over` shares the segments out to threads.
        """
        found = np.zeros(self._store.size, dtype=np.float32)
        if not len(chunks):
            return found

        def score(segments: range) -> None:
            for place in segments:
                segment, vectors = self._store.segments[place], self._parts[place]
                part = slice(segment.first_passage, segment.first_passage + len(segment))
                mask = np.zeros(0, np.uint8) if allowed is None else allowed[part]
                if vectors is not None and (not len(mask) or mask.any()):
                    vectors.products(chunks, mask, found[part])

        (over or _alone(self._store))(score)
        np.maximum(found, 0, out=found)
        if not self._store.live_passages.all():
            found[~self._store.live_passages] = 0
        return found


def _alone(store: IndexStore) -> Over:
    """Return what does the work of all segments on this thread."""
    return lambda work: work(range(len(store.segments)))


def _kept(part: T | None) -> T:
    assert part is not None, "the index keeps no such part: `require_parts` refuses it"
    return part


FEW_WORDS = 10.0
"""What a query's words must be worth to count half, about two rare words. Else one word that a document mentions would make it close."""
Closeness = Literal["close", "related", "weak"]
LEVELS: tuple[Closeness, ...] = ("close", "related", "weak")
"""From the nearest to the farthest."""


@dataclass(frozen=True, slots=True)
class ClosenessScale:
    """What both figures weigh, and from which sum on a document is close or related."""

    cosine: float
    words: float
    close: float
    related: float

    def level(self, cosine: float, words: float) -> Closeness:
        """Return how close a document with these figures is.

        >>> SCALES["minilm"].level(0.6, 0.3), SCALES["minilm"].level(0.4, 0.15), SCALES["minilm"].level(0.2, 0.05)
        ('close', 'related', 'weak')
        """
        value = self.cosine * cosine + self.words * words
        return "close" if value >= self.close else "related" if value >= self.related else "weak"


SCALES = {
    "minilm": ClosenessScale(cosine=17.59, words=17.66, close=12.21, related=8.85),
    "gte-small": ClosenessScale(cosine=94.46, words=11.91, close=83.93, related=80.65),
}
"""By the name of the encoder. On the half of the claims that it was fitted on, one in twenty of the nearest papers about something else is
called close, and nineteen of twenty papers about the invention are at least related; docs/results.md has the other half."""


def at_least(level: str, wanted: str) -> bool:
    """Tell whether one level is another one, or nearer.

    >>> at_least("close", "related"), at_least("weak", "related")
    (True, False)
    """
    return LEVELS.index(level) <= LEVELS.index(wanted)


DEPTH = 1000
"""Over how many of its documents the scores of a part are scaled."""


def parts_of(ranking: str, state: Manifest) -> tuple[str, ...]:
    """Return the parts that a ranking adds up: of `combined` all that the index keeps so far, else the one of that name."""
    if ranking == "combined":
        if state.words and not state.complete and not state.encoded_documents:
            return ("words",)
        return ("centers", *(["words"] if state.words else []), *(["vectors"] if state.dimension else []))
    if ranking not in PARTS:
        raise InputError(f"An index ranks by combined, {', '.join(PARTS)}, not by '{ranking}'.")
    return (ranking,)


def require_parts(parts: Sequence[str], store: IndexStore) -> None:
    """Refuse a part that an index does not keep."""
    for part, kept in (("words", store.state.words), ("vectors", store.state.dimension)):
        if part in parts and not kept:
            raise InputError(
                f"{store.folder} keeps no {part} of passages. Rank by what it has (combined, or centers), or build it again without "
                f"--without {part}."
            )


@dataclass(frozen=True, slots=True, eq=False)
class PartScores:
    """What one part says of a query: a score for every passage, and its best documents. A part that is `alone` is not scaled."""

    name: str
    scores: Floats
    documents: Int64s
    document_scores: Floats
    alone: bool

    def scaled(self, scores: Floats) -> Doubles:
        """Return scores on the scale of this part: 1 for its best document, 0 for its last and for what is below it."""
        found = scores.astype(np.float64)
        if self.alone or not len(self.document_scores):
            return found
        high, low = float(self.document_scores[0]), float(self.document_scores[-1])
        return np.maximum((found - low) / (high - low), 0) if high > low else (found >= high).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The documents of a query, best first, with their scores, and the parts these come from.

    `vector` is the query's, where centers rank. `shares`, while the index is built: how many parts each passage's words stand for, all
    of them where there is nothing else yet. `seconds`: what each stage took.
    """

    query: str
    vector: SparseVector | None
    documents: Int64s
    scores: Doubles
    parts: tuple[PartScores, ...]
    allowed: Allowed | None
    starts: Int64s
    shares: Doubles | None
    seconds: dict[str, float]

    def part_scores(self, document: int) -> tuple[PartScore, ...]:
        """Return what each part adds to the score of a document; nothing where one part ranks alone."""
        found = []
        for part in self.parts if len(self.parts) > 1 else ():
            [place] = np.flatnonzero(part.documents == document)[:1].tolist() or [None]
            if place is None:
                waiting = part.name != "words" and self.share(int(self.starts[document])) > 1
                found.append(PartScore(part.name, None, None, 0.0, waiting))
            else:
                score = part.document_scores[place : place + 1]
                adds = float(part.scaled(score)[0]) * self.share(int(self.starts[document]))
                found.append(PartScore(part.name, place + 1, float(score[0]), adds))
        return tuple(found)

    def share(self, passage: int) -> float:
        """Return how many parts the words of a passage stand for: 1, unless it is not encoded yet."""
        return 1.0 if self.shares is None else float(self.shares[passage])

    def found(self, passages: Int64s) -> Mask:
        """Tell which passages any part found something in; a filter leaves none in the others."""
        return np.asarray(np.any([part.scores[passages] > 0 for part in self.parts], axis=0))

    def values(self, passages: Int64s) -> Doubles:
        """Return the sum of what the parts say of passages, on the scales of documents."""
        sums = np.asarray(np.sum([part.scaled(part.scores[passages]) for part in self.parts], axis=0))
        return sums if self.shares is None else sums * self.shares[passages]
