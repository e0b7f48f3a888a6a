"""ColBERT: one vector a token, and MaxSim between query and text. Needs the extra [colbert], which brings PyLate.

Scoring is exact: every token of every text is looked at. PLAID, the engine of the paper, is an approximation of it: it prunes
texts by the clusters of their tokens and scores the rest with compressed vectors, so rankings differ (`Colbert(plaid=PlaidConfig())`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.batching import TextTokenizer, chunk_bounds
from sparse_coverage.errors import MissingExtraError, ModelError
from sparse_coverage.index.sides import Block
from sparse_coverage.kernels import Array, Floats, Int64s, Mask
from sparse_coverage.retrievers.baseline import RankingSide, Scores

_SAMPLE = 1 << 16  # tokens that the centroids are learned from
_ROUNDS = 4
_BLOCK = 1 << 15  # tokens compared with the centroids at once
_PORTION = 1 << 14  # tokens decompressed at once


@dataclass(frozen=True, slots=True)
class PlaidConfig:
    """How much is looked at, by the numbers of the published engine for rankings of a thousand texts.

    `probes`: nearest centroids of a query token; `threshold`: a centroid counts in the first pass if any query token is that close;
    `candidates`: texts that survive the first pass, a quarter of which is decompressed; `bits` a dimension of the residual.
    `centroids`: None for the power of two next below 16 times the root of the number of tokens.
    """

    probes: int = 4
    threshold: float = 0.4
    candidates: int = 4096
    bits: int = 2
    centroids: int | None = None
    seed: int = 0


class PlaidTokens:
    """The tokens of texts, compressed."""

    def __init__(self, vectors: Array, offsets: Int64s, config: PlaidConfig | None = None) -> None:
        self.config = config or PlaidConfig()
        self.offsets = np.asarray(offsets, dtype=np.int64)
        self.owners = np.repeat(np.arange(len(offsets) - 1), np.diff(self.offsets))
        self.centroids = _centroids(vectors, self.config)
        self.codes, residual = _nearest(vectors, self.centroids)
        levels = np.linspace(0, 1, 2**self.config.bits + 1)
        sample = residual[:: max(1, len(residual) // _SAMPLE)]
        self._cuts = np.quantile(sample, levels[1:-1]) if len(sample) else np.zeros(len(levels) - 2)
        middles = np.quantile(sample, (levels[1:] + levels[:-1]) / 2) if len(sample) else np.zeros(len(levels) - 1)
        self._values = middles.astype(np.float32)
        self.residuals = np.searchsorted(self._cuts, residual).astype(np.uint8)
        order = np.argsort(self.codes, kind="stable")
        self._by_centroid = self.owners[order]
        self._starts = np.searchsorted(self.codes[order], np.arange(len(self.centroids) + 1))

    def decompressed(self, tokens: npt.NDArray[np.intp]) -> Floats:
        """Return the vectors of some tokens as the compressed form has them, of unit length."""
        found: Floats = self._values[self.residuals[tokens]]
        found += self.centroids[self.codes[tokens]]
        lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
        found /= np.where(lengths == 0, 1, lengths)[:, None]
        return found

    def scores(self, query: Floats) -> npt.NDArray[np.float32]:
        """Return the score of every text for the token vectors of one chunk of a query; minus infinity for those pruned."""
        result = np.full(len(self.offsets) - 1, -np.inf, dtype=np.float32)
        if not len(query) or not len(self.codes):
            return result
        near = query @ self.centroids.T
        chosen = self._candidates(near)
        close = near.max(axis=0) >= self.config.threshold
        chosen = self._best(chosen, np.where(close, near, 0), self.config.candidates)
        chosen = self._best(chosen, near, max(self.config.candidates // 4, 1))
        for texts, tokens, starts in self._portions(chosen):
            similar = query @ self.decompressed(tokens).T
            result[texts] = np.maximum.reduceat(similar, starts, axis=1).sum(axis=0)
        return result

    def _portions(
        self, texts: npt.NDArray[np.intp]
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """Yield some texts at a time with their tokens, and where each text's begin among these."""
        sizes = self.offsets[texts + 1] - self.offsets[texts]
        while len(texts):
            taken = max(int(np.searchsorted(np.cumsum(sizes), _PORTION, side="right")), 1)
            now, mine, texts, sizes = texts[:taken], sizes[:taken], texts[taken:], sizes[taken:]
            ends = np.cumsum(mine)
            tokens = np.arange(ends[-1]) + np.repeat(self.offsets[now] - (ends - mine), mine)
            yield now, tokens, ends - mine

    def _candidates(self, near: Floats) -> npt.NDArray[np.intp]:
        probes = min(self.config.probes, near.shape[1])
        probed = np.unique(np.argpartition(-near, probes - 1, axis=1)[:, :probes])
        lists = [self._by_centroid[self._starts[c] : self._starts[c + 1]] for c in probed.tolist()]
        return np.unique(np.concatenate(lists))

    def _best(self, texts: npt.NDArray[np.intp], near: Floats, count: int) -> npt.NDArray[np.intp]:
        """Return the texts whose centroids come closest to the query, all where they are few enough."""
        if len(texts) <= count:
            return texts
        parts = [
            np.maximum.reduceat(near[:, self.codes[tokens]], starts, axis=1).sum(axis=0)
            for _, tokens, starts in self._portions(texts)
        ]
        scores = np.concatenate(parts)
        return np.sort(texts[np.argsort(-scores, kind="stable")[:count]])


