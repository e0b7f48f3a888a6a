"""Streams texts through a model: chunked, batched with others of their length, and put back in order.

A batch holds chunks of one width, which is a chunk's own length rounded up to a multiple of `STEP`, so what a chunk becomes does not
depend on what else is in its batch: the same text has the same vectors wherever it comes, alone or among others. Where small batches
would leave a GPU idle, chunks of several widths are padded into one; the last bits of a vector then depend on the others.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from sparse_coverage.encoding.catalogue import Pooling
from sparse_coverage.encoding.encoder import Tokens, TokenVectors, pooling_of
from sparse_coverage.encoding.weights import fingerprint_of
from sparse_coverage.errors import ModelError
from sparse_coverage.files import read_json
from sparse_coverage.kernels import usable_cores
from sparse_coverage.text.sentences import clause_ends, sentence_ends

# The encoder's own tokenizer, with whatever truncation and padding was baked into its file switched off.

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class TextTokenizer:
    """Cuts a text into encoder tokens with character offsets; the same text gives the same tokens whatever its length."""

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        sample = tokenizer.encode("a", add_special_tokens=True)
        inside = [place for place, special in enumerate(sample.special_tokens_mask) if not special]
        self.prefix: list[int] = sample.ids[: inside[0]] if inside else []
        self.suffix: list[int] = sample.ids[inside[-1] + 1 :] if inside else []

    @classmethod
    def from_folder(cls, folder: Path) -> TextTokenizer:
        """Load `tokenizer.json`, or build the BERT tokenizer from an older checkpoint's `vocab.txt`."""
        try:
            if (folder / "tokenizer.json").is_file():
                return cls(Tokenizer.from_file(str(folder / "tokenizer.json")))
            if (folder / "vocab.txt").is_file():
                return cls(_from_vocabulary(folder))
        except ModelError:
            raise
        except Exception as error:  # the library raises bare Exception for a damaged file
            raise ModelError(f"{folder}: the tokenizer cannot be read ({error}).") from None
        raise ModelError(
            f"{folder}: there is no tokenizer.json (nor a vocab.txt). Copy the tokenizer's files from where the model came from."
        )

    def __call__(self, text: str) -> Tokens:
        """Return the tokens of a text without special tokens."""
        # A lone surrogate is not text and the tokenizer refuses it; its replacement keeps every offset.
        encoding = self._tokenizer.encode(_LONE_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        offsets = np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2)
        return Tokens(
            ids=np.asarray(encoding.ids, dtype=np.int32),
            starts=np.ascontiguousarray(offsets[:, 0]),
            ends=np.ascontiguousarray(offsets[:, 1]),
        )


def _from_vocabulary(folder: Path) -> Any:
    settings = read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = {word: number for number, word in enumerate(words)}
    for special in ("[UNK]", "[CLS]", "[SEP]"):
        if special not in vocabulary:
            raise ModelError(f"{folder}: vocab.txt has no {special}, so it is not a BERT vocabulary.")
    tokenizer: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=bool(settings.get("do_lower_case", True)))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    )
    return tokenizer


T = TypeVar("T")
Ids = npt.NDArray[np.int64]
Hidden = npt.NDArray[np.float32]
Batches = Iterable[tuple[Ids, Ids]]
"""The ids of some chunks, padded to one width, and the mask that tells ids from padding."""
RunBatches = Callable[[Batches], Iterable[tuple[int, Hidden]]]
"""Takes batches, gives (batch number, last hidden state) in any order."""
ReduceBatches = Callable[[Batches], Iterable[tuple[int, Iterable[T]]]]
"""Takes batches, gives (batch number, one thing for each chunk of it) in any order."""

WINDOW_TOKENS = 1 << 15
BATCH_TOKENS = 1 << 10
STEP = 8
"""Three tokens of a hundred are padding then, and batches hold thrice as many chunks."""

