"""The languages of texts: their names, their function words, which one a text is in, and which of several parts to read.

The function words of a language are the file `function_words/CODE.txt`: one more file, and a name below, is one more language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any, TypeVar

from sparse_coverage.errors import InputError
from sparse_coverage.text.letters import comparable

NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ja": "Japanese",
    "zh": "Chinese",
    "ko": "Korean",
    "ru": "Russian",
}
"""The languages that can be told, and their names."""
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = {"ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7af]", "ru": "[\u0400-\u04ff]", "zh": "[\u4e00-\u9fff]"}
_LATIN = tuple(code for code in NAMES if code not in _SCRIPTS)
_LONGEST = 20_000


@cache
def function_words(language: str = "en") -> frozenset[str]:
    """Return the function words of a language; those of English for an unknown language.

    >>> "wobei" in function_words("de"), "spring" in function_words()
    (True, False)
    """
    home = files("sparse_coverage.text") / "function_words"
    path = home / f"{language or 'en'}.txt"
    if not path.is_file():
        return frozenset()
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def guess_language(text: str) -> str:
    """Return the code of a text's language, or nothing where that is not clear.

    >>> guess_language("Ventil mit einem Kolben, wobei der Kolben durch eine Feder belastet ist und sich in dem Gehäuse bewegt")
    'de'
    >>> guess_language("solenoid valve")
    ''
    """
    return _guessed(text[:_LONGEST])


@lru_cache(128)  # the passages of a search are looked at several times
def _guessed(text: str) -> str:
    letters = 0 if text.isascii() else sum(map(str.isalpha, text))
    for language, script in _SCRIPTS.items():  # kana before Han, which Japanese has too
        if letters and len(re.findall(script, text)) > letters / (10 if language == "ja" else 2):
            return language
    words = _WORD.findall(comparable(text).lower())
    counts = Counter(chain.from_iterable(filter(None, map(_languages_of_words().get, words))))
    (best, most), (_, next_most) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    clear = most >= 4 and most >= len(words) / 8 and most >= 1.4 * next_most
    return best if clear else ""


@cache
def _languages_of_words() -> dict[str, list[str]]:
    """Return for each function word of a language in Latin letters the languages that have it."""
    found: dict[str, list[str]] = {}
    for language in _LATIN:
        for word in function_words(language):
            found.setdefault(word, []).append(language)
    return found


Part = TypeVar("Part")
ANY_LANGUAGE = "any"
ONLY = "only-"
"""Before the code of a language: what is in another one is left out, as in a test collection of one language."""
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
    bare = code.removeprefix(ONLY)
    if code != ANY_LANGUAGE and not (len(bare) == 2 and bare.isalpha() and bare.isascii()):
        raise InputError(
            f"{value!r} is not a language. Give a code of two letters (en, de, fr, …), {ANY_LANGUAGE}, or {ONLY}en, which leaves out "
            "what is in other languages."
        )
    return code


def choose_part(parts: Sequence[tuple[str, object]], wanted: str, document_language: str) -> int | None:
    """Return which of several (language, part) pairs, the same in several languages, to read; None where there is none.

    The first one in the wanted language, else in the document's own, else one that names no language, else the first: nothing
    is left out for being in another language than most.

    >>> choose_part([("de", "Ventil"), ("fr", "Soupape")], "en", "fr"), choose_part([("de", "Ventil")], "en", "")
    (1, 0)
    """
    preferred = (
        (wanted.removeprefix(ONLY), document_language, "") if wanted != ANY_LANGUAGE else (document_language, "")
    )
    languages = [language for language, _ in parts]
    if wanted.startswith(ONLY):
        preferred = (preferred[0], "")
    any_other = None if wanted.startswith(ONLY) or not parts else 0
    return next((languages.index(one) for one in preferred if one in languages), any_other)


def other_languages(
    parts: Sequence[tuple[str, Part]], chosen: int | None, wanted: str
) -> tuple[list[tuple[str, Part]], list[str]]:
    """Return which parts are kept beside the chosen one, the first in each other language, and the languages of those left out.

    Nothing is kept where one language alone is wanted (`only-en`).

    >>> other_languages([("en", "A valve"), ("de", "Ventil"), ("de", "Ventile")], 0, "en")
    ([('de', 'Ventil')], ['de'])
    """
    seen = {parts[chosen][0]} if chosen is not None else set()
    kept, left_out = [], []
    for place, (language, part) in enumerate(parts):
        if place == chosen:
            continue
        if wanted.startswith(ONLY) or language in seen:
            left_out.append(language or "unknown language")
        else:
            seen.add(language)
            kept.append((language, part))
    return kept, left_out
