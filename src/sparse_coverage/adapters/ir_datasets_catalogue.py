"""Collections of ours in the catalogue of `ir_datasets` (extra [eval]): others load CLEF-IP 2013 there as they load any other.

    import ir_datasets
    from sparse_coverage.adapters.ir_datasets_catalogue import register_clefip

    register_clefip("path/to/clef-ip-2013")
    dataset = ir_datasets.load("clef-ip-2013/passages")

Then everything that takes an id of that library works: PyTerrier's `pt.get_dataset("irds:clef-ip-2013/passages")`, its command line.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparse_coverage.adapters.ir_datasets import CollectionDataset, Doc, Qrel, Topic
from sparse_coverage.errors import MissingExtraError
from sparse_coverage.evaluation.clefip import PoolConfig, read_clefip
from sparse_coverage.evaluation.clefip.topics import Ancestors
from sparse_coverage.evaluation.collection import Collection

CLEFIP = "clef-ip-2013"


def register_clefip(
    folder: str | Path,
    name: str = CLEFIP,
    *,
    pool: PoolConfig | None = None,
    ancestors: Ancestors = "all",
    store: str | Path | None = None,
) -> list[str]:
    """Register CLEF-IP 2013, claims to passages: `clef-ip-2013` with documents, `clef-ip-2013/passages` with passages.

    `pool` says which candidates are drawn (25,000, seed 0), `ancestors` which claims precede a dependent one in a query.
    """
    return register_collection(name, read_clefip(Path(folder), pool, ancestors=ancestors).collection, store)


def register_collection(name: str, collection: Collection, store: str | Path | None = None) -> list[str]:
    """Register any collection under a name, and below it its passages where they are judged. Return the names.

    The library keeps documents that are looked up by id in the folder `store`, a temporary one by default.
    """
    try:
        library = importlib.import_module("ir_datasets")
    except ImportError:
        raise MissingExtraError("Registering with ir_datasets", "eval") from None
    home = Path(store) if store is not None else Path(tempfile.mkdtemp(prefix="sparse-coverage-irds-"))
    shapes = {name: False, **({f"{name}/passages": True} if collection.has_passages else {})}
    for id_, passages in shapes.items():
        dataset = CollectionDataset(collection, passages=passages)
        library.registry.register(id_, _dataset(library, dataset, id_, home / id_.replace("/", "-")))
    return list(shapes)


def _dataset(library: Any, inner: CollectionDataset, name: str, place: Path) -> Any:
    """Make a dataset of that library's own classes, whose methods are found by its tools."""
    formats, util = library.formats, library.util

    class _Docs(formats.BaseDocs):  # type: ignore[misc, name-defined]
        @util.use_docstore  # type: ignore[untyped-decorator]
        def docs_iter(self) -> Iterator[Doc]:
            return inner.docs_iter()

        def docs_cls(self) -> type[Doc]:
            return Doc

        def docs_store(self) -> Any:
            return library.indices.PickleLz4FullStore(
                path=f"{place}.pklz4",
                init_iter_fn=inner.docs_iter,
                data_cls=Doc,
                lookup_field="doc_id",
                index_fields=["doc_id"],
                count_hint=inner.collection.candidates,
            )

        def docs_count(self) -> int:
            return int(self.docs_store().count())

        def docs_namespace(self) -> str:
            return name

        def docs_lang(self) -> str:
            return "en"

    class _Queries(formats.BaseQueries):  # type: ignore[misc, name-defined]
        def queries_iter(self) -> Iterator[Topic]:
            return inner.queries_iter()

        def queries_cls(self) -> type[Topic]:
            return Topic

        def queries_count(self) -> int:
            return inner.queries_count()

        def queries_namespace(self) -> str:
            return name

        def queries_lang(self) -> str:
            return "en"

    class _Qrels(formats.BaseQrels):  # type: ignore[misc, name-defined]
        def qrels_iter(self) -> Iterator[Qrel]:
            return inner.qrels_iter()

        def qrels_cls(self) -> type[Qrel]:
            return Qrel

        def qrels_defs(self) -> dict[int, str]:
            return {1: "relevant", 0: "not relevant"}

        def qrels_count(self) -> int:
            return inner.qrels_count()

    return library.Dataset(_Docs(), _Queries(), _Qrels())
