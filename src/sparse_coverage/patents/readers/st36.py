"""Patents under the names of the WIPO standards, and their bibliographic data.

ST.36: CLEF-IP and MAREC, USPTO since 2005, WIPO, EPO. ST.96, with newer names: the offices of Japan, Canada and others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparse_coverage.patents.claims import make_claims
from sparse_coverage.patents.numbers import number_key, publication_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent
from sparse_coverage.patents.readers.xml_text import (
    Body,
    chosen_body,
    element_text,
    flat_paragraphs,
    read_body,
    text_at,
    texts_at,
)
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date
from sparse_coverage.text.languages import choose_part, language_code, language_of

_SYMBOL_PARTS = ("section", "class", "subclass", "main-group", "subgroup")
# Classes of the searched field, of cited documents and of national schemes are not the patent's own.
_FOREIGN = frozenset(
    {
        "field-of-search",
        "us-field-of-classification-search",
        "classification-national",
        "classification-us",
        "citation",
        "us-citation",
        "patcit",
    }
)


def st36_patent(
    root: Any, data: Any, context: ReadContext, document: str, language: str, *, nested_paths: bool = False, **own: Any
) -> Patent:
    """Read what all formats with ST.36 names share. `own` are the fields that each has in places of its own."""
    body = read_body(root, context, document, language, nested_paths=nested_paths)
    titles = [(language_of(e) or language, element_text(e)) for e in data.iter("invention-title")]
    ipc, cpc = international_classes(data), distinct(_symbols(data, "classification-cpc"))
    return patent_with(body, titles, context, document, language, ipc=ipc, cpc=cpc, **own)


def patent_with(
    body: Body, titles: Sequence[tuple[str, str]], context: ReadContext, document: str, language: str, **own: Any
) -> Patent:
    """Return a patent with its parts, and of its titles with their languages the one to read."""
    named = [pair for pair in titles if pair[1]]
    position = choose_part(named, context.language, language or body.language)
    its_language, title = named[position] if position is not None else ("", "")
    return Patent(
        id=document,
        title=title,
        abstract=body.abstract,
        claims=body.claims,
        description=body.description,
        language=body.language or its_language or language,
        source=context.file,
        translations=body.translations,
        **own,
    )


def part_of(root: Any, *names: str) -> Any:
    """Return the first child that has one of the names; where there is none, its content may stand in the root itself."""
    found = (root.find(name) for name in names)
    return next((part for part in found if part is not None), root)


def document_id(reference: Any) -> str:
    """Return the publication id that the `document-id` of an element spells out."""
    return "" if reference is None else next(_document_ids(reference, reference.tag), "")


def _document_ids(place: Any, tag: str) -> Iterator[str]:
    """Yield the publication id in each element of a name: one walk, because a patent can cite hundreds."""
    parts: dict[str, str | None] | None = None
    for element in place.iter(tag, "country", "doc-number", "kind"):
        if element.tag == tag:
            if parts is not None:
                yield _publication_id(parts)
            parts = {"ucid": element.get("ucid")}
        elif parts is not None:
            # The first of each name is the document's own; a national class that follows names a country, too.
            parts.setdefault(element.tag, element.text)
    if parts is not None:
        yield _publication_id(parts)


def _publication_id(parts: Mapping[str, str | None]) -> str:
    given = compact(parts.get("ucid"))
    return given or publication_id(parts.get("country"), parts.get("doc-number"), parts.get("kind"))


def earliest(data: Any, *paths: str) -> str:
    """Return the earliest of the dates at several paths."""
    dates = (iso_date(element.text) for path in paths for element in data.iterfind(path))
    return min(filter(None, dates), default="")


def international_classes(data: Any) -> tuple[str, ...]:
    """Return the IPC symbols of all editions."""
    return distinct(_symbols(data, "classification-ipcr", "main-classification", "further-classification"))


def _symbols(data: Any, *tags: str) -> Iterator[str]:
    for element in data.iter(*tags):
        if any(ancestor.tag in _FOREIGN for ancestor in element.iterancestors()):
            continue
        if element.find("section") is None:
            yield class_symbol(element.findtext("text") or element.text)
        else:
            section, number, letter, group, subgroup = (compact(element.findtext(tag)) for tag in _SYMBOL_PARTS)
            yield class_symbol(
                f"{section}{number}{letter} {group}/{subgroup}" if group else f"{section}{number}{letter}"
            )


def party_names(data: Any, *paths: str) -> tuple[str, ...]:
    """Return the names of the parties at several paths: an organisation's, or last and first name."""
    return distinct(
        text_at(party, ".//orgname") or text_at(party, ".//name") or texts_at(party, ".//last-name", ".//first-name")
        for path in paths
        for party in data.iterfind(path)
    )


