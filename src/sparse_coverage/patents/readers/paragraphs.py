"""Cutting a description that came as one string into its paragraphs."""

from __future__ import annotations

import re

_BRACKETED = re.compile(r"\[0*(\d{1,5})\](?=\s)")
_ROUND = re.compile(r"(?:^|(?<=\s))\((\d{1,4})\)(?=\s+[^a-z\s,.;:)])")


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
    """Keep the marks that count upwards; a reference numeral in between does not continue the count."""
    marks: list[re.Match[str]] = []
    for match in pattern.finditer(text):
        number = int(match[1])
        expected = int(marks[-1][1]) + 1 if marks else None
        if number == expected or (expected is None and number in (1, 2)):
            marks.append(match)
    return marks


def _cut(text: str, marks: list[re.Match[str]]) -> list[tuple[str, str]]:
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    pieces = [(mark[1].zfill(4), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    number, first = pieces[0]
    pieces[0] = (number, text[: marks[0].start()] + first)
    return pieces
