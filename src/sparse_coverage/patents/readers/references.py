"""Lists of references, as libraries and search services give them out: a tag a line, or the braces of BibTeX.

RIS, MEDLINE (`.nbib`), EndNote (`.enw`), Web of Science and the Derwent Innovations Index (`.txt`, `.ciw`), and BibTeX. A paper's
DOI is its id, its authors are the inventors; a patent has its number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader
from typing import Any, NamedTuple

from sparse_coverage.patents.numbers import number_key, parse_number
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.records import identified, read_record
from sparse_coverage.patents.readers.tables import text_lines
from sparse_coverage.patents.readers.text_files import file_stem
from sparse_coverage.patents.reading.context import Piece, ReadContext
from sparse_coverage.patents.values import decoded, table_date


class Style(NamedTuple):
    """How one kind of list is written: what a record begins with, how a line names its tag, and the field of each tag."""

    name: str
    begins: re.Pattern[str]
    tag: re.Pattern[str]
    fields: Mapping[str, str]


def _style_of(name: str, begins: str, tag: str, **fields: str) -> Style:
    """Return a style; of each field its tags are given, with blanks between them. A `number` may be that of a patent."""
    by_tag = {tag: field for field, tags in fields.items() for tag in tags.split()}
    return Style(name, re.compile(begins), re.compile(tag), by_tag)


_STYLES = (
    _style_of(
        "RIS",
        r"TY {1,2}- ",
        r"([A-Z][A-Z0-9]) {1,2}-(?: |$)",
        title="TI T1 CT",
        abstract="AB N2",
        inventors="AU A1",
        publication_date="DA Y1 PY",
        number="M1 SN IS AN ID C6 CY",
        id="DO",
        applicants="PB",
        language="LA",
    ),
    _style_of(
        "MEDLINE",
        r"PMID ?- ?\d",
        r"([A-Z]{2,4}) *- ?",
        title="TI",
        abstract="AB",
        inventors="FAU",
        publication_date="DP",
        language="LA",
        id="AID LID PMID",
    ),
    _style_of(
        "EndNote",
        r"%0 ",
        r"(%[0-9A-Z@&*]) ",
        title="%T",
        abstract="%X",
        inventors="%A",
        publication_date="%D %8",
        id="%R",
        applicants="%I",
        language="%G",
        number="%@ %M %N %1",
    ),
    _style_of(
        "Web of Science",
        r"PT [A-Z]\b",
        r"([A-Z][A-Z0-9]) |(ER|EF)$",
        title="TI",
        abstract="AB",
        inventors="AF AU",
        id="DI UT PN",
        language="LA",
        applicants="AE",
        ipc="IP",
        publication_date="PD PY",
        application_date="AD",
        priority_date="PI",
        citations="CP",
        family="GA",
    ),
)
_BRACES = re.compile(r"\\.|[{}]", re.S)
_BIBTEX = re.compile(r"@\s*[A-Za-z]+\s*\{")
_BIBTEX_FIELDS = {
    "title": "title",
    "abstract": "abstract",
    "author": "inventors",
    "year": "publication_date",
    "doi": "id",
    "date": "publication_date",
    "number": "number",
    "language": "language",
    "holder": "applicants",
}
_ADDRESS = re.compile(r" ?\([A-Z]{4}-[\w-]+\)$")
_DATED = re.compile(r"\b\d{1,2} [A-Z][a-z]{2} \d{4}\b")
# These say where a record begins and ends, and of which kind it is.
_NO_TEXT = frozenset({"ER", "EF", "FN", "VR", "TY", "PT", "%0"})
_MARKS = str.maketrans("", "", "{}")
_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "c": "\u0327", "v": "\u030c"}


def recognises(head: bytes) -> bool:
    """Tell a list of references from how its first record begins."""
    return _style(decoded(head[:4096])) is not None or _is_bibtex(decoded(head[:4096]))


def pieces(stream: BufferedReader, context: ReadContext) -> Iterator[Piece]:
    """Yield the records, one by one."""
    lines = text_lines(stream, context)
    style = _style(decoded(stream.peek(4096)[:4096]))
    largest = context.limits.document_bytes
    return _bibtex_records(lines, largest) if style is None else _records(lines, style, largest)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one record."""
    values: dict[str, list[tuple[str, str]]] = {}
    unused = []
    for field, tag, text in piece.content["values"]:
        if field:
            values.setdefault(field, []).append((tag, text))
        elif tag not in _NO_TEXT:
            unused.append(tag)
    context.unused(dict.fromkeys(unused))
    record = _record(values, piece.content["style"])
    if not record.get("id"):
        record["id"] = f"{file_stem(context.file)}-{piece.line}"
        context.report_note("it names no DOI or number; its file and line are its id", record["id"])
    return read_record(record, context, piece.content["style"])


