"""How well it can be told without reading which features of a claim a document has: by the words that an index keeps, or by vectors.

    python benchmarks/touched.py FOLDER [--encoder minilm]

FOLDER holds judged charts: `cases*.json` and `documents*.jsonl` (see `benchmarks/charts.py`). For each set it prints the area under the
curve (disclosed against not, at least partly against not) of the largest share of a feature's words in one passage (`Index.touched`), and
of the nearest mean vector of a passage and of a sentence; then how many cells of each level are disclosed, partly, not; and what a strip
of 10 documents costs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from charts import means, read_judged
from machine import describe

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.charts.calibrating import auc
from sparse_coverage.encoding import load_encoder
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.text.sentences import sentence_ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", default="minilm")
    asked = parser.parse_args()
    print(describe())
    encoder = load_encoder(asked.encoder)
    claims, texts, sets, _ = read_judged(asked.folder, 1)
    wholes, sentences = zip(*(vectors_of(paragraphs, encoder) for paragraphs in texts), strict=True)
    ids = [f"EP-{number}-A1" for number in range(1, len(texts) + 1)]
    patents = [
        Patent(id_, description=tuple(Paragraph(text, f"/p[{n}]", f"{n:04}") for n, text in enumerate(one, 1)))
        for id_, one in zip(ids, texts, strict=True)
    ]
    rows, names = [], []
    with tempfile.TemporaryDirectory() as place:
        model = SparseCoverage.fit(patents[:5], encoder=encoder, size=50)  # only words are asked for
        index = Index.build(Path(place) / "index", model, patents, without=["vectors"])
        for claim, name in zip(claims, sets, strict=True):
            features = [element.text for element in claim.elements]
            vectors = means(features, encoder)
            for document, labels in claim.labels.items():
                touched = index.touched(features, [ids[document]])[ids[document]]
                for feature, label, touch in zip(vectors, labels, touched, strict=True):
                    near = [float((matrix[document] @ feature).max()) for matrix in (wholes, sentences)]
                    rows.append((touch.share, *near, label, ("", "some", "touched").index(touch.level)))
                    names.append(name)
        table, group = np.asarray(rows), np.asarray(names)
        for name in dict.fromkeys(names):
            of_set, labels = table[group == name], table[group == name, 3]
            for column, what in enumerate(("words of a passage", "vector of a passage", "vector of a sentence")):
                areas = [auc(of_set[labels >= least, column], of_set[labels == 0, column]) for least in (2, 1)]
                print(f"{name:12} {what:22} AUC {areas[0]:.3f}, {areas[1]:.3f}")
        for level, what in enumerate(("few", "some", "touched")):
            counts = [int(((table[:, 4] == level) & (table[:, 3] == label)).sum()) for label in (2, 1, 0)]
            print(f"{what:8} disclosed {counts[0]}, partly {counts[1]}, not {counts[2]}")
        features, times = [element.text for element in claims[0].elements], []
        for _ in range(20):
            begun = time.perf_counter()
            index.touched(features, ids[:10])
            times.append(1000 * (time.perf_counter() - begun))
        print(f"{len(features)} features, 10 documents: {times[0]:.1f} ms, then {np.median(times[1:]):.1f} ms")


def vectors_of(paragraphs, encoder):
    """Return the mean vectors of paragraphs, and of their sentences as they stand in them, each of length 1."""
    wholes, parts = [], []
    for text, tokens in zip(paragraphs, encoder.encode(paragraphs), strict=True):
        if len(tokens.vectors):
            wholes.append(tokens.vectors.mean(0))
            cuts = np.searchsorted(tokens.starts, sentence_ends(text))
            parts += [one.mean(0) for one in np.split(tokens.vectors, cuts) if len(one)]
    return tuple(
        table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
        for table in (np.stack(wholes), np.stack(parts))
    )


if __name__ == "__main__":
    main()