_Window = list[tuple[str, Tokens]]


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Batcher:
    """Takes a stream of texts window by window, so that memory stays flat and chunks of one width come together.

    `padded`: put chunks of several widths into one batch. `vocabulary`: how many token ids the model knows, where it says so.
    """

    tokenizer: TextTokenizer
    limit: int
    pad_id: int
    padded: bool = False
    pooling: Pooling = "mean"
    vocabulary: int | None = None

    def encode(self, texts: Iterable[str], run: RunBatches, dimension: int) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order. `dimension` is their length."""
        skip = len(self.tokenizer.prefix)
        for window in self._windows(texts):
            chunks = self._chunks(window)
            vectors = [np.empty((len(tokens), dimension), dtype=np.float32) for _, tokens in window]
            special: dict[_Chunk, Hidden] = {}
            for chunk, hidden in self._run(window, chunks, run):
                end = skip + len(chunk)
                vectors[chunk.text][chunk.first : chunk.last] = hidden[skip:end]
                special[chunk] = np.concatenate([hidden[:skip], hidden[end : len(chunk) + self._special]])
            of_texts: list[list[_Chunk]] = [[] for _ in window]
            for chunk in chunks:
                of_texts[chunk.text].append(chunk)
            for (_, tokens), mine, cut in zip(window, vectors, of_texts, strict=True):
                sizes = np.asarray([len(chunk) for chunk in cut], dtype=np.int64)
                numbers = np.repeat(np.arange(len(cut), dtype=np.int32), sizes)
                around = np.asarray([special[chunk] for chunk in cut], dtype=np.float32)
                yield TokenVectors(
                    mine,
                    tokens.starts,
                    tokens.ends,
                    numbers,
                    around.reshape(len(cut), self._special, dimension),
                    self.pooling,
                )

    def reduce(self, texts: Iterable[str], run: ReduceBatches[T]) -> Iterator[list[tuple[T, int]]]:
        """Yield for each text one thing a chunk, in order, with the number of the chunk's tokens, special ones included."""
        for window in self._windows(texts):
            chunks = self._chunks(window)
            things = dict(self._run(window, chunks, run))
            found: list[list[tuple[T, int]]] = [[] for _ in window]
            for chunk in chunks:
                found[chunk.text].append((things[chunk], len(chunk) + self._special))
            yield from found

    @property
    def _special(self) -> int:
        return len(self.tokenizer.prefix) + len(self.tokenizer.suffix)

    def _windows(self, texts: Iterable[str]) -> Iterator[_Window]:
        pairs = ((text, self.tokenizer(text)) for text in texts)
        return windows(pairs, lambda pair: max(1, len(pair[1])), WINDOW_TOKENS)

    def _chunks(self, window: _Window) -> list[_Chunk]:
        """Return the chunks of all texts, in the order in which they stand there."""
        bounds = [chunk_bounds(text, tokens, self.limit - self._special) for text, tokens in window]
        return [_Chunk(number, first, last) for number, cuts in enumerate(bounds) for first, last in pairwise(cuts)]

    def _run(self, window: _Window, chunks: list[_Chunk], run: ReduceBatches[T]) -> Iterator[tuple[_Chunk, T]]:
        """Yield every chunk with what `run` makes of it, in any order."""
        ordered = sorted(chunks, key=lambda chunk: (len(chunk), chunk.text, chunk.first))
        batches = self._group(ordered)
        for number, things in run(self._padded(batch, window) for batch in batches):
            yield from zip(batches[number], things, strict=True)

    def _width(self, chunk: _Chunk) -> int:
        """Return how many tokens a chunk takes in a batch, special ones and padding included."""
        return min(self.limit, -(-(len(chunk) + self._special) // STEP) * STEP)

    def _group(self, chunks: list[_Chunk]) -> list[list[_Chunk]]:
        """Cut length-sorted chunks into batches of at most BATCH_TOKENS tokens (at least one chunk each)."""
        batches: list[list[_Chunk]] = []
        for chunk in chunks:
            width = self._width(chunk)
            fits = batches and (len(batches[-1]) + 1) * width <= BATCH_TOKENS
            if fits and (self.padded or width == self._width(batches[-1][0])):
                batches[-1].append(chunk)
            else:
                batches.append([chunk])
        return batches

    def _padded(self, batch: list[_Chunk], window: _Window) -> tuple[Ids, Ids]:
        prefix, suffix = self.tokenizer.prefix, self.tokenizer.suffix
        width = max(map(self._width, batch))
        ids = np.full((len(batch), width), self.pad_id, dtype=np.int64)
        mask = np.zeros((len(batch), width), dtype=np.int64)
        for row, chunk in enumerate(batch):
            full = [*prefix, *window[chunk.text][1].ids[chunk.first : chunk.last], *suffix]
            ids[row, : len(full)] = full
            mask[row, : len(full)] = 1
        if self.vocabulary is not None and ids.max() >= self.vocabulary:
            raise ModelError(
                f"The tokenizer gives the token id {ids.max()}, and the model knows {self.vocabulary:,}. They do not belong together: copy "
                "tokenizer.json from where the model came from."
            )
        return ids, mask


def windows(items: Iterable[T], size: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Cut a stream into lists of neighbours; each is full once the sizes of its items reach the limit.

    >>> list(windows(["a", "bcd", "e", "f"], len, 3))
    [['a', 'bcd'], ['e', 'f']]
    """
    window: list[T] = []
    held = 0
    for item in items:
        window.append(item)
        held += size(item)
        if held >= limit:
            yield window
            window, held = [], 0
    if window:
        yield window


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


class ChunkEncoder(ABC):
    """Encodes texts chunk by chunk; a runtime adds only `_run`, which turns batches of ids into hidden states.

    Its `fingerprint` identifies weights, adapter and tokenizer; `limit` is how many tokens one chunk may have, special tokens
    included; `threads` how many cores it may use. For `name`, `precision` and `dimension` see `Encoder`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        precision: str,
        dimension: int,
        limit: int,
        pad_id: int,
        suffix: str = "",
        padded: bool = False,
        threads: int | None = None,
        tokenizer: TextTokenizer | None = None,
        vocabulary: int | None = None,
    ) -> None:
        self.name = name or str(folder)
        self.precision = precision
        self.dimension = dimension
        self.limit = limit
        self.threads = threads or usable_cores()
        self.fingerprint = fingerprint_of(folder) + suffix
        self._tokenizer = tokenizer or TextTokenizer.from_folder(folder)
        self.pooling = pooling_of(folder, self.name)
        self._batcher = Batcher(self._tokenizer, limit, pad_id, padded, self.pooling, vocabulary)

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text without encoding it."""
        return self._tokenizer(text)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order."""
        return self._batcher.encode(texts, self._run, self.dimension)

    @abstractmethod
    def _run(self, batches: Batches) -> Iterable[tuple[int, Hidden]]:
        """Take (ids, mask) batches, give (batch number, last hidden state) in any order."""
