"""Writing a new segment into a folder of its own, which no manifest names until everything is on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.files import sha256_of, sync_file, sync_folder
from sparse_coverage.index.facts import collect_facts
from sparse_coverage.index.pages import page_sums
from sparse_coverage.index.postings import MAX_PASSAGES, Postings
from sparse_coverage.index.records import DocumentRecord, PassageRecord
from sparse_coverage.index.segment import (
    FACTS,
    FILES,
    HEADER,
    POSTINGS,
    SPANS,
    TERMS,
    TEXTS,
    WORDS,
    SegmentEntry,
    id_key,
)
from sparse_coverage.index.texts import TextWriter
from sparse_coverage.index.words import WordWriter, can_keep_words


class SegmentDraft:
    """Takes documents with their passages, then the postings, and gives the entry for a manifest."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._texts = TextWriter(folder / TEXTS)
        self._words = WordWriter() if can_keep_words() else None
        # Filters look at metadata only once the segment is written, so titles need not be kept.
        self._records: list[DocumentRecord] = []
        self._starts = [0]
        self._span_counts: list[int] = []
        self._uncovered: list[int] = []
        self._sections: list[int] = []
        self._document_keys: list[int] = []
        self._passage_keys: list[int] = []
        self._section_names: dict[str, int] = {}

    @property
    def passages(self) -> int:
        """How many passages were added."""
        return self._starts[-1]

    def add(
        self, record: DocumentRecord, passages: Sequence[PassageRecord], span_counts: Sequence[int], uncovered: int
    ) -> None:
        """Add a document with all its passages."""
        if self.passages + len(passages) > MAX_PASSAGES:
            raise IndexStoreError(f"A segment holds at most {MAX_PASSAGES} passages.")
        self._texts.add_document(len(self._records), record)
        self._texts.add_passages(self.passages, passages)
        if self._words is not None:
            self._words.add(len(self._records), record, passages)
        self._records.append(DocumentRecord(record.id, "", record.metadata))
        self._starts.append(self.passages + len(passages))
        self._span_counts.extend(span_counts)
        self._uncovered.append(uncovered)
        self._document_keys.append(id_key(record.id))
        self._passage_keys.extend(id_key(passage.id) for passage in passages)
        self._sections.extend(
            self._section_names.setdefault(passage.section, len(self._section_names)) for passage in passages
        )

    def finish(self, postings: Postings) -> SegmentEntry:
        """Write everything, make it durable, and return the segment's entry."""
        self._texts.finish()
        files: tuple[str, ...] = FILES
        if self._words is not None:
            self._words.finish(self._folder / WORDS)
            files = (*FILES, WORDS)
        facts = collect_facts(self._records)
        arrays = {
            "offsets": postings.offsets,
            "far": postings.far,
            "postings_sums": page_sums(postings.packed),
            "spans_sums": page_sums(postings.spans),
            "span_counts": np.asarray(self._span_counts, dtype=np.uint32),
            "uncovered": np.asarray(self._uncovered, dtype=np.uint32),
            "document_starts": np.asarray(self._starts, dtype=np.uint32),
            "sections": np.asarray(self._sections, dtype=np.uint16),
            "document_keys": np.asarray(self._document_keys, dtype=np.uint64),
            "unit_keys": np.asarray(self._passage_keys, dtype=np.uint64),
            "dates": facts.dates,
            "term_offsets": facts.term_offsets,
            "term_documents": facts.term_documents,
        }
        (self._folder / FACTS).write_bytes(save({name: np.ascontiguousarray(value) for name, value in arrays.items()}))
        (self._folder / TERMS).write_text(json.dumps(list(facts.terms), ensure_ascii=False), encoding="utf-8")
        for name, array in ((POSTINGS, postings.packed), (SPANS, postings.spans)):
            (self._folder / name).write_bytes(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
        header: dict[str, Any] = {
            "documents": len(self._records),
            "units": self.passages,
            "postings": len(postings),
            "centers": len(postings.offsets) - 1,
            "weight_bits": postings.weight_bits,
            "sections": list(self._section_names),
            "files": {
                name: {"bytes": (self._folder / name).stat().st_size, "sha256": sha256_of(self._folder / name)}
                for name in files
            },
        }
        content = json.dumps(header, indent=1).encode()
        (self._folder / HEADER).write_bytes(content)
        for name in (*files, HEADER):
            sync_file(self._folder / name)
        sync_folder(self._folder)
        sync_folder(self._folder.parent)
        return SegmentEntry(self._folder.name, len(self._records), self.passages, sha256(content).hexdigest())

    def abandon(self) -> None:
        """Let go of the files."""
        self._texts.abandon()
        if self._words is not None:
            self._words.abandon()
