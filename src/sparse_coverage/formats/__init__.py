"""Formats that other engines read, made from an index."""

from sparse_coverage.formats.export import FORMATS, Exported, ExportFormat, export_index
from sparse_coverage.formats.source import Rows, Source, open_source

__all__ = [
    "FORMATS",
    "ExportFormat",
    "Exported",
    "Rows",
    "Source",
    "export_index",
    "open_source",
]
