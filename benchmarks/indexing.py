"""From files to a searchable index: patents a minute and words a second, stage by stage, against an earlier version and peers.

    python benchmarks/indexing.py PATH/TO/fulltext/corpus.jsonl --before PATH/TO/CHECKOUT
    python benchmarks/indexing.py PATH/TO/fulltext/corpus.jsonl --quick
    python benchmarks/indexing.py PATH/TO/patsnap/corpus.jsonl --memory

Every build is a process of its own on one thread, and the versions take turns, after a small build of each that compiles what is
not compiled yet. What counts is CPU time; on a busy machine the clock says little. `--before` names a checkout of another commit.
`--memory` shows the peak memory of a build of 200 and of 2,000 documents instead.
Peers, where they are installed: sentence-transformers encoding the same passages (torch, fp32;
`--peer-words` takes only the first so many words, since it is slow), and bm25s.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage import SparseCoverage, read_patents
from sparse_coverage.patents import passages

HERE = Path(__file__).parent.parent
DOCUMENT_WORDS = 1_000
"""How long a document is whose build shows the peak memory: 200 of them nearly fill the sample of a vocabulary."""
STAGES = ("read", "encode", "learn", "activate", "write")
BUILD = '''
import json, resource, sys, time
from contextlib import contextmanager
source, folder, inferred, learned = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
spent, inside = {}, []

@contextmanager
def stage(name):
    """Attribute CPU time to the innermost stage."""
    now = time.process_time()
    if inside:
        spent[inside[-1][0]] = spent.get(inside[-1][0], 0.0) + now - inside[-1][1]
    inside.append([name, now])
    yield
    now = time.process_time()
    name, since = inside.pop()
    spent[name] = spent.get(name, 0.0) + now - since
    if inside:
        inside[-1][1] = now

def timed(owner, attribute, name):
    whole = getattr(owner, attribute, None)
    if whole is None:
        return
    def call(*arguments, **settings):
        with stage(name):
            return whole(*arguments, **settings)
    setattr(owner, attribute, call)

from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents
from sparse_coverage import model as model_module
from sparse_coverage.vocabulary import build as vocabulary_module
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.index import IndexWriter
try:
    from sparse_coverage.vectors import tracing
except ImportError:
    from sparse_coverage.vectors import activation as tracing
if inferred >= 0:
    from safetensors.numpy import load_file
    from sparse_coverage.encoding.fetching import model_folder
    infer = OpenVinoEncoder._infer
    table = load_file(model_folder("minilm") / "model.safetensors")["embeddings.word_embeddings.weight"].astype("float32")
    def looked_up(self, batch):
        """After so many batches: the encoder's vectors of the words alone, each with some of its neighbour's."""
        global inferred
        inferred -= 1
        if inferred >= 0:
            return infer(self, batch)
        found = table[batch[0]]
        found[:, 1:] += found[:, :-1] / 2
        return found
    OpenVinoEncoder._infer = looked_up
timed(OpenVinoEncoder, "_infer", "encode")
for owner in (vocabulary_module, model_module):  # where versions have it from
    timed(owner, "build_vocabulary", "learn")
timed(tracing, "activate", "activate")
timed(tracing, "activate_all", "activate")
for name in ("add", "flush", "commit", "merge"):
    timed(IndexWriter, name, "write")

def patents():
    reading = iter(read_patents(source))
    while True:
        with stage("read"):
            patent = next(reading, None)
        if patent is None:
            return
        yield patent

begun = time.process_time()
encoder = load_encoder(threads=1)
if learned:
    Index.build(folder, SparseCoverage.load(learned, encoder=encoder), patents())
elif hasattr(Index, "learn"):
    Index.learn(folder, patents, encoder=encoder, threads=1)
else:
    model = SparseCoverage.fit(patents, encoder=encoder, threads=1)
    Index.build(folder, model, patents())
total = time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"total": total, "peak": peak, **spent}))
'''


def build(checkout: Path, source: Path, inferred: int = -1, learned: str | Path = "") -> dict[str, float]:
    """Build an index in a process of its own; return the CPU seconds of each stage and the peak memory in MiB.

    With `inferred`, the encoder computes so many batches only, and what follows has vectors from a table. With a `learned` model
    there is nothing to learn.
    """
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-c",
            BUILD,
            str(source),
            f"{folder}/index",
            str(inferred),
            str(learned),
        ]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{checkout}: the build failed.\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def passages_of(source: Path) -> list[str]:
    return [passage.text for patent in read_patents(source) for passage in passages(patent)]


def encode_by_torch(texts: list[str]) -> float:
    from encoder import peers

    from sparse_coverage.encoding.fetching import model_folder

    run = peers(model_folder("minilm"), bf16=False)["sentence-transformers / torch fp32"]
    begun = time.process_time()
    run(texts)
    return time.process_time() - begun


def build_bm25s(texts: list[str]) -> float:
    import bm25s

    begun = time.process_time()
    tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
    bm25s.BM25().index(tokens, show_progress=False)
    return time.process_time() - begun


def compile_first(checkouts: Iterable[Path], texts: list[str]) -> None:
    """Build a small index with each version: what the first build after an installation compiles is no part of the others."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        records = [{"_id": str(number), "title": "", "text": text} for number, text in enumerate(texts[:50])]
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        for checkout in checkouts:
            build(checkout, path)


