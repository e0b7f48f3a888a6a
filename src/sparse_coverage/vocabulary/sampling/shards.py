"""The pieces of a sample on disk while it grows: one file for each group of documents, whole or not there at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels import Uint64s


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
    first: str = ""

    def below(self, threshold: int) -> Shard:
        """Return the spans whose draw is at most the threshold."""
        kept = np.flatnonzero(self.draws <= np.uint64(threshold))
        anchors = [self.anchors[row] for row in kept]
        return replace(self, vectors=self.vectors[kept], draws=self.draws[kept], anchors=anchors)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is whole or not there at all, replacing an older one in one step."""
    partial = path.with_suffix(".partial")
    try:
        with partial.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


class ShardFolder:
    """Numbered shards in a folder. The ones before the first gap are complete: renaming is the last step of writing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for partial in folder.glob("*.partial"):
            partial.unlink()

    def __len__(self) -> int:
        return sum(1 for _ in self._folder.glob("*.safetensors"))

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
        write_whole(self._path(number), content)

    def read(self, number: int) -> Shard:
        """Read a shard; a damaged one is an error that names it."""
        path = self._path(number)
        try:
            with safe_open(path, framework="numpy") as file:
                facts = file.metadata()
                anchors = file.get_tensor("anchors").tobytes()
                vectors, draws = file.get_tensor("vectors"), file.get_tensor("draws")
        except (OSError, SafetensorError, KeyError) as error:
            raise VocabularyError(
                f"{path}: the shard is missing or damaged ({error}). Remove it and the shards after it, and run the same "
                "command again: it goes on from there."
            ) from None
        lines = anchors.split(b"\n") if len(draws) else []
        return Shard(vectors, draws, lines, json.loads(facts["seen"]), int(facts["documents"]), facts.get("first", ""))

    def __iter__(self) -> Iterator[Shard]:
        for number in range(len(self)):
            yield self.read(number)

    def remove(self) -> None:
        """Delete all shards, the last first, so that an interruption leaves no gap."""
        for number in reversed(range(len(self))):
            self._path(number).unlink()
        self._folder.rmdir()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.safetensors"
