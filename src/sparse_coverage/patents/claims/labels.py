"""The labels of the elements of a claim, such as "(a)", "ii)" and "3."."""

from __future__ import annotations

import re
from itertools import pairwise

# A label follows a comma, a colon or "and"; a reference numeral in brackets follows the word that it numbers.
LABEL = re.compile(
    r"(?:(?<=[,;:]\s)|(?<=\band\s)|(?<=\bor\s))(?=(?:\(\s*(?:[a-zA-Z]|[ivx]{1,4}|\d{1,2})\s*\)|(?:[a-z]|[ivx]{2,4})\)"
    r"|(?:[a-h]|[ivx]{2,4})\.(?=\s[a-z])|-(?=\s))\s*\S)"
)
LABELLED = re.compile(r"\(?(?:(?P<roman>[ivx]{1,4})|(?P<letter>[a-zA-Z])|(?P<number>\d{1,2}))\)\s")
_PARTS = re.compile(r"\s?(\(?)\s?([a-zA-Z]|[ivx]{1,5}|\d{1,2})\s?([).])\s")
# "to (i) compute ..., and (ii) compress", "comprising: a. directing ..., b. applying": an enumeration that is no remark in a sentence.
_FIRST = re.compile(r"(?:\bto:?|(?<!\bof):)\s{1,8}(?=\(?(?:a|i|1)[).]\s)")
_AFTER_COMMA = re.compile(r",\s(?:and\s)?$")
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv".split()
_AFTER = {chr(code): {chr(code + 1)} for code in (*range(65, 90), *range(97, 122))}
for _one, _next in pairwise(_ROMAN):
    _AFTER.setdefault(_one, set()).add(_next)


def counted(text: str, segments: list[tuple[int, int]], labels: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the labels after a comma that count on from one with which an element or an enumeration begins."""
    firsts = _FIRST.finditer(text, segments[0][0], segments[-1][1])
    known = {opening for opening, _ in segments} | {first.end() for first in firsts}
    after_comma = {place for place, _ in labels if _AFTER_COMMA.search(text[place - 8 : place])}
    found, due = [], set()
    for place in sorted(known | after_comma):
        label = _PARTS.match(text, place)
        if label and (place in known or label.groups() in due):
            before, number, behind = label.groups()
            following = {str(int(number) + 1)} if number.isdigit() else _AFTER.get(number, set())
            due |= {(before, one, behind) for one in following}
            if place not in known:
                found.append((place, place))
    return found
