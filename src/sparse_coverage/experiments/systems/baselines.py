"""The baselines as systems to evaluate: what each keeps of the texts is made once and found again by its content."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np

from sparse_coverage.evaluation.corpus import corpus_passages
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import alone, code_key, content_key
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.kernels import Doubles
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers import Bm25, Colbert, Dense, Side, Splade
from sparse_coverage.retrievers.plaid import PlaidConfig
from sparse_coverage.retrievers.side import BLOCK_PASSAGES, open_block, write_block


class BaselineSystem:
    """A side over all passages of a collection."""

    def __init__(self, bench: Workbench, side: Side, options: SystemOptions, precision: str = "") -> None:
        self.aggregation = options.scoring.aggregation
        self.folders = folders = _blocks(bench, side, precision)
        sizes = [
            min(BLOCK_PASSAGES, len(bench.corpus) - first) for first in range(0, len(bench.corpus), BLOCK_PASSAGES)
        ]
        blocks = [open_block(folder, np.ones(size, bool)) for folder, size in zip(folders, sizes, strict=True)]
        self._scorer = side.scorer(blocks)
        self._texts = {query.id: query.text for query in bench.collection.judged}

    def scores(self, query: str) -> Doubles:
        """Return the score of every passage for a query of the collection, by its id."""
        return self._scorer.scores(self._texts[query]).astype(np.float64)

    def cost(self, query: str) -> int:
        """Return what the query costs: postings scanned, or similarities computed."""
        return self._scorer.cost(self._texts[query])


def bm25_system(bench: Workbench, options: SystemOptions) -> BaselineSystem:
    """Words, stemmed, without stopwords; a claim is a query in full."""
    return BaselineSystem(bench, Bm25(), options)


def dense_system(bench: Workbench, options: SystemOptions) -> BaselineSystem:
    """One vector a passage, of the row's encoder, pooled as that encoder was trained."""
    side = Dense(bench.encoder(options.encoder))
    return BaselineSystem(bench, side, options, side.encoder.encoder.precision)


def splade_system(bench: Workbench, options: SystemOptions) -> BaselineSystem:
    """The published SPLADE-v2."""
    return BaselineSystem(bench, Splade(), options)


def colbert_system(bench: Workbench, options: SystemOptions) -> BaselineSystem:
    """The published ColBERTv2, exact."""
    return BaselineSystem(bench, Colbert(), options)


def colbert_plaid_system(bench: Workbench, options: SystemOptions) -> BaselineSystem:
    """The published ColBERTv2 as in the paper: by PLAID, texts cut after 512 tokens."""
    return BaselineSystem(bench, Colbert(plaid=PlaidConfig(), cut=512), options)


def _blocks(bench: Workbench, side: Side, precision: str) -> list[Path]:
    """Return the folders of a side's blocks, making those that are not there yet."""
    key = content_key(
        code=code_key("kernels", "encoding", "retrievers"),
        documents=bench.corpus.fingerprint,
        side=side.kind,
        settings=side.settings,
        precision=precision,
    )
    home = bench.cache / "sides" / f"{side.kind}-{key}"
    folders = [home / f"{number:06d}" for number in range(-(-len(bench.corpus) // BLOCK_PASSAGES))]
    with alone(home, "this baseline"):
        if not all(folder.is_dir() for folder in folders):
            passages = tracked(
                corpus_passages(bench.collection.documents(), bench.collection.by),
                f"Making {side.kind}",
                len(bench.corpus),
            )
            for folder in folders:
                texts = (passage.text for passage in islice(passages, BLOCK_PASSAGES))
                if folder.is_dir():
                    for _ in texts:
                        pass
                else:
                    write_block(folder, side.pack(side.rows(texts)))
    return folders
