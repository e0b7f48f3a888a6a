"""BEIR folders: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.exclusions import family_of, without_excluded
from sparse_coverage.evaluation.trec import read_lines
from sparse_coverage.evaluation.types import Collection, Query, Relevance
from sparse_coverage.patents import Patent, read_patents

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"


def is_beir(folder: Path) -> bool:
    """Tell whether a folder has BEIR's files."""
    return (folder / CORPUS).is_file() and (folder / QUERIES).is_file()


def read_beir(folder: Path, *, split: str = "test", language: str = "any") -> Collection:
    """Read a BEIR folder. A query that is itself a document of the corpus is never shown itself or its family.

    Such a query has the id of a document and its title or text; equal ids alone say nothing (Cranfield's queries 1, 2, 3
    are not its documents 1, 2, 3).
    """
    judgements = _read_qrels(folder / "qrels" / f"{split}.tsv")
    records = {str(record["_id"]): record for record in _records(folder / QUERIES)}
    unknown = [query for query in judgements if query not in records]
    if unknown:
        raise InputError(f"{folder}: the judgements name the query '{unknown[0]}', which {QUERIES} does not hold.")

    def documents() -> Iterator[Patent]:
        return read_patents(folder / CORPUS, language=language)

    corpus = list(documents())
    own = {patent.id: patent for patent in corpus if patent.id in records and _is(records[patent.id], patent)}
    excluded = {id_: family_of(patent, corpus) for id_, patent in own.items()}
    kept, dropped = without_excluded(judgements, excluded)
    queries = [
        Query(id_, _joined(record), id_ if id_ in own else "") for id_, record in records.items() if _joined(record)
    ]
    notes = [f"{len(queries)} queries, {sum(bool(r.documents) for r in kept.values())} of them judged"]
    if own:
        notes.append(
            f"{len(own)} queries are documents of the corpus: they and their families are left out of their rankings"
        )
    if dropped:
        notes.append(f"{dropped} judgements of a query's own family left out")
    return Collection(folder.resolve().name, documents, tuple(queries), kept, "document", excluded, tuple(notes))


def _is(record: dict[str, Any], patent: Patent) -> bool:
    title = " ".join(str(record.get("title") or "").split())
    text = " ".join(str(record.get("text") or "").split())
    return bool(title and title == patent.title) or text == " ".join(part.text for part in patent.abstract)


def _joined(record: dict[str, Any]) -> str:
    return "\n".join(str(record[field]).strip() for field in ("title", "text") if record.get(field))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{number}: not JSON ({error.msg}).") from None
        if not isinstance(record, dict) or "_id" not in record:
            raise InputError(f"{path}:{number}: expected an object with `_id` and `text`.")
        yield record


def _read_qrels(path: Path) -> dict[str, Relevance]:
    if not path.is_file():
        present = sorted(other.stem for other in path.parent.glob("*.tsv"))
        hint = f" There are: {', '.join(present)}." if present else ""
        raise InputError(f"{path}: there are no judgements of that name.{hint}")
    grades: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        parts = line.split("\t")
        if number == 1 and _is_header(parts):
            continue
        if len(parts) != 3 or not parts[2].strip().lstrip("-").isdigit():
            raise InputError(f"{path}:{number}: expected query, document and grade, separated by tabs.")
        grades.setdefault(parts[0], {})[parts[1]] = max(0, int(parts[2]))
    return {query: Relevance(judged) for query, judged in grades.items()}


def _is_header(parts: Sequence[str]) -> bool:
    return len(parts) == 3 and not parts[2].strip().lstrip("-").isdigit()
