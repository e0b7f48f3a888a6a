"""Do other engines rank an exported index as we do? PISA (through CIFF) and Seismic, on the demo collection and a made-up one.

python benchmarks/exports.py --demo INDEX          an index that `sparse-coverage demo` made
python benchmarks/exports.py --units 20000         a made-up corpus of the paper's shape: V = 50,000, long and short queries

Needs the extras [bench] and [pisa]. For each engine: how much of our exact top 10 and top 100 it has (overlap), how far the
order of what both have agrees (Kendall's tau; ties in our own scores left out), and the largest relative difference of the
scores in our top 100. Everything is measured on units (passages).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from search_corpus import V, make_blocks, make_queries, write_index

from sparse_coverage import ScoringConfig, SparseCoverage
from sparse_coverage.evaluation.clefip import topic_document, topic_query
from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_topics
from sparse_coverage.formats import Rows, Source, export_index, open_source
from sparse_coverage.formats.ciff import open_ciff_in_pisa
from sparse_coverage.formats.source import center_names
from sparse_coverage.index import open_store
from sparse_coverage.search.own_model import MODEL_FOLDER
from sparse_coverage.search.ranking import CenterStatistics, Ranker
from sparse_coverage.vectors import SparseVector

DEPTH = 100
Ranked = list[tuple[str, float]]


@dataclass(frozen=True)
class Agreement:
    """How near an engine's rankings are to ours, over all queries."""

    top_10: float
    top_100: float
    tau: float
    score_error: float


def ours(source: Source, queries: list[SparseVector], depth: int) -> list[Ranked]:
    ranker = Ranker(source.store, source.statistics.config, 1)
    rankings = []
    for vector in queries:
        found = ranker.rank_passages(vector, depth)
        ids = [source.store.passage(number).id for number in found.numbers.tolist()]
        rankings.append(list(zip(ids, found.scores.tolist(), strict=True)))
    return rankings


def agreement(mine: list[Ranked], theirs: list[Ranked]) -> Agreement:
    tens, hundreds, taus, errors = [], [], [], []
    for exact, other in zip(mine, theirs, strict=True):
        if not exact:
            continue
        scores, found = dict(exact), dict(other)
        for depth, shares in ((10, tens), (DEPTH, hundreds)):
            wanted = {id_ for id_, _ in exact[:depth]}
            shares.append(len(wanted & {id_ for id_, _ in other[: len(wanted)]}) / len(wanted))
        common = [id_ for id_, _ in exact[:DEPTH] if id_ in found]
        signs = [np.sign(found[a] - found[b]) for a, b in combinations(common, 2) if scores[a] > scores[b]]
        taus.append(float(np.mean(signs)) if signs else 1.0)
        errors += [abs(found[id_] / scores[id_] - 1) for id_ in common]
    return Agreement(float(np.mean(tens)), float(np.mean(hundreds)), float(np.mean(taus)), max(errors, default=0.0))


def read_queries(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line)["vector"] for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]


def pisa(source: Source, queries: Rows, work: Path, bits: int) -> list[Ranked]:
    import pandas as pd

    exported = export_index(source, work / "out", "ciff", queries=queries, bits=bits)
    index = open_ciff_in_pisa(work / "out" / "index.ciff", work / "pisa")
    vectors = read_queries(work / "out")
    frame = pd.DataFrame({"qid": [str(n) for n in range(len(vectors))], "query_toks": vectors})
    found = index.quantized(num_results=2 * DEPTH, toks_scale=1.0, threads=1)(frame)
    scale = exported.document_scale * exported.query_scale
    rows: dict[str, Ranked] = {qid: [] for qid in frame["qid"]}
    for qid, docno, score in zip(found["qid"], found["docno"], found["score"], strict=True):
        rows[qid].append((docno, score / scale))
    return [sorted(row, key=lambda entry: -entry[1]) for row in rows.values()]


