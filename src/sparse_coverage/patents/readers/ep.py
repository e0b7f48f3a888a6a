"""EPO full text, ST.36: `ep-patent-document` (DTD 1.0 to 1.5.1). Its bibliographic data has numbered names (INID codes)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sparse_coverage.patents.languages import choose_part, language_code, language_of
from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.bibliography import part_of
from sparse_coverage.patents.readers.body import read_body
from sparse_coverage.patents.readers.text import element_text
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date

_CITED = re.compile(r"([A-Z]{2})\s*-\s*([A-Z]\d?)\s*-\s*([A-Z]{0,2}[\d\s/.]*\d)")


def read(root: Any, context: ReadContext) -> Patent:
    """Read one publication: application (A), specification (B) or correction."""
    data = part_of(root, "SDOBI")
    number = compact(root.get("doc-number")) or compact(data.findtext("B100/B110"))
    kind = compact(root.get("kind")) or compact(data.findtext("B100/B130"))
    document = publication_id("EP", number, kind)
    language = language_of(root) or language_of(data)
    body = read_body(root, context, document, language)
    priorities = (iso_date(date.text) for date in data.iterfind("B300/B320/date"))
    return Patent(
        id=document,
        title=_title(data, context.language, language),
        abstract=body.abstract,
        claims=body.claims,
        description=body.description,
        country="EP",
        kind=kind,
        language=body.language or language,
        publication_date=iso_date(root.get("date-publ")) or iso_date(data.findtext("B100/B140/date")),
        application_date=iso_date(data.findtext("B200/B220/date")),
        priority_date=min(filter(None, priorities), default=""),
        ipc=distinct(_classes(data)),
        cpc=distinct(class_symbol(e.findtext("text") or e.text) for e in data.iter("classification-cpc")),
        applicants=distinct(
            element_text(name) for path in ("B700/B710/B711/snm", "B700/B730/B731/snm") for name in data.iterfind(path)
        ),
        inventors=distinct(element_text(name) for name in data.iterfind("B700/B720/B721/snm")),
        citations=distinct(_citation(text) for text in data.iterfind("B500/B560/B561/text")),
        source=context.file,
    )


def _title(data: Any, wanted: str, document_language: str) -> str:
    """Read the titles, which come as pairs of a language (B541) and a text (B542)."""
    titles: list[tuple[str, str]] = []
    language = ""
    for element in data.iterfind("B500/B540/*"):
        if element.tag == "B541":
            language = language_code(element.text)
        elif element.tag == "B542" and (text := element_text(element)):
            titles.append((language, text))
    position = choose_part(titles, wanted, document_language)
    return titles[position][1] if position is not None else ""


def _classes(data: Any) -> Iterator[str]:
    for element in data.iterfind("B500/B510/*"):
        yield class_symbol(element.text)
    for element in data.iterfind("B500/B510EP/classification-ipcr"):
        yield class_symbol(element.findtext("text") or element.text)


def _citation(element: Any) -> str:
    """Return `US-A- 5 948 634` as `US-5948634-A`; what has another form stays as it is printed."""
    text = element_text(element)
    match = _CITED.match(text)
    return publication_id(match[1], re.sub(r"[\s/.]", "", match[3]), match[2]) if match else text