def first_words(texts: list[str], limit: int) -> list[str]:
    """Return the first texts, up to so many words."""
    counts = accumulate(len(text.split()) for text in texts)
    return [text for text, count in zip(texts, counts, strict=True) if count <= limit]


def speed(console: Console, source: Path, before: Path | None, rounds: int, peer_words: int) -> None:
    texts = passages_of(source)
    words = sum(len(text.split()) for text in texts)
    patents = sum(1 for line in source.read_text(encoding="utf-8").splitlines() if line.strip())
    checkouts = {"this version": HERE, **({f"before ({before.name})": before} if before else {})}
    compile_first(checkouts.values(), texts)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
    for _ in range(rounds):
        for name, checkout in checkouts.items():
            found[name].append(build(checkout, source))
            console.print(f"{name}: {json.dumps(found[name][-1])}", highlight=False, soft_wrap=True)
    rows: dict[str, dict[str, float]] = {
        name: {part: statistics.median(one.get(part, 0.0) for one in runs) for part in ("total", "peak", *STAGES)}
        | {"words": words}
        for name, runs in found.items()
    }
    some = first_words(texts, peer_words)
    for name, peer, given in (
        ("sentence-transformers, encode alone", encode_by_torch, some),
        ("bm25s, whole build", build_bm25s, texts),
    ):
        count = sum(len(text.split()) for text in given)
        label = name if count == words else f"{name}, first {count:,} words"
        try:
            rows[label] = {"total": statistics.median(peer(given) for _ in range(rounds)), "words": count}
        except ImportError as error:
            console.print(f"{name}: {error}", highlight=False)
    table = Table(
        "system", "CPU s", "a word, ratio", "patents / min", "words / s", *(f"{stage} s" for stage in STAGES), "other s", "peak, MiB",
        title=f"{patents} patents, {words:,} words, {len(texts):,} passages; one thread, CPU time, median of {rounds}",
    )  # fmt: skip
    base = rows["this version"]["total"] / words
    for name, row in rows.items():
        known = sum(row.get(stage, 0.0) for stage in STAGES)
        a_word = row["total"] / row["words"]
        table.add_row(
            name,
            f"{row['total']:.1f}",
            f"{a_word / base:.2f}x",
            f"{60 * patents / words / a_word:.1f}",
            f"{1 / a_word:,.0f}",
            *(f"{row[stage]:.1f}" if stage in row else "" for stage in STAGES),
            f"{row['total'] - known:.1f}" if known else "",
            f"{row['peak']:.0f}" if "peak" in row else "",
        )
    console.print(table)


def memory(console: Console, source: Path, counts: list[int]) -> None:
    """Show the peak memory of builds of more and more documents of one length, the passages of the source in another order.

    The encoder is loaded and computes 200 batches; then vectors are looked up, or 2,000 documents would take an hour. A build that
    learns its model holds the sample; one with the model of the source's first patents shows what the postings alone take.
    """
    texts = passages_of(source)
    table = Table("documents", "words", "model", "CPU s", "peak memory, MiB", title="Peak memory of a build")
    with tempfile.TemporaryDirectory() as place:
        first = Path(place) / "first.jsonl"
        made_documents(first, texts, counts[0] // 4)
        SparseCoverage.fit(lambda: read_patents(first), threads=1).save(Path(place) / "model")
        for count in counts:
            path = Path(place) / f"{count}.jsonl"
            words = made_documents(path, texts, count)
            for name, learned in (("learned", ""), ("given", Path(place) / "model")):
                found = build(HERE, path, inferred=200, learned=learned)
                row = (f"{count:,}", f"{words:,}", name, f"{found['total']:.0f}", f"{found['peak']:.0f}")
                console.print(*row, highlight=False)
                table.add_row(*row)
    console.print(table)


def made_documents(path: Path, texts: list[str], count: int) -> int:
    """Write documents of so many words, made of passages; return how many words that is."""
    draw, words = random.Random(0), 0
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            some = " ".join(draw.choices(texts, k=2 * DOCUMENT_WORDS // 100)).split()[:DOCUMENT_WORDS]
            words += len(some)
            # Numbered, so that no passage is equal to another: those would be encoded once.
            paragraphs = [f"{number}.{at} {' '.join(some[at : at + 100])}" for at in range(0, len(some), 100)]
            record: dict[str, Any] = {"id": f"EP-{1_000_000 + number}-A1", "description": paragraphs}
            stream.write(json.dumps(record) + "\n")
    return words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="patents as JSON lines")
    parser.add_argument("--before", type=Path, help="a checkout of another commit to compare with")
    parser.add_argument("--documents", type=int, help="only the first so many documents")
    parser.add_argument("--memory", action="store_true", help="peak memory of 200 and 2,000 documents instead")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-words", type=int, default=1 << 40, help="how much sentence-transformers encodes")
    parser.add_argument("--quick", action="store_true", help="two documents, one round")
    arguments = parser.parse_args()
    console = Console(width=170)
    console.print(describe(), highlight=False)
    if arguments.memory:
        memory(console, arguments.corpus, [50, 200] if arguments.quick else [200, 2_000])
        return
    count = 2 if arguments.quick else arguments.documents
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        lines = arguments.corpus.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:count]), encoding="utf-8")
        speed(console, path, arguments.before, 1 if arguments.quick else arguments.rounds, arguments.peer_words)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    console.print(f"Largest process: {peak:.0f} MiB", highlight=False)


if __name__ == "__main__":
    main()
