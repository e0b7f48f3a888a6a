"""Cross-encoders: a model that reads query and passage together and says how well they fit. For the few best documents only."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from sparse_coverage.encoding.fetching import model_folder
from sparse_coverage.encoding.graphs import onnx_file, openvino, read_onnx
from sparse_coverage.encoding.weights import model_config
from sparse_coverage.errors import InputError, ModelError
from sparse_coverage.kernels import Doubles, Int64s, Workers
from sparse_coverage.search.results import Hit

if TYPE_CHECKING:
    from sparse_coverage.retrievers.opening import SystemContext
    from sparse_coverage.systems import System

OUTPUTS = ("logits", "scores", "output")
LONGEST = 512
BATCH_TOKENS = 2_048
STEP = 8
"""Pairs are padded to a multiple of this, and computed with others of their width: a score does not depend on the other pairs."""


class CrossEncoder:
    """Reads query and passage together: an ONNX sequence-pair model (`tokenizer.json` and `onnx/model.onnx`), computed in fp32.

        Rerank(index, CrossEncoder("path/to/ms-marco-MiniLM-L6-v2"), top=50).search("A valve comprising a plunger")

    `name` is a folder or a hub id. A document's score is that of the best of its passages that were found, between 0 and 1.
    """

    def __init__(self, name: str | Path, *, threads: int | None = None) -> None:
        folder = model_folder(str(name), onnx=True)
        path = onnx_file(folder)
        if path is None:
            raise ModelError(
                f"{folder}: there is no onnx/model.onnx. A cross-encoder is an ONNX graph with tokenizer.json, such as "
                "cross-encoder/ms-marco-MiniLM-L6-v2 on the model hub."
            )
        if not (folder / "tokenizer.json").is_file():
            raise ModelError(f"{folder}: there is no tokenizer.json. Copy it from where the model came from.")
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the library raises bare Exception for a damaged file
            raise ModelError(f"{folder}: the tokenizer cannot be read ({error}).") from None
        config = model_config(folder)
        self._pad_id = int(config.get("pad_token_id", 0))
        self.limit = min(int(config.get("max_position_embeddings", LONGEST)), LONGEST)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.limit, strategy="longest_first")
        self._workers = Workers(threads)
        graph = read_onnx(path, OUTPUTS, 2, segments=True)
        self._inputs = len(graph.inputs)
        settings = {
            "INFERENCE_PRECISION_HINT": "f32",
            "INFERENCE_NUM_THREADS": self._workers.threads,
            "NUM_STREAMS": self._workers.threads,
        }
        self._compiled = openvino().Core().compile_model(graph, "CPU", settings)
        self._local = threading.local()

    def scores(self, query: str, texts: Sequence[str]) -> Doubles:
        """Return how well each text answers the query, between 0 and 1."""
        pairs = [self._tokenizer.encode(query, text) for text in texts]
        widths = np.array([min(self.limit, -(-len(pair.ids) // STEP) * STEP) for pair in pairs], dtype=np.int64)
        batches = []
        for width in np.unique(widths).tolist():
            rows = np.flatnonzero(widths == width)
            count = max(1, BATCH_TOKENS // width)
            batches += [rows[first : first + count] for first in range(0, len(rows), count)]
        found = np.zeros(len(texts))
        results = self._workers.map(
            lambda rows: self._infer([pairs[row] for row in rows], int(widths[rows[0]])), batches
        )
        for rows, logits in zip(batches, results, strict=True):
            found[rows] = logits
        return np.asarray(1.0 / (1.0 + np.exp(-found)))

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by their best passage, each with its passages in their new order; equal scores keep their order."""
        texts = [passage.text for hit in hits for passage in hit.passages]
        scores = iter(self.scores(query, texts).tolist())
        again = []
        for hit in hits:
            passages = sorted((replace(one, score=next(scores)) for one in hit.passages), key=lambda one: -one.score)
            again.append(replace(hit, passages=tuple(passages), score=passages[0].score if passages else 0.0))
        return sorted(again, key=lambda hit: -hit.score)

    def _infer(self, pairs: Sequence[Any], width: int) -> Doubles:
        ids, mask, segments = (np.zeros((len(pairs), width), dtype=np.int64) for _ in range(3))
        ids += self._pad_id
        for row, pair in enumerate(pairs):
            size = len(pair.ids)
            ids[row, :size], mask[row, :size], segments[row, :size] = pair.ids, 1, pair.type_ids
        if not hasattr(self._local, "request"):
            self._local.request = self._compiled.create_infer_request()
        given: list[Int64s] = [ids, mask, segments][: self._inputs]
        self._local.request.infer(dict(enumerate(given)))
        logits = np.asarray(self._local.request.get_output_tensor(0).data, dtype=np.float64)
        if logits.shape[1] not in (1, 2):
            raise ModelError(
                f"The cross-encoder gives {logits.shape[1]} numbers for a pair; one (how well they fit) or two (no, yes) are wanted."
            )
        score: Doubles = logits[:, 0].copy() if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return score


def cross_encoder_reranker(context: SystemContext, row: System) -> CrossEncoder:
    """Make the reranker of `cross-encoder:NAME`."""
    name = row.name.partition(":")[2]
    if not name:
        raise InputError(
            "Which cross-encoder? Name its folder or hub id, as in cross-encoder:cross-encoder/ms-marco-MiniLM-L6-v2."
        )
    return CrossEncoder(name, threads=context.threads)
