"""An encoder that reads cleaned texts: what it says of places is about the original."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sparse_coverage.encoding.encoder import Encoder, Tokens, TokenVectors


class CleaningEncoder:
    """Wraps an encoder: texts are cleaned by named steps (`patents.cleaning`), offsets are those of the original text.

    The steps are part of the fingerprint: vectors of cleaned and of plain text are not compared by accident.
    """

    def __init__(self, encoder: Encoder, steps: Sequence[str]) -> None:
        self.encoder = encoder
        self.steps = cleaning_steps(steps)
        self.name, self.precision, self.dimension = encoder.name, encoder.precision, encoder.dimension
        self.fingerprint = "+".join((encoder.fingerprint, *self.steps))

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of the cleaned text, placed in the original."""
        from sparse_coverage.patents.cleaning import clean

        cleaned = clean(text, self.steps)
        tokens = self.encoder.tokenize(cleaned.text)
        starts, ends = cleaned.original(tokens.starts, tokens.ends)
        return Tokens(tokens.ids, starts, ends)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each cleaned text, placed in the original, in order."""
        from sparse_coverage.patents.cleaning import CleanedText, clean

        waiting: deque[CleanedText] = deque()

        def cleaned() -> Iterator[str]:
            for text in texts:
                waiting.append(clean(text, self.steps))
                yield waiting[-1].text

        for tokens in self.encoder.encode(cleaned()):
            starts, ends = waiting.popleft().original(tokens.starts, tokens.ends)
            yield replace(tokens, starts=starts, ends=ends)


def cleaning_steps(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of cleaning steps, checked; cleaning is loaded only where there is any."""
    if not names:
        return ()
    from sparse_coverage.patents.cleaning import step_names

    return step_names(names)


def with_cleaning(encoder: Encoder, steps: Sequence[str]) -> Encoder:
    """Return the encoder as it is where there is nothing to clean."""
    return CleaningEncoder(encoder, steps) if steps else encoder
