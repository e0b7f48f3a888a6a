"""Cutting a description that came as one string into its paragraphs."""

from __future__ import annotations

import re

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
