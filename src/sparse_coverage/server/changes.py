"""Changes of an index: documents added, replaced and deleted, each time all at once; searches go on meanwhile."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sparse_coverage.index import delete_documents, open_store
from sparse_coverage.patents import read_patents
from sparse_coverage.progress import waiting
from sparse_coverage.retrievers import refresh_sides
from sparse_coverage.search import Index
from sparse_coverage.server.indexes import ServedIndex
from sparse_coverage.server.uploads import read_apart


def add_records(served: ServedIndex, records: Sequence[dict[str, Any]], *, replace: bool) -> dict[str, Any]:
    """Add patents that are given as the objects of JSON lines."""
    with TemporaryDirectory(prefix="sparse-coverage-add-") as folder:
        path = Path(folder) / "documents.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        return add_file(served, path, replace=replace)


def add_file(served: ServedIndex, path: Path, *, replace: bool) -> dict[str, Any]:
    """Add the patents of a file in any format that is read. What cannot be read is left out, and said."""
    lines = path.with_name(f"{path.name}.lines")
    with waiting("Reading"):
        read = read_apart("patents", path, lines.name)
    count = 0
    if read["read"]:
        index = served.opened().index
        # One of its own: the one that is searched with must go on showing what it shows.
        writer = Index(open_store(served.folder), index.model, index.statistics.config)
        patents = (dataclasses.replace(one, source=path.name) for one in read_patents(lines, language="any"))
        count = writer.add(patents, replace=replace, total=read["read"], on_duplicate="keep")
        _shown(served)
    documents = served.opened().store.state.documents
    return {"added": count, "left_out": read["left_out"], "unused": read["unused"], "documents": documents}


def delete(served: ServedIndex, ids: Sequence[str]) -> dict[str, Any]:
    """Delete documents by id, all or none."""
    delete_documents(served.folder, ids)
    _shown(served)
    return {"deleted": len(ids), "documents": served.opened().store.state.documents}


def _shown(served: ServedIndex) -> None:
    """Bring the sides up to date, and show the new state from now on."""
    refresh_sides(served.folder)
    served.refresh()
