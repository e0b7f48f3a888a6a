"""From what a user types to a collection: `demo`, a folder, a file, or `ir_datasets:ID`.

A described collection is a small TOML file that says where its documents, topics and judgements are:

    documents = "collection/"          # anything that patents are read from
    topics = "topics.txt"              # TREC topics, lines of id, tab, text, or a folder of patents
    qrels = "qrels.txt"                # TREC judgements, those of CLEF-IP before 2013, or publication numbers: a list for
                                       # the one topic there is, or a folder with a list for each topic (Q1.txt, Q2.xlsx)
    by = "passage"                     # optional: passage, paragraph, section or document
    language = "en"                    # optional
    topic_fields = ["title", "desc"]   # optional: of TREC topics; of patents: title, abstract, claims, description
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.clefip import Ancestors, is_clefip, read_clefip
from sparse_coverage.evaluation.clefip_pool import PoolConfig
from sparse_coverage.evaluation.collection import (
    Collection,
    Families,
    OwnDocument,
    Query,
    Relevance,
    counted,
    graded,
    judged_notes,
    own_families,
    share,
    spelled,
    without_excluded,
)
from sparse_coverage.evaluation.office_actions import is_fine_patents, is_panorama, read_fine_patents, read_panorama
from sparse_coverage.evaluation.trec import (
    is_qrels,
    judged_spellings,
    read_json_lines,
    read_lines,
    read_qrels,
    read_topics,
)
from sparse_coverage.files import read_toml
from sparse_coverage.patents import Paragraph, Patent, raise_problem, read_patents, section_text
from sparse_coverage.patents.numbers import printed_id, read_numbers
from sparse_coverage.patents.passages import By
from sparse_coverage.patents.patent import passage_xpath
from sparse_coverage.patents.queries import listed_in

IR_DATASETS = "ir_datasets:"


def load_collection(
    spec: str | Path,
    *,
    pool: PoolConfig | None = None,
    cache: Path | None = None,
    ancestors: Ancestors = "all",
    by: By | None = None,
) -> Collection:
    """Return the collection that `spec` names.

    `demo`: the built-in one. A folder: BEIR's or CLEF-IP 2013's, recognised from its files; a BEIR folder's other
    judgements by their file, `folder/qrels/dev.tsv`. A `.toml` file that says where documents, topics and judgements are.
    The folder `packaged` of FiNE-Patents (features of its test split), or a file of PANORAMA: see `office_actions`.
    `ir_datasets:ID`: one of that catalogue. `pool`, `cache` and `ancestors` are CLEF-IP's. `by` cuts documents in another way
    than the collection says: full texts of a BEIR folder by `passage`, say.
    """
    found = _load(str(spec), pool, cache, ancestors)
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
        raise InputError(
            f"There is no collection '{spec}': only `demo` is built in, and `{IR_DATASETS}ID` names one of that catalogue. Every other "
            f"is given by its path: a folder of BEIR (path/to/{path.name}) or CLEF-IP 2013, or a .toml file."
        )
    if is_beir(path):
        return read_beir(path)
    if is_clefip(path):
        return read_clefip(path, pool, cache=cache, ancestors=ancestors).collection
    if is_fine_patents(path):
        return read_fine_patents(path)
    if is_panorama(path):
        return read_panorama(path)
    raise InputError(
        f"{path}: no BEIR folder (corpus.jsonl, queries.jsonl, qrels/), not CLEF-IP 2013 (sparse-coverage clefip "
        f"{path}), FiNE-Patents or PANORAMA. Other collections are described in a TOML file: documents, topics, qrels."
    )


CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"


def is_beir(path: Path) -> bool:
    """Tell whether a folder has BEIR's files, or a file is the judgements of such a folder."""
    folder = _beir_folder(path)
    return (folder / CORPUS).is_file() and (folder / QUERIES).is_file()


def read_beir(path: Path) -> Collection:
    """Read a BEIR folder with its test judgements, or with others: `folder/qrels/dev.tsv`.

    A query that is itself a document of the corpus is never shown itself or its family.
    """
    folder = _beir_folder(path)
    judgements = _beir_qrels(path if path.is_file() else folder / QRELS / "test.tsv")
    records = _beir_queries(folder / QUERIES)

    def documents() -> Iterator[Patent]:
        return read_patents(folder / CORPUS, language="any", on_problem=raise_problem)

    texts = {id_: OwnDocument(_field(record, "title"), _field(record, "text")) for id_, record in records.items()}
    excluded = own_families(texts, documents)
    kept, dropped = without_excluded(judgements, excluded)
    queries = tuple(
        Query(id_, own.joined, printed_id(id_) if id_ in excluded else "") for id_, own in texts.items() if own.joined
    )
    name = folder.resolve().name + (f" {path.stem}" if path.is_file() else "")
    own = f"{share(len(excluded), len(texts), 'query')} taken from a document: it and its family are left out of their rankings"
    notes = (
        *judged_notes(queries, kept),
        *([own] if excluded else []),
        *([f"{counted(dropped, 'judgement')} of a query's own family left out"] if dropped else []),
    )
    return Collection(
        name, documents, queries, kept, "document", excluded, notes, own_ids=lambda: _beir_own_ids(folder / CORPUS)
    )


