"""From what a user types to a collection: `demo`, a folder, a TOML file, or `ir_datasets:ID`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.beir import is_beir, read_beir
from sparse_coverage.evaluation.clefip import PoolConfig, is_clefip, read_clefip
from sparse_coverage.evaluation.clefip.topics import Ancestors
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.described import read_described
from sparse_coverage.evaluation.ir_datasets_reader import read_ir_dataset
from sparse_coverage.patents.passages import By

IR_DATASETS = "ir_datasets:"


def load_collection(
    spec: str,
    *,
    pool: PoolConfig | None = None,
    cache: Path | None = None,
    ancestors: Ancestors = "all",
    by: By | None = None,
) -> Collection:
    """Return the collection that `spec` names.

    `demo`: the built-in one. A folder: BEIR's or CLEF-IP 2013's, recognised from its files; a BEIR folder's other
    judgements by their file, `folder/qrels/dev.tsv`. A `.toml` file that says where documents, topics and judgements are.
    `ir_datasets:ID`: one of that catalogue. `pool`, `cache` and `ancestors` are CLEF-IP's. `by` cuts documents in another way
    than the collection says: full texts of a BEIR folder by `passage`, say.
    """
    found = _load(spec, pool, cache, ancestors)
    found = found if by is None else replace(found, by=by)
    if not found.judged:
        raise InputError(
            f"The collection '{found.name}' has no query with a relevant document: {len(found.queries)} queries, "
            f"{len(found.judgements)} judged ones. Do queries and judgements use the same ids?"
        )
    return found


def _load(spec: str, pool: PoolConfig | None, cache: Path | None, ancestors: Ancestors) -> Collection:
    if spec == "demo":
        from sparse_coverage.evaluation.demo import COLLECTION

        return replace(read_clefip(COLLECTION, pool, ancestors=ancestors).collection, name="demo")
    if spec.startswith(IR_DATASETS):
        return read_ir_dataset(spec.removeprefix(IR_DATASETS))
    path = Path(spec)
    if path.suffix == ".toml":
        return read_described(path)
    if not path.exists():
        raise InputError(f"There is no collection '{spec}': not `demo`, not a folder or a .toml file that exists.")
    if is_beir(path):
        return read_beir(path)
    if is_clefip(path):
        return read_clefip(path, pool, cache=cache, ancestors=ancestors).collection
    raise InputError(
        f"{path}: neither a BEIR folder (corpus.jsonl, queries.jsonl, qrels/) nor CLEF-IP 2013 (sparse-coverage clefip check "
        f"{path}). Other collections are described in a TOML file: documents, topics, qrels."
    )
