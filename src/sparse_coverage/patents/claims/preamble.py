"""Where the preamble of a claim ends: at "comprising" or its like, or at the first clause."""

from __future__ import annotations

import re

from sparse_coverage.patents.claims.marks import ARTICLE, CLAUSE, SEMICOLON, marks, outside

_STEPS = (
    r"(?:\s+the\s+following\s+(?:steps|elements|components)\s[^,;:]{1,120}(?=:)"
    r"|\s+(?:at\s+least\s+)?(?:the\s+)?(?:following\s+(?:[a-z-]+\s+)?)?(?:steps?|elements?|components?|characteristics|features)(?:\s+of)?"
    r"(?=\s*:|\s*\(|\s+(?:\w+ly\s+)?\w+ing\b|\s+\w\))|\s+at\s+least(?=\s*:)|,\s+(?:in|as)\s+[^,;:]{1,40}[,:]|,(?=\s\(?[ai1][).]\s))?"
)
_STRONG = (
    r"\b(?<!group\s)(?:compris(?:ing|es|e|ed\s+of)(?:(?:,|,?\s+or)\s+consist(?:ing|s)(?:\s+essentially)?\s+of){0,2}|consist(?:ing|s)(?:\s+essentially)?\s+of|composed\s+of|umfassend|umfasst"
    r"|bestehend\s+aus|comprenant|comportant)\b"
)
_WEAK = r"\b(?:having|has|including|includes|containing|contains|aufweisend|aufweist|enthaltend|enthält|ayant|contenant|incluant)\b"
_ANY_TRANSITION = re.compile(rf"{_STRONG}|{_WEAK}")
# How sure a sign each is that the preamble ends: with a colon, a word of the claim language, an ordinary word.
_TRANSITIONS = (
    re.compile(rf"(?:{_STRONG}|{_WEAK}){_STEPS}\s*:", re.I),
    re.compile(rf"{_STRONG}{_STEPS}", re.I),
    re.compile(rf"{_WEAK}{_STEPS}", re.I),
    re.compile(rf"(?:\b(?:with|mit|avec)(?=\s+{ARTICLE}\b)|,\s+in\s+which\b)", re.I),
)
_SURE = _TRANSITIONS[:2]
_WHEREIN = re.compile(r",?\swherein\b", re.I)
# "A mouse, wherein the pad comprises ..." tells of a part; "A method ..., wherein the method comprises ..." opens the list of the claim.
# "A gel having a matrix, said matrix comprising ..." does so too.
_TOLD = re.compile(
    r"\bwherein:?\s(?:\(?\w{1,3}\)\s)?(?:the\s|said\s|each\s|an?\s|at\sleast\sone\s|(?=[A-Z]\s))(?P<thing>(?:(?!\bwherein\b)[^;:]){1,120})$",
    re.I,
)
_SAID = re.compile(r",\s(?:said|the)\s(?P<thing>[^,;:]{1,60})\s$", re.I)
_OF_A_THING = re.compile(r"\sof\s(?:the|said)\s", re.I)
_GOES_BACK = re.compile(r",\s(?:(?:said|the)\s[^,;:]{1,60}\s)?$", re.I)
_FINITE = re.compile(r"(?:comprise|consist|include|contain)s?\b|ha[sv]e?\b", re.I)
_TOLD_BEFORE = re.compile(r"\b(?:is|are|has|have)\s")
# "a medium comprising instructions that, when executed by a processor, cause the processor to:": a preamble to its end.
_INSTRUCTIONS = re.compile(r"\s(?:[\w-]+\s){0,4}(?:instructions?|code)\s[^;:]{0,250}\bto\s?:", re.I)
# "A process for making soap; said process comprising:": a semicolon within a preamble.
_RESUMED = re.compile(r";\s(?:and\s)?(?:said|the)\s(?P<thing>[^,;:]{1,60})\scompris(?:ing|es)\b")
_WORD = re.compile(r"[\w-]+")
_NEAR = 200  # characters before a verb, among which is what it is said of
_SUBJECT = 8  # so many words of a claim say what it is about, but for these
_ARTICLES = frozenset("a an the one or more of for to in at and".split())


def preamble_end(text: str, end: int) -> int:
    """Return where the first transition ends, by the surest sign before the first semicolon."""
    resumed = _resumed(text, end)
    semicolon = next((stop for stop, _ in marks(SEMICOLON, text, 0, end) if stop > resumed), end)
    found = _transition(text, semicolon)
    if found is None or _tells_of_a_part(text, found, _TOLD):
        return next(iter(marks(CLAUSE, text, 0, semicolon)), (semicolon, semicolon))[0]
    instructions = _INSTRUCTIONS.match(text, found.end(), end)
    return instructions.end() if instructions else found.end()


def _transition(text: str, end: int) -> re.Match[str] | None:
    """Return the surest sign that the preamble ends, the first of its kind that does not tell of a part of something named before."""
    of_a_part = None
    clause = next((stop for stop, _ in marks(_WHEREIN, text, 0, end)), end)
    for pattern in _TRANSITIONS:
        limit = end if pattern in _SURE else clause
        for match in outside(pattern, text, 0, min(of_a_part.start(), limit) if of_a_part else limit):
            if _tells_of_a_part(text, match, _SAID) or _tells_of_a_part(text, match, _TOLD):
                of_a_part = of_a_part or match
            elif of_a_part is None or match.end() < of_a_part.start() or _GOES_BACK.search(_before(text, match)):
                return match
    return of_a_part


def _tells_of_a_part(text: str, verb: re.Match[str], said: re.Pattern[str]) -> bool:
    """Tell whether "comprises" is said of another thing than what the claim is about, which its first words name."""
    told = said.search(_before(text, verb))
    if told is None:
        return False
    opens_a_list = verb.group().endswith(":")
    begins = max(0, verb.start() - _NEAR) + told.start()
    if said is _SAID and opens_a_list:
        return False
    if said is _TOLD:
        if not opens_a_list and _TOLD_BEFORE.search(told["thing"]) and not told["thing"].endswith(", "):
            return True
        if not _FINITE.match(verb.group()):
            return False
        if not opens_a_list and 0 <= text.find("wherein") < begins:
            return True
    if _OF_A_THING.search(told["thing"]):
        return True
    named = _ANY_TRANSITION.split(text[: min(begins, _NEAR)].lower(), maxsplit=1)[0]
    subject = set(_WORD.findall(named)[:_SUBJECT]) - _ARTICLES
    return subject.isdisjoint(_WORD.findall(told["thing"].lower())[:3])


def _resumed(text: str, end: int) -> int:
    """Return where a semicolon stands within the preamble: after it the claim's thing is named again, and comprises the rest."""
    resumed = _RESUMED.search(text, 0, end)
    if resumed is None or re.search(_STRONG, text[: resumed.start()]):
        return -1
    subject = set(_WORD.findall(text[:_NEAR].lower())[:_SUBJECT]) - _ARTICLES
    return -1 if subject.isdisjoint(_WORD.findall(resumed["thing"].lower())) else resumed.start()


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _NEAR) : match.start()]
