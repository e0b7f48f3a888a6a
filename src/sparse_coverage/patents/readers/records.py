"""From a flat record (a line of JSON, a row of CSV) to a patent. The schema is described in docs/patents.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sparse_coverage.patents.claims import numbered_claims, split_claims
from sparse_coverage.patents.languages import accepts, language_code
from sparse_coverage.patents.numbers import printed_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent
from sparse_coverage.patents.readers.paragraphs import split_paragraphs
from sparse_coverage.patents.reading.context import ReadContext, ReadError
from sparse_coverage.patents.values import class_symbol, distinct, iso_date
from sparse_coverage.patents.xpath import passage_xpath

# Where a record keeps its id, and where its text can be.
ID_FIELDS = ("id", "_id", "publication_id", "publication_number", "ucid")
TEXT_FIELDS = ("title", "abstract", "text", "claims", "description")
_COUNTRY = re.compile(r"([A-Z]{2})-?(?:D|RE|PP|H|T|AI|X)?\d")
_KIND = re.compile(r"\d-?([A-Z]\d?)$")
_SEPARATORS = re.compile(r"[;|]")
# Ways to say that a text is not there. False and 0 are none of them.
_NOTHING: tuple[object, ...] = (None, "", [])


def read_record(record: Mapping[str, Any], context: ReadContext, format_name: str) -> Patent:
    """Read one record."""
    document = printed_id(_text(record, "", *ID_FIELDS))
    if not document:
        raise ReadError("no publication id. Give each record an `id` (or `_id`) such as EP-0661903-A2.")
    language = language_code(_text(record, document, "lang", "language"))
    if not accepts(context.language, language):
        cause = f"no part in the wanted language ({context.language}): it is in {language}."
        raise ReadError(cause, document=document)
    country, kind = _COUNTRY.match(document), _KIND.search(document)
    listed = isinstance(record.get("family"), list)
    patent = Patent(
        id=document,
        title=" ".join(_text(record, document, "title").split()),
        abstract=_paragraphs(record, document, "abstract", "text"),
        claims=_claims(record, document),
        description=_paragraphs(record, document, "description"),
        country=_text(record, document, "country") or (country[1] if country else ""),
        kind=_text(record, document, "kind") or (kind[1] if kind else ""),
        language=language,
        publication_date=_date(record, context, document, "publication_date", "date"),
        application_date=_date(record, context, document, "application_date", "filing_date"),
        priority_date=_date(record, context, document, "priority_date"),
        ipc=_symbols(record, document, "ipc"),
        cpc=_symbols(record, document, "cpc"),
        family="" if listed else _text(record, document, "family"),
        family_members=_numbers(record, document, "family_members", *(["family"] if listed else [])),
        applicants=distinct(_strings(record, document, "applicants") or _strings(record, document, "applicant")),
        inventors=distinct(_strings(record, document, "inventors") or _strings(record, document, "inventor")),
        citations=_numbers(record, document, "citations"),
        source=context.file,
        format=format_name,
    )
    if not (patent.title or patent.abstract or patent.claims or patent.description):
        context.report_note(f"it holds no text: none of {', '.join(TEXT_FIELDS)}", document)
    return patent


def kind_of(value: object) -> str:
    """Say what kind of value JSON holds, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _text(record: Mapping[str, Any], document: str, *fields: str) -> str:
    """Return the first of several fields that is there."""
    for field in fields:
        value = record.get(field)
        if value is None or value == "":
            continue
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise ReadError(f"`{field}` is {kind_of(value)}; expected a string.", document=document)
        return str(value)
    return ""


def _strings(record: Mapping[str, Any], document: str, field: str) -> list[str]:
    """Return the entries of a list, or of a string with separators."""
    value = record.get(field)
    if value is None:
        return []
    parts = (
        _SEPARATORS.split(value) if isinstance(value, str) else _entries(value, document, field, "a list of strings")
    )
    return [part.strip() for part in parts]


def _numbers(record: Mapping[str, Any], document: str, *fields: str) -> tuple[str, ...]:
    """Return the publication numbers in some lists, each in its one form."""
    return distinct(printed_id(entry) for field in fields for entry in _strings(record, document, field))


def _entries(value: object, document: str, field: str, expected: str) -> list[str]:
    """Return a list of strings; anything else is an error that says what it is."""
    if not isinstance(value, list):
        raise ReadError(f"`{field}` is {kind_of(value)}; expected {expected}.", document=document)
    for number, entry in enumerate(value, start=1):
        if not isinstance(entry, str):
            cause = f"entry {number} of `{field}` is {kind_of(entry)}; expected a string."
            raise ReadError(cause, document=document)
    return value


def _date(record: Mapping[str, Any], context: ReadContext, document: str, *fields: str) -> str:
    written = _text(record, document, *fields)
    date = iso_date(written)
    if written.strip() and not date:
        expected = "expected a form like 2002-06-12, 20020612 or 12.06.2002"
        context.report_note(f"left out: the {fields[0]} {written!r}, which is no date; {expected}", document)
    return date


def _symbols(record: Mapping[str, Any], document: str, field: str) -> tuple[str, ...]:
    parts = [part for value in _strings(record, document, field) for part in _SEPARATORS.split(value)]
    return distinct([class_symbol(part) for part in parts])


def _paragraphs(record: Mapping[str, Any], document: str, part: str, *others: str) -> tuple[Paragraph, ...]:
    """Read a list as one paragraph an entry, a string as `split_paragraphs` cuts it.

    An empty entry of a list counts in the numbering, and so does an empty line of an `abstract`.
    """
    field = next((field for field in (part, *others) if record.get(field) not in _NOTHING), part)
    value = record.get(field)
    if value in _NOTHING:
        return ()
    if isinstance(value, str):
        pieces = [("", line) for line in value.split("\n")] if field == "abstract" else split_paragraphs(value)
    else:
        pieces = [("", text) for text in _entries(value, document, field, "a string or a list of strings")]
    found = []
    for index, (number, raw) in enumerate(pieces, start=1):
        if text := " ".join(raw.split()):
            found.append(Paragraph(text, passage_xpath(part, "p", index), number))
    return tuple(found)


def _claims(record: Mapping[str, Any], document: str) -> tuple[Claim, ...]:
    value = record.get("claims")
    if value in _NOTHING:
        return ()
    if isinstance(value, str):
        return numbered_claims(split_claims(value))
    expected = "a list of strings, or one string of numbered claims"
    return numbered_claims(_entries(value, document, "claims", expected))
