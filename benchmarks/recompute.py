"""Recomputes every number of an evaluation from the runs it wrote, with ir_measures, and says where they differ.

    sparse-coverage evaluate COLLECTION --system bm25 --system paper --runs runs/ --json > table.json
    python benchmarks/recompute.py COLLECTION table.json runs/

Documents are measured from `x.run`, MAP(D) and PassageR from `x.passages.run`; judgements are the collection's own, in its own
spelling of ids. The exit status is 1 when any mean, of one seed or over all, differs by more than 1e-9, or has no run.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import ir_measures

from sparse_coverage import load_collection
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.measures import register_with_ir_measures

THERE = {"MAP": "AP", "MRR": "RR", "MAP(D)": "MAPD"}


def judged(collection: Collection, *, passages: bool) -> dict[str, dict[str, int]]:
    """Return the judgements of a collection as its own files write ids."""
    own = collection.own_ids()
    found: dict[str, dict[str, int]] = {}
    for query in collection.judged:
        relevance = collection.judgements[query.id]
        if passages:
            items = {
                f"{own.get(document, document)}{id_.removeprefix(document)}": 1
                for document, ids in relevance.passages.items()
                for id_ in ids
            }
        else:
            items = {own.get(document, document): grade for document, grade in relevance.grades.items()}
        found[query.id] = items
    return found


def recomputed(measure: str, run: Path, qrels: dict[str, dict[str, int]]) -> float:
    """Return the mean of a measure over a run; a query without an answer counts 0."""
    name, at, cutoff = measure.partition("@")
    base = THERE.get(name, "R" if name == "PassageR" else name)
    wanted = ir_measures.parse_measure(f"{base}{at}{cutoff}")
    lines = run.read_text(encoding="utf-8").splitlines(keepends=True)
    scored = ir_measures.read_trec_run("".join(line for line in lines if not line.startswith("#")))
    values = {one.query_id: one.value for one in ir_measures.iter_calc([wanted], qrels, scored)}
    return float(sum(values.values()) / len(qrels))


def differences(collection: Collection, table: dict[str, Any], folder: Path) -> tuple[int, list[str]]:
    """Compute every mean of a table again, of each seed too; return how many, and what differs or has no run."""
    register_with_ir_measures()
    kinds = {passages: judged(collection, passages=passages) for passages in (False, True)}
    different, count = [], 0
    for row, found in table["systems"].items():
        seeds = [f"{row} seed={found['options'].get('seed', 0) + step}" for step in range(len(found["seeds"]))]
        for measure, interval in found["measures"].items():
            passages = measure.startswith(("MAP(D)", "PassageR"))
            ending = ".passages.run" if passages else ".run"
            runs = [folder / (re.sub(r"[^\w.+=-]+", "-", name) + ending) for name in seeds or [row]]
            if missing := [run.name for run in runs if not run.is_file()]:
                different.append(f"no run: {missing[0]}")
                continue
            values = [recomputed(measure, run, kinds[passages]) for run in runs]
            said = [*(one[measure] for one in found["seeds"]), interval["mean"]]
            count += len(said)
            for there, here in zip([*values, sum(values) / len(values)] if seeds else values, said, strict=True):
                if abs(there - here) > 1e-9:
                    different.append(f"{row} {measure}: {here:.6f} in the table, {there:.6f} from the run")
    return count, different


def main(collection: str, table: str, folder: str) -> int:
    """Compare every number; return the exit status."""
    found = json.loads(Path(table).read_text(encoding="utf-8"))
    count, different = differences(load_collection(collection), found, Path(folder))
    print(f"{count} numbers recomputed, {len(different)} differ", *different, sep="\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
