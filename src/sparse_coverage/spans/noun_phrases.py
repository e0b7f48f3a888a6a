"""Where the noun phrases of a text are: the protocol, the extractor that is always there, and that of spaCy (extra `[spacy]`)."""

from __future__ import annotations

import functools
import importlib
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from sparse_coverage.encoding.encoder import IntArray
from sparse_coverage.errors import InputError, MissingExtraError, ModelError
from sparse_coverage.spans.grammar import (
    PATENT_TAGS,
    lexical_letter,
    phrase_runs,
    reference_numerals,
    says_nothing,
    split_words,
    trimmed_start,
    word_letters,
)
from sparse_coverage.spans.tagger import MOST_WORDS_REMEMBERED, PerceptronTagger, load_weights

#: Start and end of each phrase: characters of the text, in text order, never overlapping.
Phrases = tuple[IntArray, IntArray]

BLOCK_CHARACTERS = 20_000
BLOCK_TEXTS = 256
_TEXT_END = "\n\n"  # as a blank line inside a text: no phrase and no sentence goes on after it


class NounPhraseExtractor(Protocol):
    """Finds the noun phrases of texts."""

    @property
    def name(self) -> str:
        """Says which extractor this is; equal names give equal phrases."""
        ...

    def extract(self, texts: Iterable[str]) -> Iterator[Phrases]:
        """Yield the places of each text's noun phrases, in order."""
        ...


