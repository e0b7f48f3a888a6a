"""USPTO applications of 2001 to 2004 (v1.5): `patent-application-publication`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.body import read_claims
from sparse_coverage.patents.readers.english_only import LANGUAGE, require_english, section_paragraphs
from sparse_coverage.patents.readers.text import element_text
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date, publication_id


def read(root: Any, context: ReadContext) -> Patent:
    """Read one application."""
    data = root.find("subdoc-bibliographic-information")
    data = root if data is None else data
    kind = compact(data.findtext("document-id/kind-code"))
    document = publication_id("US", data.findtext("document-id/doc-number"), kind)
    require_english(context, document)
    technical = data.find("technical-information")
    technical = data if technical is None else technical
    title = technical.find("title-of-invention")
    paths = ("foreign-priority-data/filing-date", "continuity-data//parent/document-id/document-date")
    provisional = "continuity-data/non-provisional-of-provisional/document-id/document-date"
    priorities = (iso_date(e.text) for path in (*paths, provisional) for e in data.iterfind(path))
    return Patent(
        id=document,
        title=element_text(title) if title is not None else "",
        abstract=section_paragraphs(root, "subdoc-abstract", "abstract", "paragraph"),
        claims=read_claims(root.iterfind("subdoc-claims/claim")),
        description=section_paragraphs(root, "subdoc-description", "description", "paragraph"),
        country="US",
        kind=kind,
        language=LANGUAGE,
        publication_date=iso_date(data.findtext("document-id/document-date")),
        application_date=iso_date(data.findtext("domestic-filing-data/filing-date")),
        priority_date=min(filter(None, priorities), default=""),
        ipc=distinct(class_symbol(e.text) for e in technical.iterfind("classification-ipc//ipc")),
        applicants=distinct(element_text(e) for e in data.iterfind("assignee/organization-name")),
        source=context.file,
    )
