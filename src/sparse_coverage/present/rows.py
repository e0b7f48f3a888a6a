"""The columns of tables: what is said of a document and of a passage in CSV and Excel files, whatever they report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sparse_coverage.present.office import Stretch, ground
from sparse_coverage.present.office_sheet import Sheet, Value
from sparse_coverage.present.pieces import cut_at, passage_marks
from sparse_coverage.present.places import cited_place, listed, reason_rows
from sparse_coverage.search.results import PassageHit, Reasons
from sparse_coverage.workspace.links import public_links

WIDTHS: Mapping[str, float] = {
    "rank": 6, "document": 17, "title": 26, "score": 8, "mark": 9, "category": 9, "note": 24, "published": 11, "priority": 11, "filed": 11,
    "classes": 14, "applicants": 16, "family": 14, "found by": 22, "place": 16, "passage score": 8, "passage": 70,
    "mark of the passage": 11, "note on the passage": 30, "reasons": 34, "not found": 22, "index": 11, "search": 7, "when": 17,
    "query": 60, "filters": 26, "ranking": 20, "found": 16, "Espacenet": 10, "Google Patents": 10,
}  # fmt: skip
"""The columns there are, and how wide each is, in characters."""
_FACTS = {
    "published": "publication_date",
    "priority": "priority_date",
    "filed": "application_date",
    "classes": "ipc",
    "applicants": "applicants",
    "family": "family_members",
}
_REASONS = 6


def document_values(id_: str, title: str, metadata: Mapping[str, Any]) -> dict[str, Value]:
    """Return what the columns say of a document."""
    known: dict[str, Value] = {column: listed(metadata.get(name) or "") for column, name in _FACTS.items()}
    if not known["classes"]:
        known["classes"] = listed(metadata.get("cpc") or "")
    return {"document": id_, "title": title, **known, **public_links(id_)}


def passage_values(passage: PassageHit, reasons: Reasons | None) -> dict[str, Value]:
    """Return what the columns say of a passage."""
    return {
        "place": cited_place(passage.section, passage.number, passage.id),
        "passage": passage.text,
        "reasons": reasons_line(reasons) if reasons else "",
    }


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Value]]) -> list[list[Value]]:
    """Return rows as lists in the order of the columns."""
    return [[row.get(name) for name in columns] for row in rows]


def sheet(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, Value]]) -> Sheet:
    """Return a sheet with these columns; addresses become links."""
    linked = [
        {key: Stretch("open", link=str(value)) if key in _LINKED and value else value for key, value in row.items()}
        for row in rows
    ]
    return Sheet(name, columns, table(columns, linked), [WIDTHS[column] for column in columns])


_LINKED = ("Espacenet", "Google Patents")


def reasons_line(reasons: Reasons) -> str:
    """Return reasons in one line; what they add is the score of the passage."""
    rows = reason_rows(reasons, _REASONS)
    return "; ".join(f"{asked} ↔ {found} {adds:.3f}".removeprefix(" ↔ ") for asked, found, adds in rows)


def marked_stretches(text: str, reasons: Reasons | None) -> list[Stretch]:
    """Return a passage with its matched phrases on coloured ground: the more one adds, the deeper."""
    return [
        Stretch(one.text, ground=ground(one.strength) if one.strength else "")
        for one in cut_at(text, passage_marks(reasons))
    ]
