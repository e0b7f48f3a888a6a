"""Texts made comparable, letter by letter: what one word looks like however a file spells its letters.

Soft hyphens, zero-width spaces and joiners, and marks of byte order are no part of a word; ligatures, full-width letters, superscripts
and subscripts are the letters and digits that they stand for (NFKC); a letter and the accent after it are one.
"""

from __future__ import annotations

import re
from unicodedata import combining, is_normalized, normalize

_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_ANY_UNSEEN = re.compile(f"[{_UNSEEN}]")


class _Letters(dict[int, str]):
    """What each character stands for, found out when it is first met. Signs such as ™ and fractions stay as they are."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        plain = "" if letter in _UNSEEN else normalize("NFKC", letter)
        changed = letter in _UNSEEN or (letter.isalnum() and plain.isalnum())
        self[code] = plain if changed else letter
        return self[code]


_LETTERS = _Letters()


def comparable(text: str) -> str:
    """Return a text for comparing.

    >>> comparable("a sp\u00adring, a ﬁlter for CO₂")
    'a spring, a filter for CO2'
    """
    if _is_plain(text):
        return text
    return normalize("NFC", text.translate(_LETTERS))


def aligned(text: str) -> tuple[str, list[int] | None]:
    """Return the same, and where each of its letters stands in the text, then the length of that; None where they stand alike.

    >>> aligned("sp\u00adring")
    ('spring', [0, 1, 3, 4, 5, 6, 7])
    """
    if _is_plain(text):
        return text, None
    parts, starts = [], []
    begin = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not (combining(text[place]) or text[place] in _UNSEEN):
            parts.append(comparable(text[begin:place]))
            starts += [begin] * len(parts[-1])
            begin = place
    return "".join(parts), [*starts, len(text)]


def _is_plain(text: str) -> bool:
    return text.isascii() or (is_normalized("NFKC", text) and not _ANY_UNSEEN.search(text))
