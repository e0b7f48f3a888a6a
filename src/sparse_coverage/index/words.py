"""The words of a segment's texts with their places, for expressions such as `ti:battery near/5 lithium*`.

A text is a passage, a title, or the name of an applicant or inventor. Its words (see `text/words.py`: small letters, no accents, cut at
hyphens) are numbered in a row through the whole segment, with `GAP` numbers left out between two texts, so that no phrase and no
`near` reaches from one text into the next. Each word has the list of its places; each stem the list of the words that have it, in
every language that the documents are in. A word alone is looked for in all its forms.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.index.passage_parts import SortedWords, packed_words
from sparse_coverage.index.stored_fields import DocumentRecord, PassageRecord, strings
from sparse_coverage.kernels import Array, Int64s, Mask, Uint32s
from sparse_coverage.text import comparable, folded, guess_language, stem, word_forms, word_pieces

GAP = 100
MOST_APART = GAP - 1
"""The largest N of `near/N` and `adj/N`."""
_MOST_PLACES = 20_000_000  # that a `near` inside another may have in one segment
_MOST_KNOWN = 32  # answers that a reader keeps
_TELLING = 8  # passages that tell the language of a document
_KINDS = ("passage", "title", "applicant", "inventor")


@dataclass(frozen=True, slots=True)
class WordField:
    """A field that words are looked for in: kinds of texts, and of passages only those of some sections (none: all).

    One row is all that a new one needs. Names have no forms, so they are not `stemmed`.
    """

    name: str
    short: str
    kinds: tuple[str, ...]
    sections: tuple[str, ...] = ()
    stemmed: bool = True


WORD_FIELDS = {
    row.name: row
    for row in (
        WordField("text", "", ("passage", "title")),
        WordField("title", "ti", ("title",)),
        WordField("abstract", "ab", ("passage",), ("abstract", "title+abstract")),
        WordField("claims", "cl", ("passage",), ("claims",)),
        WordField("description", "desc", ("passage",), ("description",)),
        WordField("applicant", "pa", ("applicant",), stemmed=False),
        WordField("inventor", "in", ("inventor",), stemmed=False),
    )
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row. `*` in a word stands for any letters and `?` for one. `any_form`: a word alone, in all forms of its stem."""

    words: tuple[str, ...]
    any_form: bool = False


@dataclass(frozen=True, slots=True)
class Near:
    """Two things in one text, at most so many words apart (1: next to each other), in this order or in any."""

    left: Wanted
    right: Wanted
    apart: int
    ordered: bool


@dataclass(frozen=True, slots=True)
class Either:
    """One of several things."""

    parts: tuple[Wanted, ...]


Wanted = Phrase | Near | Either


def wanted_words(text: str, field: str, exact: bool = False) -> Phrase:
    """Read what a user looks for: `battery`, `phase change`, `lead-acid` (a phrase of two words), `batter*`, `wom?n`.

    >>> wanted_words("Lead-Acid", "text").words, wanted_words("Battery", "title")
    (('lead', 'acid'), Phrase(words=('battery',), any_form=True))
    """
    if field not in WORD_FIELDS:
        raise InputError(f"There is no field '{field}' to look for words in. There are {', '.join(WORD_FIELDS)}.")
    words = tuple(_patterns(text))
    if not words or any(not word.strip("*?") for word in words):
        raise InputError(f"'{text}' holds no word to look for.")
    cut = any(mark in word for word in words for mark in "*?")
    return Phrase(words, len(words) == 1 and not cut and not exact and WORD_FIELDS[field].stemmed)


def _patterns(text: str) -> Iterator[str]:
    for piece in re.split(r"[^\w*?]+|_+", comparable(text)):
        # The letters between two marks are a word of their own kind: "lead?acid*" is one pattern.
        parts = re.split(r"([*?]+)", piece)
        if len(parts) == 1:
            yield from word_forms(piece)
        else:
            yield "".join(folded(part) for part in parts)


class _Texts:
    """The texts of one kind: the numbers of their words one after the other, how long each is, and whose it is."""

    def __init__(self) -> None:
        self.words = array("I")
        self.lengths = array("I")
        self.documents = array("I")


class _Numbers(dict[str, int]):
    """Words as they are written, and the number that their form has in `forms`."""

    def __init__(self) -> None:
        self.forms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self[word] = self.forms.setdefault(folded(word), len(self.forms))
        return number


