"""The units by name: what counts as one span of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from sparse_coverage.encoding.encoder import IntArray, Tokens, TokenVectors
from sparse_coverage.errors import InputError
from sparse_coverage.spans.noun_phrases.extractor import NounPhraseExtractor, embedded_extractor
from sparse_coverage.spans.noun_phrases.spacy_phrases import SpacyExtractor
from sparse_coverage.spans.phrase_units import PhraseUnit
from sparse_coverage.spans.pooling import Spans, normalise, token_places


class TokenUnit:
    """Each encoder token is a span, unless it is punctuation only."""

    name = "token"

    def locate(self, text: str, tokens: Tokens) -> tuple[IntArray, IntArray]:
        """Return where the spans of a text start and end, in text order."""
        places = token_places(text, tokens)
        return places.starts[places.lexical], places.ends[places.lexical]

    def pool(self, text: str, tokens: TokenVectors) -> Spans:
        """Return the spans of a text with their vectors."""
        places = token_places(text, tokens)
        keep = places.lexical
        return Spans(normalise(tokens.vectors[keep]), places.starts[keep], places.ends[keep])

    def pool_many(self, texts: Iterable[str], tokens: Iterable[TokenVectors]) -> Iterator[Spans]:
        """Yield the spans of each text, in order."""
        for text, vectors in zip(texts, tokens, strict=True):
            yield self.pool(text, vectors)


ExtractorFactory = Callable[[], NounPhraseExtractor]


class SpanUnit(Protocol):
    """Decides what the spans of a text are. `locate` and `pool` give the same spans in the same order."""

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...

    def locate(self, text: str, tokens: Tokens) -> tuple[IntArray, IntArray]:
        """Return where the spans of a text start and end, in text order, without encoding it."""
        ...

    def pool(self, text: str, tokens: TokenVectors) -> Spans:
        """Return the spans of a text with their vectors: means of token vectors, L2-normalised."""
        ...

    def pool_many(self, texts: Iterable[str], tokens: Iterable[TokenVectors]) -> Iterator[Spans]:
        """Yield the spans of each text, in order."""
        ...


UNITS: dict[str, Callable[[ExtractorFactory], SpanUnit]] = {
    "token": lambda extractor: TokenUnit(),
    "np": lambda extractor: PhraseUnit(extractor(), rest=False),
    "np+token": lambda extractor: PhraseUnit(extractor(), rest=True),
}
_NAME = re.compile(r"(?P<unit>[^\[\]]+)(?:\[spacy(?::(?P<pipeline>[^\[\]]+))?\])?")


def get_unit(name: str) -> SpanUnit:
    """Return the unit of that name: `token`, `np` or `np+token`.

    Noun phrases come from the embedded extractor. `np[spacy]` takes them from the best spaCy pipeline installed,
    `np[spacy:en_core_sci_lg]` from the one named (both need the extra `[spacy]`), `np+token` likewise. The `name` of the unit
    returned is complete: asked for again, it gives the same spans.

    >>> get_unit("token").name
    'token'
    """
    parts = _NAME.fullmatch(name)
    spacy_asked = "[" in name
    if parts is None or parts["unit"] not in UNITS or (spacy_asked and parts["unit"] == "token"):
        raise InputError(
            f"There is no span unit '{name}'. The units are: {', '.join(UNITS)}. "
            "Noun phrases by spaCy: np[spacy], np+token[spacy:PIPELINE]."
        )

    def extractor() -> NounPhraseExtractor:
        return SpacyExtractor(parts["pipeline"]) if spacy_asked else embedded_extractor()

    return UNITS[parts["unit"]](extractor)
