"""Choosing the parts of a patent that are in the wanted language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sparse_coverage.errors import InputError

T = TypeVar("T")

ANY_LANGUAGE = "any"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# Longer names for the languages that patents come in most.
_ALIASES = {
    name: code
    for code, names in {
        "en": "eng english",
        "de": "deu ger german deutsch",
        "fr": "fra fre french français",
        "es": "spa spanish",
        "ja": "jpn japanese",
        "ko": "kor korean",
        "zh": "zho chi chinese",
    }.items()
    for name in names.split()
}


def language_code(value: str | None) -> str:
    """Return a language in one form: `EN`, `en-US`, `eng` and `English` are `en`; nothing is an empty string."""
    code = (value or "").strip().lower().replace("_", "-").partition("-")[0]
    return _ALIASES.get(code, code)


def language_of(element: Any) -> str:
    """Return the language that an XML element names: its `lang`, else its `xml:lang`."""
    return language_code(element.get("lang") or element.get(_XML_LANG))


def wanted_language(value: str) -> str:
    """Return the code of a language that a user asks for; refuse what is none, because it would match no patent."""
    code = value.strip().lower()
    if code != ANY_LANGUAGE and not (len(code) == 2 and code.isalpha() and code.isascii()):
        raise InputError(f"{value!r} is not a language. Give a code of two letters (en, de, fr, …), or {ANY_LANGUAGE}.")
    return code


def accepts(wanted: str, language: str) -> bool:
    """Tell whether a text in `language` is wanted. A text that names no language cannot be excluded."""
    return wanted == ANY_LANGUAGE or not language or language == wanted


def choose_part(parts: Sequence[tuple[str, T]], wanted: str, document_language: str) -> int | None:
    """Return which of several (language, part) pairs to read, or None.

    The first one in the wanted language; when any language will do, the first one in the document's own.
    """
    preferred = document_language if wanted == ANY_LANGUAGE else wanted
    for position, (language, _) in enumerate(parts):
        if language == preferred:
            return position
    for position, (language, _) in enumerate(parts):
        if accepts(wanted, language):
            return position
    return None
