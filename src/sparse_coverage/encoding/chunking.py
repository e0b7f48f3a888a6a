"""Cutting a text that is longer than the encoder's limit: at sentence ends, else at clauses, else at words."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from sparse_coverage.encoding.encoder import Tokens
from sparse_coverage.patents.sentences import clause_ends, sentence_ends


def chunk_bounds(text: str, tokens: Tokens, limit: int) -> list[int]:
    """Return token positions `[0, b1, b2, ..., n]` that cut the tokens into chunks of at most `limit`.

    Each chunk ends at the last sentence end within reach; where there is none, at the last clause boundary; where there
    is none either, between two words; inside a word only when the word alone is longer than the limit. Consecutive
    bounds make a partition: no token is left out, none is in two chunks. A text without tokens has no chunks.
    """
    if limit < 1:
        raise ValueError(f"the chunk limit must be at least 1, not {limit}")
    count = len(tokens)
    if count <= limit:
        return [0, count] if count else []
    starts = tokens.starts
    sentences = _token_positions(starts, np.asarray(sentence_ends(text)))
    clauses = _token_positions(starts, np.asarray(clause_ends(text)))
    # A word begins where a token does not touch the one before it.
    words = (np.flatnonzero(tokens.starts[1:] > tokens.ends[:-1]) + 1).tolist()
    bounds = [0]
    while count - bounds[-1] > limit:
        reach = bounds[-1] + limit
        cut = next(
            (end for ends in (sentences, clauses, words) if (end := _last_within(ends, bounds[-1], reach))), reach
        )
        bounds.append(cut)
    bounds.append(count)
    return bounds


def _token_positions(
    starts: np.ndarray[tuple[int], np.dtype[np.int32]], ends: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> list[int]:
    """For each character position, the number of tokens that start before it."""
    return np.searchsorted(starts, ends, side="left").tolist() if len(ends) else []


def _last_within(positions: list[int], low: int, high: int) -> int:
    """Return the last position in (low, high], or 0 where there is none."""
    place = bisect_right(positions, high) - 1
    return positions[place] if place >= 0 and positions[place] > low else 0
