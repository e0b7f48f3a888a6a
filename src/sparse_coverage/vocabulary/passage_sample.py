"""A sample of whole passages, whose vectors are kept: what an index is learned from, and need not encode again.

Each text draws a number that depends on the seed and the text alone; the passages with the lowest draws are encoded, in that
order, until there are spans enough. So it does not matter in which order documents come, equal texts count once, and a collection
smaller than the sample is in it as a whole.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from safetensors.numpy import save

from sparse_coverage.encoding.batching import windows
from sparse_coverage.encoding.encoder import Encoder
from sparse_coverage.files import read_json, write_bytes, write_text
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By, as_patent, text_key
from sparse_coverage.progress import progress_bar, tracked
from sparse_coverage.spans import SpanUnit
from sparse_coverage.spans.span import Spans
from sparse_coverage.vocabulary.sampling import hash64
from sparse_coverage.vocabulary.span_sample import NumberedFiles, require_numbers, write_sample

T = TypeVar("T")

GROUP_CHARACTERS = 500_000
"""Passages are encoded in groups of this much text: what an interruption can cost, and no more."""
CHARACTERS_A_SPAN = 32
"""More text than this is not held for each span that is wanted: tokens have 5 characters, noun phrases with what is between 20."""

_STEPS = 1000  # of the bar


def draw_of(text: str, seed: int) -> int:
    """Return the number that a text draws."""
    return hash64(seed, text_key(text).hex())


class PassageDraw(Generic[T]):
    """Chooses passages at random in bounded memory: the lowest draws, until they hold so many characters."""

    def __init__(self, characters: int) -> None:
        self._wanted = characters
        self._held: dict[int, tuple[int, T]] = {}
        self._highest: list[int] = []  # a heap of the draws, negated
        self._characters = 0

    def add(self, draw: int, characters: int, passage: T) -> None:
        """Take a passage into account; of those with the same text, and so the same draw, the first one counts."""
        if draw in self._held or (self._characters >= self._wanted and draw > -self._highest[0]):
            return
        self._held[draw] = characters, passage
        heapq.heappush(self._highest, -draw)
        self._characters += characters
        while self._characters - self._held[-self._highest[0]][0] >= self._wanted:
            self._characters -= self._held.pop(-heapq.heappop(self._highest))[0]

    def chosen(self) -> list[tuple[int, T]]:
        """Return the passages with their lengths, the lowest draw first."""
        return [self._held[draw] for draw in sorted(self._held)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The passages that were drawn, how many documents they were drawn from, and which of these was the first."""

    passages: list[Passage]
    documents: int
    first: str


def drawn_passages(patent: Patent, by: By, translations: bool) -> Iterator[Passage]:
    """Yield the passages of a patent that take part in the draw. Translations come last, so the others keep their numbers."""
    return (one for one in passages(patent, by=by) if translations or one.section != "translation")


def choose_passages(
    documents: Iterable[Patent | str],
    by: By,
    max_spans: int,
    seed: int,
    total: int | None,
    *,
    translations: bool = True,
) -> Chosen:
    """Read all documents and draw the passages that may come into a sample of so many spans."""
    draw: PassageDraw[Passage] = PassageDraw(CHARACTERS_A_SPAN * max_spans)
    count, first = 0, ""
    for number, document in enumerate(tracked(documents, "Reading documents", total)):
        patent = as_patent(document, number)
        first = first or patent.id
        count += 1
        for passage in drawn_passages(patent, by, translations):
            draw.add(draw_of(passage.text, seed), len(passage.text), passage)
    return Chosen([passage for _, passage in draw.chosen()], count, first)


@contextmanager
def sample_bar(passages: int, max_spans: int) -> Iterator[Callable[[int, int], None]]:
    """Show how much of a sample is encoded, and give the function that is told of more passages and their spans.

    It is done when all passages are encoded, or when there are spans enough: which of them, nobody knows before.
    """
    done = spans = shown = 0
    with progress_bar("Encoding a sample of passages", _STEPS, share=True) as advance:

        def add(more_passages: int, more_spans: int) -> None:
            nonlocal done, spans, shown
            done, spans = done + more_passages, spans + more_spans
            now = int(_STEPS * min(1.0, max(done / max(passages, 1), spans / max(max_spans, 1))))
            if now > shown:
                advance(now - shown)
            shown = now

        yield add


