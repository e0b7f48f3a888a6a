"""USPTO since 2005 (v4.0 to v4.7): `us-patent-grant` and `us-patent-application`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import language_of
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import bibliography
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
    data = bibliography.part_of(root, "us-bibliographic-data-grant", "us-bibliographic-data-application")
    document = bibliography.document_id(data.find("publication-reference"))
    language = language_of(root) or "en"
    return bibliography.st36_patent(
        root,
        data,
        context,
        document,
        language,
        country="US",
        kind=compact(data.findtext("publication-reference/document-id/kind")),
        publication_date=bibliography.earliest(data, "publication-reference//date") or iso_date(root.get("date-publ")),
        application_date=bibliography.earliest(data, "application-reference/document-id/date"),
        priority_date=bibliography.earliest(data, *_PRIORITIES),
        applicants=bibliography.party_names(
            data, "us-parties/us-applicants/us-applicant", "parties/applicants/applicant", "assignees/assignee"
        ),
        inventors=bibliography.party_names(
            data,
            "us-parties/inventors/inventor",
            "parties/inventors/inventor",
            "parties/applicants/applicant[@app-type='applicant-inventor']",
        ),
        citations=bibliography.cited_documents(data, "us-references-cited", "references-cited"),
    )
