"""SPLADE: a masked language model says how strongly each of its wordpieces belongs to a text. Needs the extra [torch].

A sparse vector over another vocabulary is all it is, so its lists are those of our index and are added up by its kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from sparse_coverage.encoding.batching import Batcher, Batches, TextTokenizer
from sparse_coverage.encoding.fetching import model_folder
from sparse_coverage.encoding.weights import fingerprint_of
from sparse_coverage.errors import MissingExtraError, ModelError
from sparse_coverage.index.pages import GuardedArray, page_sums
from sparse_coverage.index.postings import EVERYTHING, WEIGHT_SCALE, Lists, PostingsBuffer, PostingsScorer
from sparse_coverage.index.sides import Block
from sparse_coverage.kernels import Array, Floats, Int32s, Int64s, Mask
from sparse_coverage.retrievers.baseline import RankingSide, Scores
from sparse_coverage.search.results import Match, Place
from sparse_coverage.vectors import SparseVector

DEFAULT_SPLADE = "naver/splade_v2_distil"

Weights = tuple[Int32s, Floats]
"""Wordpieces, rising, and their weights."""


class Splade(RankingSide):
    """log(1 + relu(logit)), the largest over the tokens of a chunk; chunks are merged by the largest weight of each wordpiece.

    `model`: a folder or a hub id of a checkpoint with a masked language model head.
    """

    kind = "splade"

    def __init__(self, model: str = DEFAULT_SPLADE, *, threads: int | None = None) -> None:
        try:
            import torch
            from transformers import AutoModelForMaskedLM
        except ImportError:
            raise MissingExtraError("SPLADE", "torch") from None
        folder = model_folder(model)
        if threads:
            torch.set_num_threads(threads)
        try:
            loaded, report = AutoModelForMaskedLM.from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{folder}: transformers cannot load this checkpoint ({error}).") from None
        head = (name for name in report["missing_keys"] if not name.startswith(f"{loaded.base_model_prefix}."))
        if absent := sorted(head):
            raise ModelError(
                f"{folder}: the checkpoint has no language model head ({absent[0]} is missing), so it is not SPLADE."
            )
        self.name = model
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = loaded.to(self._device).eval()
        self.vocabulary = int(loaded.config.vocab_size)
        self._fingerprint = fingerprint_of(folder)
        limit = int(getattr(loaded.config, "max_position_embeddings", 512))
        tokenizer, pad_id = TextTokenizer.from_folder(folder), int(loaded.config.pad_token_id or 0)
        self._batcher = Batcher(tokenizer, limit, pad_id, padded=self._device != "cpu")

    @classmethod
    def made_with(cls, settings: Mapping[str, Any], threads: int | None) -> Splade:
        """Return the side of a model that was used before, or of the default one."""
        return cls(settings.get("encoder", DEFAULT_SPLADE), threads=threads)

    @property
    def settings(self) -> dict[str, Any]:
        """What the weights depend on."""
        return {"encoder": self.name, "fingerprint": self._fingerprint}

    def rows(self, texts: Iterable[str]) -> Iterator[Weights]:
        """Yield the wordpieces of each text and their weights."""
        for chunks in self._batcher.reduce(texts, self._weights):
            yield merged([weights for weights, _ in chunks])

    def pack(self, rows: Iterable[Weights]) -> dict[str, Array]:
        """Return inverted lists. Weights may be above 1, so the largest of a block becomes the 1 that an index knows."""
        kept = list(rows)
        scale = max((float(weights.max()) for _, weights in kept if len(weights)), default=1.0)
        buffer = PostingsBuffer(self.vocabulary)
        for pieces, weights in kept:
            buffer.add(buffer.prepare(_vector(pieces, weights / scale)))
        postings = buffer.build()
        return {
            "offsets": postings.offsets,
            "packed": postings.packed,
            "sums": page_sums(postings.packed),
            "scale": np.asarray([scale], dtype=np.float64),
            "count": np.asarray([len(kept)], dtype=np.int64),
        }

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[Weights]:
        """Return the wordpieces of each text again, at the precision of the index."""
        pieces = np.repeat(np.arange(self.vocabulary, dtype=np.int32), _lengths(arrays["offsets"]))
        passages = (arrays["packed"] >> np.uint32(16)).astype(np.int64)
        weights = (arrays["packed"] & np.uint32(0xFFFF)) * (float(arrays["scale"][0]) / WEIGHT_SCALE)
        order = np.argsort(passages, kind="stable")
        borders = np.searchsorted(passages[order], np.arange(int(arrays["count"][0]) + 1))
        ordered, heavy = pieces[order], weights[order].astype(np.float32)
        return [(ordered[a:b], heavy[a:b]) for a, b in pairwise(borders.tolist())]

    def piece_places(self, text: str) -> dict[int, list[Place]]:
        """Return where each wordpiece of a text stands."""
        tokens = self._batcher.tokenizer(text)
        found: dict[int, list[Place]] = {}
        for piece, start, end in zip(*map(_listed, (tokens.ids, tokens.starts, tokens.ends)), strict=True):
            found.setdefault(piece, []).append(Place(text[start:end], start, end))
        return found

    def scorer(self, blocks: Sequence[Block]) -> SpladeScorer:
        """Return a scorer over blocks."""
        return SpladeScorer(self, blocks)

    def _weights(self, batches: Batches) -> Iterator[tuple[int, list[Weights]]]:
        torch = self._torch
        for number, (ids, mask) in enumerate(batches):
            with torch.inference_mode():
                masks = torch.from_numpy(mask).to(self._device)
                logits = self._model(input_ids=torch.from_numpy(ids).to(self._device), attention_mask=masks).logits
                largest = (torch.log1p(torch.relu(logits.float())) * masks[:, :, None]).amax(dim=1).cpu().numpy()
            yield number, [_sparse(row) for row in largest]


class SpladeScorer:
    """Adds up the lists of a query's wordpieces."""

    def __init__(self, side: Splade, blocks: Sequence[Block]) -> None:
        self._lists = [
            Lists(
                block.arrays["offsets"],
                GuardedArray(block.arrays["packed"], block.arrays["sums"], block.folder / "packed.npy"),
                len(block),
            )
            for block in blocks
        ]
        scales = [
            np.zeros(0, np.float32),
            *(np.full(len(block), block.arrays["scale"][0], np.float32) for block in blocks),
        ]
        self._side = side
        self._count = sum(len(block) for block in blocks)
        self._sweep = PostingsScorer(self._lists, np.ones(side.vocabulary), np.concatenate(scales))
        self._query = lru_cache(4)(lambda text: next(side.rows([text])))

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the score of every text; minus infinity where it shares no wordpiece with the query."""
        scores = np.empty(self._count, dtype=np.float32)
        mask = EVERYTHING if allowed is None else allowed.view(np.uint8)
        self._sweep.score(_vector(*self._query(query)), mask, range(len(self._lists)), scores)
        scores[scores <= 0] = -np.inf
        return scores

    def evidence(self, query: str, text: str) -> tuple[Match, ...]:
        """Return what the wordpieces add that stand in both texts. Others add as well: SPLADE weighs what is not written, too."""
        asked, there = self._side.piece_places(query), self._side.piece_places(text)
        weights, theirs = dict(zip(*map(_listed, self._query(query)), strict=True)), self._query(text)
        matches = []
        for piece, weight in zip(*map(_listed, theirs), strict=True):
            if piece in asked and piece in there and piece in weights:
                worth = weight / len(there[piece])
                matches += [
                    Match(piece, place.text, asked[piece][0], place, weights[piece], worth, 1.0, weights[piece] * worth)
                    for place in there[piece]
                ]
        return tuple(sorted(matches, key=lambda match: (-match.contribution, match.passage.start)))

    def cost(self, query: str) -> int:
        """Return the postings scanned."""
        pieces, _ = self._query(query)
        return sum(int(_lengths(lists.offsets)[pieces].sum()) for lists in self._lists)


def merged(chunks: Sequence[Weights]) -> Weights:
    """Return the largest weight of each wordpiece over some chunks."""
    if len(chunks) == 1:
        return chunks[0]
    pieces = np.concatenate([np.zeros(0, np.int32), *(chunk[0] for chunk in chunks)])
    weights = np.concatenate([np.zeros(0, np.float32), *(chunk[1] for chunk in chunks)])
    different, places = np.unique(pieces, return_inverse=True)
    largest = np.zeros(len(different), dtype=np.float32)
    np.maximum.at(largest, places, weights)
    return different, largest


def _vector(pieces: Int32s, weights: Floats) -> SparseVector:
    nothing = np.zeros(len(pieces), dtype=np.int32)
    return SparseVector(pieces, weights, nothing, nothing, nothing, len(pieces), 0)


def _lengths(offsets: Array) -> Int64s:
    wide: Int64s = offsets.astype(np.int64)
    return wide[1:] - wide[:-1]


def _listed(values: Array) -> list[Any]:
    found: list[Any] = values.tolist()
    return found


def _sparse(row: Floats) -> Weights:
    pieces = np.flatnonzero(row > 0)
    return pieces.astype(np.int32), row[pieces]