def seismic(source: Source, queries: Rows, work: Path, cut: int, heap_factor: float, **build: float) -> list[Ranked]:
    from seismic import SeismicIndex, get_seismic_string

    export_index(source, work / "out", "seismic", queries=queries)
    index = SeismicIndex.build(str(work / "out" / "documents.jsonl"), num_threads=1, **build)
    kind, rankings = get_seismic_string(), []
    for vector in read_queries(work / "out"):
        found = index.search(
            query_id="0",
            query_components=np.asarray(list(vector), dtype=kind),
            query_values=np.asarray(list(vector.values()), np.float32),
            k=2 * DEPTH,
            query_cut=min(cut, len(vector)),
            heap_factor=heap_factor,
        )
        rankings.append([(id_, score) for _, score, id_ in found])
    return rankings


def engines(source: Source, queries: Rows) -> Iterator[tuple[str, Callable[[Path], list[Ranked]]]]:
    for bits in (8, 12, 16):
        yield f"PISA, {bits}-bit impacts", lambda work, bits=bits: pisa(source, queries, work, bits)
    everything = {"n_postings": len(source), "max_fraction": 1.0, "summary_energy": 1.0}
    yield "Seismic, lists whole, nothing skipped", lambda work: seismic(source, queries, work, V, 1.0, **everything)
    yield (
        "Seismic, as it comes (cut 10, heap 0.8)",
        lambda work: seismic(source, queries, work, 10, 0.8),
    )


def compare(title: str, source: Source, groups: dict[str, list[SparseVector]], console: Console) -> None:
    vectors = [vector for group in groups.values() for vector in group]
    queries = source.queries([str(number) for number in range(len(vectors))], vectors)
    mine = ours(source, vectors, DEPTH)
    table = Table("engine", "queries", "overlap@10", "overlap@100", "Kendall tau", "largest error of a score")
    table.title = f"{title}: {len(source):,} units, {source.postings:,} weights"
    for name, search in engines(source, queries):
        with TemporaryDirectory() as work:
            theirs = search(Path(work))
        first = 0
        for group, members in groups.items():
            place = slice(first, first + len(members))
            first = place.stop
            found = agreement(mine[place], theirs[place])
            active = np.diff(queries.starts)[place].mean()
            table.add_row(
                name,
                f"{len(members)} {group}, {active:.0f} centers",
                f"{found.top_10:.3f}",
                f"{found.top_100:.3f}",
                f"{found.tau:.4f}",
                f"{100 * found.score_error:.3g} %",
            )
    console.print(table)


def demo_source(folder: Path) -> tuple[Source, list[SparseVector]]:
    model = SparseCoverage.load(folder / MODEL_FOLDER, threads=1)
    texts = [topic_query(topic, topic_document(topic, TOPICS_FILE)) for topic in demo_topics()]
    return open_source(folder, ScoringConfig()), model.encode_document(texts)


@click.command()
@click.option("--demo", type=click.Path(path_type=Path, exists=True), help="The index of the demo.")
@click.option("--units", default=20_000, show_default=True, help="Size of the made-up corpus; 0 for none.")
@click.option("--queries", default=20, show_default=True, help="How many made-up queries of each kind.")
def main(demo: Path | None, units: int, queries: int) -> None:
    console = Console(width=150)
    if demo:
        source, claims = demo_source(demo)
        compare("Demo", source, {"claims": claims}, console)
    if units:
        with TemporaryDirectory() as folder:
            write_index(Path(folder) / "index", make_blocks(units), words=5)
            store = open_store(Path(folder) / "index")
            statistics = CenterStatistics.compute(store.frequencies, store.state.passages, ScoringConfig())
            source = Source(store, statistics, center_names(V))
            lengths = {"long": 745, "short": 68}
            groups = {name: make_queries(queries, active, seed=2) for name, active in lengths.items()}
            compare("Made up", source, groups, console)


if __name__ == "__main__":
    main()
