"""TREC's files: topics, judgements (qrels) and runs."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Query, Ranking, Relevance, Run, graded, spelled
from sparse_coverage.files import write_text
from sparse_coverage.patents.numbers import printed_id

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
        documents = tuple(document for _, _, document in entries)
        if len(set(documents)) != len(documents):
            raise InputError(f"{path}: query {query} names a document twice.")
        run[query] = Ranking(documents, tuple(-score for score, _, _ in entries))
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


def write_run(
    path: Path, run: Run, tag: str, *, depth: int | None = None, header: str = "", own_ids: Mapping[str, str] = NO_IDS
) -> None:
    """Write the documents of each query, or the first `depth`; their order survives tools that sort by score alone.

    `header` are comment lines for tools that know them; `own_ids` tells how the collection writes ids that are kept in another form.
    """
    rankings = {
        query: (tuple(own_ids.get(document, document) for document in ranking.documents), ranking.scores)
        for query, ranking in run.items()
    }
    _write(path, rankings, tag, depth, header)


def write_passage_run(path: Path, run: Run, tag: str, *, header: str = "", own_ids: Mapping[str, str] = NO_IDS) -> None:
    """Write the passages of each query, with passage ids in the place of documents."""
    rankings = {}
    for query, ranking in run.items():
        owned = zip(ranking.passages, ranking.passage_documents, strict=True)
        items = tuple(f"{own_ids.get(of, of)}{id_.removeprefix(of)}" for id_, of in owned)
        rankings[query] = (items, ranking.passage_scores)
    _write(path, rankings, tag, None, header)


def _write(
    path: Path,
    rankings: Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]],
    tag: str,
    depth: int | None,
    header: str,
) -> None:
    lines = [header]
    for query, (items, scores) in rankings.items():
        last = np.float32(math.inf)
        for rank, (item, score) in enumerate(zip(items[:depth], scores[:depth], strict=True), 1):
            # trec_eval sorts by score in single precision: equal scores are pushed apart by the smallest step there is,
            # and an unscored item comes below all scores.
            given = min(last, np.float32(0)) - np.float32(1) if math.isinf(score) else np.float32(score)
            last = given if given < last else np.nextafter(last, np.float32(-math.inf))
            lines.append(f"{query} Q0 {item} {rank} {float(last)!r} {tag}\n")
    write_text(path, "".join(lines))
