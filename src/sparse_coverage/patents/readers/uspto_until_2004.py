"""USPTO of 2001 to 2004, in English without saying so, and under names of its own.

Grants (v2.4, v2.5) are `PATDOC`, whose names come from SGML days; applications (v1.5) `patent-application-publication`.
"""

from __future__ import annotations

import re
from typing import Any

from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.patent import Paragraph, Patent
from sparse_coverage.patents.readers.st36 import earliest, part_of
from sparse_coverage.patents.readers.xml_text import element_text, flat_paragraphs, read_claims
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date

_LANGUAGE = "en"
_UNSLASHED = re.compile(r"\s*([A-H]\d{2}[A-Z])\s*(\d{1,2})(\d{2})\s*")


def read_grant(root: Any, context: ReadContext) -> Patent:
    """Read one grant."""
    data = part_of(root, "SDOBI")
    kind = _compact(data, "B100/B130")
    document = publication_id("US", _compact(data, "B100/B110"), kind)
    priorities = (iso_date(compact(element_text(e))) for e in data.xpath("B300/B320 | B600//PARENT-US//DATE"))
    return Patent(
        id=document,
        title=_text(data, "B500/B540"),
        abstract=_paragraphs(root, "SDOAB", "abstract", "PARA"),
        claims=read_claims(root.iterfind("SDOCL//CLM")),
        description=_paragraphs(root, "SDODE", "description", "PARA"),
        country="US",
        kind=kind,
        language=_LANGUAGE,
        publication_date=iso_date(_compact(data, "B100/B140")),
        application_date=iso_date(_compact(data, "B200/B220")),
        priority_date=min(filter(None, priorities), default=""),
        ipc=distinct(_class(element_text(e)) for e in data.iterfind("B500/B510/*")),
        applicants=distinct(_party_name(e) for e in data.iterfind("B700/B730//NAM")),
        inventors=distinct(_party_name(e) for e in data.iterfind("B700/B720//NAM")),
        citations=distinct(_citation(e) for e in data.iterfind("B500/B560/B561/PCIT/DOC")),
        source=context.file,
    )


def read_application(root: Any, context: ReadContext) -> Patent:
    """Read one application."""
    data = part_of(root, "subdoc-bibliographic-information")
    technical = part_of(data, "technical-information")
    kind = compact(data.findtext("document-id/kind-code"))
    document = publication_id("US", data.findtext("document-id/doc-number"), kind)
    parents = ("continuity-data//parent", "continuity-data/non-provisional-of-provisional")
    return Patent(
        id=document,
        title=_text(technical, "title-of-invention"),
        abstract=_paragraphs(root, "subdoc-abstract", "abstract", "paragraph"),
        claims=read_claims(root.iterfind("subdoc-claims/claim")),
        description=_paragraphs(root, "subdoc-description", "description", "paragraph"),
        country="US",
        kind=kind,
        language=_LANGUAGE,
        publication_date=iso_date(data.findtext("document-id/document-date")),
        application_date=iso_date(data.findtext("domestic-filing-data/filing-date")),
        priority_date=earliest(
            data, "foreign-priority-data/filing-date", *(f"{path}/document-id/document-date" for path in parents)
        ),
        ipc=distinct(class_symbol(e.text) for e in technical.iterfind("classification-ipc//ipc")),
        applicants=distinct(element_text(e) for e in data.iterfind("assignee/organization-name")),
        inventors=distinct(_inventor(e) for e in data.iterfind("inventors/*/name")),
        source=context.file,
    )


def _paragraphs(root: Any, section_tag: str, part: str, tag: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a section in document order, or none where there is no such section."""
    section = root.find(section_tag)
    return () if section is None else tuple(flat_paragraphs(section, part, tag))


def _text(data: Any, path: str) -> str:
    element = data.find(path)
    return "" if element is None else element_text(element)


def _compact(data: Any, path: str) -> str:
    return compact(_text(data, path))


def _class(text: str) -> str:
    """Read `E03C 104`, which leaves out the slash of E03C 1/04. With more digits the cut would be a guess."""
    match = _UNSLASHED.fullmatch(text)
    return f"{match[1]} {int(match[2])}/{match[3]}" if match else class_symbol(text)


def _party_name(name: Any) -> str:
    parts = (name.find(tag) for tag in ("ONM", "SNM", "FNM"))
    return ", ".join(element_text(part) for part in parts if part is not None)


def _inventor(name: Any) -> str:
    parts = (name.find(tag) for tag in ("family-name", "given-name"))
    return ", ".join(element_text(part) for part in parts if part is not None)


def _citation(cited: Any) -> str:
    country, number, kind = (_compact(cited, tag) for tag in ("CTRY", "DNUM", "KIND"))
    return publication_id(country or "US", number, kind)
