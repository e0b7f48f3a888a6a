"""What an index takes and gives back: documents, and passages with their sparse vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sparse_coverage.patents.patent import Passage
from sparse_coverage.vectors.sparse_vector import SparseVector


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document's id, title and metadata (anything JSON can hold).

    Filters read these entries of the metadata, where they are: `publication_date`, `priority_date`, `ipc`, `cpc`,
    `country`, `kind`, `language`, `family`, `family_members`, `applicants`, `inventors`.
    """

    id: str
    title: str
    metadata: Mapping[str, Any]


def strings(value: Any) -> list[str]:
    """Return an entry of the metadata as a list, whether it is one text, several, or not there."""
    if isinstance(value, str):
        return [value] if value else []
    return [str(part) for part in value or ()]


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """One indexed passage: a paragraph or claim or a part of one, or a section or whole document where the index was built by these.

    `number` is that of the paragraph (`0034`) or claim, where one is printed.
    """

    id: str
    document: str
    section: str
    text: str
    number: str = ""

    @classmethod
    def of(cls, passage: Passage) -> PassageRecord:
        """Return what an index keeps of a passage of a patent."""
        return cls(passage.id, passage.document, passage.section, passage.text, passage.number)


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage together with its sparse vector."""

    passage: PassageRecord
    vector: SparseVector
