"""Files of queries (TREC topics, lines, JSON, patents), of judgements (qrels) and of runs."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Query, Ranking, Relevance, Run, graded, require_one_word, spelled
from sparse_coverage.files import write_text
from sparse_coverage.patents import raise_problem, read_patents
from sparse_coverage.patents.numbers import printed_id
from sparse_coverage.patents.queries import file_query, patent_query
from sparse_coverage.patents.readers import recognised

NO_IDS: Mapping[str, str] = {}
_TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
# A field ends where the next begins, at a closing tag, or at any other tag that opens a line (<smry> in the oldest topics).
# Its label, as in "<num> Number: 301", is no part of it; a title may well begin with the word "Number".
_FIELD = re.compile(
    r"<(num|title|desc|narr)>\s*(?:(?:Number|Description|Narrative|Topic)\s*:)?(.*?)"
    r"(?=<(?:num|title|desc|narr|/)|\n\s*<\w|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_ENTITY = re.compile(r"&#?\w+;")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that hold anything, with their numbers.

    Only line breaks end a line: JSON may hold other separators, such as U+2028, as they are.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start}).") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the values of a file of JSON lines, each with its place for errors: `queries.jsonl:3`."""
    for number, line in read_lines(path):
        try:
            yield f"{path}:{number}", json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not JSON ({error}).") from None


def read_topics(path: Path, fields: tuple[str, ...] = ("title",)) -> tuple[Query, ...]:
    """Read topics: `<top>` blocks, of which the named fields make the query, or lines of id, tab, text."""
    text = "\n".join(line for _, line in read_lines(path))
    blocks = _TOPIC.findall(text)
    if blocks:
        return tuple(_block(path, block, fields) for block in blocks)
    queries = []
    for number, line in read_lines(path):
        id_, tab, words = line.partition("\t")
        if not tab or not id_.strip() or not words.strip():
            raise InputError(f"{path}:{number}: expected an id, a tab and the query's text (or <top> blocks).")
        queries.append(Query(id_.strip(), words.strip()))
    return tuple(queries)


def _block(path: Path, block: str, fields: tuple[str, ...]) -> Query:
    found = {name.lower(): re.sub(r"</?\w+>", " ", value) for name, value in _FIELD.findall(block)}
    words = " ".join(" ".join(found.get(field, "") for field in fields).split())
    words = _ENTITY.sub(lambda entity: html.unescape(entity[0]), words)
    if not found.get("num", "").strip() or not words:
        raise InputError(f"{path}: a topic has no <num> or no <{fields[0]}>: {block.strip()[:60]!r}")
    return Query(found["num"].split()[0], words)


def read_queries(
    path: Path, claims: str | None = None, on_problem: Callable[[str], None] | None = None
) -> tuple[Query, ...]:
    """Read queries from a file or folder: lines of id, tab, text; TREC topics; lines of JSON with `id` and `text`; patents of any kind.

    No id comes twice.

    In a folder each file is a query, and its name without the suffix is the id. Patents are searched with by their claims,
    or those that `claims` names. What cannot be read in a folder is told to `on_problem`, or is an error without it.
    """
    if path.is_dir():
        queries = tuple(_folder_queries(path, claims, on_problem))
    elif path.suffix == ".jsonl" and _is_of_queries(path):
        queries = tuple(_json_queries(path))
    elif recognised(_head(path)):
        patents = read_patents(path, language="any", on_problem=raise_problem)
        queries = tuple(Query(patent.id, patent_query(patent, claims).text) for patent in patents)
    else:
        queries = read_topics(path)
    seen: set[str] = set()
    for query in queries:
        require_one_word(query.id, path)
        if query.id in seen:
            raise InputError(f"{path}: the query '{query.id}' comes twice.")
        seen.add(query.id)
    if not queries:
        raise InputError(f"{path}: there are no queries in it.")
    return queries


def _folder_queries(folder: Path, claims: str | None, on_problem: Callable[[str], None] | None) -> Iterator[Query]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            text = file_query(path, claims).text
            if not text.strip():
                raise InputError(f"{path}: the file is empty.")
        except InputError as error:
            if on_problem is None:
                raise
            on_problem(str(error))
        else:
            yield Query("-".join(path.stem.split()), text)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None


def _is_of_queries(path: Path) -> bool:
    """Tell a file of queries from one of patents, which has claims or an abstract in the place of a text."""
    try:
        _, record = next(read_json_lines(path), ("", None))
    except InputError:
        return True  # which then says what is wrong
    return not (isinstance(record, dict) and "text" not in record and {"claims", "abstract"} & record.keys())


def _json_queries(path: Path) -> Iterator[Query]:
    for place, record in read_json_lines(path):
        name = next((key for key in ("id", "_id", "qid") if isinstance(record, dict) and key in record), None)
        if name is None or not str(record.get("text") or "").strip():
            raise InputError(f'{place}: expected an object such as {{"id": "Q1", "text": "A valve …"}}.')
        yield Query(str(record[name]), str(record["text"]).strip())


