"""From a flat record (a line of JSON, a row of CSV) to a patent, and back. The schema is described in docs/patent-formats.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sparse_coverage.patents.claims import begins_with_number, numbered_claims, split_claims
from sparse_coverage.patents.numbers import parse_number, printed_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, in_other_language, passage_xpath
from sparse_coverage.patents.reading.context import ReadContext, ReadError
from sparse_coverage.patents.values import class_symbol, distinct, is_ambiguous, iso_date
from sparse_coverage.text.languages import language_code

PARTS = "PatentsView"
"""The format of which each table holds a part of a patent; the texts are in other tables."""
# Where a record keeps its id, and where its text can be.
ID_FIELDS = ("id", "_id", "publication_id", "publication_number", "ucid")
TEXT_FIELDS = ("title", "abstract", "text", "claims", "description")
_COUNTRY = re.compile(r"([A-Z]{2})-?(?:D|RE|PP|H|T|AI|X)?\d")
_KIND = re.compile(r"\d-?([A-Z]\d?)$")
_PAGE = re.compile(r"(?:https?://patents\.google\.com/)?patent/([A-Z]{2}\w+)(?:/[a-z]{2})?")
_US_NUMBER = re.compile(r"(?:D|RE|PP|H|T|AI|X)?\d+")
SEPARATOR = re.compile(r";;|[;|\n\r]+")
"""What stands between several values in one."""
_DATE_BESIDE = re.compile(
    r"\[[^\]]*\]|\(?\b\d{4}-\d{2}-\d{2}\)?|\(\d{8}\)|-\d{8}$|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b"
    r"|(?:(?<=[A-Z]\d)|(?<=\d[A-Z]))\s+(?:19|20)\d{6}\b"
)
# Ways to say that a text is not there. False and 0 are none of them.
_NOTHING: tuple[object, ...] = (None, "", [])


def read_record(record: Mapping[str, Any], context: ReadContext, format_name: str) -> Patent:
    """Read one record."""
    document = printed_id(_text(record, "", *ID_FIELDS))
    if not document:
        raise ReadError("no publication id. Give each record an `id` (or `_id`) such as EP-0661903-A2.")
    language = language_code(_text(record, document, "lang", "language"))
    country, kind = _COUNTRY.match(document), _KIND.search(document)
    listed = isinstance(record.get("family"), list)
    patent = Patent(
        id=document,
        title=" ".join(_text(record, document, "title").split()),
        abstract=_paragraphs(record, document, "abstract", "text"),
        claims=_claims(record, document),
        description=_paragraphs(record, document, "description"),
        country=_text(record, document, "country") or (country[1] if country else ""),
        kind=_text(record, document, "kind") or (kind[1] if kind else ""),
        language=language,
        publication_date=_date(record, context, document, "publication_date", "date"),
        application_date=_date(record, context, document, "application_date", "filing_date"),
        priority_date=_date(record, context, document, "priority_date"),
        ipc=_symbols(record, document, "ipc"),
        cpc=_symbols(record, document, "cpc"),
        family="" if listed else _text(record, document, "family"),
        family_members=_numbers(record, document, "family_members", *(["family"] if listed else [])),
        applicants=distinct(_strings(record, document, "applicants") or _strings(record, document, "applicant")),
        inventors=distinct(_strings(record, document, "inventors") or _strings(record, document, "inventor")),
        citations=_numbers(record, document, "citations"),
        source=context.file,
        format=format_name,
        translations=_translations(record, document),
    )
    if not (patent.title or patent.abstract or patent.claims or patent.description) and format_name != PARTS:
        context.report_note(f"it holds no text: none of {', '.join(TEXT_FIELDS)}", document)
    return patent


def identified(record: dict[str, Any], *, own_id: bool = False) -> dict[str, Any]:
    """Make the id from the fields of a row or an object: one number with dates, several numbers, or the parts of a number.

    An id of its own (`own_id`) is left as it is: judgements of a test collection name its documents by it.
    """
    year = str(record.pop("publication_year", ""))
    if re.fullmatch(r"(?:1[789]|20)\d\d", year) and not any(record.get(name) for name in ("publication_date", "date")):
        record["publication_date"] = f"{year}-01-01"  # as of papers, where nothing else is known
    _put_together(record)
    if number := record.pop(
        "us_number", ""
    ):  # PatentsView: without a country, and each part of a patent in another table
        bare = _US_NUMBER.fullmatch(number)
        record.setdefault("id", f"US{number}{record.get('kind', '')}" if bare else number)
        record["part"] = True
    if "id" not in record and "number" in record:
        whole = parse_number(record["number"])
        parts = (record.get("country", ""), record["number"], record.get("kind", ""))
        record["id"] = record["number"] if whole else "".join(parts)
    record.pop("number", None)
    if page := _PAGE.fullmatch(str(record.get("id", ""))):
        record["id"] = page[1]
    if written := record.get("id", ""):
        several = [text for part in SEPARATOR.split(written) if (text := _DATE_BESIDE.sub("", part).strip(" ,-"))]
        if several:
            record["id"] = several[0]
            if others := several[1:]:
                record["family_members"] = [*record.get("family_members", []), *others]
        kind, country = record.get("kind", ""), record.get("country", "")
        if not own_id and re.fullmatch(r"\d[\d/., ]+", record["id"]) and re.fullmatch(r"[A-Z]{2}", country):
            record["id"] = f"{country}{record['id']}" if parse_number(f"{country}{record['id']}") else record["id"]
        if not own_id and re.fullmatch(r"[A-Z]\d?", kind) and re.fullmatch(r"[A-Z]{2}[ -]?[\d/ ]+", record["id"]):
            record["id"] += kind
        elif kind and not re.fullmatch(r"[A-Z]\d?", kind):
            del record["kind"]
    number = record.pop("claim_number", "")
    if number.isdigit() and "claims" in record and not begins_with_number(record["claims"]):
        record["claims"] = f"{int(number)}. {record['claims']}"
    return record


def _put_together(record: dict[str, Any]) -> None:
    """Make one value of what stands in several columns: the parts of a name or of a class, a number without its country."""
    if first := record.pop("first_claims", ""):
        record.setdefault("claims", first)
    person = [record.pop(name, "") for name in ("inventor_last", "inventor_first")]
    if any(person):
        record.setdefault("inventors", [", ".join(filter(None, person))])
    parts = [record.pop(f"ipc_{name}", "") for name in ("section", "class", "subclass", "group", "subgroup")]
    if parts[1]:
        record.setdefault("ipc", ["{}{}{} {}/{}".format(*parts) if all(parts) else parts[1]])
    if cited := record.pop("cited_us_number", ""):
        record.setdefault("citations", [f"US{cited}" if _US_NUMBER.fullmatch(cited) else cited])


def kind_of(value: object) -> str:
    """Say what kind of value JSON holds, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _text(record: Mapping[str, Any], document: str, *fields: str) -> str:
    """Return the first of several fields that is there."""
    for field in fields:
        value = record.get(field)
        if value is None or value == "":
            continue
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise ReadError(f"`{field}` is {kind_of(value)}; expected a string.", document=document)
        return str(value)
    return ""


