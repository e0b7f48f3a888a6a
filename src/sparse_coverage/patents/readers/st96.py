"""ST.96, the newer names of the WIPO standards, as the offices of Japan, Canada and others publish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparse_coverage.patents.claims import make_claims
from sparse_coverage.patents.numbers import number_key, publication_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, in_other_language
from sparse_coverage.patents.readers.st36 import chosen_title
from sparse_coverage.patents.readers.xml_text import element_text, flat_paragraphs
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date
from sparse_coverage.text.languages import choose_part, language_code, other_languages

_IDENTIFICATIONS = ("PatentGrantIdentification", "PatentPublicationIdentification")
_NAMES = ("OrganizationStandardName", "EntityName", "PersonFullName")
_SYMBOL = ("Section", "Class", "Subclass", "MainGroup", "Subgroup")


def read(root: Any, context: ReadContext) -> Patent:
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
    language = _language(root)
    titles = [(_language(e) or language, element_text(e)) for e in root.iter("InventionTitle")]
    its_language, title = chosen_title(titles, context.language, language)
    translations: list[Paragraph] = []
    abstract, description, claims = (
        _part(root, name, context, document, translations) for name in ("Abstract", "Description", "Claims")
    )
    part = next((one for one in (abstract, description, claims) if one is not None), None)
    return Patent(
        id=document,
        title=title,
        abstract=_texts(abstract, "abstract"),
        claims=_texts(claims, "claims"),
        description=_texts(description, "description"),
        country=country,
        kind=kind,
        language=(_language(part) if part is not None else "") or its_language or language,
        publication_date=iso_date(published),
        application_date=_date(root, "ApplicationIdentification"),
        priority_date=min(filter(None, (_date(e, "FilingDate") for e in root.iter("PriorityClaim"))), default=""),
        ipc=distinct(_symbols(root, "IPCRClassification", "IPCClassification", "MainClassification")),
        cpc=distinct(_symbols(root, "CPCClassification", "MainCPC", "FurtherCPC")),
        applicants=distinct(_name(e) for e in root.iter("Applicant")),
        inventors=distinct(_name(e) for e in root.iter("Inventor")),
        source=context.file,
        translations=tuple(translations),
    )


def _language(element: Any) -> str:
    found = (value for name, value in element.attrib.items() if name.endswith("languageCode"))
    return language_code(next(found, ""))


def _part(root: Any, name: str, context: ReadContext, document: str, translations: list[Paragraph]) -> Any:
    """Return a part in the wanted language; those in others go to `translations`. Those of an amendment within are not the
    publication's own."""
    found = [(_language(e), e) for e in root.iter(name) if not any("Amendment" in up.tag for up in e.iterancestors())]
    position = choose_part(found, context.language, _language(root))
    kept, others = other_languages(found, position, context.language)
    for language, element in kept:
        translations += in_other_language(name.lower(), language, _texts(element, name.lower()))
    if others:
        context.report_note(f"left out: {name.lower()} ({', '.join(others)}); wanted: {context.language}", document)
    return None if position is None else found[position][1]


def _texts(section: Any, part: str) -> tuple[Any, ...]:
    if section is None:
        return ()
    return _claims(section) if part == "claims" else tuple(flat_paragraphs(section, part, "P"))


def _claims(section: Any) -> tuple[Claim, ...]:
    raw = []
    for position, claim in enumerate(section.iter("Claim"), 1):
        number = compact(claim.findtext("ClaimNumber"))
        text = " ".join(element_text(e) for e in claim.iterchildren("ClaimText"))
        raw.append((position, int(number) if number.isdecimal() else position, " ".join(text.split())))
    return make_claims(claim for claim in raw if claim[2])


def _date(place: Any, name: str) -> str:
    found = (iso_date(compact(e.findtext("FilingDate") or e.text)) for e in place.iter(name))
    return next(filter(None, found), "")


def _symbols(root: Any, *names: str) -> Iterator[str]:
    for element in root.iter(*names):
        parts = [compact(element.findtext(name)) for name in _SYMBOL]
        yield class_symbol("{}{}{} {}/{}".format(*parts) if all(parts) else element_text(element))


def _name(element: Any) -> str:
    if whole := next((element_text(e) for e in element.iter(*_NAMES) if element_text(e)), ""):
        return whole
    parts = (next((element_text(e) for e in element.iter(name)), "") for name in ("LastName", "FirstName"))
    return ", ".join(filter(None, parts))
