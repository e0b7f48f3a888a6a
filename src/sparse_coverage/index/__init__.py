"""Sparse vectors in, postings on disk out."""

from sparse_coverage.index.accumulate import accumulate
from sparse_coverage.index.segment import WEIGHT_SCALE
from sparse_coverage.index.store import IndexStore, IndexWriter, damaged_files, open_store
from sparse_coverage.index.types import DocumentRecord, IndexedUnit, UnitRecord

__all__ = [
    "WEIGHT_SCALE",
    "DocumentRecord",
    "IndexStore",
    "IndexWriter",
    "IndexedUnit",
    "UnitRecord",
    "accumulate",
    "damaged_files",
    "open_store",
]