def _centroids(vectors: Array, config: PlaidConfig) -> Floats:
    """Cluster a sample of the tokens by cosine: a few rounds of k-means from random tokens."""
    wanted = config.centroids or 2 ** int(np.log2(16 * np.sqrt(max(len(vectors), 1))))
    random = np.random.default_rng([config.seed, 11])
    rows = np.sort(random.choice(len(vectors), min(_SAMPLE, len(vectors)), replace=False))
    sample = np.asarray(vectors[rows], dtype=np.float32)
    if not len(sample):
        return sample
    found = sample[np.sort(random.choice(len(sample), min(wanted, len(sample)), replace=False))]
    for _ in range(_ROUNDS):
        codes, _residual = _nearest(sample, found)
        sums = np.zeros_like(found)
        np.add.at(sums, codes, sample)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        found = np.where(lengths > 0, sums / np.where(lengths == 0, 1, lengths), found).astype(np.float32)
    return found


def _nearest(vectors: Array, centroids: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return each token's nearest centroid, and what lies between them."""
    codes = np.empty(len(vectors), dtype=np.intp)
    residuals = np.empty((len(vectors), centroids.shape[1] if len(centroids) else 0), dtype=np.float32)
    for first in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[first : first + _BLOCK], dtype=np.float32)
        codes[first : first + _BLOCK] = (block @ centroids.T).argmax(axis=1)
        residuals[first : first + _BLOCK] = block - centroids[codes[first : first + _BLOCK]]
    return codes, residuals


DEFAULT_COLBERT = "colbert-ir/colbertv2.0"
_TEXTS = 256  # encoded at once
_TOKENS = 1 << 16  # compared at once

Tokens = npt.NDArray[np.float16]


class Colbert(RankingSide):
    """Token vectors of a late interaction model, kept at half precision.

    A query is cut into chunks of the length the model was trained for (32 tokens for ColBERTv2, special ones included), a
    text into chunks of its document length. A text's score is its largest MaxSim over the query's chunks, as in the paper.
    `model`: a folder or a hub id that PyLate can load. `plaid` scores as that engine does, by approximation; `cut` keeps only so
    many tokens of a text, which is encoded whole, and loses the rest. The paper has PLAID and 512.
    """

    kind = "colbert"

    def __init__(
        self,
        model: str = DEFAULT_COLBERT,
        *,
        threads: int | None = None,
        plaid: PlaidConfig | None = None,
        cut: int | None = None,
    ) -> None:
        try:
            import torch
            from pylate import models
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtraError("ColBERT", "colbert") from None
        if threads:
            torch.set_num_threads(threads)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            lengths = {} if cut is None else {"document_length": cut}
            self._model = models.ColBERT(model, device=device, local_files_only=Path(model).is_dir(), **lengths)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"'{model}': PyLate cannot load this model ({str(error).splitlines()[0]}).") from None
        self.name = model
        self.plaid, self.cut = plaid, cut
        self.query_length = int(self._model.query_length)
        self.document_length = int(self._model.document_length)
        self.dimension = int(self._model.get_sentence_embedding_dimension())
        # A copy: what is switched off in ours must stay on in the model's own.
        backend = self._model.tokenizer.backend_tokenizer
        self._tokenizer = TextTokenizer(Tokenizer.from_str(backend.to_str()))
        marks = int(self._model.query_prefix_id is not None)
        self._special = len(self._tokenizer.prefix) + len(self._tokenizer.suffix) + marks
        self._fingerprint = _fingerprint(self._model)

    @classmethod
    def made_with(cls, settings: Mapping[str, Any], threads: int | None) -> Colbert:
        """Return the side of a model that was used before, or of the default one."""
        return cls(settings.get("encoder", DEFAULT_COLBERT), threads=threads)

    @property
    def settings(self) -> dict[str, Any]:
        """What the vectors depend on."""
        return {
            "encoder": self.name,
            "fingerprint": self._fingerprint,
            "query_length": self.query_length,
            "document_length": self.document_length,
            **({} if self.cut is None else {"cut": self.cut}),
        }

    def pieces(self, text: str, length: int) -> list[str]:
        """Cut a text into pieces that a model which takes `length` tokens reads whole."""
        tokens = self._tokenizer(text)
        bounds = chunk_bounds(text, tokens, max(length - self._special, 1))
        return [text[int(tokens.starts[first]) : int(tokens.ends[last - 1])] for first, last in pairwise(bounds)]

    def query(self, text: str) -> list[Floats]:
        """Return the token vectors of each chunk of a query."""
        return self._encode(self.pieces(text, self.query_length), is_query=True)

    def rows(self, texts: Iterable[str]) -> Iterator[Tokens]:
        """Yield the token vectors of each text."""
        stream = iter(texts)
        while batch := list(islice(stream, _TEXTS)):
            kept = None if self.cut is None else 1
            cut = [self.pieces(text, self.document_length)[:kept] for text in batch]
            encoded = iter(self._encode([piece for pieces in cut for piece in pieces], is_query=False))
            for pieces in cut:
                nothing = np.zeros((0, self.dimension), dtype=np.float16)
                yield np.concatenate([nothing, *(next(encoded).astype(np.float16) for _ in pieces)])

    def pack(self, rows: Iterable[Tokens]) -> dict[str, Array]:
        """Return all token vectors in one matrix, and where each text's begin."""
        kept = list(rows)
        nothing = np.zeros((0, self.dimension), dtype=np.float16)
        return {
            "vectors": np.concatenate([nothing, *kept]),
            "offsets": np.cumsum([0, *map(len, kept)]).astype(np.int64),
        }

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[Tokens]:
        """Return the token vectors of each text."""
        return [arrays["vectors"][first:last] for first, last in pairwise(arrays["offsets"].tolist())]

    def scorer(self, blocks: Sequence[Block]) -> ColbertScorer | PlaidScorer:
        """Return a scorer over blocks."""
        return ColbertScorer(self, blocks) if self.plaid is None else PlaidScorer(self.query, blocks, self.plaid)

    def _encode(self, pieces: list[str], *, is_query: bool) -> list[Floats]:
        if not pieces:
            return []
        found = self._model.encode(pieces, is_query=is_query, show_progress_bar=False)
        return [np.asarray(vectors, dtype=np.float32) for vectors in found]


