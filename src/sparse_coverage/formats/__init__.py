"""Formats that other engines read, made from an index, and vectors that other encoders made, read into one."""

from sparse_coverage.formats.export import FORMATS, Exported, ExportFormat, export_index
from sparse_coverage.formats.source import Rows, Source, open_source
from sparse_coverage.formats.vector_index import VectorIndex, import_vectors

__all__ = [
    "FORMATS",
    "ExportFormat",
    "Exported",
    "Rows",
    "Source",
    "VectorIndex",
    "export_index",
    "import_vectors",
    "open_source",
]