def read_qrels(path: Path) -> dict[str, Relevance]:
    """Read document judgements: `query 0 document grade`, and CLEF-IP's form of it with a language at the end.

    A grade below 0 counts as 0. A pair judged twice keeps its higher grade.
    """
    return graded(_judged(path))


def _judged(path: Path) -> Iterator[tuple[str, str, int]]:
    for number, line in read_lines(path):
        parts = line.split()
        if len(parts) not in (4, 5):
            raise InputError(f"{path}:{number}: expected `query 0 document grade`, found {len(parts)} parts.")
        try:
            yield parts[0], printed_id(parts[2]), int(parts[3])
        except ValueError:
            raise InputError(f"{path}:{number}: the grade is a whole number, not '{parts[3]}'.") from None


def is_qrels(path: Path) -> bool:
    """Tell whether the first line of a text file is a judgement: `Q1 0 EP-0049154-A1 1`."""
    with path.open("rb") as stream:
        parts = stream.readline(1000).split()
    return len(parts) in (4, 5) and parts[3].removeprefix(b"-").isdigit()


def judged_spellings(path: Path) -> dict[str, str]:
    """Return how judgements write the documents whose ids are kept in another form."""
    return spelled(line.split()[2] for _, line in read_lines(path))


def read_run(path: Path) -> dict[str, Ranking]:
    """Read a run: `query Q0 document rank score tag`. Higher score first, equal scores by rank; comments are passed over."""
    return _read_items(path, printed_id)


def _read_items(path: Path, kept: Callable[[str], str]) -> dict[str, Ranking]:
    lines: dict[str, list[tuple[float, int, str]]] = {}
    for number, line in read_lines(path):
        if line.startswith("#"):
            continue
        parts = line.split()
        try:
            query, _, document, rank, score = parts[:5]
            entry = (-float(score), int(rank), kept(document))
        except ValueError:
            raise InputError(f"{path}:{number}: expected `query Q0 document rank score tag`.") from None
        if math.isnan(entry[0]):
            raise InputError(f"{path}:{number}: the score is not a number.")
        lines.setdefault(query, []).append(entry)
    run = {}
    for query, entries in lines.items():
        entries.sort()
        run[query] = Ranking(tuple(item for _, _, item in entries), tuple(-score for score, _, _ in entries))
        if (twice := run[query].twice) is not None:
            raise InputError(f"{path}: query {query} names the document {twice} twice.")
    return run


def read_passage_run(path: Path) -> dict[str, Ranking]:
    """Read a run of passages, whose ids are DOCUMENT/place: rankings with passages and no documents."""
    found = {}
    for query, ranking in _read_items(path, _kept_passage).items():
        owners = tuple(item.partition("/")[0] for item in ranking.documents)
        found[query] = Ranking((), (), ranking.documents, owners, ranking.scores)
    return found


def _kept_passage(item: str) -> str:
    document, slash, place = item.partition("/")
    return f"{printed_id(document)}{slash}{place}"


def write_run(path: Path, run: Run, tag: str, *, depth: int | None = None, own_ids: Mapping[str, str] = NO_IDS) -> None:
    """Write the documents of each query, or the first `depth`; their order survives tools that sort by score alone.

    `own_ids` tells how the collection writes ids that are kept in another form.
    """
    rankings = {
        query: (tuple(own_ids.get(document, document) for document in ranking.documents), ranking.scores)
        for query, ranking in run.items()
    }
    _write(path, rankings, tag, depth)


def write_passage_run(path: Path, run: Run, tag: str, *, own_ids: Mapping[str, str] = NO_IDS) -> None:
    """Write the passages of each query, with passage ids in the place of documents."""
    rankings = {}
    for query, ranking in run.items():
        owned = zip(ranking.passages, ranking.passage_documents, strict=True)
        items = tuple(f"{own_ids.get(of, of)}{id_.removeprefix(of)}" for id_, of in owned)
        rankings[query] = (items, ranking.passage_scores)
    _write(path, rankings, tag, None)


def _write(
    path: Path,
    rankings: Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]],
    tag: str,
    depth: int | None,
) -> None:
    lines = []
    for query, (items, scores) in rankings.items():
        last = np.float32(math.inf)
        for rank, (item, score) in enumerate(zip(items[:depth], scores[:depth], strict=True), 1):
            # trec_eval sorts by score in single precision: equal scores are pushed apart by the smallest step there is,
            # and an unscored item comes below all scores.
            given = min(last, np.float32(0)) - np.float32(1) if math.isinf(score) else np.float32(score)
            last = given if given < last else np.nextafter(last, np.float32(-math.inf))
            lines.append(f"{query} Q0 {item} {rank} {float(last)!r} {tag}\n")
    write_text(path, "".join(lines))
