"""Word files (.docx, extra [documents]), plain texts and saved pages of Google Patents, and what they share with PDF.

Headings tell the parts: what follows "Claims" are claims, what follows "Abstract" is the abstract, the rest the description.
An article has no heading "Description": its abstract ends where a text begins ("1 Introduction"), or would be longer than abstracts are.
The name of the file is the id, in its one form where it is a publication number.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from lxml import etree, html

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.patents.claims import begins_with_number, numbered_claims, split_claims
from sparse_coverage.patents.numbers import parse_number, printed_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, passage_xpath
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext, ReadError
from sparse_coverage.patents.values import class_symbol, decoded, distinct, iso_date
from sparse_coverage.text.languages import language_code

_CLAIMS = re.compile(
    r"(?:patent\s+)?claims?|(?:what|that which)\s+is\s+claimed(?:\s+(?:is|as\s+new))?|(?:i|we)\s+claim"
    r"|(?:patent)?ansprüche|revendications?",
    re.I,
)
_ABSTRACT = re.compile(r"abstract(?:\s+of\s+the\s+disclosure)?|zusammenfassung|abrégé", re.I)
_DESCRIPTION = re.compile(r"(?:detailed\s+)?description(?:\s+of\s+.{1,80})?|beschreibung|specification", re.I)
NUMBERED = re.compile(r"\[0*(\d{1,5})\]\s+")
_BEGINNING = re.compile(
    r"(?:[\dIVX]+\.?\s+)?(?:introduction|einleitung|(?:technical\s+)?(?:field|background)(?:\s+(?:art|of\s+.{1,80}))?)[\s.:]*",
    re.I,
)
_LONGEST_TITLE = 300
_LONGEST_ABSTRACT = 400  # words; offices ask for 150 or 250, journals for up to 350


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph of a file: its text, whether it is an item of a list that the file numbers itself, or its title.

    `place` is where it stands, as "page 3", for a paragraph that has no number of its own.
    """

    text: str
    is_item: bool = False
    is_title: bool = False
    place: str = ""


def patent_of(blocks: Sequence[TextBlock], file: str, format_name: str) -> Patent:
    """Return the patent that a text without markup holds."""
    parts: dict[str, list[TextBlock]] = {"abstract": [], "claims": [], "description": []}
    part, title = "description", ""
    for block in blocks:
        text = " ".join(block.text.split())
        if not text:
            continue
        heading = heading_of(text)
        if block.is_title and not (title or heading) and len(text) <= _LONGEST_TITLE:
            title = text
        elif heading and heading != part:
            part = heading
        elif not heading:
            if part == "abstract" and (_BEGINNING.fullmatch(text) or _is_full(parts[part], text)):
                part = "description"
            parts[part].append(TextBlock(text, block.is_item, place=block.place))
    claims = _claims(parts["claims"])
    if not (parts["abstract"] or parts["claims"]) and (claims := _claims_alone(parts["description"])):
        parts["description"] = []
    stem = file_stem(file)
    number = parse_number(printed_id(stem))
    return Patent(
        id=printed_id(stem) if number else re.sub(r"\s+", "-", stem.strip()),
        title=title or ("" if number else stem),
        abstract=_paragraphs("abstract", parts["abstract"]),
        claims=claims,
        description=_paragraphs("description", parts["description"]),
        country=number.country if number else "",
        kind=number.kind if number else "",
        source=file,
        format=format_name,
    )


def file_stem(file: str) -> str:
    """Return the name of a file without its folder and its ending.

    >>> file_stem("bulk.zip!texts/EP1000001A1.txt")
    'EP1000001A1'
    """
    name = file.rpartition("!")[2].replace("\\", "/").rpartition("/")[2]
    return name.rpartition(".")[0] or name