class WordWriter:
    """Gathers the words of a new segment's documents."""

    def __init__(self) -> None:
        self._languages = {"en"}
        self._numbers = _Numbers()
        self._texts = {kind: _Texts() for kind in _KINDS}

    def add(self, number: int, record: DocumentRecord, passages: Sequence[PassageRecord]) -> None:
        """Add a document with all its passages."""
        own = [passage.text for passage in passages if passage.section != "translation"][:_TELLING]
        self._languages.add(guess_language("\n".join(own)) or "en")
        others = (guess_language(passage.text) for passage in passages if passage.section == "translation")
        self._languages.update(filter(None, others))
        metadata = record.metadata
        texts = {
            "passage": [passage.text for passage in passages],
            "title": [record.title],
            "applicant": strings(metadata.get("applicants")),
            "inventor": strings(metadata.get("inventors")),
        }
        for kind, into in self._texts.items():
            for text in texts[kind]:
                words = word_pieces(text)
                into.words.extend(map(self._numbers.__getitem__, words))
                into.lengths.append(len(words))
                into.documents.append(number)

    def build(self) -> tuple[dict[str, Array], Uint32s]:
        """Return the small arrays that say what is where, and the places of all words."""
        forms = sorted(self._numbers.forms, key=str.encode)
        order = np.empty(len(forms), dtype=np.uint32)
        order[[self._numbers.forms[form] for form in forms]] = np.arange(len(forms), dtype=np.uint32)
        gathered = [self._texts[kind] for kind in _KINDS]
        lengths = np.concatenate([np.asarray(texts.lengths, dtype=np.int64) for texts in gathered])
        starts = np.concatenate(([0], np.cumsum(lengths + GAP)))
        if starts[-1] >= 1 << 32:
            raise IndexStoreError("A segment holds too many words: 4 billion are possible. Write smaller segments.")
        words = order[np.concatenate([np.asarray(texts.words, dtype=np.uint32) for texts in gathered])]
        begun = np.cumsum(lengths) - lengths
        places = np.arange(len(words)) + np.repeat(starts[:-1] - begun, lengths)
        by_word = np.argsort(words, kind="stable")
        arrays: dict[str, Array] = {
            **packed_words("word", forms, np.bincount(words, minlength=len(forms)).tolist()),
            "text_starts": starts.astype(np.uint32),
            "text_documents": np.concatenate([np.asarray(t.documents, dtype=np.uint32) for t in gathered]),
            "kind_texts": np.asarray([0, *accumulate(len(texts.lengths) for texts in gathered)], dtype=np.uint32),
            **self._stems(forms),
        }
        return arrays, places[by_word].astype(np.uint32)

    def _stems(self, forms: Sequence[str]) -> dict[str, Array]:
        """Return the words of each stem that is not the word itself, the stem behind its language."""
        lists: dict[str, list[int]] = {}
        for language in self._languages:
            for number, form in enumerate(forms):
                if (root := stem(form, language)) != form:
                    lists.setdefault(f"{language} {root}", []).append(number)
        stems = sorted(lists, key=str.encode)
        numbers = [number for one in stems for number in lists[one]]
        languages = " ".join(sorted(self._languages)).encode()
        return {
            **packed_words("stem", stems, [len(lists[one]) for one in stems]),
            "stem_words": np.asarray(numbers, dtype=np.uint32),
            "languages": np.frombuffer(languages, dtype=np.uint8),
        }


