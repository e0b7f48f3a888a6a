"""Vectors as lines of JSON: what Anserini's JsonVectorCollection and Seismic read, and what SPLADE-like encoders write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TextIO

import numpy as np
import numpy.typing as npt

from sparse_coverage.formats.quantise import Quantiser
from sparse_coverage.formats.source import Rows


def put_lines(
    out: TextIO, rows: Rows, names: Sequence[str], text_field: str, quantiser: Quantiser | None = None
) -> None:
    """Write one object a line: `id`, a text field (empty: the texts stay in the index) and `vector`."""
    for id_, terms, weights in rows:
        values = _floats(weights) if quantiser is None else quantiser(weights).tolist()
        vector = dict(zip((names[term] for term in terms.tolist()), values, strict=True))
        out.write(json.dumps({"id": id_, text_field: "", "vector": vector}, ensure_ascii=False) + "\n")


def _floats(weights: npt.NDArray[np.float32]) -> list[float]:
    """Nine digits are enough to find a single-precision number again."""
    return [float(f"{weight:.9g}") for weight in weights.tolist()]
