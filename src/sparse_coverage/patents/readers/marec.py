"""CLEF-IP and MAREC: `patent-document`."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import language_of
from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import bibliography
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import compact, iso_date


def read(root: Any, context: ReadContext) -> Patent:
    """Read one `patent-document`."""
    country, number, kind = (compact(root.get(name)) for name in ("country", "doc-number", "kind"))
    document = (root.get("ucid") or "").strip() or publication_id(country, number, kind)
    language = language_of(root)
    data = bibliography.part_of(root, "bibliographic-data")
    return bibliography.st36_patent(
        root,
        data,
        context,
        document,
        language,
        nested_paths=True,
        country=country or document.partition("-")[0],
        kind=kind,
        publication_date=iso_date(root.get("date")) or bibliography.earliest(data, "publication-reference//date"),
        application_date=bibliography.earliest(data, "application-reference//date"),
        priority_date=bibliography.earliest(data, "priority-claims//date"),
        family=compact(root.get("family-id")),
        applicants=bibliography.party_names(data, ".//applicants/applicant"),
        inventors=bibliography.party_names(data, ".//inventors/inventor"),
        citations=bibliography.cited_documents(data, ".//citations"),
    )
