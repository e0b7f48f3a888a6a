"""Changes that need no encoder, each one commit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.index.manifest import require_finished
from sparse_coverage.index.writer import IndexWriter


def delete_documents(folder: Path, ids: Sequence[str]) -> None:
    """Delete documents by publication id, all or none: an id that is not there is an error."""
    with IndexWriter.open(folder) as writer:
        require_finished(folder, writer.manifest)  # else the build, when it goes on, would bring them back
        missing = [id_ for id_ in ids if not writer.delete(id_)]
        if missing:
            raise InputError(f"Not in the index: {', '.join(missing)}. Nothing was deleted.")
        writer.commit()


def merge_index(folder: Path) -> None:
    """Rewrite an index with as few segments as possible and without what was deleted."""
    with IndexWriter.open(folder) as writer:
        writer.merge(complete=writer.manifest.complete)