def _strings(record: Mapping[str, Any], document: str, field: str) -> list[str]:
    """Return the entries of a list, or of a string with separators."""
    value = record.get(field)
    if value is None:
        return []
    parts = SEPARATOR.split(value) if isinstance(value, str) else _entries(value, document, field, "a list of strings")
    return [part.strip() for part in parts]


def _numbers(record: Mapping[str, Any], document: str, *fields: str) -> tuple[str, ...]:
    """Return the publication numbers in some lists, each in its one form."""
    return distinct(printed_id(entry) for field in fields for entry in _strings(record, document, field))


def _entries(value: object, document: str, field: str, expected: str) -> list[str]:
    """Return a list of strings; anything else is an error that says what it is."""
    if not isinstance(value, list):
        raise ReadError(f"`{field}` is {kind_of(value)}; expected {expected}.", document=document)
    for number, entry in enumerate(value, start=1):
        if not isinstance(entry, str):
            cause = f"entry {number} of `{field}` is {kind_of(entry)}; expected a string."
            raise ReadError(cause, document=document)
    return value


def _date(record: Mapping[str, Any], context: ReadContext, document: str, *fields: str) -> str:
    written = _text(record, document, *fields).strip()
    written = "" if written == "0" else written  # as BigQuery writes that there is none
    date = iso_date(written)
    if written and not date:
        why = "of which day and month cannot be told apart" if is_ambiguous(written) else "which is no date"
        expected = "expected a form like 2002-06-12, 20020612 or 12.06.2002"
        context.report_note(f"left out: the {fields[0]} {written!r}, {why}; {expected}", document)
    return date


