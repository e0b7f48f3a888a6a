"""Texts made comparable, letter by letter: what one word looks like however a file spells its letters.

Soft hyphens, zero-width spaces and joiners, and marks of byte order are no part of a word; ligatures, full-width letters, superscripts
and subscripts are the letters and digits that they stand for (NFKC); a letter and the accent after it are one.
"""

from __future__ import annotations

import re
from itertools import accumulate
from unicodedata import combining, is_normalized, normalize

_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_ANY_UNSEEN = re.compile(f"[{_UNSEEN}]")


_ODD = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")


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
    parts: list[str] = []
    starts: list[int] = []
    done = 0
    for found in _ODD.finditer(text):  # what stands between is plain, and most of the text
        parts.append(text[done : found.start()])
        starts += range(done, found.start())
        begin, done = found.start(), found.end()
        for place in range(begin + 1, done + 1):
            if place == done or not _joins(text[begin:place], text[place]):
                seen = text[begin:place]
                parts.append(comparable(seen))
                # An accent that makes no letter with the one before it is no part of a word, so the word ends there.
                starts += [
                    begin if n == 0 or one.isalnum() else _place(seen, one, begin) for n, one in enumerate(parts[-1])
                ]
                begin = place
    parts.append(text[done:])
    starts += range(done, len(text) + 1)
    return "".join(parts), list(accumulate(starts, max))  # some accents change places


def _place(seen: str, letter: str, begin: int) -> int:
    return begin + (seen.find(letter) if letter in seen else len(seen))


def _joins(before: str, letter: str) -> bool:
    """Tell whether a letter is seen with those before it as one: an accent, a part of a syllable, or nothing."""
    if letter.isascii():
        return False
    together = len(comparable(before + letter)) < len(comparable(before)) + len(comparable(letter))
    return together or combining(letter) > 0 or letter in _UNSEEN


def _is_plain(text: str) -> bool:
    if text.isascii() or (is_normalized("NFKC", text) and not _ANY_UNSEEN.search(text)):
        return True
    return text.translate(_LETTERS) == text and is_normalized("NFC", text)  # signs alone, such as ™ and hard blanks
