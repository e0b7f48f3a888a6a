"""WIPO full text of international applications: `wo-published-application`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import language_code, language_of
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import bibliography
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import compact


def read(root: Any, context: ReadContext) -> Patent:
    """Read one published application. Parts that exist as page images only have no text to read; this is noted."""
    data = bibliography.part_of(root, "wo-bibliographic-data", "bibliographic-data")
    document = bibliography.document_id(data.find("publication-reference"))
    language = language_of(root) or language_code(data.findtext("language-of-publication"))
    patent = bibliography.st36_patent(
        root,
        data,
        context,
        document,
        language,
        country="WO",
        kind=compact(data.findtext("publication-reference/document-id/kind")),
        publication_date=bibliography.earliest(data, "publication-reference//date"),
        application_date=bibliography.earliest(data, "application-reference//date"),
        priority_date=bibliography.earliest(data, "priority-claims//date", "wo-priority-info//date"),
        applicants=bibliography.party_names(data, "parties/applicants/applicant"),
        inventors=bibliography.party_names(data, "parties/inventors/inventor"),
        citations=bibliography.cited_documents(data, ".//citations"),
    )
    for part in ("description", "claims"):
        if root.find(f"{part}//doc-page") is not None and not getattr(patent, part):
            context.report_note(f"left out: {part}, which is there as page images only", document=document)
    return patent
