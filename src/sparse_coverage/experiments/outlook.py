"""What an experiment would do: its rows, which are finished, and how long its encoders would take on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter

from sparse_coverage.encoding import load_encoder
from sparse_coverage.encoding.store import cached_folder
from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.evaluation.corpus import corpus_passages
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition, Row, row_command
from sparse_coverage.experiments.evaluate import result_path
from sparse_coverage.experiments.seeds import seeded
from sparse_coverage.experiments.sweep import paper_measures
from sparse_coverage.experiments.systems import get_system, reads

SAMPLE = 32
"""How many passages, spread over the first thousand, are encoded to measure an encoder's speed."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A row to come: `state` is finished, open, or why it cannot run here as things are."""

    experiment: str
    command: str
    state: str


@dataclass(frozen=True, slots=True)
class EncoderTime:
    """How long an encoder would take over all texts of the collection, once; None where it is not in the cache yet."""

    encoder: str
    rows_open: int
    seconds: float | None


def outlook(
    definitions: Sequence[Definition], bench: Workbench, collection: str, seeds: int = 1
) -> tuple[list[Planned], list[EncoderTime]]:
    """Look ahead: nothing is downloaded, fitted or indexed, only a few passages are encoded with the encoders at hand."""
    planned = []
    waiting: dict[str, int] = {}
    for definition in definitions:
        for row in definition.rows:
            state = _state(definition, row, bench, seeds)
            planned.append(Planned(definition.name, row_command(collection, row, seeds), state))
            if state != "finished" and "encoder" in reads(row.system):
                waiting[row.options.encoder] = waiting.get(row.options.encoder, 0) + 1
    return planned, [EncoderTime(name, rows, _seconds(bench, name)) for name, rows in waiting.items()]


def _state(definition: Definition, row: Row, bench: Workbench, seeds: int) -> str:
    if "encoder" in reads(row.system) and not _is_here(row.options.encoder):
        return "open: the encoder will be fetched"
    what = ["centers"] if definition.kind == "centers" else [str(measure) for measure in paper_measures(bench)]
    try:
        get_system(row.system)
        every = [row.options] if definition.kind == "centers" else seeded(row.system, row.options, seeds)
        done = all(result_path(bench, row.system, options, what).is_file() for options in every)
        return "finished" if done else "open"
    except SparseCoverageError as error:
        return f"cannot run: {error}"


def _is_here(encoder: str) -> bool:
    return Path(encoder).is_dir() or cached_folder(encoder) is not None


def _seconds(bench: Workbench, name: str) -> float | None:
    """Encode a few passages and scale up by words."""
    if not _is_here(name):
        return None
    try:
        encoder = load_encoder(name, threads=bench.threads)  # not the bench's, which would remember them
    except SparseCoverageError:
        return None
    first = [unit.text for unit in islice(corpus_passages(bench.collection.documents(), bench.collection.by), 1000)]
    texts = first[:: max(1, len(first) // SAMPLE)]
    list(encoder.encode(texts[:1]))
    begun = perf_counter()
    list(encoder.encode(texts))
    words = sum(len(text.split()) for text in texts)
    return (perf_counter() - begun) * float(bench.corpus.words.sum()) / max(1, words)
