"""Telling the language of a text from its commonest words, or from its script. In doubt it is not told."""

from __future__ import annotations

import re
from collections import Counter

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
_COMMON = {
    "en": "the of and to in a is that for with as by at least wherein said one having which from or an on comprising are be",
    "de": "der die das und in eine einer eines einem ein zu mit von dem den des im ist wobei dadurch für auf nach sich wird bei oder zum",
    "fr": "le la les de des du et un une dans en que qui par pour sur au aux est selon dont caractérisé ou avec ce cette",
    "es": "el la los las de del y un una en que por para con se al es según donde o caracterizado como más su",
    "it": "il lo la i gli le di del della dei e un una in che per con da al è secondo cui o caratterizzato dal nella si",
    "nl": "de het een van en in met voor dat is op waarbij te door die bij uit aan volgens wordt of ten om zich",
    "pt": "o a os as de do da dos das e um uma em que por para com se ao é segundo ou caracterizado pelo na no",
}
_SETS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = {"ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7af]", "ru": "[\u0400-\u04ff]", "zh": "[\u4e00-\u9fff]"}
_LONGEST = 20_000


def guess_language(text: str) -> str:
    """Return the code of a text's language, or nothing where that is not clear.

    >>> guess_language("Ventil mit einem Kolben, wobei der Kolben durch eine Feder belastet ist und sich in dem Gehäuse bewegt")
    'de'
    >>> guess_language("solenoid valve")
    ''
    """
    text = text[:_LONGEST]
    letters = sum(map(str.isalpha, text))
    for language, script in _SCRIPTS.items():  # kana before Han, which Japanese has too
        if letters and len(re.findall(script, text)) > letters / (10 if language == "ja" else 2):
            return language
    words = _WORD.findall(text.lower())
    counts = Counter({language: sum(word in common for word in words) for language, common in _SETS.items()})
    (best, most), (_, next_most) = counts.most_common(2)
    clear = most >= 4 and most >= len(words) / 8 and most >= 1.4 * next_most
    return best if clear else ""
