"""What CLEF-IP 2013 in full would take on this machine, stage by stage, from rates measured here.

    python benchmarks/scale.py            a few minutes
    python benchmarks/scale.py --quick

Rates are CPU seconds of one thread, so that a busy machine does not change them. The large encoder has the shape of
BERT-large (24 layers, 1,024 dimensions) with random weights: as fast as the real ones, and not to be fetched. Spans for the
activation are noisy copies of random centers. Needs the encoder `minilm`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from machine import describe
from safetensors.numpy import save_file

from sparse_coverage import ActivationConfig
from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.fetching import model_folder
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.evaluation.demo import DOCUMENTS, demo_patents
from sparse_coverage.patents import passages, read_patents
from sparse_coverage.spans import get_unit
from sparse_coverage.spans.noun_phrases import embedded_extractor
from sparse_coverage.vectors import activate
from sparse_coverage.vocabulary import Anchor, Vocabulary, VocabularyConfig

DOCUMENT_COUNT, PASSAGES, WORDS, TOKENS = 17_323, 1_414_683, 119_000_000, 170_000_000
POSTING_BYTES = 6
CENTERS_A_PASSAGE = (
    160  # of tokens, the shape that benchmarks/search.py uses; noun phrases in proportion to their number
)


def cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def large_checkpoint(folder: Path) -> Path:
    """Write a checkpoint of BERT-large's shape with random weights and MiniLM's tokenizer."""
    random = np.random.default_rng(0)
    hidden, inner, layers = 1024, 4096, 24
    config = json.loads((model_folder("minilm") / "config.json").read_text(encoding="utf-8"))
    config |= {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": 16,
    }
    shapes = {"embeddings.word_embeddings": (config["vocab_size"], hidden)}
    shapes |= {"embeddings.position_embeddings": (512, hidden), "embeddings.token_type_embeddings": (2, hidden)}
    weights = {f"{name}.weight": random.normal(0, 0.02, shape).astype(np.float32) for name, shape in shapes.items()}
    norms = ["embeddings.LayerNorm"]
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        inside = dict.fromkeys((f"attention.self.{part}" for part in ("query", "key", "value")), (hidden, hidden))
        inside |= {
            "attention.output.dense": (hidden, hidden),
            "intermediate.dense": (inner, hidden),
            "output.dense": (hidden, inner),
        }
        for name, shape in inside.items():
            weights[f"{layer}.{name}.weight"] = random.normal(0, 0.02, shape).astype(np.float32)
            weights[f"{layer}.{name}.bias"] = np.zeros(shape[0], np.float32)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(hidden, np.float32), np.zeros(hidden, np.float32)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.copyfile(model_folder("minilm") / "tokenizer.json", folder / "tokenizer.json")
    save_file(weights, folder / "model.safetensors")
    return folder


def encoding_rate(encoder: Encoder, texts: list[str]) -> float:
    """Tokens a CPU second."""
    next(iter(encoder.encode(texts[:2])))
    counts: list[int] = []
    seconds = cpu(lambda: counts.extend(len(tokens) for tokens in encoder.encode(texts)))
    return sum(counts) / seconds


def activation_rate(size: int, dimension: int, spans: int) -> float:
    """Spans a CPU second, with the radius test and K=5."""
    random = np.random.default_rng(0)
    centers = _unit(random.normal(size=(size, dimension)))
    vectors = _unit(
        centers[random.integers(0, size, spans)] + random.normal(size=(spans, dimension)) * 0.4 / dimension**0.5
    )
    config = VocabularyConfig("random", "", "fp32", dimension, "token", size, 99.0, "random", 0, spans)
    vocabulary = Vocabulary(centers, np.full(size, 0.3, np.float32), (Anchor("", "", ""),) * size, config)
    activate(vectors[:600], vocabulary, ActivationConfig(), threads=1)
    return spans / cpu(lambda: activate(vectors, vocabulary, ActivationConfig(), threads=1))


def _unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller samples")
    parser.add_argument("--cores", type=int, default=2, help="for how many cores to estimate")
    given = parser.parse_args()
    share = 1 if given.quick else 4
    texts = [passage.text for patent in demo_patents() for passage in passages(patent)]
    words = sum(len(text.split()) for text in texts)
    size = sum(path.stat().st_size for path in DOCUMENTS.rglob("*.xml"))
    reading = size / cpu(lambda: list(read_patents(DOCUMENTS)))
    extractor = embedded_extractor()
    list(extractor.extract(texts[:5]))
    found: list[int] = []
    phrases = words / cpu(lambda: found.extend(len(starts) for starts, _ in extractor.extract(texts)))
    small = OpenVinoEncoder(model_folder("minilm"), threads=1)
    tokens = [small.tokenize(text) for text in texts]
    lexical = sum(len(get_unit("token").locate(text, one)[0]) for text, one in zip(texts, tokens, strict=True))
    spans = {
        "token": TOKENS * lexical / sum(map(len, tokens)),
        "np": WORDS * sum(found) / words,
    }
    rates = {"minilm (384)": encoding_rate(small, texts[: 200 * share])}
    with tempfile.TemporaryDirectory() as temporary:
        large = OpenVinoEncoder(large_checkpoint(Path(temporary) / "large"), threads=1)
        rates["BERT-large shape (1,024)"] = encoding_rate(large, texts[: 8 * share])
    active = {(v, d): activation_rate(v, d, 1000 * share) for v in (10_000, 50_000) for d in (384, 1024)}

    def hours(seconds: float) -> str:
        wall = seconds / given.cores
        return (
            f"{wall / 60:,.0f} min"
            if wall < 7200
            else f"{wall / 3600:,.1f} h"
            if wall < 172_800
            else f"{wall / 86_400:,.1f} days"
        )

    print(f"{describe()}; {small.precision}\n")
    print(f"| stage | rate, one core | CLEF-IP 2013 in full, all of {given.cores} cores |\n| --- | ---: | ---: |")
    print(
        f"| read and parse {DOCUMENT_COUNT:,} documents | {reading / 1e6:,.1f} MB/s | {hours(WORDS * size / words / reading)} |"
    )
    for name, rate in rates.items():
        print(f"| encode {TOKENS / 1e6:,.0f}M tokens, {name} | {rate:,.0f} tokens/s | {hours(TOKENS / rate)} |")
    print(f"| noun phrases of {WORDS / 1e6:,.0f}M words | {phrases:,.0f} words/s | {hours(WORDS / phrases)} |")
    for (v, d), rate in active.items():
        for unit, count in spans.items():
            print(
                f"| activate {count / 1e6:,.0f}M {unit} spans, V={v:,}, d={d:,} | {rate:,.0f} spans/s | {hours(count / rate)} |"
            )
    print("\n| disk | size |\n| --- | ---: |")
    for unit, count in spans.items():
        postings = PASSAGES * CENTERS_A_PASSAGE * count / spans["token"]
        print(
            f"| index, {unit}: {postings / 1e6:,.0f}M postings of {POSTING_BYTES} bytes | {postings * POSTING_BYTES / 1e9:,.1f} GB |"
        )
    for d in (384, 1024):
        print(f"| sample of 5M spans, float16, d={d:,} | {5e6 * d * 2 / 1e9:,.1f} GB |")
        print(
            f"| all token vectors, float32, d={d:,} (kept only up to the budget of the token cache) | {TOKENS * d * 4 / 1e9:,.0f} GB |"
        )


if __name__ == "__main__":
    main()
