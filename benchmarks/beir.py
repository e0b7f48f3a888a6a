"""A BEIR folder as a benchmark reads it, and the measures of a ranking on it (needs the extra [bench])."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage import Patent, read_patents

MEASURES = ("R@100", "AP", "nDCG@10")


@dataclass(frozen=True)
class Beir:
    """Documents, queries, judgements, and for each query the documents that may not count: itself and its family."""

    name: str
    documents: list[Patent]
    queries: dict[str, str]
    judgements: dict[str, dict[str, int]]
    excluded: dict[str, set[str]]


def load(folder: Path) -> Beir:
    documents = list(read_patents(folder / "corpus.jsonl"))
    family = {patent.id: {patent.id, *patent.family_members} for patent in documents}
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    judgements: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            judgements.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    queries = {row["_id"]: row["text"] for row in rows if row["_id"] in judgements}
    # A query that is itself a document of the collection (a patent asked for its citations) must not find itself.
    own = {id_: family.get(id_, set()) if folder.name == "patsnap" else set() for id_ in queries}
    return Beir(folder.name, documents, queries, judgements, own)


def measure(collection: Beir, rankings: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the measures, in percent, of one score a document for each query."""
    import ir_measures

    run = {
        query: {id_: score for id_, score in scores.items() if id_ not in collection.excluded[query]}
        for query, scores in rankings.items()
    }
    names = [ir_measures.parse_measure(name) for name in MEASURES]
    values = ir_measures.calc_aggregate(names, collection.judgements, run)
    return {str(name): 100 * values[name] for name in names}
