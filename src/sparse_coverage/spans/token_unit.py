"""The unit `token`: every encoder token that holds a letter or a digit is a span."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sparse_coverage.encoding.encoder import IntArray, Tokens, TokenVectors
from sparse_coverage.spans.pooling import normalise
from sparse_coverage.spans.span import Spans
from sparse_coverage.spans.token_places import token_places


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
