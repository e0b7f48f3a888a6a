"""A collection described in a small TOML file: where its documents, topics and judgements are.

documents = "collection/"          # anything that patents are read from
topics = "topics.txt"              # TREC topics, lines of id, tab, text, or a folder of patents
qrels = "qrels.txt"                # TREC judgements, or those of CLEF-IP before 2013
by = "passage"                     # optional: passage, paragraph, section or document
language = "en"                    # optional
topic_fields = ["title", "desc"]   # optional: of TREC topics; of patents: title, abstract, claims, description
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Collection, Query, judged_note
from sparse_coverage.evaluation.exclusions import Families, without_excluded
from sparse_coverage.evaluation.trec import read_qrels, read_topics
from sparse_coverage.patents import Patent, read_patents, section_text
from sparse_coverage.patents.passages import By

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

_KNOWN = {"documents", "topics", "qrels", "by", "language", "topic_fields"}
_PATENT_FIELDS = ("title", "abstract", "claims")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; a mistake in it is an error that names the place."""
    try:
        parsed: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return parsed
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML ({error}).") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None


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

    judgements = read_qrels(path.parent / about["qrels"])
    excluded: dict[str, frozenset[str]] = {}
    if topics.is_dir():
        own = {_topic_id(patent): patent for patent in read_patents(topics, language=language)}
        queries = tuple(Query(id_, _text(patent, fields), patent.id) for id_, patent in own.items())
        families = Families(documents())
        excluded = {id_: families.of(patent) for id_, patent in own.items()}
    else:
        queries = read_topics(topics, fields)
    kept, dropped = without_excluded(judgements, excluded)
    notes = [judged_note(queries, kept)]
    if dropped:
        notes.append(f"{dropped} judgements of a query's own family left out")
    return Collection(path.stem, documents, queries, kept, by, excluded, tuple(notes), problems=problems)


def _topic_fields(path: Path, about: dict[str, Any], usual: tuple[str, ...]) -> tuple[str, ...]:
    fields = about.get("topic_fields", list(usual))
    if not isinstance(fields, list) or not fields or not all(isinstance(field, str) for field in fields):
        raise InputError(f'{path}: topic_fields is a list of names, as in ["title", "desc"].')
    return tuple(fields)


def _topic_id(patent: Patent) -> str:
    """Return the topic of a file such as `PAC-1_EP-1233512-A1.xml`; otherwise the topic is called as the patent."""
    topic, underscore, _ = Path(patent.source).stem.partition("_")
    return topic if underscore else patent.id


def _text(patent: Patent, fields: tuple[str, ...]) -> str:
    unknown = [field for field in fields if field not in ("title", "abstract", "claims", "description")]
    if unknown:
        raise InputError(
            f"A patent has no field '{unknown[0]}': topic_fields are title, abstract, claims, description."
        )
    texts = (section_text(patent, field) for field in fields)  # type: ignore[arg-type]
    return "\n".join(text for text in texts if text)