class EmbeddedExtractor:
    """Tags words with a compiled perceptron and finds phrases with a grammar made for patents. Needs no other package.

    Example:
        >>> text = "A washing machine comprising a rotating drum (10)."
        >>> [(starts, ends)] = EmbeddedExtractor().extract([text])
        >>> [text[start:end] for start, end in zip(starts, ends)]
        ['washing machine', 'rotating drum']
    """

    name = "embedded"

    def __init__(self) -> None:
        self._tagger = PerceptronTagger(load_weights(), PATENT_TAGS)
        self._lexical = functools.lru_cache(MOST_WORDS_REMEMBERED)(lexical_letter)

    def extract(self, texts: Iterable[str]) -> Iterator[Phrases]:
        """Yield the places of each text's noun phrases, in order. Texts are taken in blocks; each counts only for itself."""
        for block in _blocks(texts):
            yield from self._phrases(block)

    def _phrases(self, texts: list[str]) -> Iterator[Phrases]:
        """Find the phrases of several texts at once: their words in one row, a sentence end after each text."""
        split = [split_words(text) for text in texts]
        words = [word for part in split for word in (*part.strings, _TEXT_END)]
        letters = self._letters(words)
        lower = [word.lower() for word in words]
        runs = []
        for first, last in phrase_runs(letters):
            head = letters[last - 1]
            plural = head == "M" or (head == "E" and lower[last - 1].endswith("s"))  # "tables" is a plural, too
            first = trimmed_start(lower, first, last, plural)
            if first < last and not says_nothing(lower, first, last):
                runs.append((first, last - 1))
        first_words, last_words = np.array(runs, dtype=np.intp).reshape(-1, 2).T
        begin = 0
        for part in split:
            inside = slice(*np.searchsorted(first_words, (begin, begin + len(part))))
            yield part.starts[first_words[inside] - begin], part.ends[last_words[inside] - begin]
            begin += len(part) + 1

    def _letters(self, words: list[str]) -> str:
        """Return the words as letters. The tagger never sees reference numerals: they would only mislead it."""
        spelled = "".join(map(self._lexical, words))
        lexical = np.frombuffer(spelled.encode(), dtype=np.uint8)
        seen = np.ones(len(words), dtype=np.bool_)
        for first, last in reference_numerals(spelled):
            seen[first:last] = False
        lexical = lexical[seen]
        shown = list(itertools.compress(words, seen.tolist()))
        stops = np.flatnonzero(lexical == ord("."))
        for stop in stops.tolist():  # whatever ends a sentence: the tagger learned from sentences with a full stop
            shown[stop] = "."
        tags = self._tagger.tag(shown, np.append(stops + 1, len(shown)))
        letters = np.full(len(words), ord("#"), dtype=np.uint8)
        letters[seen] = word_letters(lexical, tags, self._tagger.tags)
        return letters.tobytes().decode()


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Gather texts until a block is worth the fixed cost of a pass over it."""
    block, characters = [], 0
    for text in texts:
        block.append(text)
        characters += len(text)
        if characters >= BLOCK_CHARACTERS or len(block) >= BLOCK_TEXTS:
            yield block
            block, characters = [], 0
    if block:
        yield block


@functools.cache
def embedded_extractor() -> EmbeddedExtractor:
    """Return the embedded extractor, loaded once in a process."""
    return EmbeddedExtractor()


#: Which installed pipeline is taken when none is named: the paper's first.
PREFERRED = (
    "en_core_sci_lg",
    "en_core_sci_scibert",
    "en_core_sci_md",
    "en_core_sci_sm",
    "en_core_web_trf",
    "en_core_web_lg",
    "en_core_web_md",
    "en_core_web_sm",
)
#: Parts of a pipeline that noun phrases do not need; they are left out of the work.
UNNEEDED = frozenset(
    """ner lemmatizer trainable_lemmatizer entity_ruler entity_linker span_ruler spancat spancat_singlelabel textcat
    textcat_multilabel experimental_coref abbreviation_detector scispacy_linker""".split()
)
BATCH = 128


class SpacyExtractor:
    """The noun chunks of a spaCy pipeline, trimmed by the same lists as the embedded extractor's phrases.

    `pipeline` is the name of an installed pipeline, the path of one, or a loaded pipeline; without it the best installed
    one is taken. Long streams of texts are shared between `processes`. With `raw` the chunks are as spaCy has them, articles,
    pronouns and reference numerals included: nothing is trimmed or left out, as in the paper.
    """

    def __init__(self, pipeline: Any = None, *, processes: int = 1, raw: bool = False) -> None:
        try:
            spacy = importlib.import_module("spacy")
        except ImportError:
            raise MissingExtraError("Finding noun phrases with spaCy", "spacy") from None
        if pipeline is None:
            pipeline = _best_installed(spacy.util.get_installed_models())
        if isinstance(pipeline, str):
            try:
                self._nlp = spacy.load(pipeline)
            except OSError:
                installed = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
                raise ModelError(f"There is no spaCy pipeline '{pipeline}' here. Installed are: {installed}.") from None
            label = pipeline
        else:
            self._nlp = pipeline
            label = f"{pipeline.lang}_{pipeline.meta['name']}"
        if not self._nlp("A rotating drum.").has_annotation("DEP"):
            raise ModelError(
                f"The spaCy pipeline '{label}' has no parser, so it knows no noun phrases. Choose another."
            )
        self.name = f"{'spacy-raw' if raw else 'spacy'}:{label}"
        self._raw = raw
        self._processes = processes

    def extract(self, texts: Iterable[str]) -> Iterator[Phrases]:
        """Yield the places of each text's noun phrases, in order."""
        stream = iter(texts)
        head = list(itertools.islice(stream, BATCH + 1))
        processes = self._processes if len(head) > BATCH else 1  # starting processes for a few texts only costs
        unneeded = [name for name in self._nlp.pipe_names if name in UNNEEDED]
        documents = self._nlp.pipe(
            itertools.chain(head, stream), batch_size=BATCH, n_process=processes, disable=unneeded
        )
        try:
            yield from map(_chunks_of if self._raw else _phrases_of, documents)
        except ValueError as error:  # spaCy refuses texts beyond its `max_length`
            raise InputError(f"spaCy could not read a text. Split it into passages. spaCy says: {error}") from None


def _best_installed(installed: list[str]) -> str:
    for name in PREFERRED:
        if name in installed:
            return name
    raise ModelError(
        f"No spaCy pipeline for English is installed. Install one of: {', '.join(PREFERRED)}. "
        "The unit `np` without `[spacy]` needs none."
    )


def _chunks_of(document: Any) -> Phrases:
    return _places([(chunk.start_char, chunk.end_char) for chunk in document.noun_chunks])


def _phrases_of(document: Any) -> Phrases:
    words = [token.lower_ for token in document]
    places = []
    for chunk in document.noun_chunks:
        first, last = chunk.start, chunk.end
        while last > first and not any(map(str.isalpha, words[last - 1])):
            last -= 1  # reference numerals
        if last == first or document[last - 1].pos_ == "PRON":
            continue
        plural = document[last - 1].tag_ in ("NNS", "NNPS")
        first = trimmed_start(words, first, last, plural)
        if first < last and not says_nothing(words, first, last):
            places.append((document[first].idx, document[last - 1].idx + len(document[last - 1])))
    return _places(places)


def _places(places: list[tuple[int, int]]) -> Phrases:
    starts, ends = np.array(places, dtype=np.int32).reshape(-1, 2).T
    return starts.copy(), ends.copy()
