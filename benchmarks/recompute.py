"""Recomputes every number of an evaluation, or of a report, from the runs it wrote, with ir_measures, and says where they differ.

    sparse-coverage evaluate COLLECTION --system bm25 --system paper --runs runs/ --json > table.json
    python benchmarks/recompute.py COLLECTION table.json runs/

    sparse-coverage reproduce main --collection COLLECTION --runs -o report
    python benchmarks/recompute.py COLLECTION report/

Documents are measured from `x.run`, MAP(D) and PassageR from `x.passages.run`; judgements are the collection's own, in its own
spelling of ids. Of a report, the cells of its CSV tables are compared too. The exit status is 1 when any value of a query, or any
mean of one seed or over all, differs by more than 1e-9 (a cell: by more than is printed), or has no run.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import ir_measures

from sparse_coverage import load_collection
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.measures import register_with_ir_measures

THERE = {"MAP": "AP", "MRR": "RR", "MAP(D)": "MAPD"}
Values = Mapping[str, float]


@dataclass
class Recomputed:
    """The judgements of a collection as its own files write ids; how many numbers were compared, and what differs."""

    collection: Collection
    count: int = 0
    different: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        register_with_ir_measures()

    @cached_property
    def _documents(self) -> dict[str, dict[str, int]]:
        own = self.collection.own_ids()
        judged = {query.id: self.collection.judgements[query.id].grades for query in self.collection.judged}
        return {query: {own.get(one, one): grade for one, grade in grades.items()} for query, grades in judged.items()}

    @cached_property
    def _passages(self) -> dict[str, dict[str, int]]:
        own = self.collection.own_ids()
        judged = {query.id: self.collection.judgements[query.id].passages for query in self.collection.judged}
        return {
            query: {f"{own.get(of, of)}{id_.removeprefix(of)}": 1 for of, ids in passages.items() for id_ in ids}
            for query, passages in judged.items()
            if passages
        }

    def values(self, measure: str, run: Path) -> Values:
        """Return a measure of a run, query by query; a query without an answer counts 0."""
        name, at, cutoff = measure.partition("@")
        base = THERE.get(name, "R" if name == "PassageR" else name)
        wanted = ir_measures.parse_measure(f"{base}{at}{cutoff}")
        lines = run.read_text(encoding="utf-8").splitlines(keepends=True)
        scored = ir_measures.read_trec_run("".join(line for line in lines if not line.startswith("#")))
        qrels = self._passages if is_of_passages(measure) else self._documents
        found = {one.query_id: float(one.value) for one in ir_measures.iter_calc([wanted], qrels, scored)}
        return {query: found.get(query, 0.0) for query in qrels}

    def row(self, name: str, said: Mapping[str, Values], seeds: Sequence[Values], runs: Sequence[Path]) -> Values:
        """Compare the values that a row says with those of its runs, one a seed; return the means of the runs."""
        means: dict[str, float] = {}
        for measure, by_query in said.items():
            ending = ".passages.run" if is_of_passages(measure) else ".run"
            files = [run.with_name(run.name + ending) for run in runs]
            if missing := [file.name for file in files if not file.is_file()]:
                self.different.append(f"no run: {missing[0]}")
                continue
            every = [self.values(measure, file) for file in files]
            means[measure] = mean(value for values in every for value in values.values())
            for query, here in by_query.items():
                self.same(f"{name} {measure} {query}", here, mean(values[query] for values in every))
            self.same(f"{name} {measure}", mean(by_query.values()), means[measure])
            for number, (seed, values) in enumerate(zip(seeds, every, strict=True) if seeds else ()):
                self.same(f"{name} {measure}, seed {number}", seed[measure], mean(values.values()))
        return means

    def same(self, name: str, here: float, there: float, error: float = 1e-9) -> None:
        """Count a number, and note whether it differs."""
        self.count += 1
        if abs(here - there) > error:
            self.different.append(f"{name}: {here:.6f} in the table, {there:.6f} from the run")


def is_of_passages(measure: str) -> bool:
    return measure.startswith(("MAP(D)", "PassageR"))


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def differences(collection: Collection, table: dict[str, Any], folder: Path) -> tuple[int, list[str]]:
    """Compute every number of an evaluation again; return how many, and what differs or has no run."""
    found = Recomputed(collection)
    for name, row in table["systems"].items():
        first = row["options"].get("seed", 0)
        runs = [f"{name} seed={first + step}" for step in range(len(row["seeds"]))] or [name]
        paths = [folder / re.sub(r"[^\w.+=-]+", "-", run) for run in runs]
        for measure, there in found.row(name, row["per_query"], row["seeds"], paths).items():
            found.same(f"{name} {measure}, its mean", row["measures"][measure]["mean"], there)
    return found.count, found.different


def differences_of_report(collection: Collection, report: Path) -> tuple[int, list[str]]:
    """Compute every number of a report's experiments again, and the cells of their tables."""
    found = Recomputed(collection)
    for path in sorted(report.glob("*/rows.json")):
        experiment, rows = path.parent.name, json.loads(path.read_text(encoding="utf-8"))
        means = []
        for number, row in enumerate(rows, 1):
            runs = [path.parent / "runs" / run for run in row["runs"]]
            if not runs and not row["failure"]:
                found.different.append(f"{experiment}, row {number}: no runs (`reproduce --runs` writes them)")
            name = f"{experiment}, row {number}"
            means.append(found.row(name, row["per_query"], row["seeds"], runs) if runs else {})
        with (path.parent / f"{experiment}.csv").open(encoding="utf-8", newline="") as stream:
            cells = list(csv.DictReader(stream))
        if len(cells) != len(means):
            continue  # means of several rows, as in ablations
        for number, (line, values) in enumerate(zip(cells, means, strict=True), 1):
            for measure in values.keys() & line.keys():
                name = f"{experiment}.csv, line {number}, {measure}"
                found.same(name, float(line[measure]), 100 * values[measure], 1e-5)
    if not found.count:
        found.different.append(f"{report}: there is nothing to recompute")
    return found.count, found.different


def main(spec: str, table: str, folder: str = "") -> int:
    """Compare every number; return the exit status."""
    collection = load_collection(spec)
    if folder:
        count, different = differences(collection, json.loads(Path(table).read_text(encoding="utf-8")), Path(folder))
    else:
        count, different = differences_of_report(collection, Path(table))
    print(f"{count} numbers recomputed, {len(different)} differ", *different, sep="\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]) if len(sys.argv) in (3, 4) else __doc__)
