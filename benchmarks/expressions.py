"""Expressions, measured: what looking words up costs beside a search; ours, Qdrant's full-text filter in process, and SQLite's FTS5.

    python benchmarks/expressions.py --quick      a minute, small
    python benchmarks/expressions.py              1M passages; Qdrant comes with the extra [bench]

Qdrant knows words and phrases, FTS5 also beginnings of words and NEAR without order; what a peer cannot say is left empty.

Made-up passages of 60 words, drawn like words are (popularity falls with the rank), each with a vector of 8 centers, so that the
filter is what counts. Ours is indexed twice: documents of 82 passages, as patents are, and documents of one passage, where
all filter the same things and must let the same number through. Everything runs on one thread, interleaved; figures
are medians of CPU milliseconds. `--folder` keeps what was built for the next run, `--json` writes the figures to a file.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import machine
import numpy as np
from rich.console import Console
from rich.table import Table

from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexWriter,
    PassageRecord,
    allowed_passages,
    open_store,
    parse_filter,
)
from sparse_coverage.progress import tracked
from sparse_coverage.search.ranking import Ranker, ScoringConfig
from sparse_coverage.vectors import SparseVector

CENTERS, OF_PASSAGE, OF_QUERY = 2_000, 8, 40
VOCABULARY, LENGTH, BLOCK = 100_000, 60, 65_536
DOCUMENT = 82
K = 100
console = Console()


def vocabulary() -> list[str]:
    """Words that no stemmer changes, so that both engines mean the same by one."""
    syllables = [f"{a}{b}" for a in "bdfgklmnprtvz" for b in "aou"]
    size = len(syllables)
    return [
        f"{syllables[n % size]}{syllables[n // size % size]}{syllables[n // size**2 % size]}{syllables[n // size**3]}k"
        for n in range(VOCABULARY)
    ]


def passages(count: int) -> Iterator[tuple[list[str], np.ndarray, np.ndarray]]:
    """Blocks of texts, their centers and weights, always the same."""
    falling = 1 / (np.arange(VOCABULARY) + 2.7)
    cumulative = np.cumsum(falling / falling.sum())
    cumulative[-1] = 1.0
    names = np.asarray(vocabulary())
    for first in range(0, count, BLOCK):
        random = np.random.default_rng(first)
        size = min(BLOCK, count - first)
        drawn = names[np.searchsorted(cumulative, random.random((size, LENGTH)))]
        centers = np.sort(
            random.integers(0, CENTERS // OF_PASSAGE, (size, OF_PASSAGE)) * OF_PASSAGE + np.arange(OF_PASSAGE)
        )
        weights = (0.4 + 0.6 * random.random((size, OF_PASSAGE))).astype(np.float32)
        yield [" ".join(row) for row in drawn.tolist()], centers.astype(np.int32), weights


def build_ours(folder: Path, count: int, of_document: int) -> float:
    """Index the passages as documents of so many; return the CPU seconds."""
    begun = time.process_time()
    ordinals = np.arange(OF_PASSAGE, dtype=np.int32)
    with IndexWriter.create(folder, CENTERS, {"by": "passage"}) as writer:
        number = 0
        for texts, centers, weights in tracked(passages(count), f"Ours, by {of_document}", -(-count // BLOCK)):
            for first in range(0, len(texts), of_document):
                id_ = f"D{number}"
                number += 1
                indexed = [
                    IndexedPassage(
                        PassageRecord(f"{id_}/{place}", id_, "description", texts[place]),
                        SparseVector(centers[place], weights[place], ordinals, ordinals, ordinals, LENGTH, 0),
                    )
                    for place in range(first, min(first + of_document, len(texts)))
                ]
                writer.add(DocumentRecord(id_, "", {}), indexed)
        writer.commit()
    return time.process_time() - begun


def build_qdrant(folder: Path, count: int) -> float:
    """Give Qdrant the same passages with a full-text index that knows phrases; return the CPU seconds."""
    import qdrant_edge as q

    begun = time.process_time()
    folder.mkdir(parents=True)
    shard = q.EdgeShard.create(str(folder / "shard"), _config(q))
    text = q.TextIndexParams(tokenizer=q.TokenizerType.Word, lowercase=True, phrase_matching=True)
    shard.update(q.UpdateOperation.create_field_index("text", text))
    first = 0
    for texts, centers, weights in tracked(passages(count), "Qdrant", -(-count // BLOCK)):
        for start in range(0, len(texts), 4096):
            points = [
                q.Point(
                    first + place,
                    {"s": q.SparseVector(centers[place].tolist(), weights[place].tolist())},
                    {"text": texts[place]},
                )
                for place in range(start, min(start + 4096, len(texts)))
            ]
            shard.update(q.UpdateOperation.upsert_points(points))
        first += len(texts)
    shard.optimize()
    shard.flush()
    shard.close()
    return time.process_time() - begun


def _config(q: Any) -> Any:
    optimizers = q.EdgeOptimizersConfig(default_segment_number=1, max_segment_size=100_000_000, indexing_threshold=1)
    sparse = {"s": q.EdgeSparseVectorParams(full_scan_threshold=1)}
    return q.EdgeConfig(sparse_vectors=sparse, max_search_threads=1, optimizers=optimizers)


def build_fts5(folder: Path, count: int) -> float:
    """Give SQLite's full-text index the same passages, a row each; return the CPU seconds."""
    begun = time.process_time()
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "words.sqlite") as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0)")
        first = 0
        for texts, _, _ in tracked(passages(count), "FTS5", -(-count // BLOCK)):
            connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(texts, first))
            first += len(texts)
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.close()
    return time.process_time() - begun


def asked() -> dict[str, tuple[str, list[str] | None, bool, str | None]]:
    """What is looked for, by name: as an expression of ours, as phrases (or none of them) for Qdrant, and as FTS5 says it."""
    names = vocabulary()
    first = next(passages(BLOCK))[0][0].split()
    rare, some, common, other = names[40_000], names[400], names[4], names[3]
    three = [names[300], names[900], names[2_000]]
    phrase, usual = f"{first[10]} {first[11]}", f"{names[3]} {names[5]}"
    return {
        "a rare word": (rare, [rare], False, rare),
        "a word": (some, [some], False, some),
        "a common word": (common, [common], False, common),
        "one of three": (" or ".join(three), three, False, " OR ".join(three)),
        "a phrase": (f'"{phrase}"', [phrase], False, f'"{phrase}"'),
        "a phrase of common words": (f'"{usual}"', [usual], False, f'"{usual}"'),
        "not a common word": (f"not {common}", [common], True, None),
        "two common words": (f"{common} and {other}", None, False, f"{common} AND {other}"),
        "a word near/5 a common one": (f"{some} near/5 {common}", None, False, f"NEAR({some} {common}, 4)"),
        "two common words near/5": (f"{other} near/5 {common}", None, False, f"NEAR({other} {common}, 4)"),
        "two common words adj/3": (f"{other} adj/3 {common}", None, False, None),
        "the beginning of words": (f"{some[:4]}*", None, False, f"{some[:4]}*"),
        "a pattern": (f"{some[:2]}?{some[3:5]}*", None, False, None),
    }


def qdrant_filter(q: Any, phrases: list[str], missing: bool) -> Any:
    conditions = [
        q.FieldCondition(key="text", match=q.MatchPhrase(one) if " " in one else q.MatchText(one)) for one in phrases
    ]
    return q.Filter(must_not=conditions) if missing else q.Filter(should=conditions)


def forget(ranker: Ranker) -> None:
    """Let no answer be known from the last turn."""
    for segment in ranker.store.segments:
        segment.words._known.clear()


def clock(function: Callable[[], Any], turns: int, into: list[float]) -> None:
    for _ in range(turns):
        begun = time.process_time()
        function()
        into.append(1e3 * (time.process_time() - begun))


def measure(folder: Path, count: int, turns: int) -> dict[str, Any]:
    """Time every filter alone, and a search with it, of every engine in turn."""
    query = np.sort(np.random.default_rng(5).choice(CENTERS, OF_QUERY, replace=False)).astype(np.int32)
    ordinals = np.arange(OF_QUERY, dtype=np.int32)
    weights = np.ones(OF_QUERY, np.float32)
    vector = SparseVector(query, weights, ordinals, ordinals, ordinals, OF_QUERY, 0)
    stores = {name: open_store(folder / name) for name in ("patents", "single")}
    rankers = {name: Ranker(store, ScoringConfig(alpha=0, gamma=0, rho=0), 1) for name, store in stores.items()}
    for ranker in rankers.values():
        ranker.warm_up()
    allowed_passages(stores["patents"], parse_filter("zzz"))
    stores["patents"] = open_store(folder / "patents")  # again, after what has to be compiled was
    rankers["patents"] = Ranker(stores["patents"], ScoringConfig(alpha=0, gamma=0, rho=0), 1)
    opening = {}
    for name, store in stores.items():
        begun = time.process_time()
        allowed_passages(store, parse_filter("zzz"))  # checks the files
        opening[name] = 1e3 * (time.process_time() - begun)
    peer: Any = None
    try:
        import qdrant_edge as q

        shard = q.EdgeShard.load(str(folder / "qdrant" / "shard"), _config(q))
        near = q.Query.Nearest(q.SparseVector(query.tolist(), weights.tolist()), using="s")
        peer = q
    except ImportError:
        console.print("Qdrant is not installed (extra [bench]): ours alone.")
    rows: dict[str, Any] = {}
    fts5 = sqlite3.connect(folder / "fts5" / "words.sqlite")
    rows_of = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"  # as one text: rows take three times as long
    for name, (expression, phrases, missing, match) in {"no filter": ("", None, False, None), **asked()}.items():
        ours = parse_filter(expression) if expression else None
        theirs = qdrant_filter(peer, phrases, missing) if peer and phrases else None
        times: dict[str, list[float]] = {
            key: [] for key in ("patents", "single", "patents+", "single+", "qdrant", "qdrant+", "fts5")
        }
        for _ in range(turns):
            for kind, ranker in rankers.items():
                if ours is not None:
                    forget(ranker)
                    clock(lambda ranker=ranker, ours=ours: ranker.allowed(ours), 1, times[kind])
                forget(ranker)
                clock(
                    lambda ranker=ranker, ours=ours: ranker.rank_passages(vector, K, ranker.allowed(ours)),
                    1,
                    times[f"{kind}+"],
                )
            if match is not None:
                clock(lambda match=match: fts5.execute(rows_of, (match,)).fetchall(), 1, times["fts5"])
            if peer and (theirs is not None or not expression):
                if theirs is not None:
                    counted = peer.CountRequest(exact=True, filter=theirs)
                    clock(lambda counted=counted: shard.count(counted), 1, times["qdrant"])
                request = peer.QueryRequest(limit=K, query=near, filter=theirs)
                clock(lambda request=request: shard.query(request), 1, times["qdrant+"])
        found = {key: float(np.median(values)) if values else None for key, values in times.items()}
        if ours is not None:
            allowed = {kind: int(allowed_passages(store, ours).sum()) for kind, store in stores.items()}
            found |= {"allowed": allowed["single"] / count, "allowed_patents": allowed["patents"] / count}
            if match is not None:
                [(listed,)] = fts5.execute(rows_of, (match,)).fetchall()
                there = len((listed or "").split(",")) if listed else 0
                if there != allowed["single"]:
                    raise SystemExit(f"{name}: ours lets {allowed['single']:,} passages through, FTS5 {there:,}.")
            if theirs is not None:
                there = shard.count(peer.CountRequest(exact=True, filter=theirs))
                if there != allowed["single"]:
                    raise SystemExit(f"{name}: ours lets {allowed['single']:,} passages through, Qdrant {there:,}.")
        rows[name] = found
    sizes = {name: sum(path.stat().st_size for path in (folder / name).glob("segments/*/word*")) for name in stores}
    return {"passages": count, "first use": opening, "words_bytes": sizes, "rows": rows, "machine": machine.describe()}


def show(result: dict[str, Any]) -> None:
    table = Table(
        "", "passages", "ours, patents", "ours, one a document", "Qdrant", "FTS5", title="The filter alone, CPU ms"
    )
    after = Table(
        "",
        "ours, patents",
        "ours, one a document",
        "Qdrant",
        "ratio",
        title=f"A search of the {K} best with it, CPU ms",
    )

    def told(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    def ratio(row: dict[str, Any], end: str) -> str:
        return f"{row[f'qdrant{end}'] / row[f'single{end}']:.2g}x" if row.get(f"qdrant{end}") else ""

    for name, row in result["rows"].items():
        if row.get("allowed") is not None:
            table.add_row(
                name,
                f"{row['allowed']:.3%}",
                *(told(row[key]) for key in ("patents", "single", "qdrant", "fts5")),
            )
        after.add_row(name, *(told(row[key]) for key in ("patents+", "single+", "qdrant+")), ratio(row, "+"))
    console.print(table)
    console.print(after)
    console.print(
        f"{result['passages']:,} passages of {LENGTH} words; words take {result['words_bytes']['patents'] / 1e6:,.0f} MB by patent and "
        f"{result['words_bytes']['single'] / 1e6:,.0f} MB by passage; the first filter of a process checks them: "
        f"{result['first use']['patents']:,.0f} and {result['first use']['single']:,.0f} ms. {result['machine']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="20,000 passages")
    parser.add_argument("--folder", type=Path, help="where to keep what is built")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    count = 20_000 if given.quick else given.passages
    home = given.folder or Path(tempfile.mkdtemp())
    folder = home / f"words-{count}"
    builders: dict[str, Callable[[Path], float]] = {
        "patents": lambda path: build_ours(path, count, DOCUMENT),
        "single": lambda path: build_ours(path, count, 1),
        "qdrant": lambda path: build_qdrant(path, count),
        "fts5": lambda path: build_fts5(path, count),
    }
    for name, build in builders.items():
        if (folder / f"{name}.done").exists():
            continue
        shutil.rmtree(folder / name, ignore_errors=True)
        try:
            seconds = build(folder / name)
        except ImportError:
            continue
        console.print(f"{name}: built in {seconds:,.0f} CPU seconds")
        (folder / f"{name}.done").touch()
    result = measure(folder, count, given.turns)
    show(result)
    if given.json:
        given.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    if given.folder is None:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
