"""An index on disk: a manifest that names the segment in force, the segment, and the texts.

A folder under construction has another name and gets its own only when all is written, so a crash leaves no half index.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.files import read_json, sha256_of, write_json
from sparse_coverage.index.segment import NAMES, Segment, SegmentBuilder, open_segment, save_segment
from sparse_coverage.index.texts import TextStore
from sparse_coverage.index.types import DocumentRecord, IndexedUnit

FORMAT = 1
MANIFEST, SEGMENT, TEXTS = "manifest.json", "segment", "texts.sqlite"


@dataclass(frozen=True, slots=True, eq=False)
class IndexStore:
    """An opened index: postings, texts, and what the manifest says."""

    folder: Path
    segment: Segment
    texts: TextStore
    manifest: dict[str, Any]


class IndexWriter:
    """Fills a folder with an index; `finish` writes the manifest last, which makes it one."""

    def __init__(self, folder: Path, centers: int) -> None:
        self._folder = folder
        self._builder = SegmentBuilder(centers)
        self._texts = TextStore.create(folder / TEXTS)
        self._documents = 0

    def add(self, document: DocumentRecord, units: Iterable[IndexedUnit]) -> None:
        """Add a document with all its units."""
        self._texts.add_document(self._documents, document)
        for indexed in units:
            self._texts.add_unit(len(self._builder), indexed.unit, self._documents)
            self._builder.add(indexed.vector, self._documents)
        self._documents += 1

    def finish(self, about: dict[str, Any]) -> dict[str, Any]:
        """Write everything and return the manifest."""
        self._texts.close()
        segment = self._builder.build()
        (self._folder / SEGMENT).mkdir()
        save_segment(segment, self._folder / SEGMENT)
        files = [TEXTS, *(f"{SEGMENT}/{name}.npy" for name in NAMES)]
        manifest = {
            "format": FORMAT,
            "documents": self._documents,
            "units": len(segment.span_counts),
            "postings": len(segment.units),
            **about,
            "sha256": {name: sha256_of(self._folder / name) for name in files},
        }
        write_json(self._folder / MANIFEST, manifest)
        return manifest

    def abandon(self) -> None:
        """Let go of the files after a failure."""
        self._texts.close()


def open_store(folder: Path) -> IndexStore:
    """Open an index for reading; memory-mapped, so this takes no time whatever its size."""
    if not (folder / MANIFEST).is_file():
        raise IndexStoreError(
            f"{folder}: there is no index here (no {MANIFEST}). Build one with: sparse-coverage index"
        )
    manifest = read_json(folder / MANIFEST)
    if manifest.get("format") != FORMAT:
        raise IndexStoreError(f"{folder}: index format {manifest.get('format')}, this version reads format {FORMAT}.")
    segment = open_segment(folder / SEGMENT)
    if len(segment.units) != manifest["postings"] or len(segment.span_counts) != manifest["units"]:
        raise IndexStoreError(
            f"{folder}: the manifest names {manifest['postings']} postings and {manifest['units']} units, the segment holds "
            f"{len(segment.units)} and {len(segment.span_counts)}. The index is damaged; build it again."
        )
    return IndexStore(folder, segment, TextStore.open(folder / TEXTS), manifest)


def damaged_files(folder: Path) -> list[str]:
    """Return the files of an index that are missing or whose content changed since it was built."""
    recorded: dict[str, str] = read_json(folder / MANIFEST)["sha256"]
    return [name for name, pin in recorded.items() if not (folder / name).is_file() or sha256_of(folder / name) != pin]
