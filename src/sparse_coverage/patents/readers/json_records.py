"""JSON of any arrangement: the documented schema, BEIR, and the records of the services (Lens, BigQuery, HUPD, USPTO, EPO)."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparse_coverage.patents.numbers import number_key
from sparse_coverage.patents.patent import Note, Patent
from sparse_coverage.patents.readers import ops
from sparse_coverage.patents.readers.fields import field_of, names, plain_name
from sparse_coverage.patents.readers.json_stream import Noticing, Record
from sparse_coverage.patents.readers.records import ID_FIELDS, identified, kind_of, read_record
from sparse_coverage.patents.reading.context import Piece, ReadContext, ReadError
from sparse_coverage.text import NAMES as LANGUAGES
from sparse_coverage.text.languages import ONLY, choose_part, language_code

_ARRAY = re.compile(rb"(?:\[\s*){1,3}[{\]]|\[\s*\[\s*\"")
_TEXTS = ("claims", "description", "abstract", "title", "first_claims")
_DATES = ("publication_date", "application_date", "priority_date")
_LISTS = ("ipc", "cpc", "family_members", "applicants", "inventors", "citations")
_MARKUP = re.compile(r"<(?:/?[a-zA-Z][^<>]*|!--[^<>]*--)>")
_BLOCK = re.compile(r"</?(?:p|br|div|li|claim|claim-text|heading|h\d|tr)\b[^<>]*>", re.I)
_SCHEMA = frozenset(
    "id _id publication_id publication_number ucid lang language title abstract text claims description publication_date date "
    "application_date filing_date priority_date ipc cpc country kind family family_members applicants applicant inventors inventor "
    "citations".split()
)
_SYMBOL = ("section", "class", "subclass", "main group", "subgroup")
Translations = dict[str, dict[str, str | list[str]]]
"""Parts in other languages than the wanted one: by language, then by field."""
Leaf = tuple[tuple[str, ...], str, Any]
"""The plain names above a value, its own name as written, and the value."""


def recognises(head: bytes) -> bool:
    """Tell JSON from its first brace, or the bracket of an array of objects."""
    return (head.startswith(b"{") and not head.startswith(b"{\\rtf")) or _ARRAY.match(head) is not None


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one record."""
    if not isinstance(piece.content, Record):
        noticing = Noticing()
        patent = _read(_parsed(piece.content, noticing), context)
        return _told(patent, noticing.twice, context)
    try:
        return _told(_read(piece.content.value, context), piece.content.twice, context)
    except ReadError as error:
        raise ReadError(f"record {piece.content.place}: {error.cause}", 0, error.document) from None


def _told(patent: Patent, twice: Sequence[str], context: ReadContext) -> Patent:
    for name in twice:
        cause = f"mended: {name!r} comes twice in an object; the last one counts"
        context.note(Note(context.file, 0, cause, patent.id, "mended"))
    return patent


