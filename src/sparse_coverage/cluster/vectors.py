"""The sparse vectors of a run of passages: computed on a worker, kept in one file, read back for the segments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from sparse_coverage.cluster.documents import documents_from
from sparse_coverage.cluster.encoders import EncoderSpec
from sparse_coverage.cluster.plan import Run
from sparse_coverage.cluster.shared_files import published
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import passages
from sparse_coverage.patents.passages import By
from sparse_coverage.vectors import SparseVector


def encode_run(documents: str, model: str, spec: EncoderSpec, by: By, run: Run, target: str) -> None:
    """Encode the passages of a run, on a worker."""
    if Path(target).exists():
        return
    patents = documents_from(Path(documents), run.shard, run.document)
    every = chain.from_iterable(passages(patent, by=by) for patent in patents)
    texts = (passage.text for passage in islice(every, run.passage, run.passage + run.passages))
    found = _loaded(model, spec).encode_document(texts)
    none = np.zeros(0, dtype=np.int32)
    arrays = {
        "lengths": np.asarray([len(vector) for vector in found], dtype=np.int64),
        "centers": np.concatenate([none, *(vector.centers for vector in found)]),
        "weights": np.concatenate([none.astype(np.float32), *(vector.weights for vector in found)]),
        "spans": np.concatenate([none, *(vector.spans for vector in found)]),
        "span_counts": np.asarray([vector.span_count for vector in found], dtype=np.int64),
        "uncovered": np.asarray([vector.uncovered for vector in found], dtype=np.int64),
    }
    with published(Path(target)) as partial:
        save_file(arrays, partial)


def read_run(path: Path) -> Iterator[SparseVector]:
    """Yield the vectors of a run, without the places of their spans in the text, which no index keeps."""
    arrays = load_file(path)
    ends = np.cumsum(arrays["lengths"])
    for number, (end, length) in enumerate(zip(ends.tolist(), arrays["lengths"].tolist(), strict=True)):
        part = slice(end - length, end)
        nowhere = np.zeros(length, dtype=np.int32)
        yield SparseVector(
            arrays["centers"][part],
            arrays["weights"][part],
            arrays["spans"][part],
            nowhere,
            nowhere,
            int(arrays["span_counts"][number]),
            int(arrays["uncovered"][number]),
        )


@lru_cache(maxsize=1)
def _loaded(folder: str, spec: EncoderSpec) -> SparseCoverage:
    return SparseCoverage.load(folder, encoder=spec.load())
