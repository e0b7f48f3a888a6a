"""Encoders that have a name here, side by side: speed relative to minilm, and agreement with onnxruntime where both can run one.

    python benchmarks/encoders.py [--quick] [NAME ...]

Speed is in tokens per second of CPU time, on one thread, of texts of 8 to 500 tokens, in the precision that `auto` takes. Agreement
is the smallest cosine between token vectors of this project in fp32 and of onnxruntime (where it is installed).
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from sparse_coverage import load_encoder
from sparse_coverage.encoding.graphs import onnx_file
from sparse_coverage.encoding.weights import model_folder

NAMES = ("minilm", "gte-small", "mpnet")
WORDS = "a valve comprising the plunger that is biased by spring wherein housing of rubber and sensor for noise method".split()


def texts(count: int) -> list[str]:
    """Return made-up texts, the same each time."""
    random = np.random.default_rng(0)
    return [" ".join(random.choice(WORDS, random.integers(6, 400))) for _ in range(count)]


def speed(name: str, sample: list[str]) -> tuple[float, str]:
    """Return how many tokens an encoder takes in a second of one core, and its precision."""
    encoder = load_encoder(name, threads=1)
    list(encoder.encode(sample[:20]))  # loaded and warm
    begun = process_time()
    tokens = sum(len(found.starts) for found in encoder.encode(sample))
    return tokens / (process_time() - begun), encoder.precision


def agreement(name: str, sample: list[str]) -> float | None:
    """Return the smallest cosine with onnxruntime, or None where there is no ONNX graph or no onnxruntime."""
    path = onnx_file(model_folder(name))
    try:
        import onnxruntime
    except ImportError:
        return None
    if path is None:
        return None
    session = onnxruntime.InferenceSession(str(path))
    wanted = {port.name for port in session.get_inputs()}
    encoder = load_encoder(name, precision="fp32", threads=1)
    special = encoder._tokenizer  # type: ignore[attr-defined]
    lowest = 1.0
    for text in sample:
        found = next(encoder.encode([text]))
        if found.chunks.max(initial=0) > 0:
            continue
        ids = np.array([[*special.prefix, *encoder.tokenize(text).ids.tolist(), *special.suffix]])
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        [hidden] = session.run(None, {key: value for key, value in given.items() if key in wanted})[0]
        other = hidden[len(special.prefix) : len(hidden) - len(special.suffix)]
        products = (found.vectors * other).sum(axis=1)
        lengths = np.linalg.norm(found.vectors, axis=1) * np.linalg.norm(other, axis=1)
        lowest = min(lowest, float((products / lengths).min()))
    return lowest


def main() -> None:
    """Measure and print."""
    quick = "--quick" in sys.argv
    names = [name for name in sys.argv[1:] if not name.startswith("-")] or list(NAMES)
    sample = texts(20 if quick else 60)
    table = Table(title="Encoders on one core")
    for column in (
        "encoder",
        "precision",
        "tokens a CPU second",
        "speed beside minilm",
        "smallest cosine with onnxruntime",
    ):
        table.add_column(column)
    rounds = [
        {name: speed(name, sample) for name in dict.fromkeys(["minilm", *names])} for _ in range(1 if quick else 3)
    ]
    measured = {name: max(one[name] for one in rounds) for name in rounds[0]}  # what else runs can only slow it down
    base = measured["minilm"][0]
    for name in names:
        rate, precision = measured[name]
        agreed = agreement(name, sample[:20])
        table.add_row(name, precision, f"{rate:,.0f}", f"{rate / base:.2f}", "" if agreed is None else f"{agreed:.7f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