def heading_of(text: str) -> str:
    """Return the part of a patent that a line is the heading of, or nothing.

    >>> heading_of("What is claimed is:"), heading_of("CLAIMS"), heading_of("The claims of others.")
    ('claims', 'claims', '')
    """
    line = re.sub(r"^[\dIVX]+\.\s+", "", text).rstrip(" .:")
    for name, pattern in (("claims", _CLAIMS), ("abstract", _ABSTRACT), ("description", _DESCRIPTION)):
        if pattern.fullmatch(line):
            return name
    return ""


def _is_full(abstract: Sequence[TextBlock], text: str) -> bool:
    """Tell whether an abstract that has something already would be too long for one with this text too."""
    return bool(abstract) and sum(len(one.text.split()) for one in abstract) + len(text.split()) > _LONGEST_ABSTRACT


def _paragraphs(part: str, blocks: Sequence[TextBlock]) -> tuple[Paragraph, ...]:
    found = []
    for index, block in enumerate(blocks, 1):
        match = NUMBERED.match(block.text)
        number, text = (match[1].zfill(4), block.text[match.end() :]) if match else (block.place, block.text)
        if text:
            found.append(Paragraph(text, passage_xpath(part, "p", index), number))
    return tuple(found)


def _claims(blocks: Sequence[TextBlock]) -> tuple[Claim, ...]:
    """Return claims by their printed numbers; where a word processor numbers them, each item of its list is one."""
    if any(begins_with_number(block.text) for block in blocks) or not any(block.is_item for block in blocks):
        return numbered_claims(split_claims("\n".join(block.text for block in blocks)))
    texts: list[str] = []
    for block in blocks:
        if block.is_item or not texts:
            texts.append(block.text)
        else:
            texts[-1] += f" {block.text}"
    return numbered_claims(texts)


def _claims_alone(blocks: Sequence[TextBlock]) -> tuple[Claim, ...]:
    """Return the claims of a file that has nothing else, not even their heading: the first paragraph is numbered as claims are, and
    every other one is, too, or a claim refers to one before it. None otherwise.
    """
    numbered = [block.is_item or begins_with_number(block.text) for block in blocks]
    claims = _claims(blocks) if numbered and numbered[0] else ()
    return claims if all(numbered) or any(claim.depends_on for claim in claims) else ()


_BODY = "word/document.xml"
_OTHERS = {
    "ppt/": "a PowerPoint file. Save its text as a Word file",
    "content.xml": "an OpenDocument file. Save a text as .docx, a table as .xlsx",
}


def is_office_file(head: bytes) -> bool:
    """Tell a document of an office program from other zip archives by the name of its first member."""
    if not head.startswith(b"PK\x03\x04"):
        return False
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return name in (b"[Content_Types].xml", b"mimetype") or name.startswith((b"_rels/", b"docProps/", b"word/", b"xl/"))


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the whole file."""
    yield whole_file(stream, context.limits)


def whole_file(stream: BinaryIO, limits: Limits) -> Piece:
    """Return a file as one piece."""
    content = stream.read(limits.document_bytes + 1)
    if len(content) > limits.document_bytes:
        return Piece.refused("a file", limits.document_bytes, 1)
    return Piece(content, 1)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read a Word file."""
    _require_word(piece.content, context.limits)
    try:
        import docx
    except ImportError:
        raise ReadError(f"a Word file. {MissingExtraError('Reading it', 'documents')}") from None
    try:
        blocks = list(_blocks(docx.Document(io.BytesIO(piece.content))))
    except Exception as error:  # a library over XML from anywhere: whatever it stumbles over, the file cannot be read
        raise ReadError(f"not readable as a Word file: {error or type(error).__name__}") from None
    patent = patent_of(blocks, context.file, "DOCX")
    if not (patent.abstract or patent.claims or patent.description):
        raise ReadError("a Word file without any text.", document=patent.id)
    return patent


