"""USPTO applications of 2001 to 2004 (v1.5): `patent-application-publication`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.body import flat_paragraphs, read_claims
from sparse_coverage.patents.context import ReadContext, ReadError
from sparse_coverage.patents.languages import accepts
from sparse_coverage.patents.text import element_text
from sparse_coverage.patents.types import Paragraph, Patent
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date, publication_id

_LANGUAGE = "en"


def read(root: Any, context: ReadContext) -> Patent:
    """Read one application."""
    data = root.find("subdoc-bibliographic-information")
    data = root if data is None else data
    kind = compact(data.findtext("document-id/kind-code"))
    document = publication_id("US", data.findtext("document-id/doc-number"), kind)
    if not accepts(context.language, _LANGUAGE):
        raise ReadError(
            f"no part in the wanted language ({context.language}): it is in {_LANGUAGE}.", document=document
        )
    technical = data.find("technical-information")
    technical = data if technical is None else technical
    title = technical.find("title-of-invention")
    paths = ("foreign-priority-data/filing-date", "continuity-data//parent/document-id/document-date")
    provisional = "continuity-data/non-provisional-of-provisional/document-id/document-date"
    priorities = (iso_date(e.text) for path in (*paths, provisional) for e in data.iterfind(path))
    return Patent(
        id=document,
        title=element_text(title) if title is not None else "",
        abstract=_paragraphs(root, "subdoc-abstract", "abstract"),
        claims=read_claims(root.iterfind("subdoc-claims/claim")),
        description=_paragraphs(root, "subdoc-description", "description"),
        country="US",
        kind=kind,
        language=_LANGUAGE,
        publication_date=iso_date(data.findtext("document-id/document-date")),
        application_date=iso_date(data.findtext("domestic-filing-data/filing-date")),
        priority_date=min(filter(None, priorities), default=""),
        ipc=distinct(class_symbol(e.text) for e in technical.iterfind("classification-ipc//ipc")),
        applicants=distinct(element_text(e) for e in data.iterfind("assignee/organization-name")),
        source=context.file,
    )


def _paragraphs(root: Any, tag: str, part: str) -> tuple[Paragraph, ...]:
    section = root.find(tag)
    return () if section is None else tuple(flat_paragraphs(section, part, "paragraph"))
