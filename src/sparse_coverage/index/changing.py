"""Changes of an index in one commit each: documents deleted, segments merged, what older versions did not write added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.errors import NoDocumentError
from sparse_coverage.index.manifest import read_manifest, require_finished
from sparse_coverage.index.store import open_store
from sparse_coverage.index.words import can_keep_words
from sparse_coverage.index.writer import IndexWriter


def delete_documents(folder: Path, ids: Sequence[str]) -> None:
    """Delete documents by publication id, all or none: an id that is not there is an error."""
    with IndexWriter.open(folder) as writer:
        require_finished(folder, writer.manifest)  # else the build, when it goes on, would bring them back
        if missing := writer.delete_all(ids):
            raise NoDocumentError(f"Not in the index: {missing}. Nothing was deleted.")
        writer.commit()


def merge_index(folder: Path) -> None:
    """Rewrite an index with as few segments as possible and without what was deleted."""
    with IndexWriter.open(folder) as writer:
        writer.merge(complete=writer.manifest.complete)


def add_words(folder: Path) -> int:
    """Add the words that filters look for to an index of an older version; return how many segments lacked them."""
    require_finished(folder, read_manifest(folder))
    store = open_store(folder)
    try:
        lacking = any(segment.words is None for segment in store.segments)
    finally:
        store.close()
    if not lacking or not can_keep_words():
        return 0
    with IndexWriter.open(folder) as writer:
        count = writer.rewrite_old()
        writer.commit()
    return count
