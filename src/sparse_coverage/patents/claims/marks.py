"""Where a claim may be cut: separators, but none within a formula, a bracket or an enumeration of alternatives."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

ARTICLE = (
    r"(?:an?|at\s+least(?!\s+(?:in\s+part|partially|partly))|one\s+or\s+more|means"
    r"|eine?[nmrs]?|mindestens|wenigstens|mehrere|une?|des|au\s+moins|plusieurs)"
)
JOINT = r"(?:and/or|and|or|und|oder|et|ou)"
GAP = r"\s"  # always with a bound: a pattern that begins with any number of blanks is slow on many of them
# What no cut falls into: a formula in TeX, a remark in brackets, and an enumeration of what something is made of or chosen from.
_BRACKETS = re.compile(
    r"\\\((?:[^\\]|\\[^()]){0,4000}\\\)|\([^()]*\)|\b(?:consist(?:ing|s)\sof|selected\sfrom|chosen\sfrom)(?:\sthe\sgroup)?(?:\sconsisting\sof)?:?\s(?:either\s)?an?\s"
    r"(?:(?!\bwherein\b)[^;()]){0,300}?\b(?:and|or)\b"
    r"|\bat\sleast\sone\sof\s(?:an?|(?:the\s)?\w+ing)\s(?:(?!\bwherein\b)[^;()]){0,300}?\b(?:and|or)\b"
    r"|\b(?:consisting\sof|selected\sfrom|chosen\sfrom|(?:one|any|two|three|four)\sof)\b[^:;,]{0,60}:(?!\swherein)",
    re.I,
)
# "selected from ARG1; TPST1; and SLPI", "at least one of: reading ...; and writing ...": an enumeration up to its "and" or "or".
_CHOOSES = re.compile(
    r"\b(?:(?:selected|chosen)\sfrom\b(?:\sthe\sgroup\sconsisting\sof\b)?:?|group\sconsisting\sof\b:?|(?:one(?:\sor\smore)?|two|combination)\sof(?:\sthe\sfollowing)?:)\s?"
)
_ENDED = re.compile(rf"\b{JOINT}\b")
_LAST_WORD = re.compile(rf",\s{JOINT}\b")
_FIRST_ITEM, _LONGEST_ITEM = 400, 4000  # characters, at most
_NEW_THING = re.compile(
    rf"(?P<thing>{ARTICLE}\b)|(?P<act>\w+ing\b)|(?:the|said|wherein|whereby)\b|\(?\w{{1,4}}[.)]\s", re.I
)
# "one or more of (a)", "selected from the group consisting of: i)": where an enumeration of alternatives with labels begins;
# after a colon it is one only if "or" comes before the last.
_CHOICE = re.compile(
    r"(?:(?P<colon>(?<=:)\s)|\b(?:selected\sfrom|chosen\sfrom|any\s(?:one\s)?of|one\sof|one\sor\smore\sof|at\sleast\s(?:one|two|three)\sof|either)\b(?:(?!\bcomprising\s?:)[^;]){0,250}?\s)"
    r"(?P<label>\(?(?:(?P<letter>a)|(?P<roman>i)|(?P<number>1))\)\s)"
)
_ENDS_WITH_OR = re.compile(r"(?<!/)\bor,?\s$")
_ALTERNATIVE_ENDS = re.compile(r";|,\s(?:and\s)?(?:wherein|whereby|the|said|an?)\b", re.I)
_LABEL_KINDS = {
    "letter": "bcdefghijklmnopqrstuvwxyz",
    "roman": "ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv".split(),
    "number": [str(number) for number in range(2, 30)],
}
SEMICOLON = re.compile(rf"(?<!\\);\s*(?:{JOINT}\b\s*,?\s*)?")
# Clauses that are elements wherever they stand, and a list that a colon opens within an element.
CLAUSE = re.compile(
    rf"(?:[,;]{GAP}{{0,8}}|{GAP}{{1,8}})(?:{JOINT}{GAP}{{1,8}})?(?=(?:(?:further|optionally|preferably),?\s)?(?:wherein|whereby)\b)"
    rf"|,{GAP}{{0,8}}(?:{JOINT}{GAP}{{1,8}})?(?=(?:wobei|dans\s+(?:lequel|laquelle))\b)"
    rf"|(?<=[a-z])(?<!formula)(?<!formula\s\w)(?<!formula\s\w\w)(?<!following)(?<!where)(?<!wherein):{GAP}{{1,8}}(?:and{GAP}{{1,8}})?(?=[a-z(])"
    rf"|,{GAP}{{0,8}}and{GAP}{{1,8}}(?=to\s[a-z]{{1,20}}\s(?:an?|the|when|whether)\b)",
    re.I,
)


@lru_cache(8)  # each kind of separator is looked for in the same part of a claim
def _kept_whole(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return what no cut falls into: remarks in brackets, and enumerations of alternatives, with labels ("any of (a) ...; (b) ...")
    or without.
    """
    found = [match.span() for match in _BRACKETS.finditer(text, start, end)]
    reached = start
    for choice in _CHOICE.finditer(text, start, end):
        if choice.start() < reached:
            continue
        place = choice.start("label")
        for number in next(numbers for kind, numbers in _LABEL_KINDS.items() if choice[kind]):
            following = re.compile(rf"(?<![\w(])\(?{number}\)\s").search(
                text, place + 1, min(end, place + _LONGEST_ITEM)
            )
            if following is None:
                break
            place = following.start()
        if choice["colon"] and not _ENDS_WITH_OR.search(text, place - 5, place):
            continue
        last = _ALTERNATIVE_ENDS.search(text, place + 1, min(end, place + _LONGEST_ITEM))
        reached = last.start() if last else min(end, place + _LONGEST_ITEM)
        found.append((choice.start(), reached))
    return tuple(sorted(found + _chosen(text, start, end)))


def _chosen(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the enumerations of what is chosen from whose items semicolons divide."""
    found: list[tuple[int, int]] = []
    for choice in _CHOOSES.finditer(text, start, end):
        if found and choice.start() < found[-1][1]:
            continue
        stop = text.find(";", choice.end(), min(end, choice.end() + _FIRST_ITEM))
        strict = "following" in choice.group()  # an "and" within its items does not end it
        goes_on = stop >= 0 and (strict or not _ENDED.search(text, choice.end(), stop))
        first = _NEW_THING.match(text, choice.end()) if ":" in choice.group() else None
        kind = first.lastgroup if first else None
        last = 0
        while goes_on and (mark := SEMICOLON.match(text, stop, end)):
            new = _NEW_THING.match(text, mark.end(), end)
            if new and (new.lastgroup is None or (not strict and new.lastgroup != kind)):
                break
            last, stop = mark.end(), text.find(";", mark.end(), end)
            ended = _ENDED.search(mark.group()) or (not strict and _LAST_WORD.search(text, mark.end(), stop))
            goes_on = stop >= 0 and not ended
        if last:
            found.append((choice.start(), last))
    return found


def marks(separator: re.Pattern[str], text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find separators, but not those within brackets: "(117; 413)" is one remark."""
    return [match.span() for match in outside(separator, text, start, end)]


def outside(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that are not within what is kept whole."""
    whole = _kept_whole(text, start, end)
    openings, ends = [first for first, _ in whole], list(accumulate((last for _, last in whole), max))
    for match in pattern.finditer(text, start, end):
        nearest = bisect_left(openings, match.start()) - 1
        if nearest < 0 or ends[nearest] <= match.start():
            yield match