def _style(text: str) -> Style | None:
    """Return the kind of a list: of its first lines that are not empty, one begins a record."""
    lines = [line for line in text.splitlines() if line.strip()][:4]
    return next((style for style in _STYLES if any(style.begins.match(line) for line in lines)), None)


def _is_bibtex(text: str) -> bool:
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("%"))
    return _BIBTEX.match(next(lines, "").lstrip()) is not None and "=" in text


def _records(lines: Iterable[str], style: Style, largest: int) -> Iterator[Piece]:
    """Yield each record: tags and values; a line without a tag goes on with the value before it."""
    values: list[tuple[str, str, list[str]]] = []
    begun = size = 0
    for number, line in enumerate(lines, 1):
        if style.begins.match(line):
            if values:
                yield _piece(values, style, begun, size, largest)
            values, begun, size = [], number, 0
        if not begun:
            continue  # lines above the first record
        size += len(line)
        if size > largest:
            continue
        text = line.rstrip("\r\n")
        if match := style.tag.match(text):
            tag = match[match.lastindex or 1]
            values.append((style.fields.get(tag, ""), tag, [text[match.end() :].strip()]))
        elif values and text.strip():
            values[-1][2].append(text.strip())
    if any(tag not in _NO_TEXT for _, tag, _ in values):
        yield _piece(values, style, begun, size, largest)


def _piece(values: list[tuple[str, str, list[str]]], style: Style, line: int, size: int, largest: int) -> Piece:
    if size > largest:
        return Piece.refused("a record", largest, line)
    found = [(field, tag, "\n".join(parts)) for field, tag, parts in values]
    return Piece({"style": style.name, "values": found}, line)


def _record(values: Mapping[str, list[tuple[str, str]]], style: str) -> dict[str, Any]:
    """Return a record of the JSONL schema."""
    record: dict[str, Any] = {}
    for field, pairs in values.items():
        texts = [text for _, text in pairs]
        if field == "title":
            record[field] = " ".join(texts[0].split())
        elif field == "abstract":
            record[field] = texts[0] if style == "Web of Science" else " ".join(texts[0].split())
        elif field == "inventors":  # full names where both are there
            first = "AF" if any(tag == "AF" for tag, _ in pairs) else pairs[0][0]
            record[field] = [name for tag, text in pairs if tag == first for name in text.splitlines()]
        elif field == "applicants":
            record[field] = [_ADDRESS.sub("", part) for text in texts for part in re.split(r"\n|;", text)]
        elif field.endswith("_date"):
            record[field] = _date(pairs)
        elif field == "ipc":
            record[field] = [symbol for text in texts for symbol in re.split(r"[;\n]", text)]
        elif field == "citations":
            words = (word for text in texts for word in re.split(r"\s+", text))
            own = {number_key(text) for _, text in values.get("id", ()) for text in re.split(r"[;\s]+", text)}
            record[field] = [word for word in words if parse_number(word) and number_key(word) not in own]
        elif field in ("language", "family"):
            record[field] = texts[0].split("\n")[0]
    record["id"] = _identity(values)
    return identified({name: value for name, value in record.items() if value})


def _identity(values: Mapping[str, list[tuple[str, str]]]) -> str:
    """Return a patent's number, else a paper's DOI, else the number of its library."""
    ids = values.get("id", [])
    if patent := next((text for tag, text in ids if tag == "PN"), ""):
        return patent.replace("-", "")
    for _, text in values.get("number", []):
        if parse_number(text.strip()):
            return text.strip()
    dois = (match[0] for _, text in ids if (match := re.search(r"10\.\d{4,9}/[^\s\]]+", text)))
    return next(dois, next((text.split()[0] for tag, text in ids if tag in ("PMID", "UT", "key") and text), ""))