def cited_documents(data: Any, *containers: str) -> tuple[str, ...]:
    """Return the ids of the cited patents in several places."""
    return distinct(
        cited for path in containers for place in data.iterfind(path) for cited in _document_ids(place, "patcit")
    )


def read_marec(root: Any, context: ReadContext) -> Patent:
    """Read one `patent-document` of CLEF-IP or MAREC."""
    country, number, kind = (compact(root.get(name)) for name in ("country", "doc-number", "kind"))
    document = (root.get("ucid") or "").strip() or publication_id(country, number, kind)
    language = language_of(root)
    data = part_of(root, "bibliographic-data")
    return st36_patent(
        root,
        data,
        context,
        document,
        language,
        nested_paths=True,
        country=country or document.partition("-")[0],
        kind=kind,
        publication_date=iso_date(root.get("date")) or earliest(data, "publication-reference//date"),
        application_date=earliest(data, "application-reference//date"),
        priority_date=earliest(data, "priority-claims//date"),
        family=compact(root.get("family-id")),
        applicants=party_names(data, ".//applicants/applicant"),
        inventors=party_names(data, ".//inventors/inventor"),
        citations=cited_documents(data, ".//citations"),
    )


# The earliest date that a US patent claims: foreign priority, a provisional, or a parent in its chain of continuity.
_PRIORITIES = (
    "priority-claims/priority-claim/date",
    "us-related-documents/us-provisional-application/document-id/date",
    "us-related-documents//parent-doc/document-id/date",
)


def read_uspto(root: Any, context: ReadContext) -> Patent:
    """Read one grant or application of the USPTO since 2005 (v4.0 to v4.7)."""
    data = part_of(root, "us-bibliographic-data-grant", "us-bibliographic-data-application")
    document = document_id(data.find("publication-reference"))
    language = language_of(root) or "en"
    return st36_patent(
        root,
        data,
        context,
        document,
        language,
        country="US",
        kind=compact(data.findtext("publication-reference/document-id/kind")),
        publication_date=earliest(data, "publication-reference//date") or iso_date(root.get("date-publ")),
        application_date=earliest(data, "application-reference/document-id/date"),
        priority_date=earliest(data, *_PRIORITIES),
        applicants=party_names(
            data, "us-parties/us-applicants/us-applicant", "parties/applicants/applicant", "assignees/assignee"
        ),
        inventors=party_names(
            data,
            "us-parties/inventors/inventor",
            "parties/inventors/inventor",
            "parties/applicants/applicant[@app-type='applicant-inventor']",
        ),
        citations=cited_documents(data, "us-references-cited", "references-cited"),
    )


def read_wipo(root: Any, context: ReadContext) -> Patent:
    """Read one international application of WIPO. Parts that exist as page images only have no text to read; this is noted."""
    data = part_of(root, "wo-bibliographic-data", "bibliographic-data")
    document = document_id(data.find("publication-reference"))
    language = language_of(root) or language_code(data.findtext("language-of-publication"))
    patent = st36_patent(
        root,
        data,
        context,
        document,
        language,
        country="WO",
        kind=compact(data.findtext("publication-reference/document-id/kind")),
        publication_date=earliest(data, "publication-reference//date"),
        application_date=earliest(data, "application-reference//date"),
        priority_date=earliest(data, "priority-claims//date", "wo-priority-info//date"),
        applicants=party_names(data, "parties/applicants/applicant"),
        inventors=party_names(data, "parties/inventors/inventor"),
        citations=cited_documents(data, ".//citations"),
    )
    for part in ("description", "claims"):
        if root.find(f"{part}//doc-page") is not None and not getattr(patent, part):
            context.report_note(f"left out: {part}, which is there as page images only", document=document)
    return patent


_CITED = re.compile(r"([A-Z]{2})\s*-\s*([A-Z]\d?)\s*-\s*([A-Z]{0,2}[\d\s/.]*\d)")


def read_ep(root: Any, context: ReadContext) -> Patent:
    """Read one publication of the EPO (DTD 1.0 to 1.5.1), whose data has numbered names (INID codes)."""
    data = part_of(root, "SDOBI")
    number = compact(root.get("doc-number")) or compact(data.findtext("B100/B110"))
    kind = compact(root.get("kind")) or compact(data.findtext("B100/B130"))
    document = publication_id("EP", number, kind)
    language = language_of(root) or language_of(data)
    return patent_with(
        read_body(root, context, document, language),
        _titles(data),
        context,
        document,
        language,
        country="EP",
        kind=kind,
        publication_date=iso_date(root.get("date-publ")) or iso_date(data.findtext("B100/B140/date")),
        application_date=iso_date(data.findtext("B200/B220/date")),
        priority_date=earliest(data, "B300/B320/date"),
        ipc=distinct(
            class_symbol(e.findtext("text") or e.text)
            for path in ("B500/B510/*", "B500/B510EP/classification-ipcr")
            for e in data.iterfind(path)
        ),
        cpc=distinct(class_symbol(e.findtext("text") or e.text) for e in data.iter("classification-cpc")),
        applicants=distinct(
            element_text(name) for path in ("B700/B710/B711/snm", "B700/B730/B731/snm") for name in data.iterfind(path)
        ),
        inventors=distinct(element_text(name) for name in data.iterfind("B700/B720/B721/snm")),
        citations=distinct(_citation(text) for text in data.iterfind("B500/B560/B561/text")),
    )