class WordReader:
    """Finds the documents of a segment that hold some words, from any thread."""

    def __init__(self, arrays: Mapping[str, Array], places: Array, path: Path, document_starts: Uint32s) -> None:
        self._words = SortedWords(arrays, "word", places, arrays["sums"], path)
        self._stems = SortedWords(arrays, "stem", arrays["stem_words"])
        self._languages = arrays["languages"].tobytes().decode().split()
        self._text_starts: Uint32s = arrays["text_starts"]
        self._text_documents: Uint32s = arrays["text_documents"]
        bounds = arrays["kind_texts"].tolist()
        self._texts = dict(zip(_KINDS, pairwise(bounds), strict=True))
        self._document_bounds: Uint32s = self._text_starts[document_starts]
        self._known: dict[tuple[str, Wanted], Mask] = {}

    def documents(self, field: WordField, wanted: Wanted, sections: Mask) -> Mask:
        """Return which documents hold what is wanted in a field; `sections` are the passages that belong to it."""
        key = field.name, wanted
        if (
            key not in self._known
        ):  # one filter is asked several times: to search, to explain, to tell what it leaves out
            mask = np.zeros(len(self._document_bounds) - 1, dtype=bool)
            self._find(field, wanted, sections, mask)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = mask
        return np.array(self._known[key])

    def forms(self, wanted: Phrase) -> dict[str, int]:
        """Return the words of the segment that the words of a phrase stand for, with how often each is there."""
        return {
            self._words[number].decode(): len(self._words.list_at(number))
            for word in wanted.words
            for number in self._numbers(word, wanted.any_form)
        }

    def _find(self, field: WordField, wanted: Wanted, sections: Mask, mask: Mask) -> None:
        if isinstance(wanted, Either):
            for part in wanted.parts:
                self._find(field, part, sections, mask)
        elif isinstance(wanted, Phrase) and len(wanted.words) == 1:
            for number in self._numbers(wanted.words[0], wanted.any_form):
                self._mark(field, self._words.list_at(number), sections, mask)
        else:
            starts, _ = self._spans(wanted, whole=False)
            self._mark(field, starts.astype(np.uint32), sections, mask)

    def _mark(self, field: WordField, places: Uint32s, sections: Mask, mask: Mask) -> None:
        """Mark the documents in whose field there is one of some rising places."""
        for kind in field.kinds:
            first, last = self._texts[kind]
            bounds = np.searchsorted(places, self._text_starts[[first, last]])
            here = places[bounds[0] : bounds[1]]
            if kind == "passage" and not field.sections:
                ends = self._document_bounds
                if len(here) > len(mask):
                    mask |= np.diff(np.searchsorted(here, ends)) > 0
                else:
                    mask[np.searchsorted(ends, here, side="right") - 1] = True
                continue
            texts = np.searchsorted(self._text_starts[first : last + 1], here, side="right") - 1
            if kind == "passage":
                texts = texts[sections[texts]]
            mask[self._text_documents[first + texts]] = True

    def _spans(self, wanted: Wanted, whole: bool = True) -> tuple[Int64s, Int64s]:
        """Return where everything that is wanted begins and ends; unless `whole`, a place for each text that has it will do."""
        if isinstance(wanted, Phrase):
            starts = self._phrase(wanted)
            return starts, starts + (len(wanted.words) - 1)
        if isinstance(wanted, Either):
            parts = [self._spans(part, whole) for part in wanted.parts]
            return _sorted(*(np.concatenate(ends) for ends in zip(*parts, strict=True)))
        left, right = self._spans(wanted.left), self._spans(wanted.right)
        pairs = [_followed(left, right, wanted.apart, whole)]
        if not wanted.ordered:
            pairs.append(_followed(right, left, wanted.apart, whole))
        return _sorted(*(np.concatenate(ends) for ends in zip(*pairs, strict=True)))

    def _phrase(self, phrase: Phrase) -> Int64s:
        found: Int64s | None = None
        for place, word in enumerate(phrase.words):
            lists = [self._words.list_at(number) for number in self._numbers(word, phrase.any_form)]
            places = np.concatenate(lists).astype(np.int64) if lists else np.zeros(0, dtype=np.int64)
            if len(lists) > 1:
                places.sort()
            found = places if found is None else _common(found, places - place)
        assert found is not None
        return found

    def _numbers(self, word: str, any_form: bool) -> list[int]:
        """Return the numbers of the words that a word stands for."""
        if "*" in word or "?" in word:
            return self._matching(word)
        if not any_form:
            return self._words.numbers(word)
        found = set(self._words.numbers(word))
        for language in self._languages:
            root = stem(word, language)
            for number in self._stems.numbers(f"{language} {root}"):
                found.update(self._stems.list_at(number).tolist())
            if stem(root, language) == root:
                found.update(self._words.numbers(root))
        return sorted(found)

    def _matching(self, pattern: str) -> list[int]:
        begin = re.split(r"[*?]", pattern)[0]
        low = bisect_left(self._words, begin.encode())
        high = bisect_left(self._words, begin.encode() + b"\xff") if begin else len(self._words)
        if pattern == begin + "*":
            return list(range(low, high))
        return [number for number in range(low, high) if matches(self._words[number].decode(), pattern)]


def matches(word: str, pattern: str) -> bool:
    """Tell whether a word is as a pattern says, in time that grows with its length alone.

    >>> matches("polymerisation", "polymeri?at*"), matches("polymer", "*mers")
    (True, False)
    """
    first, *rest = (re.compile(re.escape(piece).replace(r"\?", ".")) for piece in pattern.split("*"))
    if not rest:
        return first.fullmatch(word) is not None
    found = first.match(word)
    for piece in rest[:-1]:
        found = piece.search(word, found.end()) if found else None
    last = len(word) - len(pattern.rsplit("*", 1)[1])
    return found is not None and last >= found.end() and rest[-1].fullmatch(word, last) is not None


def _common(left: Int64s, right: Int64s) -> Int64s:
    """Return the numbers that two rising arrays share."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    if not len(many):
        return few
    places = np.searchsorted(many, few)
    places[places == len(many)] = 0
    return np.asarray(few[many[places] == few])


def _followed(
    left: tuple[Int64s, Int64s], right: tuple[Int64s, Int64s], apart: int, whole: bool
) -> tuple[Int64s, Int64s]:
    """Return each pair of spans of which the second begins at most so many words after the first ends."""
    low = np.searchsorted(right[0], left[1], side="right")
    counts = np.searchsorted(right[0], left[1] + apart, side="right") - low
    if not whole:
        starts = left[0][counts > 0]
        return starts, starts
    if counts.sum() > _MOST_PLACES:
        raise InputError("near inside near joins too many places. Use rarer words, or a smaller number of words apart.")
    second = np.arange(counts.sum()) + np.repeat(low - np.cumsum(counts) + counts, counts)
    return np.repeat(left[0], counts), right[1][second]


def _sorted(starts: Int64s, ends: Int64s) -> tuple[Int64s, Int64s]:
    """Return spans by where they begin, each once."""
    both = np.unique((starts << 32) | ends)
    return both >> 32, both & 0xFFFFFFFF


def some_words(wanted: Wanted) -> Iterable[Phrase]:
    """Yield the words and phrases that something is made of."""
    if isinstance(wanted, Phrase):
        yield wanted
    else:
        for part in wanted.parts if isinstance(wanted, Either) else (wanted.left, wanted.right):
            yield from some_words(part)
