"""What a user may give as a document: a patent, a plain text, or a text with an id of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Paragraph, Patent
from sparse_coverage.patents.xpath import passage_xpath

Document = Patent | str | tuple[str, str]
"""A patent, a plain text, or an (id, text) pair."""


def as_patents(documents: Iterable[Document]) -> Iterator[Patent]:
    """Yield each document as a patent. A text becomes a description of one paragraph; without an id, its position is its id.

    >>> [patent.id for patent in as_patents(["A valve.", ("pump", "A pump."), Patent("EP-1-A1")])]
    ['0', 'pump', 'EP-1-A1']
    """
    return (as_patent(document, number) for number, document in enumerate(several(documents)))


def several(documents: Iterable[Document]) -> Iterable[Document]:
    """Return the documents, and refuse a single text, whose letters would be taken for documents."""
    if isinstance(documents, str):
        raise InputError(
            f"Documents are a list of patents, texts or (id, text) pairs; this is one text: '{documents[:40]}'. "
            "Put it into a list, or read the files of that name with read_patents."
        )
    return documents


def as_patent(document: Document, number: int) -> Patent:
    """Return the document at a position as a patent."""
    if isinstance(document, Patent):
        return document
    pair = (str(number), document) if isinstance(document, str) else document
    if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
        raise InputError(f"A document is a patent, a text or an (id, text) pair, not {document!r:.80}.")
    return Patent(pair[0], description=(Paragraph(pair[1], passage_xpath("description", "p", 1)),))
