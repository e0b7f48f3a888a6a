"""What an index holds: a document put together again, to be read in full and to be searched with, and everything counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import NoDocumentError
from sparse_coverage.index import IndexStore, PassageRecord
from sparse_coverage.index.stored_fields import DATES, TERM_FIELDS
from sparse_coverage.kernels import Mask
from sparse_coverage.patents.patent import ROOT, Claim, Paragraph, Patent, passage_xpath
from sparse_coverage.search.own_model import MODEL_FOLDER

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
    numbers = store.passages_of(document)
    segment = store.segment_of_document(document)
    first = numbers.start - segment.first_passage
    found: list[PassageRecord] = []
    for record in segment.texts.passages_between(first, first + len(numbers)):
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


FIELDS = tuple(name for name, field in TERM_FIELDS.items() if field.counted)


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The counts. `encoded` documents are found by more than their words. `years` are those of publication.

    `undated` documents have no date of publication. Sizes are in bytes.
    """

    documents: int
    encoded: int
    passages: int
    deleted: int
    segments: int
    generation: int
    by: str
    first_date: str
    last_date: str
    undated: int
    years: dict[str, int]
    fields: dict[str, dict[str, int]]
    classes: dict[str, int]
    sections: dict[str, int]
    sizes: dict[str, int]


def summary_of(store: IndexStore) -> IndexSummary:
    """Count what an index holds; deleted documents do not count."""
    dates: list[int] = []
    fields: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    classes: Counter[str] = Counter()
    sections: Counter[str] = Counter()
    for segment in store.segments:
        live = segment.live_documents
        dates += segment.facts.dates[live, DATES.index("publication_date")].tolist()
        seen: dict[str, set[int]] = {}
        for term, documents in _terms(segment.facts, live):
            name, _, value = term.partition("=")
            if name in fields:
                fields[name][value] += len(documents)
            elif name in ("ipc", "cpc"):
                seen.setdefault(value[:4], set()).update(documents)
        classes.update({symbol: len(documents) for symbol, documents in seen.items()})
        counts = np.bincount(segment.sections[segment.live_passages], minlength=len(segment.section_names))
        sections.update(dict(zip(segment.section_names, counts.tolist(), strict=True)))
    known = sorted(date for date in dates if date)
    return IndexSummary(
        documents=store.state.documents,
        encoded=store.state.encoded_documents,
        passages=store.state.passages,
        deleted=sum(entry.deleted_documents for entry in store.state.segments),
        segments=len(store.segments),
        generation=store.state.generation,
        by=str(store.state.about.get("by", "")),
        first_date=_iso(known[0]) if known else "",
        last_date=_iso(known[-1]) if known else "",
        undated=len(dates) - len(known),
        years={str(year): count for year, count in sorted(Counter(date // 10_000 for date in known).items())},
        fields={name: dict(counts.most_common()) for name, counts in fields.items()},
        classes=dict(classes.most_common()),
        sections={name: count for name, count in sections.most_common() if count},
        sizes=_sizes(store.folder),
    )


def _terms(facts: Any, live: Mask) -> Any:
    """Yield the terms that filters look up, each with its live documents."""
    for place, term in enumerate(facts.terms):
        documents = facts.term_documents[facts.term_offsets[place] : facts.term_offsets[place + 1]]
        yield term, documents[live[documents]].tolist()


def _iso(date: int) -> str:
    return f"{date // 10_000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"


def _sizes(folder: Path) -> dict[str, int]:
    """Return the bytes of the segments, the model and each side."""
    places = {"segments": folder / "segments", "model": folder / MODEL_FOLDER}
    places |= {f"{path.name} side": path for path in sorted((folder / "sides").glob("*")) if path.is_dir()}
    return {
        name: sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) for name, place in places.items()
    }
