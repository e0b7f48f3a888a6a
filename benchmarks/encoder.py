"""Tokens a second of the base encoder against sentence-transformers on torch, and how near each precision is to fp32.

    python benchmarks/encoder.py --quick
    python benchmarks/encoder.py

All systems run on one thread, interleaved, several rounds; the table gives medians of tokens per CPU second. Passages are
those of the demo collection, joined to about 110 tokens each. Needs the extra [bench].
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.encoding.fetching import model_folder
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.demo import demo_patents
from sparse_coverage.patents import passages

PASSAGE_TOKENS = 110


def passages_of_110_tokens(encoder: OpenVinoEncoder, count: int) -> list[str]:
    """Neighbouring passages joined until each text has about 110 tokens."""
    texts, current = [], ""
    for patent in demo_patents():
        for passage in passages(patent):
            current = f"{current} {passage.text}".strip()
            if len(encoder.tokenize(current)) >= PASSAGE_TOKENS - 25:
                texts.append(current)
                current = ""
    return texts[:count]


def peers(folder: Path, *, bf16: bool) -> dict[str, Callable[[list[str]], list[np.ndarray]]]:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(modules=_modules(folder), device="cpu")
    model.max_seq_length = 512

    def run(texts: list[str]) -> list[np.ndarray]:
        vectors = model.encode(texts, output_value="token_embeddings", batch_size=32, show_progress_bar=False)
        return [np.asarray(v) for v in vectors]

    def run_bf16(texts: list[str]) -> list[np.ndarray]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            vectors = model.encode(texts, output_value="token_embeddings", batch_size=32, show_progress_bar=False)
        return [np.asarray(v.float()) for v in vectors]

    return {"sentence-transformers / torch fp32": run} | (
        {"sentence-transformers / torch bf16": run_bf16} if bf16 else {}
    )


def _modules(folder: Path) -> list[object]:
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    transformer = Transformer(str(folder), max_seq_length=512)
    return [transformer, Pooling(transformer.get_embedding_dimension())]


def ours(folder: Path) -> dict[str, OpenVinoEncoder]:
    encoders = {}
    for precision in ("fp32", "bf16", "int8"):
        try:
            encoders[precision] = OpenVinoEncoder(folder, name="minilm", precision=precision, threads=1)
        except InputError as error:
            print(f"{precision}: {error}")
    return encoders


def speed(folder: Path, rounds: int, count: int, console: Console) -> None:
    encoders = ours(folder)
    texts = passages_of_110_tokens(encoders["fp32"], count)
    tokens = sum(len(encoders["fp32"].tokenize(text)) for text in texts)
    systems: dict[str, Callable[[list[str]], list[np.ndarray]]] = {
        f"ours, {name}": (lambda texts, e=encoder: [t.vectors for t in e.encode(texts)])
        for name, encoder in encoders.items()
    }
    systems |= peers(folder, bf16="bf16" in encoders)
    exact = systems["ours, fp32"](texts)
    cpu: dict[str, list[float]] = {name: [] for name in systems}
    wall: dict[str, list[float]] = {name: [] for name in systems}
    agreement = {}
    for _ in range(rounds):
        for name, system in systems.items():
            began, cpu_began = time.perf_counter(), time.process_time()
            vectors = system(texts)
            wall[name].append(tokens / (time.perf_counter() - began))
            cpu[name].append(tokens / (time.process_time() - cpu_began))
            if name not in agreement:
                agreement[name] = _cosines(exact, vectors)
    base = statistics.median(cpu["sentence-transformers / torch fp32"])
    table = Table(
        "system", "tokens / CPU s", "ratio to torch fp32", "tokens / s", "token cosine to ours fp32: mean", "worst",
        title=f"{len(texts)} passages of {tokens / len(texts):.0f} tokens, one thread, median of {rounds} interleaved rounds",
    )  # fmt: skip
    for name in systems:
        mean, worst = agreement[name]
        rate = statistics.median(cpu[name])
        table.add_row(
            name,
            f"{rate:,.0f}",
            f"{rate / base:.2f}x",
            f"{statistics.median(wall[name]):,.0f}",
            f"{mean:.5f}",
            f"{worst:.5f}",
        )
    console.print(table)


def _cosines(exact: list[np.ndarray], other: list[np.ndarray]) -> tuple[float, float]:
    """Peers return special tokens too: leave the first and last row out where there are two more."""
    values = []
    for a, b in zip(exact, other, strict=True):
        rows = b[1 : 1 + len(a)] if len(b) >= len(a) + 2 else b
        values.append((a * rows).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(rows, axis=1))
    joined = np.concatenate(values)
    return float(joined.mean()), float(joined.min())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer passages and rounds")
    arguments = parser.parse_args()
    console = Console(width=140)
    console.print(describe())
    folder = model_folder("minilm")
    speed(folder, rounds=3 if arguments.quick else 7, count=60 if arguments.quick else 200, console=console)


if __name__ == "__main__":
    main()
