"""A finished sample of spans: one float16 matrix on disk, mapped into memory, and the anchor of each row."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from sparse_coverage.errors import VocabularyError
from sparse_coverage.files import read_json, remove_partial_files, replacing, sha256_of, write_bytes, write_json
from sparse_coverage.kernels import Array, Int64s, Uint64s
from sparse_coverage.vocabulary.points import CommonPart, Points, blocks_of
from sparse_coverage.vocabulary.vocabulary import Anchor

SAMPLE, POINTS, ANCHORS = "sample.json", "points.f16", "anchors.jsonl"


def require_numbers(vectors: Array, passage: str) -> None:
    """Refuse vectors of a passage that are broken."""
    if not np.isfinite(vectors).all():
        raise VocabularyError(
            f"A span vector of {passage} holds a value that is not a number. The encoder's output is broken: "
            "check its weights, or try another precision."
        )


def write_sample(
    folder: Path, parts: Iterable[tuple[Array, list[bytes]]], dimension: int, about: Mapping[str, Any]
) -> None:
    """Write a finished sample: float16 vectors and the anchor of each, part by part.

    `about`, complete when all parts have come: how many `documents` there were, which was the `first`, and how many spans of
    each section were `seen`.
    """
    for stale in (*folder.glob("traversal-*.npz"), *folder.glob("cells-*.bin")):
        stale.unlink()  # what was computed from an earlier sample, which somebody removed by hand
    rows = 0
    with (folder / POINTS).open("wb") as points, (folder / ANCHORS).open("wb") as anchors:
        for vectors, lines in parts:
            points.write(np.ascontiguousarray(vectors).tobytes())
            anchors.writelines(line + b"\n" for line in lines)
            rows += len(vectors)
        for stream in (points, anchors):
            stream.flush()
            os.fsync(stream.fileno())
    if rows == 0:
        cause = "The texts hold no spans" if about["documents"] else "Not one document was read"
        raise VocabularyError(f"{cause}, so there is nothing to choose centers from.")
    facts = {
        "spans": rows,
        "dimension": dimension,
        **about,
        "sha256": {name: sha256_of(folder / name) for name in (POINTS, ANCHORS)},
    }
    write_json(folder / SAMPLE, facts)


class SpanSample:
    """Opens a sample folder. The stored vectors are the points: whatever is exact is exact with respect to them.

    `path` is the file of the points, `variant` what tells it from that of the sample as it was drawn.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / SAMPLE).is_file():
            raise VocabularyError(f"{folder}: there is no finished sample here (no {SAMPLE}).")
        facts: dict[str, Any] = read_json(folder / SAMPLE)
        self.folder = folder
        self.documents = int(facts["documents"])
        self.seen: dict[str, int] = facts["seen"]
        self.first: str = facts["first"]
        self._sha256: dict[str, str] = facts["sha256"]
        shape = (int(facts["spans"]), int(facts["dimension"]))
        path = folder / POINTS
        held = path.stat().st_size if path.is_file() else 0
        if held != 2 * shape[0] * shape[1]:
            raise VocabularyError(
                f"{path}: {held:,} bytes, but {shape[0]:,} spans of {shape[1]} dimensions need {2 * shape[0] * shape[1]:,}. "
                "The file was cut or replaced; remove the folder and draw the sample again."
            )
        self.path = path
        self.variant = ""
        self.points = Points(np.memmap(path, dtype=np.float16, mode="r", shape=shape))

    def __len__(self) -> int:
        return len(self.points)

    def anchors(self, rows: Int64s) -> tuple[Anchor, ...]:
        """Return the anchors of some rows, in the order asked for."""
        wanted = set(rows.tolist())
        found = {row: Anchor(*json.loads(line)) for row, line in enumerate(self._lines()) if row in wanted}
        return tuple(found[row] for row in rows.tolist())

    def without(self, common: CommonPart) -> SpanSample:
        """Return the sample with other points: its own without their common part, in a file beside them."""
        variant = f"-without-{common.fingerprint}"
        path = (self.folder / POINTS).with_stem(f"points{variant}")
        if not path.is_file():
            with replacing(path) as stream:
                for block in blocks_of(self.points, "Removing what spans have in common"):
                    stream.write(common.remove(block).astype(np.float16).tobytes())
        changed = copy(self)
        changed.path, changed.variant = path, variant
        shape = (len(self), self.points.dimension)
        changed.points = Points(np.memmap(path, dtype=np.float16, mode="r", shape=shape))
        return changed

    def texts(self) -> Iterator[str]:
        """Yield the text of every span, in row order."""
        for line in self._lines():
            yield json.loads(line)[0]

    def check(self) -> None:
        """Compare the files with their checksums; a damaged one is an error that names it."""
        for name, expected in self._sha256.items():
            if sha256_of(self.folder / name) != expected:
                raise VocabularyError(f"{self.folder / name}: the file is damaged (its sha256 differs). Draw it again.")

    def _lines(self) -> Iterator[bytes]:
        count = 0
        with (self.folder / ANCHORS).open("rb") as stream:
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                count += 1
                yield line
        if count != len(self):
            raise VocabularyError(
                f"{self.folder / ANCHORS}: {count:,} anchors for {len(self):,} spans. The file was cut; draw the sample again."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Spans kept from one group of documents: float16 vectors, the draw of each, one line of JSON each for its anchor.

    `seen` counts all spans of the group by section, kept or not; `documents` the documents, `first` names the first one.
    """

    vectors: npt.NDArray[np.float16]
    draws: Uint64s
    anchors: list[bytes]
    seen: dict[str, int]
    documents: int
    first: str

    def below(self, threshold: int) -> Shard:
        """Return the spans whose draw is at most the threshold."""
        kept = np.flatnonzero(self.draws <= np.uint64(threshold))
        anchors = [self.anchors[row] for row in kept]
        return replace(self, vectors=self.vectors[kept], draws=self.draws[kept], anchors=anchors)


class NumberedFiles:
    """Numbered files of arrays in a folder. The ones before the first gap are complete: renaming is the last step of writing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        remove_partial_files(folder)

    def __len__(self) -> int:
        return sum(1 for _ in self._folder.glob("*.safetensors"))

    def path(self, number: int) -> Path:
        """Return where the file of a number lies."""
        return self._folder / f"{number:06d}.safetensors"

    def arrays(self, number: int, *names: str) -> tuple[dict[str, Any], dict[str, str]]:
        """Return some arrays of a file, and what it says of itself; a damaged file is an error that names it."""
        try:
            with safe_open(self.path(number), framework="numpy") as file:
                return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
        except (OSError, SafetensorError, KeyError) as error:
            raise VocabularyError(
                f"{self.path(number)}: the file is missing or damaged ({error}). Remove it and those after it, and run the "
                "same command again: it goes on from there."
            ) from None


class ShardFolder(NumberedFiles):
    """Numbered shards in a folder."""

    def write(self, number: int, shard: Shard) -> None:
        """Write a shard, replacing an older one of the same number in one step."""
        content = save(
            {
                "vectors": np.ascontiguousarray(shard.vectors),
                "draws": np.ascontiguousarray(shard.draws),
                "anchors": np.frombuffer(b"\n".join(shard.anchors), dtype=np.uint8),
            },
            {"seen": json.dumps(shard.seen), "documents": str(shard.documents), "first": shard.first},
        )
        write_bytes(self.path(number), content)

    def read(self, number: int) -> Shard:
        """Read a shard."""
        found, facts = self.arrays(number, "vectors", "draws", "anchors")
        lines = found["anchors"].tobytes().split(b"\n") if len(found["draws"]) else []
        about = json.loads(facts["seen"]), int(facts["documents"]), facts["first"]
        return Shard(found["vectors"], found["draws"], lines, *about)

    def __iter__(self) -> Iterator[Shard]:
        for number in range(len(self)):
            yield self.read(number)

    def remove(self) -> None:
        """Delete all shards, the last first, so that an interruption leaves no gap."""
        for number in reversed(range(len(self))):
            self.path(number).unlink()
        self._folder.rmdir()
