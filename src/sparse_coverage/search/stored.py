"""A document as an index keeps it, put together again: to be read in full, and to be searched with."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sparse_coverage.errors import NoDocumentError
from sparse_coverage.index import IndexStore, PassageRecord
from sparse_coverage.patents.patent import ROOT, Claim, Paragraph, Patent, passage_xpath

_PIECE = re.compile(r":\d+$")


def require_document(store: IndexStore, id_: str) -> int:
    """Return the number of a document, in whatever spelling its publication number is given."""
    number = store.find_document(id_)
    if number is None:
        raise NoDocumentError(f"The index holds no document with the id '{id_}'{store.near(id_)}.")
    return number


def whole_id(id_: str) -> str:
    """Return the id of the paragraph or claim that a passage is, or is a piece of.

    >>> whole_id("EP-1-A1/description/p[3]:2")
    'EP-1-A1/description/p[3]'
    """
    return _PIECE.sub("", id_)


def paragraph_id(passage: PassageRecord) -> str:
    """Return the same for a passage of an index; one that is a whole document is itself."""
    return passage.id if passage.section == "document" else whole_id(passage.id)


def stored_passages(store: IndexStore, document: int) -> list[PassageRecord]:
    """Return the passages of a document; pieces that a paragraph or claim was cut into are one again."""
    found: list[PassageRecord] = []
    for number in store.passages_of(document):
        record = store.passage(number)
        whole = replace(record, id=paragraph_id(record))
        if found and whole.id == found[-1].id:
            found[-1] = replace(found[-1], text=f"{found[-1].text} {whole.text}")
        else:
            found.append(whole)
    return found


def stored_patent(store: IndexStore, document: int) -> Patent:
    """Return a document as a patent: what was indexed of it, and what is known about it.

    Where the index was built by section, claims are told apart by their order; by document, all text is its description.
    """
    record = store.document(document)
    parts: dict[str, list[PassageRecord]] = {"abstract": [], "claims": [], "description": [], "translation": []}
    for passage in stored_passages(store, document):
        if passage.section == "title+abstract":
            passage = replace(passage, section="abstract", text=passage.text.removeprefix(record.title).lstrip("\n"))
        if passage.section != "title" and passage.text:
            parts[passage.section if passage.section in parts else "description"].append(passage)
    known: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in record.metadata.items()
        if name in Patent.__dataclass_fields__
    }
    return Patent(
        record.id,
        record.title,
        abstract=_paragraphs(record.id, parts["abstract"]),
        claims=_claims(parts["claims"]),
        description=_paragraphs(record.id, parts["description"]),
        translations=_paragraphs(record.id, parts["translation"]),
        **known,
    )


def _paragraphs(document: str, passages: list[PassageRecord]) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(one.text, f"/{ROOT}{one.id.removeprefix(document)}", one.number) for one in passages)


def _claims(passages: list[PassageRecord]) -> tuple[Claim, ...]:
    from sparse_coverage.patents.claims import numbered_claims, referenced_claims

    if [one.number for one in passages] == [""]:  # all claims in one passage, one a line
        return numbered_claims(passages[0].text.split("\n"))
    claims: list[Claim] = []
    for place, one in enumerate(passages, 1):
        number = int(one.number or place)
        earlier = {claim.number for claim in claims}
        refers = tuple(other for other in referenced_claims(one.text, number) if other in earlier)
        claims.append(Claim(number, one.text, passage_xpath("claims", "claim", place), refers))
    return tuple(claims)
