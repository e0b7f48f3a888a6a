"""WIPO full text of international applications: `wo-published-application`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import language_code, language_of
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import bibliography
from sparse_coverage.patents.readers.body import read_body
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import compact


def read(root: Any, context: ReadContext) -> Patent:
    """Read one published application. Parts that exist as page images only have no text to read; this is noted."""
    data = root.find("wo-bibliographic-data")
    if data is None:
        data = root.find("bibliographic-data")
    data = root if data is None else data
    document = bibliography.document_id(data.find("publication-reference"))
    language = language_of(root) or language_code(data.findtext("language-of-publication"))
    body = read_body(root, context, document, language)
    for part in ("description", "claims"):
        if root.find(f"{part}//doc-page") is not None and not getattr(body, part):
            context.report_note(f"left out: {part}, which is there as page images only", document=document)
    return Patent(
        id=document,
        title=bibliography.title(data, context.language, language),
        abstract=body.abstract,
        claims=body.claims,
        description=body.description,
        country="WO",
        kind=compact(data.findtext("publication-reference/document-id/kind")),
        language=body.language or language,
        publication_date=bibliography.earliest(data, "publication-reference//date"),
        application_date=bibliography.earliest(data, "application-reference//date"),
        priority_date=bibliography.earliest(data, "priority-claims//date", "wo-priority-info//date"),
        ipc=bibliography.international_classes(data),
        cpc=bibliography.cooperative_classes(data),
        applicants=bibliography.party_names(data, "parties/applicants/applicant"),
        citations=bibliography.cited_documents(data, ".//citations"),
        source=context.file,
    )
