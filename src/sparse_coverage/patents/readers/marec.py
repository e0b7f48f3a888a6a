"""CLEF-IP and MAREC: `patent-document`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import language_of
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import bibliography
from sparse_coverage.patents.readers.body import read_body
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import compact, iso_date, publication_id


def read(root: Any, context: ReadContext) -> Patent:
    """Read one `patent-document`."""
    country, number, kind = (compact(root.get(name)) for name in ("country", "doc-number", "kind"))
    document = (root.get("ucid") or "").strip() or publication_id(country, number, kind)
    language = language_of(root)
    data = root.find("bibliographic-data")
    data = root if data is None else data
    body = read_body(root, context, document, language, nested_paths=True)
    return Patent(
        id=document,
        title=bibliography.title(data, context.language, language),
        abstract=body.abstract,
        claims=body.claims,
        description=body.description,
        country=country or document.partition("-")[0],
        kind=kind,
        language=body.language or language,
        publication_date=iso_date(root.get("date")) or bibliography.earliest(data, "publication-reference//date"),
        application_date=bibliography.earliest(data, "application-reference//date"),
        priority_date=bibliography.earliest(data, "priority-claims//date"),
        ipc=bibliography.international_classes(data),
        cpc=bibliography.cooperative_classes(data),
        family=compact(root.get("family-id")),
        applicants=bibliography.party_names(data, ".//applicants/applicant"),
        citations=bibliography.cited_documents(data, ".//citations"),
        source=context.file,
    )