def _beir_own_ids(corpus: Path) -> dict[str, str]:
    """Read the ids of the documents as the corpus writes them; what is no record was told when documents were read."""
    with corpus.open(encoding="utf-8") as lines, suppress(ValueError, AttributeError, RecursionError):
        return spelled(str(json.loads(line).get("_id", "")) for line in lines if line.strip())
    return {}


def _beir_folder(path: Path) -> Path:
    return path.parent.parent if path.parent.name == QRELS and path.suffix == ".tsv" else path


def _field(record: dict[str, Any], field: str) -> str:
    return str(record.get(field) or "").strip()


def _beir_queries(path: Path) -> dict[str, dict[str, Any]]:
    records: dict[str, dict[str, Any]] = {}
    for place, record in read_json_lines(path):
        if not isinstance(record, dict) or record.get("_id") in (None, ""):
            raise InputError(f"{place}: expected an object with `_id` and `text`.")
        if not all(isinstance(record.get(field), str | None) for field in ("title", "text")):
            raise InputError(f"{place}: the title and the text of a query are texts.")
        id_ = str(record["_id"])
        if id_ in records:
            raise InputError(f"{place}: the query '{id_}' comes a second time. Remove one of the two.")
        records[id_] = record
    return records


def _beir_qrels(path: Path) -> dict[str, Relevance]:
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


_KNOWN = {"documents", "topics", "qrels", "by", "language", "topic_fields"}
_PATENT_FIELDS = ("title", "abstract", "claims")


def read_described(path: Path) -> Collection:
    """Read the collection that a TOML file describes; paths in it are relative to it."""
    about = read_toml(path)
    if unknown := sorted(about.keys() - _KNOWN):
        raise InputError(f"{path}: '{unknown[0]}' means nothing here. Known are: {', '.join(sorted(_KNOWN))}.")
    for name in ("documents", "topics", "qrels"):
        if not isinstance(about.get(name), str):
            raise InputError(f'{path}: {name} = "…" is missing.')
    by = about.get("by", "passage")
    if by not in get_args(By):
        raise InputError(f"{path}: by is {', '.join(get_args(By))}, not '{by}'.")
    source, topics = path.parent / about["documents"], path.parent / about["topics"]
    language = about.get("language", "en")
    if not isinstance(language, str):
        raise InputError(f'{path}: language is a code such as "en", not {language!r}.')
    fields = _topic_fields(path, about, _PATENT_FIELDS if topics.is_dir() else ("title",))
    problems: set[str] = set()

    def documents() -> Iterator[Patent]:
        return read_patents(source, language=language, on_problem=lambda problem: problems.add(str(problem)))

    excluded: dict[str, frozenset[str]] = {}
    if topics.is_dir():
        own = {
            _topic_id(patent): patent for patent in read_patents(topics, language=language, on_problem=raise_problem)
        }
        queries = tuple(Query(id_, _patent_text(patent, fields), patent.id) for id_, patent in own.items())
        families = Families((patent.id, patent.family) for patent in documents())
        excluded = {id_: families.of(patent) for id_, patent in own.items()}
    else:
        queries = read_topics(topics, fields)
    qrels = path.parent / about["qrels"]
    lists = _listed(qrels, [query.id for query in queries])
    judgements = graded(lists) if lists is not None else read_qrels(qrels)
    kept, dropped = without_excluded(judgements, excluded)
    notes = judged_notes(queries, kept)
    if dropped:
        notes.append(f"{counted(dropped, 'judgement')} of a query's own family left out")
    own_ids = dict if lists is not None else partial(judged_spellings, qrels)
    return Collection(
        path.stem, documents, queries, kept, by, excluded, tuple(notes), problems=problems, own_ids=own_ids
    )