def _date(pairs: list[tuple[str, str]]) -> str:
    """Return the earliest date of a patent, else the first that has a day."""
    dated = [table_date(found) for _, text in pairs for found in _DATED.findall(text)]
    if dated:
        return min(dated)
    by_tag = dict(pairs)
    if "PY" in by_tag and "PD" in by_tag:  # the year, and the month with or without the day
        pairs = [("PD", f"{by_tag['PY']} {by_tag['PD'].title()}"), *pairs]
    whole = [found for _, text in pairs if (found := _whole_date(text))]
    return next((found for found in whole if not found.endswith("-01-01")), whole[0] if whole else "")


def _whole_date(text: str) -> str:
    """Return 2001/03/05/, 2001 Mar 5, 2001 Mar or 2001 as a date."""
    text = text.strip().strip("/").replace("//", "")
    if match := re.match(r"(\d{4})[ /-]([A-Z][a-z]{2})[a-z]*(?:[ /-](\d{1,2}))?", text):
        return table_date(f"{match[3] or 1} {match[2]} {match[1]}")
    return table_date(text) or table_date(text[:4])


def _bibtex_records(lines: Iterable[str], largest: int) -> Iterator[Piece]:
    """Yield the entries of BibTeX. One begins with its line, and ends where its braces close."""
    entry: list[str] = []
    begun = depth = size = 0
    for number, line in enumerate(lines, 1):
        if not entry and not _BIBTEX.match(line.lstrip()):
            continue
        if not entry:
            begun, depth, size = number, 0, 0
        size += len(line)
        if size <= largest:
            entry.append(line)
        depth += sum((brace == "{") - (brace == "}") for brace in _BRACES.findall(line))
        if depth <= 0:
            if size > largest:
                yield Piece.refused("an entry", largest, begun)
            else:
                yield from _bibtex_pieces("".join(entry), begun)
            entry = []
    if entry:
        yield Piece(None, begun, "not BibTeX: the file ends inside of this entry.")


def _bibtex_pieces(text: str, line: int) -> Iterator[Piece]:
    """Yield what stands in the lines of an entry: itself, and others that begin in its last line."""
    place = 0
    while (match := _BIBTEX.search(text, place)) and (end := _closed(text, match.end() - 1)) is not None:
        place = end
        if match[0].strip("@ {\t\n").lower() not in ("comment", "string", "preamble"):
            yield Piece({"style": "BibTeX", "values": list(_entry(text[match.end() : end - 1]))}, line)


def _entry(body: str) -> Iterator[tuple[str, str, str]]:
    key, _, rest = body.partition(",")
    yield "id", "key", key.strip()
    place = 0
    while match := re.compile(r"\s*(?:,\s*)?([A-Za-z_-]+)\s*=\s*").match(rest, place):
        name, at = match[1].lower(), match.end()
        if rest[at : at + 1] == "{":
            end = _closed(rest, at) or len(rest)
            value = rest[at + 1 : end - 1]
        elif rest[at : at + 1] == '"':
            end = (_quoted(rest, at + 1) or len(rest)) + 1
            value = rest[at + 1 : end - 1]
        else:
            bare = re.compile(r"[^,\s]*").match(rest, at)
            end = bare.end() if bare else len(rest)
            value = rest[at:end]
        place = end
        value = _without_tex(value)
        if name == "author":
            value = "\n".join(re.split(r"\sand\s", value))
        yield _BIBTEX_FIELDS.get(name, ""), name, value


def _closed(text: str, place: int) -> int | None:
    """Return where the brace at a place closes."""
    depth = 0
    for match in _BRACES.finditer(text, place):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth == 0 and match[0] in "{}":
            return match.end()
    return None


def _quoted(text: str, place: int) -> int | None:
    depth = 0
    for match in re.compile(r'\\.|[{}"]', re.S).finditer(text, place):
        depth += (match[0] == "{") - (match[0] == "}")
        if match[0] == '"' and depth == 0:
            return match.start()
    return None


def _without_tex(text: str) -> str:
    r"""Return a text without braces and with its accents: {\"o}il is öil.

    >>> _without_tex(r"G{\"o}del \& {\'E}cole")
    'Gödel & École'
    """
    text = re.sub(
        r"\\([`'^\"~cv])\s*\{?([A-Za-z])\}?", lambda m: unicodedata.normalize("NFC", m[2] + _ACCENTS[m[1]]), text
    )
    text = text.replace("\\ss", "ß").replace("--", "–")
    return " ".join(re.sub(r"\\([&%$#_])", r"\1", text).translate(_MARKS).split())
