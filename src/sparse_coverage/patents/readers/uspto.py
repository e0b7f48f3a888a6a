"""USPTO since 2005 (v4.0 to v4.7): `us-patent-grant` and `us-patent-application`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import language_of
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import bibliography
from sparse_coverage.patents.readers.body import read_body
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import compact, iso_date

# The earliest date that a US patent claims: foreign priority, a provisional, or a parent in its chain of continuity.
_PRIORITIES = (
    "priority-claims/priority-claim/date",
    "us-related-documents/us-provisional-application/document-id/date",
    "us-related-documents//parent-doc/document-id/date",
)


def read(root: Any, context: ReadContext) -> Patent:
    """Read one grant or application."""
    data = root.find("us-bibliographic-data-grant")
    if data is None:
        data = root.find("us-bibliographic-data-application")
    data = root if data is None else data
    reference = data.find("publication-reference")
    document = bibliography.document_id(reference)
    language = language_of(root) or "en"
    body = read_body(root, context, document, language)
    return Patent(
        id=document,
        title=bibliography.title(data, context.language, language),
        abstract=body.abstract,
        claims=body.claims,
        description=body.description,
        country="US",
        kind=compact(data.findtext("publication-reference/document-id/kind")),
        language=body.language or language,
        publication_date=bibliography.earliest(data, "publication-reference//date") or iso_date(root.get("date-publ")),
        application_date=bibliography.earliest(data, "application-reference/document-id/date"),
        priority_date=bibliography.earliest(data, *_PRIORITIES),
        ipc=bibliography.international_classes(data),
        cpc=bibliography.cooperative_classes(data),
        applicants=bibliography.party_names(
            data, "us-parties/us-applicants/us-applicant", "parties/applicants/applicant", "assignees/assignee"
        ),
        citations=bibliography.cited_documents(data, "us-references-cited", "references-cited"),
        source=context.file,
    )
