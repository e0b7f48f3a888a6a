"""Noun phrases from a spaCy pipeline with a parser, for those who have one (extra `[spacy]`)."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sparse_coverage.errors import InputError, MissingExtraError, ModelError
from sparse_coverage.spans.noun_phrases.extractor import Phrases
from sparse_coverage.spans.noun_phrases.grammar import says_nothing, trimmed_start

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