class ColbertScorer:
    """MaxSim of every text with each chunk of a query."""

    def __init__(self, side: Colbert, blocks: Sequence[Block]) -> None:
        self._blocks = [(block.arrays["vectors"], block.arrays["offsets"]) for block in blocks]
        self._query = lru_cache(4)(side.query)

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the score of every text; minus infinity for one without tokens, or a query without."""
        chunks = self._query(query)
        found, first = [np.zeros(0, np.float32)], 0
        for vectors, offsets in self._blocks:
            count = len(offsets) - 1
            wanted = np.ones(count, bool) if allowed is None else allowed[first : first + count]
            found.append(max_sim(chunks, vectors, offsets, wanted))
            first += count
        return np.concatenate(found)

    def cost(self, query: str) -> int:
        """Return the number of similarities computed: every token of every text with every token of the query."""
        return sum(len(vectors) for vectors, _ in self._blocks) * sum(map(len, self._query(query)))


class PlaidScorer:
    """The same by PLAID: texts that it prunes have no score."""

    def __init__(
        self, query: Callable[[str], list[Floats]], blocks: Sequence[Block], config: PlaidConfig | None = None
    ) -> None:
        self._blocks = [PlaidTokens(block.arrays["vectors"], block.arrays["offsets"], config) for block in blocks]
        self._query = lru_cache(4)(query)

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the score of every text; minus infinity for one that was pruned or is not allowed."""
        found = [np.zeros(0, np.float32)]
        for block in self._blocks:
            chunks = [block.scores(chunk) for chunk in self._query(query)]
            found.append(np.max(chunks, axis=0) if chunks else np.full(len(block.offsets) - 1, -np.inf, np.float32))
        scores = np.concatenate(found)
        return scores if allowed is None else np.where(allowed, scores, -np.inf).astype(np.float32)

    def cost(self, query: str) -> int:
        """Return the number of similarities with centroids: what comes after depends on what they prune."""
        return sum(len(block.centroids) for block in self._blocks) * sum(map(len, self._query(query)))


def _fingerprint(model: Any) -> str:
    """Return a short digest of a model's wordpieces and weights: PyLate keeps them in more than one kind of folder."""
    digest = hashlib.sha256(json.dumps(model.tokenizer.get_vocab(), sort_keys=True).encode())
    for name, weights in sorted(model.state_dict().items()):
        digest.update(name.encode() + weights.cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def max_sim(chunks: Sequence[Floats], vectors: Array, offsets: Int64s, wanted: Mask) -> Scores:
    """Return for each text the largest, over chunks, of the sum of each chunk token's best similarity in the text.

    The tokens of text i are `vectors[offsets[i]:offsets[i + 1]]`; texts that are not wanted get minus infinity.
    """
    found = np.full(len(offsets) - 1, -np.inf, dtype=np.float32)
    texts = np.flatnonzero(wanted & (np.diff(offsets) > 0))
    while len(texts) and chunks:
        # As many texts as their tokens fit into one comparison, at least one.
        sizes = offsets[texts + 1] - offsets[texts]
        taken = max(int(np.searchsorted(np.cumsum(sizes), _TOKENS, side="right")), 1)
        now, sizes, texts = texts[:taken], sizes[:taken], texts[taken:]
        rows = np.concatenate([np.arange(offsets[text], offsets[text + 1]) for text in now])
        tokens = vectors[rows].astype(np.float32)
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        sums = [np.maximum.reduceat(tokens @ chunk.T, starts, axis=0).sum(axis=1) for chunk in chunks]
        found[now] = np.max(sums, axis=0)
    return found