def _symbols(record: Mapping[str, Any], document: str, field: str) -> tuple[str, ...]:
    parts = [part for value in _strings(record, document, field) for part in SEPARATOR.split(value)]
    return distinct([class_symbol(part) for part in parts])


def _paragraphs(record: Mapping[str, Any], document: str, part: str, *others: str) -> tuple[Paragraph, ...]:
    """Read a list as one paragraph an entry, a string as `split_paragraphs` cuts it; an `abstract` or a plain `text` line by line.

    An empty entry of a list counts in the numbering, and so does an empty line. A `text` that begins with a printed number of a
    paragraph, as descriptions of patents do, is cut as one.
    """
    field = next((field for field in (part, *others) if record.get(field) not in _NOTHING), part)
    value = record.get(field)
    if value in _NOTHING:
        return ()
    if isinstance(value, str):
        plain = field == "abstract" or (field == "text" and not _PRINTED.match(value))
        pieces = [("", line) for line in value.split("\n")] if plain else split_paragraphs(value)
    else:
        pieces = [("", text) for text in _entries(value, document, field, "a string or a list of strings")]
    found = []
    for index, (number, raw) in enumerate(pieces, start=1):
        if text := " ".join(raw.split()):
            found.append(Paragraph(text, passage_xpath(part, "p", index), number))
    return tuple(found)


def _claims(record: Mapping[str, Any], document: str) -> tuple[Claim, ...]:
    value = record.get("claims")
    if value in _NOTHING:
        return ()
    if isinstance(value, str):
        return numbered_claims(split_claims(value))
    expected = "a list of strings, or one string of numbered claims"
    return numbered_claims(_entries(value, document, "claims", expected))


def _translations(record: Mapping[str, Any], document: str) -> tuple[Paragraph, ...]:
    """Read `{"de": {"claims": [...]}}`: parts in other languages, each as the part itself is written."""
    value = record.get("translations")
    if value in _NOTHING:
        return ()
    found: list[Paragraph] = []
    for language, parts in value.items() if isinstance(value, dict) else [("", value)]:
        if not isinstance(parts, dict):
            expected = 'an object of languages, as in {"de": {"claims": ["…"]}}'
            raise ReadError(f"`translations` is {kind_of(value)}; expected {expected}.", document=document)
        code = language_code(language)
        for part in ("abstract", "description"):
            found += in_other_language(part, code, _paragraphs(parts, document, part))
        found += in_other_language("claims", code, _claims(parts, document))
    return tuple(found)


_PRINTED = re.compile(r"\s*\[0\d{3}\]\s")
_BRACKETED = re.compile(r"\[0*(\d{1,5})\](?=\s)")
_ROUND = re.compile(r"(?:^|(?<=\s))\((\d{1,4})\)(?=\s)")
_ENDED = re.compile(r"(?:^|[.:;!?][\"'”’)\]]*|[A-Z]{3})\s*$")
"""What stands before a new paragraph: the end of a sentence, or a heading."""
_BEGINS = re.compile(r"\s+[^a-z\s,.;:)]")
"""What stands behind the number of a new paragraph: no small letter, and no mark of punctuation."""