class PassageSampler:
    """Encodes the chosen passages group by group, in a folder; what is on disk is never encoded again."""

    def __init__(self, folder: Path, max_spans: int) -> None:
        self._folder = folder
        self._max_spans = max_spans
        self.groups = EncodedGroups(folder / "encoded")

    def restore(self) -> Chosen | None:
        """Return what an interrupted run has chosen, if it came so far."""
        path = self._folder / "chosen.json"
        if not path.exists():
            return None
        facts: dict[str, Any] = read_json(path)
        return Chosen([from_row(row) for row in facts["passages"]], facts["documents"], facts["first"])

    def keep(self, chosen: Chosen) -> None:
        """Write down what was chosen."""
        rows = [as_row(passage) for passage in chosen.passages]
        facts = {"documents": chosen.documents, "first": chosen.first, "passages": rows}
        write_text(self._folder / "chosen.json", json.dumps(facts))

    def run(self, chosen: Chosen, encoder: Encoder, unit: SpanUnit) -> None:
        """Encode passages until there are spans enough."""
        spans = 0
        with sample_bar(len(chosen.passages), self._max_spans) as add:
            for number, group in enumerate(groups_of(chosen.passages)):
                if spans >= self._max_spans:
                    break
                if number < len(self.groups):
                    there = self.groups.spans(number)
                    add(len(group), there)
                else:
                    found = encode_passages(group, encoder, unit, add)
                    write_bytes(self.groups.path(number), packed_group(found, encoder.dimension))
                    there = sum(map(len, found))
                spans += there

    def finish(self, chosen: Chosen, dimension: int) -> None:
        """Put the spans into one matrix on disk, in order; the vectors of whole passages stay where they are."""
        seen: Counter[str] = Counter()

        def rows() -> Iterator[tuple[Any, list[bytes]]]:
            left = self._max_spans
            for group, encoded in zip(groups_of(chosen.passages), self.groups, strict=False):
                for passage, spans in zip(group, encoded, strict=True):
                    if left <= 0:
                        return  # what was encoded beyond what was wanted counts for nothing
                    seen[passage.section] += len(spans)
                    # Some encoders give words a vector of zeros.
                    kept = np.flatnonzero(spans.vectors.any(axis=1))[:left]
                    left -= len(kept)
                    places = zip(spans.starts[kept].tolist(), spans.ends[kept].tolist(), strict=True)
                    anchors = [[passage.text[start:end], passage.document, passage.id] for start, end in places]
                    yield spans.vectors[kept].astype(np.float16), [json.dumps(anchor).encode() for anchor in anchors]

        about = {"documents": chosen.documents, "first": chosen.first, "seen": seen}
        write_sample(self._folder, rows(), dimension, about)


def encode_passages(
    group: list[Passage], encoder: Encoder, unit: SpanUnit, add: Callable[[int, int], None] = lambda *_: None
) -> list[Spans]:
    """Return the spans of each passage; `add` is told of each passage and its spans."""
    texts = [passage.text for passage in group]
    found = []
    for passage, spans in zip(group, unit.pool_many(texts, encoder.encode(texts)), strict=True):
        require_numbers(spans.vectors, passage.id)
        found.append(spans)
        add(1, len(spans))
    return found


def kept_passages(folder: Path) -> Iterator[list[tuple[str, Spans]]]:
    """Yield the passages of a sample with their spans, group by group, as they were encoded."""
    sampler = PassageSampler(folder, 0)
    chosen = sampler.restore()
    if chosen is not None:
        for group, encoded in zip(groups_of(chosen.passages), sampler.groups, strict=False):
            yield [(passage.text, spans) for passage, spans in zip(group, encoded, strict=True)]


def count_kept_spans(folder: Path) -> int:
    """Return how many spans `kept_passages` yields: those of the sample, and the rest of the last group that was encoded."""
    groups = PassageSampler(folder, 0).groups
    return sum(groups.spans(number) for number in range(len(groups)))


def groups_of(chosen: Iterable[Passage]) -> Iterator[list[Passage]]:
    """Cut the chosen passages into groups."""
    return windows(chosen, lambda passage: len(passage.text), GROUP_CHARACTERS)


def as_row(passage: Passage) -> list[str]:
    """Return what is kept of a chosen passage."""
    return [passage.text, passage.document, passage.id, passage.section]


def from_row(row: list[Any]) -> Passage:
    """Return a chosen passage again."""
    text, document, id_, section = row
    return Passage(id_, document, section, "", text, 0, len(text))


class EncodedGroups(NumberedFiles):
    """The spans of groups of passages in numbered files."""

    def spans(self, number: int) -> int:
        """Return how many spans a group has."""
        return int(self.arrays(number, "counts")[0]["counts"].sum())

    def __iter__(self) -> Iterator[list[Spans]]:
        for number in range(len(self)):
            yield unpacked_group(self.arrays(number, "counts", "vectors", "starts", "ends", "totals")[0])


def packed_group(group: list[Spans], dimension: int) -> bytes:
    """Return the spans of passages as the content of a file."""
    none = np.zeros(0, np.int32)
    return save(
        {
            "counts": np.asarray([len(spans) for spans in group], dtype=np.int64),
            "vectors": np.concatenate([np.zeros((0, dimension), np.float32), *(spans.vectors for spans in group)]),
            "starts": np.concatenate([none, *(spans.starts for spans in group)]),
            "ends": np.concatenate([none, *(spans.ends for spans in group)]),
            "totals": np.asarray(
                [np.zeros(dimension) if spans.totals is None else spans.totals.sum(axis=0) for spans in group],
                np.float32,
            ).reshape(-1, dimension),
        }
    )


def unpacked_group(arrays: dict[str, Any]) -> list[Spans]:
    """Return the spans of passages from the arrays of a file."""
    ends = np.cumsum(arrays["counts"]).tolist()
    parts = [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]
    return [
        Spans(arrays["vectors"][part], arrays["starts"][part], arrays["ends"][part], total[None])
        for part, total in zip(parts, arrays["totals"], strict=True)
    ]
