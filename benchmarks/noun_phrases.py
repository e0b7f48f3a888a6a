"""Words a second of the noun-phrase extractors, and how well each finds the phrases marked by hand in the tests.

    python benchmarks/noun_phrases.py --quick
    python benchmarks/noun_phrases.py --corpus PATH/TO/fulltext/corpus.jsonl

One thread, extractors interleaved, medians of words (white-space separated) per CPU second over the same passages. Texts are
the demo collection's unless a corpus is given. spaCy joins in if it is installed: its best trained pipeline for English, or,
where none is to be had, a pipeline of the small models' architecture with random weights, which is as fast but finds nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import statistics
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.errors import ModelError
from sparse_coverage.evaluation.demo import demo_patents
from sparse_coverage.patents import passages, read_patents
from sparse_coverage.spans.noun_phrases import EmbeddedExtractor, NounPhraseExtractor, SpacyExtractor

GOLD = Path(__file__).parents[1] / "tests" / "spans" / "gold_noun_phrases.txt"


def gold_scores(extractor: NounPhraseExtractor) -> str:
    """Return precision, recall and F1 (exact match) on the sentences marked with braces."""
    lines = [line for line in GOLD.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    texts = [re.sub("[{}]", "", line) for line in lines]
    right = found = wanted = 0
    for line, (starts, ends) in zip(lines, extractor.extract(texts), strict=True):
        marks = [match.start() - number for number, match in enumerate(re.finditer("[{}]", line))]
        gold = set(zip(marks[::2], marks[1::2], strict=True))
        got = set(zip(starts.tolist(), ends.tolist(), strict=True))
        right, found, wanted = right + len(got & gold), found + len(got), wanted + len(gold)
    return f"{right / found:.3f} / {right / wanted:.3f} / {2 * right / (found + wanted):.3f}" if found else "-"


def untrained_small_pipeline() -> SpacyExtractor:
    """Tagger and parser over one shared layer, as in spaCy's small pipelines, with random weights."""
    import spacy
    from spacy.training import Example

    nlp = spacy.blank("en", meta={"name": "untrained_small"})
    shared = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}
    nlp.add_pipe("tok2vec")
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": shared}})
    parser = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": shared,
    }
    nlp.add_pipe("parser", config={"model": parser})
    words = "The drum turns .".split()
    annotation = {"tags": ["DT", "NN", "VBZ", "."], "heads": [1, 2, 2, 2], "deps": ["det", "nsubj", "ROOT", "punct"]}
    document = spacy.tokens.Doc(nlp.vocab, words=words)
    nlp.initialize(lambda: [Example.from_dict(document, annotation)])
    return SpacyExtractor(nlp)


def extractors() -> dict[str, NounPhraseExtractor]:
    chosen: dict[str, NounPhraseExtractor] = {"embedded": EmbeddedExtractor()}
    if importlib.util.find_spec("spacy"):
        try:
            trained = SpacyExtractor()
            chosen[trained.name] = trained
        except ModelError:
            chosen["spaCy small, untrained"] = untrained_small_pipeline()
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="a file or folder of patents instead of the demo collection")
    parser.add_argument("--quick", action="store_true", help="fewer texts and rounds")
    options = parser.parse_args()
    patents = read_patents(options.corpus) if options.corpus else demo_patents()
    texts = [passage.text for patent in patents for passage in passages(patent)][: 300 if options.quick else 1500]
    words = sum(len(text.split()) for text in texts)
    chosen = extractors()
    for extractor in chosen.values():  # compile, load, remember words
        list(extractor.extract(texts[:50]))
    speeds: dict[str, list[float]] = {name: [] for name in chosen}
    phrases: dict[str, int] = {}
    for _ in range(3 if options.quick else 5):
        for name, extractor in chosen.items():
            started = time.process_time()
            phrases[name] = sum(len(starts) for starts, _ in extractor.extract(texts))
            speeds[name].append(words / (time.process_time() - started))
    table = Table(
        "extractor", "words/s", "phrases", "gold P / R / F1", title=f"{len(texts):,} passages, {words:,} words"
    )
    for name, extractor in chosen.items():
        table.add_row(name, f"{statistics.median(speeds[name]):,.0f}", f"{phrases[name]:,}", gold_scores(extractor))
    console = Console()
    console.print(describe(), highlight=False)
    console.print(table)


if __name__ == "__main__":
    main()
