"""Patents under ST.36 names, which MAREC, USPTO (since 2005) and WIPO share, and their bibliographic data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sparse_coverage.patents.languages import choose_part, language_of
from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.body import read_body
from sparse_coverage.patents.readers.text import element_text
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date

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
    return Patent(
        id=document,
        title=title(data, context.language, language),
        abstract=body.abstract,
        claims=body.claims,
        description=body.description,
        language=body.language or language,
        ipc=international_classes(data),
        cpc=cooperative_classes(data),
        source=context.file,
        **own,
    )


def part_of(root: Any, *names: str) -> Any:
    """Return the first child that has one of the names; where there is none, its content may stand in the root itself."""
    found = (root.find(name) for name in names)
    return next((part for part in found if part is not None), root)


def title(data: Any, wanted: str, document_language: str) -> str:
    """Return the invention's title in the wanted language."""
    found = [(language_of(e) or document_language, element_text(e)) for e in data.iter("invention-title")]
    titles = [pair for pair in found if pair[1]]
    position = choose_part(titles, wanted, document_language)
    return titles[position][1] if position is not None else ""


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


def cooperative_classes(data: Any) -> tuple[str, ...]:
    """Return the CPC symbols."""
    return distinct(_symbols(data, "classification-cpc"))


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
    return distinct(_party_name(party) for path in paths for party in data.iterfind(path))


def _party_name(party: Any) -> str:
    for tag in ("orgname", "name"):
        if (found := party.find(f".//{tag}")) is not None and (text := element_text(found)):
            return text
    parts = (party.find(f".//{tag}") for tag in ("last-name", "first-name"))
    return ", ".join(element_text(part) for part in parts if part is not None and element_text(part))


def cited_documents(data: Any, *containers: str) -> tuple[str, ...]:
    """Return the ids of the cited patents in several places."""
    return distinct(
        cited for path in containers for place in data.iterfind(path) for cited in _document_ids(place, "patcit")
    )
