"""Sparse vectors in, postings on disk out.

What changes an index is loaded when it is first used: whoever only searches needs none of it.
"""

from typing import TYPE_CHECKING

from sparse_coverage.index.filter_syntax import parse_filter
from sparse_coverage.index.filters import Filter, allowed_passages
from sparse_coverage.index.manifest import Manifest
from sparse_coverage.index.postings import DEFAULT_MEMORY
from sparse_coverage.index.segment import Segment
from sparse_coverage.index.store import IndexStore, damaged_files, open_store
from sparse_coverage.index.stored_fields import DocumentRecord, IndexedPassage, PassageRecord
from sparse_coverage.package import lazy_names

if TYPE_CHECKING:
    from sparse_coverage.index.writer import IndexWriter, delete_documents, merge_index

__all__ = [
    "DEFAULT_MEMORY",
    "DocumentRecord",
    "Filter",
    "IndexStore",
    "IndexWriter",
    "IndexedPassage",
    "Manifest",
    "PassageRecord",
    "Segment",
    "allowed_passages",
    "damaged_files",
    "delete_documents",
    "merge_index",
    "open_store",
    "parse_filter",
]

__getattr__ = lazy_names(__name__, {"writer": "IndexWriter delete_documents merge_index"})
