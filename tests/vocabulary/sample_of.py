"""A finished sample folder with clustered random spans, written the way the sampler writes it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from plain import unit

from sparse_coverage.files import sha256_of, write_json
from sparse_coverage.vocabulary import SpanSample


def sample_of(folder: Path, total: int, *, dimension: int = 32, common: int = 0) -> SpanSample:
    """Spans in 40 clusters; the first `common` share one text, the others have one each. A passage's id is its row."""
    random = np.random.default_rng(11)
    hearts = random.standard_normal((40, dimension))
    points = unit(hearts[random.integers(0, 40, total)] + 0.3 * random.standard_normal((total, dimension)))
    (folder / "points.f16").write_bytes(points.astype(np.float16).tobytes())
    lines = [
        json.dumps(["common" if row < common else f"word {row}", f"document {row // 10}", str(row)])
        for row in range(total)
    ]
    (folder / "anchors.jsonl").write_text("".join(line + "\n" for line in lines))
    checksums = {name: sha256_of(folder / name) for name in ("points.f16", "anchors.jsonl")}
    facts = {
        "spans": total,
        "dimension": dimension,
        "documents": -(-total // 10),
        "first": "",
        "seen": {},
        "sha256": checksums,
    }
    write_json(folder / "sample.json", facts)
    return SpanSample(folder)
