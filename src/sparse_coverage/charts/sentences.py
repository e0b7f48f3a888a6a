"""The sentences of a document as vectors: each the mean of its token vectors.

Evidence is looked for in windows of two sentences that follow one another in a passage. A mean and a count of tokens for each
sentence are all that a window needs, so they are all that is kept of a document: a thirtieth of its token vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.encoding import Encoder, TokenVectors
from sparse_coverage.kernels import Floats, Int32s
from sparse_coverage.patents.sentences import sentence_ends


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Sentences, in text order: mean vector, number of tokens, the passage each is in and where in it."""

    means: Floats
    counts: Floats
    passages: Int32s
    starts: Int32s
    ends: Int32s

    def __len__(self) -> int:
        return len(self.means)

    def window_ends(self) -> Int32s:
        """Return the number of the last sentence of each window."""
        last = np.arange(len(self), dtype=np.int32)
        last[:-1] += self.passages[1:] == self.passages[:-1]
        return last

    def windows(self) -> tuple[Floats, Int32s]:
        """Return the mean vector of each sentence and the next of its passage, and the number of the window's last sentence."""
        sums = self.means * self.counts[:, None]
        counts = self.counts.copy()
        last = np.arange(len(self), dtype=np.int32)
        followed = np.flatnonzero(self.passages[1:] == self.passages[:-1])
        means = sums.copy()
        means[followed] += sums[followed + 1]
        counts[followed] += self.counts[followed + 1]
        last[followed] += 1
        return (means / np.maximum(counts, 1)[:, None]).astype(np.float32), last


def sentences_of(texts: Sequence[str], encoder: Encoder) -> Sentences:
    """Encode the passages of a document."""
    return joined(list(each_sentences(texts, encoder)), encoder.dimension)


def each_sentences(texts: Iterable[str], encoder: Encoder) -> Iterator[Sentences]:
    """Yield the sentences of each text. Streams."""
    held: list[str] = []

    def passed() -> Iterator[str]:
        for text in texts:
            held.append(text)
            yield text

    for vectors in encoder.encode(passed()):
        yield of_tokens(held.pop(0), vectors)


def joined(parts: Sequence[Sentences], dimension: int) -> Sentences:
    """Join the sentences of passages that follow one another; each part is one passage."""
    if not parts:
        none = np.zeros(0, np.int32)
        return Sentences(np.zeros((0, dimension), np.float32), np.zeros(0, np.float32), none, none, none)
    return Sentences(
        np.concatenate([part.means for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
    )


def of_tokens(text: str, vectors: TokenVectors) -> Sentences:
    """Sum token vectors up by sentence. Tokens without a letter or digit say nothing; a sentence of such only is left out."""
    unit, starts, _ = word_tokens(text, vectors)
    borders = np.concatenate([[0], np.searchsorted(starts, sentence_ends(text))])
    filled = np.flatnonzero(np.diff(borders))
    first, last = borders[:-1][filled], borders[1:][filled]
    dimension = vectors.vectors.shape[1]
    means = np.add.reduceat(unit, first) if len(first) else np.zeros((0, dimension), np.float32)
    counts = (last - first).astype(np.float32)
    edges = [0, *sentence_ends(text)]
    places = [_trimmed(text, edges[number], edges[number + 1]) for number in filled.tolist()]
    return Sentences(
        (means / np.maximum(counts, 1)[:, None]).astype(np.float32),
        counts,
        np.zeros(len(first), np.int32),
        np.asarray([start for start, _ in places], np.int32),
        np.asarray([end for _, end in places], np.int32),
    )


def word_tokens(text: str, vectors: TokenVectors) -> tuple[Floats, Int32s, Int32s]:
    """Return the vectors, of length 1, of the tokens that hold a letter or digit, and where they begin and end."""
    pairs = zip(vectors.starts.tolist(), vectors.ends.tolist(), strict=True)
    kept = np.asarray([any(map(str.isalnum, text[start:end])) for start, end in pairs], dtype=bool)
    rows = vectors.vectors[kept] if len(kept) else vectors.vectors
    starts, ends = (vectors.starts[kept], vectors.ends[kept]) if len(kept) else (vectors.starts, vectors.ends)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), starts, ends


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())