def split_paragraphs(text: str) -> list[tuple[str, str]]:
    """Return (number, text) pairs.

    Lines are paragraphs. A single line is cut at its printed paragraph numbers, `[0001] … [0002] …` or `(1) … (2) …`, as
    far as they count upwards one by one; what stands before the first number belongs to the first paragraph.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return [_numbered(line) for line in lines]
    for pattern in (_BRACKETED, _ROUND):
        marks = _ascending(pattern, text)
        if len(marks) > 1:
            return _cut(text, marks)
    return [("", text)] if lines else []


def _numbered(line: str) -> tuple[str, str]:
    match = re.match(r"\s*\[0*(\d{1,5})\]\s", line)
    return (match[1].zfill(4), line[match.end() :]) if match else ("", line)


def _ascending(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return the marks that count upwards one by one: of all such series, the one with most marks that look like paragraphs.

    A reference numeral such as "(21)" in the middle of a sentence looks like a mark, too, and may even be the next number;
    one between two sentences is preferred to it, wherever it comes. Some descriptions begin to count again with each part.
    """
    best: dict[
        int, tuple[float, int]
    ] = {}  # by number: the worth of the best series that ends there, and its last mark
    marks: list[tuple[re.Match[str], int]] = []  # each with the mark before it, or -1
    for match in pattern.finditer(text):
        number, likeness = int(match[1]), _likeness(text, match)
        worth, before = best.get(number - 1, (0.0, -1))
        if number == 1 and likeness > 0:
            worth, before = max(best.values(), default=(0.0, -1))
        if before < 0 and number not in (1, 2):
            continue
        marks.append((match, before))
        if worth + likeness > best.get(number, (-1.0, -1))[0]:
            best[number] = (worth + likeness, len(marks) - 1)
    worth, place = max(best.values(), default=(0.0, -1))
    series = []
    while place >= 0 and worth > 0:
        match, place = marks[place]
        series.append(match)
    return series[::-1]


def _likeness(text: str, match: re.Match[str]) -> float:
    """Return how much a number looks like that of a paragraph: most where a sentence ends before it and one begins behind it."""
    ended = _ENDED.search(text, max(0, match.start() - 8), match.start()) is not None
    return 0.4 * ended + 0.35 * (_BEGINS.match(text, match.end()) is not None) - 0.15


def _cut(text: str, marks: list[re.Match[str]]) -> list[tuple[str, str]]:
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    pieces = [(mark[1].zfill(4), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    number, first = pieces[0]
    pieces[0] = (number, text[: marks[0].start()] + first)
    return pieces


_DIRECT = re.compile(r"/patent-document/[\w-]+/(?:p|claim)\[(\d+)\]")
_SCALARS = ("country", "kind", "publication_date", "application_date", "priority_date", "family")
_LISTS = ("ipc", "cpc", "family_members", "applicants", "inventors", "citations")


def to_record(patent: Patent) -> dict[str, Any]:
    """Return a patent as a JSON object: `id`, `lang`, `title`, `abstract`, `claims`, `description`, then what is known.

    Lists keep the numbering of the source: a place that holds no text is an empty string. The abstract is one string with
    a paragraph a line.
    """
    record: dict[str, Any] = {
        "id": patent.id,
        "lang": patent.language,
        "title": patent.title,
        "abstract": "\n".join(_in_place(patent.abstract)),
        "claims": _claim_texts(patent.claims),
        "description": _in_place(patent.description),
    }
    for name in (*_SCALARS, *_LISTS):
        value = getattr(patent, name)
        if value:
            record[name] = list(value) if name in _LISTS else value
    others: dict[str, dict[str, list[Paragraph]]] = {}
    for one in patent.translations:
        part, _, language = one.xpath.split("/")[2].partition("-")
        others.setdefault(language, {}).setdefault(part, []).append(one)
    if others:
        record["translations"] = {
            language: {part: _in_place(found) for part, found in parts.items()} for language, parts in others.items()
        }
    return record


def _in_place(parts: Sequence[Paragraph | Claim]) -> list[str]:
    """Put each text at its place. Those inside subsections have none in a flat list and follow the last of the others."""
    placed: dict[int, str] = {}
    nested = []
    for part in parts:
        if match := _DIRECT.fullmatch(part.xpath):
            placed[int(match[1])] = part.text
        else:
            nested.append(part.text)
    return [placed.get(position, "") for position in range(1, max(placed, default=0) + 1)] + nested


def _claim_texts(claims: Sequence[Claim]) -> list[str]:
    """Print the numbers where reading would not find them: claims 1 to 19 were cancelled, or a text begins with another."""
    texts = _in_place(claims)
    if all(claim.xpath.endswith(f"[{claim.number}]") and not begins_with_number(claim.text) for claim in claims):
        return texts
    numbers = iter(claims)
    return [f"{next(numbers).number}. {text}" if text else "" for text in texts]
