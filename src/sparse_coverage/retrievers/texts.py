"""The texts of patents as an index without a single center: what a baseline needs where nothing else is to be searched."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.files import require_free
from sparse_coverage.index import IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import tracked
from sparse_coverage.search.building import document_record
from sparse_coverage.vectors import SparseVector

_NONE = np.zeros(0, dtype=np.int32)
_NOTHING = SparseVector(_NONE, np.zeros(0, dtype=np.float32), _NONE, _NONE, _NONE, 0, 0)


def write_texts(folder: Path, documents: Iterable[Patent], by: By) -> None:
    """Write documents and their passages into a new index."""
    require_free(folder)
    count = 0
    with IndexWriter.create(folder, 1, {"by": by}) as writer:
        for patent in tracked(documents, "Reading documents"):
            records = [PassageRecord(one.id, one.document, one.section, one.text) for one in passages(patent, by=by)]
            if records:
                writer.add(document_record(patent), [IndexedPassage(record, _NOTHING) for record in records])
                count += 1
        if not count:
            raise InputError("There is nothing to index: the input holds no text.")
        writer.merge()
