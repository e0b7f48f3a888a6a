"""Sparse vectors in, postings on disk out."""

from sparse_coverage.index.changes import delete_documents, merge_index
from sparse_coverage.index.filter_syntax import parse_filter
from sparse_coverage.index.filters import Filter, allowed_units
from sparse_coverage.index.manifest import Manifest
from sparse_coverage.index.postings import WeightBits, weight_scale
from sparse_coverage.index.segment import Segment
from sparse_coverage.index.store import IndexStore, damaged_files, open_store
from sparse_coverage.index.types import DocumentRecord, IndexedUnit, UnitRecord
from sparse_coverage.index.writer import DEFAULT_MEMORY, IndexWriter

__all__ = [
    "DEFAULT_MEMORY",
    "DocumentRecord",
    "Filter",
    "IndexStore",
    "IndexWriter",
    "IndexedUnit",
    "Manifest",
    "Segment",
    "UnitRecord",
    "WeightBits",
    "allowed_units",
    "damaged_files",
    "delete_documents",
    "merge_index",
    "open_store",
    "parse_filter",
    "weight_scale",
]
