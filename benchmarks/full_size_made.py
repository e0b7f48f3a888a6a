"""Documents made up from real passages, as many as wanted, for `full_size.py`; by itself the process that writes such an index.

A made-up passage takes a real one: a fifth of its words are drawn anew, a tenth of its centers go, its weights and its vector are
shaken. So texts, lists and vectors look like real ones, no two passages are equal, and nothing is encoded. A document has 82
passages, as in CLEF-IP.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter, PassageRecord, open_store
from sparse_coverage.index.manifest import read_manifest
from sparse_coverage.kernels.choosing import use
from sparse_coverage.search.own_model import MODEL_FOLDER
from sparse_coverage.search.vector_cache import stored_vectors
from sparse_coverage.vectors import SparseVector

PASSAGES = 82


def made_documents(base: Path, passages: int, seed: int = 0) -> Iterator[tuple[DocumentRecord, list[IndexedPassage]]]:
    """Yield made-up documents with so many passages in all, from those of an index."""
    random = np.random.default_rng(seed)
    store = open_store(base)
    pool = [
        (text.split(), vector)
        for segment in store.segments
        for document in range(len(segment.document_starts) - 1)
        for text, vector in stored_vectors(segment, document).items()
        if vector.whole is not None
    ]
    words = [word for text, _ in pool for word in text]
    noise = random.normal(0, 0.02, 1 << 20).astype(np.float32)
    for number in range(-(-passages // PASSAGES)):
        name = f"EP-{1_000_000 + number}-A1"
        chosen = random.integers(0, len(pool), min(PASSAGES, passages - number * PASSAGES))
        made = []
        for place, which in enumerate(chosen.tolist()):
            old, vector = pool[which]
            text = old.copy()
            drawn = random.integers(0, len(words), len(text) // 5 + 1).tolist()
            text[::5] = [words[one] for one in drawn][: len(text[::5])]
            record = PassageRecord(
                f"{name}/description/p[{place + 1}]", name, "description", f"{' '.join(text)} x{number % 9973}x{place}"
            )
            shaken = _shaken(vector, len(text) // 3, random, noise)
            made.append(IndexedPassage(record, shaken, shaken.whole))
        date = str(np.datetime64("1980-01-01") + int(random.integers(0, 16_000)))
        facts: dict[str, Any] = {"publication_date": date, "country": "EP", "kind": "A1", "language": "en"}
        facts |= {"ipc": [f"H{number % 60:02d}N {number % 90 + 1}/44"], "family": str(number // 2)}
        yield DocumentRecord(name, f"Device {number}", facts), made


def _shaken(vector: SparseVector, spans: int, random: np.random.Generator, noise: np.ndarray) -> SparseVector:
    """A vector like another; its spans are among the first so many, which the new text has too."""
    assert vector.whole is not None
    kept = random.random(len(vector.centers), dtype=np.float32) < 0.9
    at, size = int(random.integers(0, len(noise) - len(vector.whole))), int(kept.sum())
    whole = vector.whole + noise[at : at + len(vector.whole)]
    return replace(
        vector,
        centers=vector.centers[kept],
        weights=vector.weights[kept] * (0.8 + 0.2 * random.random(size, dtype=np.float32)),
        spans=np.minimum(vector.spans[kept], spans),
        starts=vector.starts[kept],
        ends=vector.ends[kept],
        whole=whole / np.linalg.norm(whole),
    )


def write(base: Path, target: Path, passages: int) -> dict[str, float]:
    """Write an index of made-up documents with the model of the base; the time of making them up is left out."""
    about = read_manifest(base)
    making = [0.0, 0.0]

    def timed() -> Iterator[tuple[DocumentRecord, list[IndexedPassage]]]:
        source = made_documents(base, passages)
        while True:
            wall, cpu = time.perf_counter(), time.process_time()
            one = next(source, None)
            making[0] += time.perf_counter() - wall
            making[1] += time.process_time() - cpu
            if one is None:
                return
            yield one

    use("machine")
    wall, cpu = time.perf_counter(), time.process_time()
    with IndexWriter.create(target, about.centers, about.about, words=True, dimension=about.dimension) as writer:
        shutil.copytree(base / MODEL_FOLDER, target / MODEL_FOLDER)
        for document, made in timed():
            writer.add(document, made)
            if not writer.pending:
                writer.commit(complete=False)
        writer.merge()
    return {
        "s": time.perf_counter() - wall - making[0],
        "cpu_s": time.process_time() - cpu - making[1],
        "peak_mib": peak_memory(),
    }


def peak_memory() -> float:
    """The most memory that this process ever had, mapped files included, in MiB. (What getrusage says includes its parent.)"""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("passages", type=int)
    options = parser.parse_args()
    print(json.dumps(write(options.base, options.target, options.passages)))


if __name__ == "__main__":
    main()