def _parsed(line: bytes, noticing: Noticing) -> Any:
    try:
        text = line.decode("utf-8-sig")
        record = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=noticing.of)
    except UnicodeDecodeError as error:
        place = f"byte {error.start} of the line is {line[error.start]:#04x}"
        raise ReadError(f"not UTF-8: {place}. Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise ReadError(f"not JSON: {error.msg} (column {error.colno}).", error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise ReadError(f"not readable as JSON: {error}") from None
    if b"\\ud" in line.lower() and not _is_text(record):
        raise ReadError("it holds half a character (an unpaired surrogate such as \\ud800).")
    return record


def _read(record: Any, context: ReadContext) -> Patent:
    if not isinstance(record, dict):
        raise ReadError(f"{kind_of(record)} instead of an object. Each record is one patent: {{...}}.")
    if any(isinstance(one := record.get(name), dict) and "0" in one for name in ID_FIELDS):
        raise ReadError(
            "columns that hold the rows, as pandas writes a table. Save it by to_json(..., orient='records')."
        )
    if "bibliographic-data" in record or "publication-reference" in record or "@document-id-type" in str(record)[:400]:
        return _of_ops(record, context)
    return read_record(flat_record(_inner(record), context), context, "JSON")


def _of_ops(record: dict[str, Any], context: ReadContext) -> Patent:
    """Read JSON of the EPO's services, which is XML in another dress."""
    if {"claims", "description"} & record.keys():
        patent = ops.read_fulltext(ops.element_of("fulltext-document", record), context)
    elif "bibliographic-data" in record:
        patent = ops.read_exchange(ops.element_of("exchange-document", record), context)
    else:
        patent = ops.read_member(ops.element_of("family-member", record), context)
    if not patent.id:
        raise ReadError("it names no publication number.")
    return replace(patent, format="EPO OPS")


def flat_record(record: Mapping[str, Any], context: ReadContext) -> dict[str, Any]:
    """Return a record of the documented schema from one of any other, and name what was not used.

    What the schema has stays as it is, so that a value of a wrong kind is told. Everything else is found by its name.
    """
    if "patent_number" in record and (
        "patent_title" in record or "patent_abstract" in record
    ):  # an old answer of PatentsView
        record = {"patent_id" if name == "patent_number" else name: value for name, value in record.items()}
    record = _paper(record)
    flat = {
        name: _single(name, value)
        for name, value in record.items()
        if name in _SCHEMA
        and not any(isinstance(one, dict) for one in (value, *(value if isinstance(value, list) else ())))
    }
    if "translations" in record:
        flat["translations"] = record["translations"]
    taken = {field_of(name)[0]: value for name, value in flat.items() if value not in (None, "", [])}
    found: dict[str, list[tuple[int, Any, str]]] = {}
    unused = []
    for above, name, value in _leaves({key: value for key, value in record.items() if key not in flat}):
        field, rank = _field_at((*above, plain_name(name)), name)
        if value in (None, "", [], {}):
            continue
        if not field or (field in taken and not _same(field, value, taken[field])):
            unused.append(".".join((*above, name)))
        elif field not in taken:
            found.setdefault(field, []).append((rank, value, ".".join((*above, name))))
    others: Translations = {}
    own = language_code(str(record.get("lang") or record.get("language") or "")) or next(
        (
            language
            for field in ("claims", "description", "abstract")
            for _, value, _ in found.get(field, ())
            for language, _ in _texts(value)
        ),
        "",
    )
    made = {}
    languages: dict[str, str] = {}
    for field, values in found.items():
        values.sort(key=lambda one: one[0])
        if field in _TEXTS:
            made[field], languages[field] = _text_of(field, values, context, others, own)
        else:
            made[field] = _value(field, [value for _, value, _ in values])
        if not made[field] and field not in _DATES:
            unused += [name for _, _, name in values]
        elif field not in ("ipc", "cpc"):  # of the others, one is taken: what says something else is named
            unused += [name for _, value, name in values[1:] if not _same(field, value, values[0][1])]
    language = next((languages[field] for field in _TEXTS if languages.get(field)), "")
    if language and not (record.get("lang") or record.get("language")):
        made["language"] = language
    for name in (
        record.keys() - flat.keys() & _SCHEMA
    ):  # nested, and nothing in it that is a text: an error that says so
        if not made.get(field_of(name)[0]) and not others:
            flat[name] = record[name]
    context.unused(unused)
    return _composed(flat, {field: value for field, value in made.items() if value}, others, record, context)


def _single(name: str, value: Any) -> Any:
    """Return the one value of a list where a text is expected, as Solr answers."""
    one = isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
    return value[0] if one and field_of(name)[0] in ("id", "title", "language", *_DATES) else value


def _paper(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record of a paper with its DOI and its abstract where others have them (Lens, OpenAlex)."""
    if isinstance(ids := record.get("external_ids"), list):
        dois = (one.get("value") for one in ids if isinstance(one, dict) and one.get("type") == "doi")
        record = {**record, "doi": next(dois, None) or record.get("lens_id")}
    if isinstance(places := record.get("abstract_inverted_index"), dict):
        words = sorted((at, word) for word, found in places.items() if isinstance(found, list) for at in found)
        rest = {name: value for name, value in record.items() if name != "abstract_inverted_index"}
        record = {**rest, "abstract": " ".join(word for _, word in words)}
    return record


def _composed(
    flat: dict[str, Any], made: dict[str, Any], others: Translations, record: Mapping[str, Any], context: ReadContext
) -> dict[str, Any]:
    """Put both together: the id of its parts, and the language of the texts that were chosen."""
    document = str(flat.get("id") or made.get("id") or "")
    if others and context.language.startswith(ONLY):
        context.report_note(f"left out: parts in other languages ({', '.join(sorted(others))})", document)
    elif others:
        made["translations"] = others
    given = next((flat.pop(name) for name in ID_FIELDS if flat.get(name)), None)
    if given is not None and not isinstance(given, str | int):
        return {"id": given}  # an error that says what it is
    if isinstance(given, str | int) and not isinstance(given, bool):
        made["id"] = str(given)
    if str(made.get("id", "")).isdigit() and any(plain_name(name) == "application number text" for name in record):
        made["id"] = f"US{made['id']}"
    made = {**{name: value for name, value in flat.items() if value is not None}, **made}
    return identified(made, own_id=bool(record.get("_id")))


def _field_at(path: tuple[str, ...], name: str) -> tuple[str, int]:
    """Return the field that a place in a record stands for, and how little it is preferred."""
    known = names()
    for length in (3, 2):
        if field := known.paths.get(".".join(path[-length:])):
            return field, 0
    if any(part in known.other_documents for part in path[:-1]):
        return "", 0
    field, _, rank = field_of(name)
    if field.startswith("ipc_"):  # parts of a symbol are put together in `_texts`; a class may be any
        return "", 0
    return field, rank + 10 * len(path)


def _leaves(value: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Yield the values of a record: objects are opened, unless one is a text with its language."""
    for name, inner in value.items():
        is_single = isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict)
        if is_single and not _field_at((*above, plain_name(name)), name)[0]:
            inner = inner[0]
        if (
            isinstance(inner, dict)
            and not ({"text", "$", "value"} & inner.keys() and len(inner) <= 4)
            and not _by_language(inner)
            and not (inner and all(map(str.isdigit, inner)))
            and len(above) < 6
        ):
            yield from _leaves(inner, (*above, plain_name(name)))
        else:
            yield above, name, inner


def _text_of(
    field: str, values: list[tuple[int, Any, str]], context: ReadContext, others: Translations, own: str
) -> tuple[str | list[str], str]:
    """Return the text of a field, in the wanted language or the document's own, and its language. Others go to `others`."""
    for _, value, _ in values:
        language, by = _by_languages(_texts(value), context, own)
        chosen = by.pop(language, []) if language is not None else []
        for other, texts in by.items():
            if other:
                others.setdefault(other, {})[field] = _as_field(field, texts)
        if chosen:
            return _as_field(field, chosen), language or ""
    return "", ""


def _as_field(field: str, texts: list[str]) -> str | list[str]:
    return texts if len(texts) > 1 and field == "claims" else "\n".join(texts)


def _value(field: str, values: list[Any]) -> Any:
    """Return what any other field of the schema holds, of all that was found for it."""
    if field in _LISTS:
        chosen = values if field in ("ipc", "cpc") else values[:1]
        names_ = field in ("applicants", "inventors")  # which some write Smith; Ada
        return [
            text.replace("; ", ", ") if names_ and isinstance(value, list) else text
            for value in chosen
            for _, text in _texts(value)
        ]
    texts = [text for value in values for _, text in _texts(value)]
    return texts[0] if texts else ""


def _same(field: str, value: Any, taken: Any) -> bool:
    """Tell whether two values of a field say the same."""
    ours, theirs = ([text for _, text in _texts(one)] for one in (value, taken))
    if field in ("id", "us_number"):
        return list(map(number_key, ours)) == list(map(number_key, theirs))
    return not ours or ours == theirs


def _by_languages(
    texts: list[tuple[str, str]], context: ReadContext, own: str
) -> tuple[str | None, dict[str, list[str]]]:
    """Return the wanted language, or the document's own, None where there is neither, and the texts by language."""
    by: dict[str, list[str]] = {}
    for language, text in texts:
        by.setdefault(language, []).append(_plain_text(text))
    languages = list(by)
    position = choose_part([(language, None) for language in languages], context.language, own)
    return (None if position is None else languages[position]), by


def _texts(value: Any, language: str = "") -> list[tuple[str, str]]:
    """Return the texts in a value with their languages, however deep they lie."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value).strip()
        return [(language, text)] if text else []
    if isinstance(value, list):
        return [pair for one in value for pair in _texts(one, language)]
    if not isinstance(value, dict):
        return []
    if _by_language(value):
        return [pair for code, inner in value.items() for pair in _texts(inner, language_code(code))]
    plain = {plain_name(name) or name: inner for name, inner in value.items()}
    language = (
        language_code(str(next((plain[name] for name in ("lang", "language") if plain.get(name)), ""))) or language
    )
    if all(name.isdigit() for name in value):  # {"1": a claim, "2": another}
        return [pair for name in sorted(value, key=int) for pair in _texts(value[name], language)]
    symbol = [plain.get(f"ipc {part}", plain.get(part)) for part in _SYMBOL]
    if all(symbol):
        return [(language, "{}{}{} {}/{}".format(*symbol))]
    if cited := plain.get("citation patent id") or plain.get("cited patent number"):  # PatentsView, without the country
        return [(language, f"US{cited}" if str(cited).isdigit() else str(cited))]
    if plain.get("doc number"):
        parts = (plain.get(name) for name in ("jurisdiction", "country", "doc number", "kind"))
        return [(language, "-".join(str(part) for part in parts if part))]
    if isinstance(plain.get("claim text"), list):  # the parts of one claim
        return [(language, " ".join(text for _, text in _texts(plain["claim text"])))]
    for name in names().values:
        if plain.get(name):
            return _texts(plain[name], language)
    plain = dict(sorted(plain.items(), key=lambda pair: "first" in pair[0]))  # Stroke, Ada
    named = [
        str(inner) for name, inner in plain.items() if re.search(r"\bname\b", name) and isinstance(inner, str) and inner
    ]
    return [(language, ", ".join(named))] if named else []


def _by_language(value: Mapping[str, Any]) -> bool:
    """Tell an object that holds a text under the code of each language: {"en": …, "de": …}."""
    return bool(value) and all(language_code(name) in LANGUAGES for name in value)


def _plain_text(text: str) -> str:
    """Return a text without the markup that some services leave in it."""
    if "<" not in text or not _MARKUP.search(text):
        return text
    return html.unescape(_MARKUP.sub("", _BLOCK.sub("\n", text))).strip()


def _inner(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record inside of one that only wraps it, as the hits of a search engine do."""
    for name, value in record.items():
        if isinstance(value, dict) and plain_name(name) in names().inner and len(record) <= 6:
            outer = {key: one for key, one in record.items() if key != name and key in ("_id", "id")}
            return {**outer, **value}
    return record


def _refuse_constant(name: str) -> object:
    raise ReadError(f"{name} is not JSON. Leave the field out, or write null.")


def _is_text(record: object) -> bool:
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True
