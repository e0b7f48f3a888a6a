"""Where the encoder's time goes, and how near it comes to what the machine can multiply.

    python benchmarks/encoder_profile.py
    python benchmarks/encoder_profile.py PATH/TO/fulltext/corpus.jsonl --documents 3
    python benchmarks/encoder_profile.py PATH/TO/fulltext/corpus.jsonl --documents 3 --steps 1 8 16

Three tables: the stages of encoding the passages of some patents (the demo's by default), CPU seconds of one thread; the parts of
the network at some widths, by the runtime's own counters, which are times on the clock, so only their shares are shown; and the
rate of the network's operations beside that of the same products alone, each by the quickest of several runs. `--steps` measures instead
how chunks are best padded: to multiples of 1 (not at all), 8, 16 tokens, in turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table
from safetensors.numpy import load_file

from sparse_coverage.encoding import batching
from sparse_coverage.encoding.graphs import BertConfig, build_bert, openvino
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.encoding.weights import model_folder
from sparse_coverage.evaluation.demo import demo_patents
from sparse_coverage.files import read_json
from sparse_coverage.patents import passages, read_patents

SHAPES = ((1, 32), (32, 32), (1, 120), (8, 120), (1, 512), (2, 512))
"""Chunks and tokens of a batch: as few as there may be, and as many."""
KINDS = {
    "FullyConnected": "products with weights",
    "Subgraph": "attention",
    "MatMul": "attention",
    "Softmax": "attention",
}
RUNS = 12


def stages(texts: list[str], console: Console) -> None:
    """Encode texts, and tell what the network, the tokenizer and Python take, and how much of the batches is padding."""
    encoder = OpenVinoEncoder(model_folder("minilm"), name="minilm", threads=1)
    spent: Counter[str] = Counter()
    tokens = places = batches = 0
    infer, tokenize = encoder._infer, encoder._tokenizer.__call__

    def inferred(batch: Any) -> Any:
        nonlocal tokens, places, batches
        tokens, places, batches = tokens + int(batch[1].sum()), places + batch[1].size, batches + 1
        begun = time.process_time()
        found = infer(batch)
        spent["network"] += time.process_time() - begun
        return found

    class Timed:
        """The tokenizer, with a clock."""

        prefix, suffix = encoder._tokenizer.prefix, encoder._tokenizer.suffix

        def __call__(self, text: str) -> Any:
            begun = time.process_time()
            found = tokenize(text)
            spent["tokenizer"] += time.process_time() - begun
            return found

    encoder._infer = inferred  # type: ignore[method-assign]
    object.__setattr__(encoder._batcher, "tokenizer", Timed())
    begun = time.process_time()
    for _ in encoder.encode(texts):
        pass
    whole = time.process_time() - begun
    table = Table("stage", "CPU s", "share", title=f"Encoding {len(texts):,} passages, {encoder.precision}")
    for name in ("network", "tokenizer"):
        table.add_row(name, f"{spent[name]:.2f}", f"{spent[name] / whole:.1%}")
    rest = whole - spent.total()
    table.add_row("Python: batches, putting back in order", f"{rest:.2f}", f"{rest / whole:.1%}")
    console.print(table)
    console.print(
        f"{tokens:,} tokens in {batches:,} batches; {places / tokens - 1:.1%} padding; {tokens / whole:,.0f} tokens / CPU s",
        highlight=False,
    )


def compare_steps(texts: list[str], steps: list[int], console: Console) -> None:
    """Encode texts with chunks padded to multiples of each step, the steps taking turns."""
    encoder = OpenVinoEncoder(model_folder("minilm"), name="minilm", threads=1)
    tokens = sum(len(encoder.tokenize(text)) for text in texts)
    rates: dict[int, list[float]] = {step: [] for step in steps}
    for _ in range(4):
        for step in steps:
            batching.STEP = step
            begun = time.process_time()
            for _ in encoder.encode(texts):
                pass
            rates[step].append(tokens / (time.process_time() - begun))
    table = Table(
        "padded to multiples of", "tokens / CPU s: median", "best", title=f"{len(texts):,} passages, {tokens:,} tokens"
    )
    for step, found in rates.items():
        table.add_row(str(step), f"{statistics.median(found):,.0f}", f"{max(found):,.0f}")
    console.print(table)


def parts(config: BertConfig, folder: Path, precision: str, console: Console) -> None:
    """Show the share of each part of the network, and the rate of its products."""
    ov = openvino()
    settings = {"INFERENCE_PRECISION_HINT": {"fp32": "f32"}.get(precision, precision), "INFERENCE_NUM_THREADS": 1}
    core = ov.Core()
    network = build_bert(config, load_file(folder / "model.safetensors"))
    made = core.compile_model(network, "CPU", settings)
    table = Table(
        "batch", "CPU ms", "tokens / s", "products with weights", "attention", "rest", "all, G operations / s"
    )
    draw = np.random.default_rng(0)
    for shape in SHAPES:
        given = {0: draw.integers(1_000, 20_000, shape), 1: np.ones(shape, np.int64)}
        whole, rows = _least(lambda given=given: made(given), 3), shape[0] * shape[1]
        # The counters are means over all that a network has run, so each shape has one of its own.
        counted = core.compile_model(network, "CPU", {**settings, "PERF_COUNT": True}).create_infer_request()
        for _ in range(RUNS):
            counted.infer(given)
        spent: Counter[str] = Counter()
        for node in counted.get_profiling_info():
            spent[KINDS.get(node.node_type, "rest")] += node.real_time.total_seconds()
        width = config.hidden_size
        weights = 4 * width**2 + 2 * width * config.inner_size
        operations = 2 * rows * config.layers * (weights + 2 * shape[1] * width)
        table.add_row(
            f"{shape[0]} x {shape[1]}", f"{1e3 * whole:.1f}", f"{rows / whole:,.0f}",
            *(f"{spent[name] / spent.total():.0%}" for name in ("products with weights", "attention", "rest")),
            f"{operations / whole / 1e9:.0f}",
        )  # fmt: skip
    console.print(table)
    table = Table("rows", "product", "runtime alone, G operations / s", "NumPy fp32")
    for rows in (120, 1024):
        for inner, outer in ((config.hidden_size, config.hidden_size), (config.hidden_size, config.inner_size)):
            rate = _product_rate(ov, core, settings, rows, inner, outer)
            table.add_row(str(rows), f"{inner} x {outer}", f"{rate:.0f}", f"{_numpy_rate(rows, inner, outer):.0f}")
    console.print(table)


def _product_rate(ov: Any, core: Any, settings: dict[str, Any], rows: int, inner: int, outer: int) -> float:
    import openvino.opset13 as op

    draw = np.random.default_rng(0)
    given = op.parameter([-1, inner], np.float32)
    weights = op.constant(draw.normal(size=(outer, inner)).astype(np.float32))
    made = core.compile_model(ov.Model([op.result(op.matmul(given, weights, False, True))], [given]), "CPU", settings)
    request, values = made.create_infer_request(), draw.normal(size=(rows, inner)).astype(np.float32)
    return 2 * rows * inner * outer / _least(lambda: request.infer({0: values})) / 1e9


def _numpy_rate(rows: int, inner: int, outer: int) -> float:
    draw = np.random.default_rng(0)
    left, right = (draw.normal(size=size).astype(np.float32) for size in ((rows, inner), (inner, outer)))
    return 2 * rows * inner * outer / _least(lambda: left @ right) / 1e9


def _least(function: Any, calls: int = 10) -> float:
    """Return the CPU seconds of one call of a function, in the quickest of several runs of some calls."""
    best = float("inf")
    for _ in range(RUNS):
        begun = time.process_time()
        for _ in range(calls):
            function()
        best = min(best, (time.process_time() - begun) / calls)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?", help="patents to take passages from [the demo's]")
    parser.add_argument("--documents", type=int, help="only the first so many")
    parser.add_argument(
        "--steps", type=int, nargs="+", help="compare multiples of tokens that chunks are padded to, instead"
    )
    arguments = parser.parse_args()
    console = Console(width=130)
    console.print(describe(), highlight=False)
    patents = read_patents(arguments.corpus) if arguments.corpus else demo_patents()
    texts = [passage.text for patent in islice(patents, arguments.documents) for passage in passages(patent)]
    if arguments.steps:
        compare_steps(texts, arguments.steps, console)
        return
    stages(texts, console)
    folder = model_folder("minilm")
    config = BertConfig.from_json(read_json(folder / "config.json"), str(folder))
    precision = OpenVinoEncoder(folder, name="minilm", threads=1).precision
    parts(config, folder, precision, console)


if __name__ == "__main__":
    main()