def member_names(content: bytes, limits: Limits) -> set[str]:
    """Return the parts of an office file; refuse one that declares entities, or would unpack to far more than a text."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            size = sum(info.file_size for info in archive.infolist())
            if size > max(limits.expansion_from, limits.expansion * len(content)):
                raise ReadError("refused: it decompresses to far more than documents do (a decompression bomb?).")
            for name in names:
                if name.endswith((".xml", ".rels")) and b"<!DOCTYPE" in archive.read(name).replace(b"\0", b""):
                    raise ReadError(
                        f"refused: {name} in it declares a document type, which could hide text or grow without bound. "
                        "Office programs write none; save the file anew."
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        if str(error) == "File is not a zip file":  # what zipfile says of one whose directory, at its end, is missing
            error = EOFError("it is cut short. Copy or download it again")
        raise ReadError(f"damaged file: {error or type(error).__name__}.") from None
    return names


def _require_word(content: bytes, limits: Limits) -> None:
    """Refuse what is no Word file."""
    names = member_names(content, limits)
    if _BODY not in names:
        for sign, what in _OTHERS.items():
            if any(name.startswith(sign) for name in names):
                raise ReadError(f"{what}.")
        raise ReadError("a zip archive of an office program, but no Word file.")


def _blocks(document: Any) -> Iterator[TextBlock]:
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                cells = dict.fromkeys(
                    cell.text for cell in row.cells
                )  # a cell over several columns comes several times
                yield TextBlock(" ".join(cells))
        else:
            style = block.style.name if block.style is not None else ""
            properties = block._p.pPr
            numbering = None if properties is None else properties.numPr
            # What stands in a list within a list is part of the item above.
            level = 0 if numbering is None or numbering.ilvl is None else numbering.ilvl.val
            item = level == 0 and (numbering is not None or style == "List Number")
            yield TextBlock(block.text, item, style in ("Title", "Heading 1") and not item)


_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SECTIONS = re.compile(
    rb"^[ \t]*(?:claims?|(?:what|that which) is claimed(?: is)?|(?:i|we) claim|patentanspr\xc3\xbcche|revendications)[ \t:.]*\r?$",
    re.I | re.M,
)
_PRINTED = re.compile(rb"^[ \t]{0,9}\[0{0,4}([12])\][ \t]", re.M)


def recognises_text(head: bytes) -> bool:
    """Tell the text of a patent from other texts: a line that is the heading of claims, or numbered paragraphs."""
    if b"\0" in head or head[:1] in (b"<", b"{"):
        return False
    printed = {match[1] for match in _PRINTED.finditer(head)}
    return len(printed) == 2 or (head[:1] != b"[" and _SECTIONS.search(head) is not None)


def is_title_line(first: str) -> bool:
    """Tell whether the first line of a text may be its title: it is short, and no heading, number, sentence or numbered paragraph."""
    told_apart = heading_of(first) or parse_number(first) or first.endswith(".") or first[:1] in "[1"
    return len(first) <= _LONGEST_TITLE and not told_apart


def read_text(piece: Piece, context: ReadContext) -> Patent:
    """Read a plain text: the first short line above all headings is the title, a line or what stands between empty lines a paragraph."""
    lines = decoded(piece.content).splitlines()
    first = next((line.strip() for line in lines if line.strip()), "")
    blocks = [TextBlock(line) for line in lines]
    if is_title_line(first):
        blocks[lines.index(next(line for line in lines if line.strip()))] = TextBlock(first, is_title=True)
    patent = patent_of(blocks, context.file, "Text")
    if not (patent.abstract or patent.claims or patent.description):
        raise ReadError("a text file without any text.", document=patent.id)
    return patent


def recognises_page(head: bytes) -> bool:
    """Tell a page of Google Patents, saved from a browser or fetched, by the names that it gives its parts."""
    return head.lstrip()[:1] == b"<" and (b'itemprop="publicationNumber"' in head or b'name="citation_patent_' in head)


def read_page(piece: Piece, context: ReadContext) -> Patent:
    """Read a saved page of Google Patents."""
    content = _CONTROL.sub(b" ", piece.content)
    try:
        page: Any = html.document_fromstring(content, parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError) as error:
        raise ReadError(f"not readable as a web page: {error}") from None
    for element in page.iter("div"):
        element.text, element.tail = f" {element.text or ''}", f" {element.tail or ''}"
    own = _own_values(page)
    meta = [(e.get("name"), e.get("scheme"), e.get("content") or "") for e in page.iter("meta")]
    number = own.get("publicationNumber", [""])[0] or next(
        (value.replace(":", "") for name, _, value in meta if name and name.startswith("citation_patent_")), ""
    )
    document = printed_id(number)
    if not document:
        raise ReadError(
            "a page of Google Patents that names no publication number. Save the page of one patent, whole."
        )
    parsed = parse_number(document)
    text = {name: page.xpath(f'(//section[@itemprop="{name}"])[1]') for name in ("abstract", "description", "claims")}
    abstract = [" ".join(e.text_content().split()) for e in _named(text["abstract"], "abstract")]
    paragraphs = _named(text["description"], "description-paragraph", "description-line")
    claims = [
        " ".join(e.text_content().split())
        for e in _named(text["claims"], "claim")
        if e.get("num")
        and not any(up.get("num") and "claim" in (up.get("class") or "").split() for up in e.iterancestors())
    ]
    title = own.get("title", [""])[0] or next((value for name, _, value in meta if name == "DC.title"), "")
    patent = Patent(
        id=document,
        title=" ".join(title.split()),
        abstract=tuple(
            Paragraph(one, passage_xpath("abstract", "p", place)) for place, one in enumerate(filter(None, abstract), 1)
        ),
        claims=numbered_claims(claims),
        description=tuple(
            Paragraph(
                " ".join(e.text_content().split()),
                passage_xpath("description", "p", place),
                (match[1] if (match := re.fullmatch(r"\D*?0*(\d{4})", e.get("num") or "")) else ""),
            )
            for place, e in enumerate(paragraphs, 1)
            if e.text_content().strip()
        ),
        country=parsed.country if parsed else "",
        kind=parsed.kind if parsed else "",
        language=language_code(page.get("lang") or ""),
        publication_date=iso_date(own.get("publicationDate", [""])[0]),
        application_date=iso_date(own.get("filingDate", [""])[0]),
        priority_date=min(filter(None, map(iso_date, own.get("priorityDate", []))), default=""),
        cpc=distinct(
            class_symbol(e.findtext('.//span[@itemprop="Code"]'))
            for e in page.iter("li")
            if e.get("itemprop") in ("cpcs", "classifications") and e.find('.//meta[@itemprop="Leaf"]') is not None
        ),
        applicants=distinct(own.get("assigneeOriginal", []) or own.get("assigneeCurrent", [])),
        inventors=distinct(own.get("inventor", [])),
        citations=distinct(
            printed_id((e.text or "").strip())
            for e in page.xpath(
                '//tr[starts-with(@itemprop,"backwardReferences")]//span[@itemprop="publicationNumber"]'
            )
        ),
        source=context.file,
        format="Google Patents page",
    )
    if not (patent.abstract or patent.claims or patent.description):
        context.report_note("it holds no text; the page may have been saved before its text was there", document)
    return patent


def _own_values(page: Any) -> dict[str, list[str]]:
    """Return what a page says of its own patent; the same names in its tables tell of others."""
    found: dict[str, list[str]] = {}
    for element in page.xpath("//*[@itemprop]"):
        if not any(up.tag in ("tr", "table") for up in element.iterancestors()) and element.tag != "tr":
            value = element.get("datetime") or element.get("content") or element.text_content()
            found.setdefault(element.get("itemprop"), []).append(value.strip())
    return found


def _named(section: Sequence[Any], *names: str) -> list[Any]:
    """Return the elements of a section that have one of some classes, and none inside of another."""
    found = [
        e
        for part in section
        for e in part.iter()
        if set((e.get("class") or "").split()) & set(names) and e.tag != "section"
    ]
    inside = set(found)
    return [e for e in found if names == ("claim",) or not any(up in inside for up in e.iterancestors())]
