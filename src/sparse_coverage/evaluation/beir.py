"""BEIR folders: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Collection, Query, Relevance, graded, judged_note
from sparse_coverage.evaluation.exclusions import OwnDocument, own_families, without_excluded
from sparse_coverage.evaluation.trec import read_lines
from sparse_coverage.patents import Patent, read_patents
from sparse_coverage.patents.numbers import printed_id

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"


def is_beir(path: Path) -> bool:
    """Tell whether a folder has BEIR's files, or a file is the judgements of such a folder."""
    folder = _folder(path)
    return (folder / CORPUS).is_file() and (folder / QUERIES).is_file()


def read_beir(path: Path, *, language: str = "any") -> Collection:
    """Read a BEIR folder with its test judgements, or with others: `folder/qrels/dev.tsv`.

    A query that is itself a document of the corpus is never shown itself or its family.
    """
    folder = _folder(path)
    judgements = _read_qrels(path if path.is_file() else folder / QRELS / "test.tsv")
    records = _read_queries(folder / QUERIES)
    unknown = [query for query in judgements if query not in records]
    if unknown:
        raise InputError(f"{folder}: the judgements name the query '{unknown[0]}', which {QUERIES} does not hold.")

    def documents() -> Iterator[Patent]:
        return read_patents(folder / CORPUS, language=language)

    texts = {id_: OwnDocument(_text(record, "title"), _text(record, "text")) for id_, record in records.items()}
    excluded = own_families(texts, documents)
    kept, dropped = without_excluded(judgements, excluded)
    queries = tuple(
        Query(id_, own.joined, printed_id(id_) if id_ in excluded else "") for id_, own in texts.items() if own.joined
    )
    empty = sum(bool(kept[id_].documents) for id_, own in texts.items() if id_ in kept and not own.joined)
    name = folder.resolve().name + (f" {path.stem}" if path.is_file() else "")
    own = f"{len(excluded)} queries are documents of the corpus: they and their families are left out of their rankings"
    notes = (
        judged_note(queries, kept),
        *([f"{empty} judged queries have no text and are left out"] if empty else []),
        *([own] if excluded else []),
        *([f"{dropped} judgements of a query's own family left out"] if dropped else []),
    )
    return Collection(name, documents, queries, kept, "document", excluded, notes)


def _folder(path: Path) -> Path:
    return path.parent.parent if path.parent.name == QRELS and path.suffix == ".tsv" else path


def _text(record: dict[str, Any], field: str) -> str:
    return str(record.get(field) or "").strip()


def _read_queries(path: Path) -> dict[str, dict[str, Any]]:
    records: dict[str, dict[str, Any]] = {}
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{number}: not JSON ({error.msg}).") from None
        if not isinstance(record, dict) or record.get("_id") in (None, ""):
            raise InputError(f"{path}:{number}: expected an object with `_id` and `text`.")
        if not all(isinstance(record.get(field), str | None) for field in ("title", "text")):
            raise InputError(f"{path}:{number}: the title and the text of a query are texts.")
        id_ = str(record["_id"])
        if id_ in records:
            raise InputError(f"{path}:{number}: the query '{id_}' comes a second time. Remove one of the two.")
        records[id_] = record
    return records


def _read_qrels(path: Path) -> dict[str, Relevance]:
    if not path.is_file():
        present = [str(other) for other in sorted(path.parent.glob("*.tsv"))]
        hint = f" Name those you mean as the collection: {' or '.join(present)}" if present else ""
        raise InputError(f"{path}: there are no such judgements.{hint}")
    judged = []
    for place, (number, line) in enumerate(read_lines(path)):
        parts = [part.strip() for part in line.split("\t")]
        if place == 0 and len(parts) == 3 and not any(character.isdigit() for character in parts[2]):
            continue  # the names of the columns
        try:
            query, document, grade = parts
            judged.append((query, printed_id(document), int(grade)))
        except ValueError:
            raise InputError(
                f"{path}:{number}: expected query, document and a whole number as grade, separated by tabs."
            ) from None
    return graded(judged)
