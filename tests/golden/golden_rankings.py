"""What `rankings.json` holds: rankings, scores and explanations of a fixed collection, for the presets and all units.

`before` are other settings than the presets have.

To make the file anew, after a change that is meant to change results: python tests/golden/golden_rankings.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
FILE = HERE / "rankings.json"
sys.path.insert(0, str(HERE.parent))

from hash_encoder import HashEncoder  # noqa: E402

from sparse_coverage import ActivationConfig, Index, Preset, ScoringConfig, SparseCoverage, read_patents  # noqa: E402
from sparse_coverage.aggregation import TopMean  # noqa: E402
from sparse_coverage.presets import get_preset  # noqa: E402
from sparse_coverage.retrievers import Fuse  # noqa: E402
from sparse_coverage.search import parse_filter  # noqa: E402

QUERIES = (
    "A pump comprising a housing, a sensor that measures the pressure, and a valve closed by a spring.",
    "Method of reducing noise in which a microphone signal is filtered and added in opposite phase",
)
FILTER = "published<1998 and not country:WO"
UNITS = ("token", "np", "np+token")
BEFORE = Preset(1, ActivationConfig(assignment="nearest", repeats=0.5), ScoringConfig(smoothing=50.0), by="passage")


def patents(count: int = 30) -> list[Any]:
    """The first patents of the demo collection, in the order of their files, in English."""
    import sparse_coverage

    [documents] = Path(sparse_coverage.__file__).parent.rglob("01_extracted")
    return [replace(patent, translations=()) for patent in read_patents(documents)][:count]


def build(folder: Path, preset: str, unit: str, count: int = 30) -> Index:
    """An index of the collection by the hash encoder."""
    chosen = BEFORE if preset == "before" else get_preset(preset)
    settings = replace(chosen, learn="sections")  # as the rankings were made
    model = SparseCoverage.fit(patents(count), encoder=HashEncoder(), preset=settings, unit=unit, size=200)
    return Index.build(folder, model, patents(count), by="paragraph", without=())


def results(index: Index) -> dict[str, Any]:
    """What is compared: everything that a search can be asked for."""
    index = index.ranked_by("centers")
    found: dict[str, Any] = {}
    for number, query in enumerate(QUERIES):
        found[f"documents {number}"] = _documents(index.search(query, k=8))
        found[f"filtered {number}"] = _documents(index.search(query, k=8, filter=parse_filter(FILTER)))
        found[f"top-mean {number}"] = _documents(index.search(query, k=8, aggregation=TopMean(3)))
        found[f"passages {number}"] = [[hit.id, hit.score] for hit in index.search_passages(query, k=8)]
        best = index.search(query, k=1)[0]
        found[f"explained {number}"] = [
            [
                match.center,
                match.query.start,
                match.query.end,
                match.passage.start,
                match.passage.end,
                match.anchor,
                match.contribution,
            ]
            for match in index.explain(query, best.passages[0].id).matches[:12]
        ]
        answers = index.answers(query, best.document)
        found[f"answers {number}"] = [[one.query.start, one.passage, one.match.contribution] for one in answers.found]
        found[f"missing {number}"] = [[place.start, place.text] for place in answers.missing]
    return found


def _documents(hits: list[Any]) -> list[Any]:
    return [[hit.document, hit.score, [[one.id, one.score] for one in hit.passages]] for hit in hits]


def _fuse(index: Index) -> list[Any]:
    parts = index.ranked_by("centers"), index.ranked_by("words")
    every = [Fuse(*parts), Fuse(*parts, how="weighted")]
    return [_documents(fused.search(QUERIES[0], k=8)) for fused in every]


def everything(folder: Path) -> dict[str, Any]:
    """All of it: presets, units, fusions."""
    found = {"eight patents": results(build(folder / "eight", "before", "token", count=8))}
    for preset in ("paper", "before", "default"):
        for unit in UNITS:
            index = build(folder / f"{preset}-{unit}", preset, unit)
            found[f"{preset} {unit}"] = results(index)
            if unit == "token":
                found[f"fused {preset}"] = {"rankings": _fuse(index)}
    return found


if __name__ == "__main__":
    with TemporaryDirectory() as work:
        FILE.write_text(json.dumps(everything(Path(work))) + "\n", encoding="utf-8")
