"""EPO Open Patent Services and DOCDB: bibliographic data, full texts, families, the register and search answers, as XML or as JSON.

One publication comes in several answers: its bibliography in one, its claims in another. Each is read as a part of a patent, and
the parts are joined afterwards (`reading.joining`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lxml import etree

from sparse_coverage.patents.claims import begins_with_number, numbered_claims, split_claims
from sparse_coverage.patents.numbers import number_key, publication_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, passage_xpath
from sparse_coverage.patents.readers import st36
from sparse_coverage.patents.readers.xml_text import chosen_body, element_text, flat_paragraphs
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date
from sparse_coverage.text.languages import language_of

_FORMS = ("docdb", "epodoc", "intermediate", "original", "")  # in which names are given, the preferred one first
_HEADING = re.compile(
    r"(?:claims?|what is claimed is|patentansprüche|ansprüche|revendications)[ \t]{0,9}[:.]?[ \t]{0,9}\n", re.I
)
_PRINTED = re.compile(r"\s*\[0*(\d{1,5})\]\s*")


def read_exchange(root: Any, context: ReadContext) -> Patent:
    """Read the bibliography of one publication, with its abstract."""
    data = st36.part_of(root, "bibliographic-data")
    reference = _document(data.find("publication-reference"))
    own = {name: compact(root.get(name)) or compact(reference.get(name)) for name in ("country", "doc-number", "kind")}
    priorities = (
        _document(e).get("date")
        for path in ("priority-claims/priority-claim", "priority-claim")
        for e in data.iterfind(path)
    )
    patent = st36.st36_patent(
        root,
        data,
        context,
        _number(own),
        "",
        country=own["country"],
        kind=own["kind"],
        publication_date=iso_date(root.get("date-publ")) or iso_date(reference.get("date")),
        application_date=iso_date(_document(data.find("application-reference")).get("date")),
        priority_date=min(filter(None, map(iso_date, priorities)), default=""),
        family=compact(root.get("family-id")),
        applicants=_parties(data, "applicant"),
        inventors=_parties(data, "inventor"),
        citations=distinct(_number(_document(cited)) for cited in data.iter("patcit")),
    )
    earlier = (class_symbol(e.text) for e in data.iterfind("classification-ipc/text"))  # before the eighth edition
    return replace(patent, ipc=patent.ipc or distinct(earlier), cpc=distinct([*patent.cpc, *_cooperative(data)]))


def read_fulltext(root: Any, context: ReadContext) -> Patent:
    """Read the claims or the description of one publication, in the wanted language."""
    reference = _document(root.find("bibliographic-data/publication-reference"))
    document = _number(reference)
    parts = {part: [(language_of(e), e) for e in root.iterchildren(part)] for part in ("description", "claims")}
    body = chosen_body(parts, _texts, context, document, "")
    return st36.patent_with(
        body, (), context, document, "", country=compact(reference.get("country")), kind=compact(reference.get("kind"))
    )


def read_member(root: Any, context: ReadContext) -> Patent:
    """Read a member of a family, with its bibliography where the answer has it; or one line of a search answer."""
    inner = root.find("exchange-document")
    if inner is not None:
        inner.set("family-id", inner.get("family-id") or root.get("family-id") or "")
        return read_exchange(inner, context)
    own = root.find("publication-reference")
    reference = _document(own if own is not None else root)
    priorities = [iso_date(_document(e).get("date")) for e in root.iterfind("priority-claim")]
    return Patent(
        id=_number(reference),
        country=compact(reference.get("country")),
        kind=compact(reference.get("kind")),
        publication_date=iso_date(reference.get("date")),
        application_date=iso_date(_document(root.find("application-reference")).get("date")),
        priority_date=min(filter(None, priorities), default=""),
        family=compact(root.get("family-id")),
        source=context.file,
    )


def read_register(root: Any, context: ReadContext) -> Patent:
    """Read an application in the register of the EPO, under its European publication; an international one goes before it."""
    data = st36.part_of(root, "bibliographic-data")
    published = [_document(e) for e in data.iterfind("publication-reference")]
    own = min(published, key=lambda one: (one.get("country") != "EP", one.get("date", "")), default={})
    document = _number(own)
    classes = (text for e in data.iter("classification-ipcr") for text in (e.findtext("text") or "").split(","))
    patent = st36.st36_patent(
        root,
        data,
        context,
        document,
        language_of(root),
        country=own.get("country", ""),
        kind=own.get("kind", ""),
        publication_date=iso_date(own.get("date")),
        application_date=st36.earliest(data, "application-reference/document-id/date"),
        priority_date=st36.earliest(data, "priority-claims/priority-claim/date"),
        family_members=distinct(other for other in map(_number, published) if other != document),
        applicants=st36.party_names(data, "parties/applicants/applicant"),
        inventors=st36.party_names(data, "parties/inventors/inventor"),
        citations=distinct(_number(_document(cited)) for cited in data.iter("patcit")),
    )
    return replace(patent, ipc=distinct(map(class_symbol, classes)))


def element_of(name: str, value: Any) -> Any:
    """Return JSON of these services as the XML that it stands for: @ are attributes, $ is text.

    >>> etree.tostring(element_of("p", {"@lang": "en", "$": "A valve.", "ops:b": [{"$": "1"}, {"$": "2"}]}))
    b'<p lang="en">A valve.<b>1</b><b>2</b></p>'
    """
    element = etree.Element(re.sub(r"[^\w.-]", "", name.rpartition(":")[2]) or "x")
    if not isinstance(value, Mapping):
        element.text = "" if value is None else str(value)
        return element
    for key, inner in value.items():
        if key.startswith("@"):
            element.set(re.sub(r"[^\w.-]", "", key.rpartition(":")[2].lstrip("@")) or "x", str(inner))
        elif key == "$":
            element.text = str(inner)
        else:
            element.extend(element_of(key, one) for one in (inner if isinstance(inner, list) else [inner]))
    return element


def _document(reference: Any) -> dict[str, str]:
    """Return country, number, kind and date of a reference: of the form that has a country, with what others know beside it."""
    found: dict[str, str] = {}
    for one in reference.iterfind("document-id") if reference is not None else ():
        parts = {child.tag: (child.text or "").strip() for child in one if isinstance(child.tag, str)}
        docdb = "docdb" in (one.get("document-id-type"), reference.get("data-format"))
        found = {**found, **parts} if docdb else {**parts, **found}
    return found


def _number(parts: Mapping[str, str]) -> str:
    return number_key(publication_id(parts.get("country"), parts.get("doc-number"), parts.get("kind")))


def _parties(data: Any, role: str) -> tuple[str, ...]:
    names: dict[str, list[str]] = {}
    for party in data.iterfind(f"parties/{role}s/{role}"):
        name = party.find(f"{role}-name/name")
        text = element_text(name if name is not None else party).strip(" ,")
        names.setdefault(party.get("data-format") or "", []).append(text)
    found = next((names[form] for form in _FORMS if form in names), next(iter(names.values()), []))
    return distinct(re.sub(r" ?\[[A-Z]{2}\]$", "", text) for text in found)


def _cooperative(data: Any) -> Iterator[str]:
    for element in data.iter("patent-classification"):
        scheme = element.find("classification-scheme")
        if scheme is None or not (scheme.get("scheme") or "").startswith("CPC"):
            continue
        parts = [compact(element.findtext(tag)) for tag in ("section", "class", "subclass", "main-group", "subgroup")]
        symbol = "{}{}{} {}/{}".format(*parts) if all(parts) else element.findtext("classification-symbol")
        yield class_symbol(symbol)


def _texts(section: Any, part: str) -> Sequence[Claim | Paragraph]:
    return _claims(section) if part == "claims" else list(_numbered(section))


def _claims(section: Any) -> tuple[Claim, ...]:
    """Read claims: an element for each, all of them in one, or all in one text."""
    texts = ["".join(text.itertext()) for text in section.iter("claim-text")] or ["".join(section.itertext())]
    if len(texts) == 1:
        return numbered_claims(split_claims(_HEADING.sub("", texts[0].strip(), count=1)))
    claims: list[str] = []
    numbered = any(begins_with_number(text.strip()) for text in texts)
    for text in texts:
        line = " ".join(_HEADING.sub("", text.strip(), count=1).split())
        if claims and numbered and not begins_with_number(line):
            claims[-1] += f" {line}"
        elif line:
            claims.append(line)
    return numbered_claims(claims)


def _numbered(section: Any) -> Iterator[Paragraph]:
    for index, paragraph in enumerate(flat_paragraphs(section, "description"), 1):
        match = _PRINTED.match(paragraph.text)
        number = match[1].zfill(4) if match else paragraph.number
        if text := paragraph.text[match.end() :] if match else paragraph.text:
            yield Paragraph(text, passage_xpath("description", "p", index), number)
