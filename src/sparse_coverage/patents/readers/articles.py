"""Papers: JATS, in which journals and PubMed Central publish, records of PubMed, and TEI, which GROBID makes of a PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from sparse_coverage.patents.patent import Paragraph, Patent, passage_xpath
from sparse_coverage.patents.readers.st36 import part_of
from sparse_coverage.patents.readers.xml_text import element_text, enclosing, text_at
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import distinct, iso_date, table_date
from sparse_coverage.text.languages import language_code, language_of

_ID_TYPES = ("doi", "pmc", "pmcid", "pmid", "publisher-id")
_APART = frozenset({"table-wrap", "tex-math", "ref-list", "table"})


def read_jats(root: Any, context: ReadContext) -> Patent:
    """Read an article: its DOI is the id, its authors are the inventors, its body is the description."""
    meta = part_of(root, "front/article-meta")
    ids = {e.get("pub-id-type") or "": element_text(e) for e in meta.iterfind("article-id")}
    document = _without_space(next((ids[kind] for kind in _ID_TYPES if ids.get(kind)), ""), context)
    language = language_of(root) or "en"
    abstracts = [e for e in meta.iterfind("abstract") if e.get("abstract-type") in (None, "", "section", "structured")]
    return Patent(
        id=document,
        title=text_at(meta, "title-group/article-title"),
        abstract=tuple(_paragraphs(abstracts[:1], "abstract")),
        description=tuple(_paragraphs(root.iterfind("body"), "description")),
        language=language,
        publication_date=_published(meta),
        inventors=distinct(_authors(meta)),
        source=context.file,
    )


def _authors(meta: Any) -> Iterator[str]:
    """Yield persons and groups who wrote an article; not its editors."""
    for person in meta.iterfind("contrib-group/contrib"):
        if person.get("contrib-type") in (None, "", "author"):
            for name in (*person.iterfind("name"), *person.iterfind("name-alternatives/name")):
                yield _joined(name, "surname", "given-names")
            yield from (element_text(group) for group in person.iterfind("collab"))


def read_pubmed(root: Any, context: ReadContext) -> Patent:
    """Read a record of PubMed: a title and an abstract, whose labelled parts are paragraphs."""
    ids = {e.get("IdType") or "": element_text(e) for e in root.iterfind("PubmedData/ArticleIdList/ArticleId")}
    number = ids.get("doi") or ids.get("pubmed") or root.findtext("MedlineCitation/PMID") or ""
    article = part_of(root, "MedlineCitation/Article")
    parts = [
        f"{label}: {text}" if (label := e.get("Label")) else text
        for e in article.iterfind("Abstract/AbstractText")
        if (text := element_text(e))
    ]
    dates = (
        _pubmed_date(e) for path in ("ArticleDate", "Journal/JournalIssue/PubDate") for e in article.iterfind(path)
    )
    authors = article.iterfind("AuthorList/Author")
    return Patent(
        id=_without_space(number, context),
        title=text_at(article, "ArticleTitle"),
        abstract=tuple(Paragraph(text, passage_xpath("abstract", "p", n)) for n, text in enumerate(parts, 1)),
        language=language_code(article.findtext("Language")),
        publication_date=next(filter(None, dates), ""),
        inventors=distinct(_joined(e, "LastName", "ForeName") or _joined(e, "CollectiveName") for e in authors),
        source=context.file,
    )


def _pubmed_date(element: Any) -> str:
    parts = [(element.findtext(tag) or "").strip() for tag in ("Day", "Month", "Year")]
    if not parts[2]:
        return _year((element.findtext("MedlineDate") or "")[:4])
    if all(part.isdigit() for part in parts):
        return table_date("-".join(reversed(parts)))
    return table_date(f"{parts[0] or 1} {parts[1] or 'Jan'} {parts[2]}")


def read_tei(root: Any, context: ReadContext) -> Patent:
    """Read a document of GROBID or another in TEI."""
    header = part_of(root, "teiHeader")
    text = root.find("text")
    ids = {(e.get("type") or "").lower(): element_text(e) for e in header.iter("idno")}
    document = _without_space(next((ids[kind] for kind in ("doi", "arxiv", "pmid") if ids.get(kind)), ""), context)
    language = language_of(text) if text is not None else ""
    language = language or language_of(header) or "en"
    authors = header.iterfind(".//sourceDesc//author/persName")
    dates = (iso_date(e.get("when")) or _year(e.get("when")) for e in header.iter("date"))
    return Patent(
        id=document,
        title=text_at(header, "fileDesc/titleStmt/title"),
        abstract=tuple(_paragraphs(header.iterfind("profileDesc/abstract"), "abstract")),
        description=tuple(_paragraphs(root.iterfind("text/body"), "description")),
        language=language,
        publication_date=next(filter(None, dates), ""),
        inventors=distinct(_joined(e, "surname", "forename") for e in authors),
        source=context.file,
    )


def _without_space(document: str, context: ReadContext) -> str:
    """Return an id without white space; of an article that names none, the name of its file."""
    stem = context.file.rpartition("!")[2].replace("\\", "/").rpartition("/")[2]
    return re.sub(r"\s+", "-", document or stem.partition(".")[0] or stem)


def _paragraphs(sections: Any, part: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of sections; what stands in tables is none, and a text without any paragraph is one."""
    index = 0
    for section in sections:
        for element in list(section.iter("tex-math")):
            element.text = ""
        found = False
        for element in section.iter("p"):
            if any(parent.tag == "p" or parent.tag in _APART for parent in enclosing(element, section)):
                continue
            found = True
            if text := element_text(element):
                index += 1
                yield Paragraph(text, passage_xpath(part, "p", index))
        if not found and (text := element_text(section)):
            index += 1
            yield Paragraph(text, passage_xpath(part, "p", index))


def _joined(element: Any, *tags: str) -> str:
    parts = (" ".join(element_text(e) for e in element.iterfind(tag)) for tag in tags)
    return ", ".join(part for part in parts if part)


def _published(meta: Any) -> str:
    """Return the earliest date; one with a day before one that is but a year."""
    dates = [(element.find("day") is None, _jats_date(element)) for element in meta.iter("pub-date")]
    return min((pair for pair in dates if pair[1]), default=(True, ""))[1]


def _jats_date(element: Any) -> str:
    year, month, day = ((element.findtext(tag) or "").strip() for tag in ("year", "month", "day"))
    if not year.isdigit():
        return iso_date(element.get("iso-8601-date"))
    try:
        return date(int(year), int(month) if month.isdigit() else 1, int(day) if day.isdigit() else 1).isoformat()
    except ValueError:
        return _year(year)


def _year(text: str | None) -> str:
    match = re.match(r"(\d{4})(?:-(\d{2}))?$", text or "")
    return f"{match[1]}-{match[2] or '01'}-01" if match else ""