def _listed(path: Path, topics: list[str]) -> list[tuple[str, str, int]] | None:
    """Return the judgements of lists of publication numbers, all of them relevant; None where the file is no such list."""
    if path.is_dir():
        files = [one for one in sorted(path.iterdir()) if one.is_file() and not one.name.startswith(".")]
        if unknown := [one.name for one in files if one.stem not in topics]:
            raise InputError(
                f"{path}: the list {unknown[0]} is called as no topic. Topics are {', '.join(topics[:5])}."
            )
        return [(one.stem, number, 1) for one in files for number in read_numbers(one).numbers]
    numbers = listed_in(path) if path.is_file() and not is_qrels(path) else ()
    if not numbers:
        return None
    if len(topics) != 1:
        raise InputError(
            f"{path} is a list of publication numbers, and there are {len(topics):,} topics. Give a folder with a list for each, "
            f"called as the topic: {topics[0] if topics else 'Q1'}.txt."
        )
    return [(topics[0], number, 1) for number in numbers]


def _topic_fields(path: Path, about: dict[str, Any], usual: tuple[str, ...]) -> tuple[str, ...]:
    fields = about.get("topic_fields", list(usual))
    if not isinstance(fields, list) or not fields or not all(isinstance(field, str) for field in fields):
        raise InputError(f'{path}: topic_fields is a list of names, as in ["title", "desc"].')
    return tuple(fields)


def _topic_id(patent: Patent) -> str:
    """Return the topic of a file such as `PAC-1_EP-1233512-A1.xml`; otherwise the topic is called as the patent."""
    topic, underscore, _ = Path(patent.source).stem.partition("_")
    return topic if underscore else patent.id


def _patent_text(patent: Patent, fields: tuple[str, ...]) -> str:
    unknown = [field for field in fields if field not in ("title", "abstract", "claims", "description")]
    if unknown:
        raise InputError(
            f"A patent has no field '{unknown[0]}': topic_fields are title, abstract, claims, description."
        )
    texts = (section_text(patent, field) for field in fields)  # type: ignore[arg-type]
    return "\n".join(text for text in texts if text)


def read_ir_dataset(name: str) -> Collection:
    """Read a collection by its `ir_datasets` id, such as `vaswani` or `beir/scifact/test`."""
    try:
        ir_datasets = importlib.import_module("ir_datasets")
    except ImportError:
        raise MissingExtraError("Reading ir_datasets", "eval") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        raise InputError(f"ir_datasets has no collection '{name}'. See https://ir-datasets.com") from None
    missing = [part for part in ("docs", "queries", "qrels") if not getattr(dataset, f"has_{part}")()]
    if missing:
        subsets = sorted(other for other in ir_datasets.registry if str(other).startswith(f"{name}/"))
        hint = f"Choose one of its subsets: {', '.join(subsets[:8])}." if subsets else "See https://ir-datasets.com"
        raise InputError(f"The collection '{name}' has no {missing[0]}. {hint}")
    try:
        return _collection(dataset, name)
    except (OSError, RuntimeError) as error:  # what the library raises when it cannot download
        raise InputError(f"ir_datasets cannot get '{name}': {error}") from None


def _collection(dataset: Any, name: str) -> Collection:
    def documents() -> Iterator[Patent]:
        for document in dataset.docs_iter():
            yield _record_patent(document, name)

    judgements = graded((one.query_id, printed_id(one.doc_id), int(one.relevance)) for one in dataset.qrels_iter())
    texts = {query.query_id: _record_text(query, "query_id") for query in dataset.queries_iter()}
    excluded = own_families({id_: OwnDocument("", text) for id_, text in texts.items()}, documents)
    kept, dropped = without_excluded(judgements, excluded)
    queries = tuple(Query(id_, text, printed_id(id_) if id_ in excluded else "") for id_, text in texts.items() if text)
    notes = (f"{counted(dropped, 'judgement')} of a query's own document left out",) if dropped else ()
    return Collection(
        name,
        documents,
        queries,
        kept,
        "document",
        excluded,
        notes,
        own_ids=lambda: spelled(document.doc_id for document in dataset.docs_iter()),
    )


def _record_patent(document: Any, name: str) -> Patent:
    title = " ".join(str(getattr(document, "title", "") or "").split())
    body = " ".join(_record_text(document, "doc_id").split())
    if title and body.startswith(title):  # the library's text begins with the title where there is one
        body = body.removeprefix(title).lstrip()
    text = (Paragraph(body, passage_xpath("abstract", "p", 1)),) if body else ()
    return Patent(id=printed_id(document.doc_id), title=title, abstract=text, source=name, format="ir_datasets")


def _record_text(record: Any, id_field: str) -> str:
    """Return the text that the library itself gives of a document or query; of the few kinds without one, all texts."""
    if hasattr(record, "default_text"):
        return str(record.default_text()).strip()
    values = (getattr(record, field) for field in record._fields if field != id_field)
    return "\n".join(value for value in values if isinstance(value, str)).strip()
