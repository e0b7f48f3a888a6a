"""From a flat record (a line of JSON, a row of CSV) to a patent. The schema is described in docs/patents.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sparse_coverage.patents.claims import numbered_claims, split_claims
from sparse_coverage.patents.context import ReadContext, ReadError
from sparse_coverage.patents.languages import accepts, language_code
from sparse_coverage.patents.paragraphs import split_paragraphs
from sparse_coverage.patents.types import Claim, Paragraph, Patent
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date
from sparse_coverage.patents.xpath import passage_xpath

# Where a record keeps its id, and where its text can be.
ID_FIELDS = ("id", "_id", "publication_id", "publication_number", "ucid")
TEXT_FIELDS = ("title", "abstract", "text", "claims", "description")
_COUNTRY = re.compile(r"([A-Z]{2})-?(?:D|RE|PP|H|T|AI|X)?\d")
_KIND = re.compile(r"\d-?([A-Z]\d?)$")
_SEPARATORS = re.compile(r"[;|]")


def read_record(record: Mapping[str, Any], context: ReadContext, format_name: str) -> Patent:
    """Read one record."""
    document = next((compact(str(record[field])) for field in ID_FIELDS if record.get(field) not in (None, "")), "")
    if not document:
        raise ReadError("no publication id. Give each record an `id` (or `_id`) such as EP-0661903-A2.")
    language = language_code(_text(record, document, "lang", "language"))
    if not accepts(context.language, language):
        cause = f"no part in the wanted language ({context.language}): it is in {language}."
        raise ReadError(cause, document=document)
    country, kind = _COUNTRY.match(document), _KIND.search(document)
    family = record.get("family")
    return Patent(
        id=document,
        title=" ".join(_text(record, document, "title").split()),
        abstract=_paragraphs(record, document, "abstract", "text"),
        claims=_claims(record, document),
        description=_paragraphs(record, document, "description"),
        country=_text(record, document, "country") or (country[1] if country else ""),
        kind=_text(record, document, "kind") or (kind[1] if kind else ""),
        language=language,
        publication_date=iso_date(_text(record, document, "publication_date", "date")),
        application_date=iso_date(_text(record, document, "application_date", "filing_date")),
        priority_date=iso_date(_text(record, document, "priority_date")),
        ipc=_symbols(record, document, "ipc"),
        cpc=_symbols(record, document, "cpc"),
        family=family if isinstance(family, str) else "",
        family_members=distinct(
            _strings(record, document, "family_members")
            + (_strings(record, document, "family") if isinstance(family, list) else [])
        ),
        applicants=distinct(_strings(record, document, "applicants")),
        citations=distinct(_strings(record, document, "citations")),
        source=context.file,
        format=format_name,
    )


def _text(record: Mapping[str, Any], document: str, *fields: str) -> str:
    """Return the first of several fields that is there."""
    for field in fields:
        value = record.get(field)
        if value is None or value == "":
            continue
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise ReadError(f"`{field}` is a {type(value).__name__}; expected a string.", document=document)
        return str(value)
    return ""


def _strings(record: Mapping[str, Any], document: str, field: str) -> list[str]:
    value = record.get(field)
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in _SEPARATORS.split(value)]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return [part.strip() for part in value]
    raise ReadError(f"`{field}` is a {type(value).__name__}; expected a list of strings.", document=document)


def _symbols(record: Mapping[str, Any], document: str, field: str) -> tuple[str, ...]:
    parts = [part for value in _strings(record, document, field) for part in _SEPARATORS.split(value)]
    return distinct([class_symbol(part) for part in parts])


def _paragraphs(record: Mapping[str, Any], document: str, part: str, *others: str) -> tuple[Paragraph, ...]:
    """Read a list as one paragraph an entry, a string as `split_paragraphs` cuts it.

    An empty entry of a list counts in the numbering, and so does an empty line of an `abstract`.
    """
    field = next((field for field in (part, *others) if record.get(field)), part)
    value = record.get(field) or ""
    if isinstance(value, str):
        pieces = [("", line) for line in value.split("\n")] if field == "abstract" else split_paragraphs(value)
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        pieces = [("", text) for text in value]
    else:
        raise ReadError(f"`{field}` must be a string or a list of strings.", document=document)
    found = []
    for index, (number, raw) in enumerate(pieces, start=1):
        if text := " ".join(raw.split()):
            found.append(Paragraph(text, passage_xpath(part, "p", index), number))
    return tuple(found)


def _claims(record: Mapping[str, Any], document: str) -> tuple[Claim, ...]:
    value = record.get("claims") or []
    if isinstance(value, str):
        texts = split_claims(value)
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        texts = value
    else:
        raise ReadError("`claims` must be a list of strings, or one string of numbered claims.", document=document)
    return numbered_claims(texts)