def _titles(data: Any) -> list[tuple[str, str]]:
    """Read the titles, which come as pairs of a language (B541) and a text (B542)."""
    titles: list[tuple[str, str]] = []
    language = ""
    for element in data.iterfind("B500/B540/*"):
        if element.tag == "B541":
            language = language_code(element.text)
        elif element.tag == "B542" and (text := element_text(element)):
            titles.append((language, text))
    return titles


def _citation(element: Any) -> str:
    """Return `US-A- 5 948 634` as `US-5948634-A`; what has another form stays as it is printed."""
    text = element_text(element)
    match = _CITED.match(text)
    return publication_id(match[1], re.sub(r"[\s/.]", "", match[3]), match[2]) if match else text


_IDENTIFICATIONS = ("PatentGrantIdentification", "PatentPublicationIdentification")
_ST96_NAMES = ("OrganizationStandardName", "EntityName", "PersonFullName")
_ST96_SYMBOL = ("Section", "Class", "Subclass", "MainGroup", "Subgroup")


def read_st96(root: Any, context: ReadContext) -> Patent:
    """Read one publication."""
    own = next((e for name in _IDENTIFICATIONS for e in root.iter(name)), None)
    country, number, kind, published = (
        "" if own is None else next((compact(e.text) for e in own.iter(*names) if e.text), "")
        for names in (
            ("IPOfficeCode",),
            ("PatentNumber", "PublicationNumber"),
            ("PatentDocumentKindCode",),
            ("GrantDate", "PublicationDate"),
        )
    )
    document = number_key(publication_id(country, number, kind))
    language = _st96_language(root)
    titles = [(_st96_language(e) or language, element_text(e)) for e in root.iter("InventionTitle")]
    # Parts of an amendment within are not the publication's own.
    parts = {
        name.lower(): [
            (_st96_language(e), e)
            for e in root.iter(name)
            if not any("Amendment" in up.tag for up in e.iterancestors())
        ]
        for name in ("Abstract", "Description", "Claims")
    }
    return patent_with(
        chosen_body(parts, _st96_texts, context, document, language),
        titles,
        context,
        document,
        language,
        country=country,
        kind=kind,
        publication_date=iso_date(published),
        application_date=_st96_date(root, "ApplicationIdentification"),
        priority_date=min(filter(None, (_st96_date(e, "FilingDate") for e in root.iter("PriorityClaim"))), default=""),
        ipc=distinct(_st96_symbols(root, "IPCRClassification", "IPCClassification", "MainClassification")),
        cpc=distinct(_st96_symbols(root, "CPCClassification", "MainCPC", "FurtherCPC")),
        applicants=distinct(_st96_name(e) for e in root.iter("Applicant")),
        inventors=distinct(_st96_name(e) for e in root.iter("Inventor")),
    )


def _st96_language(element: Any) -> str:
    found = (value for name, value in element.attrib.items() if name.endswith("languageCode"))
    return language_code(next(found, ""))


def _st96_texts(section: Any, part: str) -> Sequence[Paragraph | Claim]:
    if part != "claims":
        return flat_paragraphs(section, part, "P")
    raw = []
    for position, claim in enumerate(section.iter("Claim"), 1):
        number = compact(claim.findtext("ClaimNumber"))
        text = " ".join(element_text(e) for e in claim.iterchildren("ClaimText"))
        raw.append((position, int(number) if number.isdecimal() else position, " ".join(text.split())))
    return make_claims(claim for claim in raw if claim[2])


def _st96_date(place: Any, name: str) -> str:
    found = (iso_date(compact(e.findtext("FilingDate") or e.text)) for e in place.iter(name))
    return next(filter(None, found), "")


def _st96_symbols(root: Any, *names: str) -> Iterator[str]:
    for element in root.iter(*names):
        parts = [compact(element.findtext(name)) for name in _ST96_SYMBOL]
        yield class_symbol("{}{}{} {}/{}".format(*parts) if all(parts) else element_text(element))


def _st96_name(element: Any) -> str:
    whole = next(filter(None, map(element_text, element.iter(*_ST96_NAMES))), "")
    return whole or texts_at(element, ".//LastName", ".//FirstName")
