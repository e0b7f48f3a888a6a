"""The elements of an independent claim: preamble, the parts it comprises, and what characterises it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from sparse_coverage.patents.claims.other_languages import ClaimLanguage, claim_language, cut_claim
from sparse_coverage.text import content_words

Role = Literal["preamble", "element", "characterising"]

_CHARACTERISED = re.compile(
    r"\b(?:(?<!is\s)(?<!are\s)(?<!be\s)(?<!being\s)characteri[sz]ed\s+(?:in\s+that|by(?:\s+that)?|in)|(?:where)?in\s+the\s+improvement\s+(?:comprises|comprising|is)"
    r"|the\s+improvement\s+(?:comprising|comprises|which\s+comprises|wherein|being)"
    r"|dadurch\s+gekennzeichnet\s*,?(?:\s*(?:dass|daß))?|gekennzeichnet\s+durch"
    r"|caract[ée]ris[ée]e?s?\s+(?:en\s+ce\s+que|par))\b\s*[:,]?",
    re.I,
)
_STEPS = (
    r"(?:\s+(?:at\s+least\s+)?(?:the\s+)?(?:following\s+)?(?:steps?|elements?|components?|characteristics|features)(?:\s+of)?"
    r"(?=\s*:|\s*\(|\s+\w+ing\b|\s+\w\))|\s+at\s+least(?=\s*:)|,\s+(?:in|as)\s+[^,;:]{1,40}[,:])?"
)
_STRONG = (
    r"\b(?:compris(?:ing|es|e|ed\s+of)|consist(?:ing|s)(?:\s+essentially)?\s+of|composed\s+of|umfassend|umfasst"
    r"|bestehend\s+aus|comprenant|comportant)\b"
)
_WEAK = r"\b(?:having|has|including|includes|containing|contains|aufweisend|aufweist|enthaltend|enthält|ayant|contenant|incluant)\b"
_WHEREIN = r"\b(?:wherein|wobei|dans\s+(?:lequel|laquelle))\b"
_ARTICLE = (
    r"(?:an?|at\s+least(?!\s+(?:in\s+part|partially|partly))|one\s+or\s+more|means"
    r"|eine?[nmrs]?|mindestens|wenigstens|mehrere|une?|des|au\s+moins|plusieurs)"
)
# How sure a sign each is that the preamble ends: with a colon, a word of the claim language, an ordinary word.
_TRANSITIONS = (
    re.compile(rf"(?:(?<!group\s){_STRONG}|{_WEAK}){_STEPS}\s*:", re.I),
    re.compile(rf"{_STRONG}{_STEPS}", re.I),
    re.compile(rf"{_WEAK}{_STEPS}", re.I),
    re.compile(rf"(?:\b(?:with|mit|avec)(?=\s+{_ARTICLE}\b)|,\s+in\s+which\b)", re.I),
    re.compile(rf"{_WHEREIN}{_STEPS}\s*:", re.I),
)
# "A mouse, wherein the pad comprises ..." tells of a part; "A method ..., wherein the method comprises ..." opens the list of the claim.
_TOLD = re.compile(r"\bwherein\s(?:the|said|each|an?|at\sleast\sone)\s(?P<thing>[^,;:]{1,120})$", re.I)
_FINITE = re.compile(r"comprises\b|consists\b|includes\b|contains\b|has\b", re.I)
_JOINT = r"(?:and|or|und|oder|et|ou)"
_GAP = r"\s"  # always with a bound: a pattern that begins with any number of blanks is slow on many of them
# What no cut falls into: a remark in brackets, and an enumeration of what something is made of or chosen from.
_BRACKETS = re.compile(
    r"\([^()]*\)|\b(?:consist(?:ing|s)\sof|selected\sfrom|chosen\sfrom)(?:\sthe\sgroup)?(?:\sconsisting\sof)?:?\s(?:either\s)?an?\s"
    r"(?:(?!\bwherein\b)[^;()]){0,300}?\b(?:and|or)\b",
    re.I,
)
_SEMICOLON = re.compile(rf";\s*(?:and/or\b\s*|{_JOINT}\b\s*,?\s*)?")
_ALTERNATIVE = re.compile(r"(?<!/)\bor\s*,?\s*$", re.I)
# A label follows a comma, a colon or "and"; a reference numeral in brackets follows the word that it numbers.
_LABEL = re.compile(
    r"(?:(?<=[,;:]\s)|(?<=\band\s)|(?<=\bor\s))(?=(?:\(\s*(?:[a-zA-Z]|[ivx]{1,4}|\d{1,2})\s*\)|(?:[a-z]|[ivx]{2,4})\)|[a-h]\.(?=\s[a-z])|-(?=\s))\s*\S)"
)
# "one or more of (a)", "selected from the group consisting of: i)": where an enumeration of alternatives with labels begins.
_CHOICE = re.compile(
    r"\b(?:selected\sfrom|chosen\sfrom|any\s(?:one\s)?of|one\sof|one\sor\smore\sof|at\sleast\s(?:one|two|three)\sof|either)\b[^;]{0,250}?\s"
    r"(?P<label>\(?(?:(?P<letter>a)|(?P<roman>i)|(?P<number>1))\)\s)"
)
_LABEL_KINDS = {
    "letter": "bcdefghijklmnopqrstuvwxyz",
    "roman": "ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split(),
    "number": [str(number) for number in range(2, 30)],
}
_LABELLED = re.compile(r"\(?(?:(?P<roman>[ivx]{1,4})|(?P<letter>[a-zA-Z])|(?P<number>\d{1,2}))\)\s")
_AND_LAST = re.compile(r"\band\s*$", re.I)
# Clauses that are elements wherever they stand, and a list that a colon opens within an element.
_CLAUSE = re.compile(
    rf"(?:[,;]{_GAP}{{0,8}}|{_GAP}{{1,8}})(?:{_JOINT}{_GAP}{{1,8}})?(?=(?:(?:further|optionally|preferably),?\s)?(?:wherein|whereby)\b)"
    rf"|,{_GAP}{{0,8}}(?:{_JOINT}{_GAP}{{1,8}})?(?=(?:wobei|dans\s+(?:lequel|laquelle))\b)"
    rf"|(?<=[a-z])(?<!formula)(?<!following)(?<!consisting of):{_GAP}{{1,8}}(?=[a-z(])"
    rf"|,{_GAP}{{0,8}}and{_GAP}{{1,8}}(?=to\s[a-z]{{1,20}}\s(?:an?|the|when|whether)\b)",
    re.I,
)
_STEP_WORDS = "compris includ hav be consist contain us depend extend form accord correspond follow".split()
_BY_WHAT = "using|by|via|through|with|at"  # "identifying, using the control unit, a provider": what comes between a verb and its object
_STEP = rf"(?!(?:{'|'.join(_STEP_WORDS)})ing\b)[a-z]{{1,20}}ing(?:\s(?:an?|the|said|each|of|at|in|from|copper|[a-z]+s)|,\s(?:{_BY_WHAT}))\b"
_AMOUNT = r"(?:(?:up\s+to|from|about)\s+)?\d[\d.]*(?:\s+(?:to|and)\s+\d[\d.]*)?\s+(?:%|wt|parts?\b|(?!to\b|and\b|or\b)[a-z]{4,}\b)"
_ITEM = (
    rf"(?:{_ARTICLE}\b|(?:and\s+)?(?:the|said)\s+(?:\w{{1,20}}\s){{1,3}}being\b|(?:[a-z]{{1,20}}\s){{1,3}}means\b|(?:das|die)\s+[A-Z]\w+en\b"
    rf"|{_AMOUNT}|(?:two|three|four|five|six|eight)\s[a-z]{{2,20}}s\b|{_STEP})"
)
_COMMA = re.compile(rf",{_GAP}{{0,8}}(?:{_JOINT}{_GAP}{{1,8}})?(?={_ITEM})")
_AND = re.compile(rf"{_GAP}{{1,8}}{_JOINT}{_GAP}{{1,8}}(?={_ITEM})")
_AND_THAT = re.compile(
    rf"(?:,{_GAP}{{0,8}}(?:{_JOINT}{_GAP}{{1,8}})?|{_GAP}{{1,8}}{_JOINT}{_GAP}{{1,8}})(?:in\sthat\s|(?=(?:that|dass|daß|que)\s))"
)
_ACTS = (
    "acquire activate adjust allocate analy[sz]e append apply assign calculate capture change classify close combine compare "
    "compute control convert correct create decode decrease detect determine display divide drive emit encode establish estimate "
    "evaluate execute extract forward generate identify increase indicate infer initiate inject issue maintain measure modify "
    "monitor move notify obtain open output perform predict present produce provide read receive record reduce release remove "
    "render renew replace report retrieve route select send set share start stop store subtract supply switch transform transmit "
    "trigger tune update verify"
).replace(" ", "|")
_OBJECT = r"\s(?:an?|the|said|each|one|at|whether|data|from|to)\b"
# "a controller configured to measure a pressure, |compare it ..., and |open a valve"; "which counts ..., |moves ..., and |reports ...".
_FIRST_ACT = re.compile(
    rf"\b(?:configured|adapted|operable|programmed|arranged|designed|instructions?)\sto:?\s[a-z]|\bto:?\s(?:{_ACTS})\b"
    rf"|\b(?:that|which)\s(?P<third>(?:{_ACTS})e?s){_OBJECT}",
    re.I,
)
_NEXT_ACT = re.compile(rf",{_GAP}{{1,8}}(?:and{_GAP}{{1,8}})?(?=(?:{_ACTS})(?:e?s)?{_OBJECT})", re.I)
_THIRD = re.compile(rf"(?:{_ACTS})e?s\b", re.I)
_WHEREIN_LIST = re.compile(r"\bwherein\s?:", re.I)
_NEXT_SENTENCE = re.compile(
    rf",{_GAP}{{0,8}}and{_GAP}{{1,8}}(?=the\s(?:[\w()-]{{1,20}}\s){{1,4}}(?:is|are|has|have)\b)", re.I
)
_BEGINS_LABELS = re.compile(r"\bto:\s\(?(?:a|i|1)\)[^;]*$")
# After one of these, "a first leg and a second leg" is what the element has, not the next element.
_HOLDS = re.compile(
    r"\b(?:having|has|with|compris\w+|includ\w+|contain\w+|between|both|either|each|selected|chosen|consist\w+)\b", re.I
)
_INDEFINITE = re.compile(rf"\b{_ARTICLE}\b", re.I)
_FAR = 600  # so many characters after the last comma an "and" is no longer looked for
_REFERENCE_WITHIN = 300  # characters: what comes later is no longer the preamble
_NUMBERS = r"\s\d{1,4}(?:\s?(?:,|to|or|and|and/or|-|–|bis|oder|und|à|ou|et)\s?(?:claims?\s)?\d{1,4}(?!\s?(?:%|°|[a-zµ]{1,2}\b))){0,20}"
_REFERENCE = re.compile(rf"\b(?:claims?|ansprüche?n?|anspruch|revendications?)(?:{_NUMBERS}|(?=[,\s]))", re.I)
_LINK = re.compile(
    r"[\s,]{0,8}(?:(?:and\s)?(?:wherein|in\swhich|which|whereby|where)\b|characteri[sz]ed\s(?:in\sthat|by)|(?:and\s)?further\scomprising:?"
    r"|comprising:?|having|dadurch\sgekennzeichnet,?\sdass|wobei|caractérisée?\sen\sce\sque|dans\s(?:lequel|laquelle))?[\s,]{0,8}",
    re.I,
)
# What cannot end an element: a verb without its object, a preposition without its noun.
_DANGLING = re.compile(
    r"(?:^(?:\(?\w{1,3}[).]\s)?\w+ing$|(?:^|[\s,])\w+ing,\s(?:using|by|via|through|with|at)\s[^,;:]{1,80}$|[\s,](?:there|here)by\s\w+ing$|\b(?:configured|adapted|arranged|operable|programmed|designed|used|able|inputting|applying|bound|attached|connected|coupled|linked|\w+ing)\sto|\b(?:of|from|by|with|in|for|at|on|into|onto|via|that|which|wherein|whereby|where|is|are|includes?|comprises?|comprising|including"
    r"|having|has|contains?|containing|consists?\sof|consisting\sof|at\sleast))\s?:?$",
    re.I,
)
_OPENS_A_LIST = re.compile(r"\b(?:compris|includ|hav|contain|consist)ing(?:\sof)?\s?:?$", re.I)
_REST_OF_ALTERNATIVES = re.compile(r"(?:an?y?\s)?(?:combinations?|mixtures?)\b[\w\s]{0,40}\bthereof\b", re.I)
# "R30 is hydrogen", "wherein X and Y are each", "n is 0": the definition of a letter of a formula.
_LETTER = r"(?:(?:the\s)?integer\s)?(?:[A-Z][a-z]?\d{0,3}|[a-zα-ω]\d{0,3})(?:['′]{1,2})?"
_DEFINITION = re.compile(
    rf"(?:(?:and|wherein|where|in\swhich|each)\s){{0,2}}{_LETTER}(?:(?:,\s|,?\s(?:and|or)\s){_LETTER}){{0,9}},?\s"
    r"(?:is|are|being|represents?|denotes?|stands?\sfor|ranges?|independently|each)\b"
)
_FORMULA = re.compile(r"\bformula(?:e|s)?\b|\bstructure\b", re.I)
_BACK = re.compile(r"wherein\s(?:the|said)\s(?P<thing>[\w-]{2,30})(?P<more>\s[\w-]{2,30})?\b", re.I)
_STEP_HEADING = re.compile(r"(?:step\s\w{1,3}|for\seach)\b[^:;]{0,60}$", re.I)
_WORDS_OF_AN_ELEMENT = 2
_SUBJECT, _ARTICLES = 8, 3  # so many words of a claim say what it is about, but for those of so few letters
_SHORT = 30  # characters of an alternative without a label
_EDGE = ",;:"
_TRAILING_JOINT = re.compile(rf"[\s,;]{_JOINT}$", re.I)


@dataclass(frozen=True, slots=True)
class ClaimElement:
    """One element of a claim. `text` is exactly `claim.text[start:end]`."""

    role: Role
    start: int
    end: int
    text: str


def claim_elements(text: str) -> tuple[ClaimElement, ...]:
    """Split the text of an independent claim.

    The preamble runs up to and with "comprising" or its like, or to the end where there is none. The elements after it
    are cut at semicolons, else at labels such as "(a)", else at commas and the last "and" before an article, a step or an
    amount; and everywhere before "wherein" and after a colon. What follows "characterised in that" is cut the same way.

    >>> [e.text for e in claim_elements("A pump comprising: a housing; and a rotor, characterised in that it is round.")]
    ['A pump comprising:', 'a housing', 'a rotor', 'it is round.']

    Claims in German and French are cut as `other_languages` says.

    >>> [e.text for e in claim_elements("Ventil mit einem Kolben, dadurch gekennzeichnet, dass der Kolben hohl ist.")]
    ['Ventil mit', 'einem Kolben', 'der Kolben hohl ist.']
    """
    if language := claim_language(text):
        return _in(language, text)
    mark = _CHARACTERISED.search(text)
    known_end = mark.start() if mark else len(text)
    preamble_end = _preamble_end(text, known_end)
    elements = [*_trimmed(text, 0, preamble_end, "preamble")]
    if preamble_end < known_end:
        elements += _cut(text, preamble_end, known_end, "element")
    if mark:
        elements += _cut(text, mark.end(), len(text), "characterising")
    return tuple(elements)


def added_elements(text: str) -> tuple[ClaimElement, ...]:
    """Split the text of a dependent claim: what it refers to is its preamble, its elements are what it adds.

    >>> [e.text for e in added_elements("The pump of claim 1 or 2, wherein the rotor is round and wherein it is red.")]
    ['The pump of claim 1 or 2', 'the rotor is round', 'wherein it is red.']
    """
    if language := claim_language(text):
        return _in(language, text)
    reference = _REFERENCE.search(text, 0, _REFERENCE_WITHIN)
    if reference is None:
        return claim_elements(text)
    link = _LINK.match(text, reference.end())
    start = link.end() if link else reference.end()
    return (*_trimmed(text, 0, reference.end(), "preamble"), *_cut(text, start, len(text), "element"))


def _in(language: ClaimLanguage, text: str) -> tuple[ClaimElement, ...]:
    preamble, found = cut_claim(text, language)
    elements = [*_trimmed(text, *preamble, "preamble")]
    for (start, end), characterising in found:
        elements += _trimmed(text, start, end, "characterising" if characterising else "element")
    return tuple(elements)


def _preamble_end(text: str, end: int) -> int:
    """Return where the first transition ends, by the surest sign before the first semicolon."""
    semicolon = next(iter(_marks(_SEMICOLON, text, 0, end)), (end, end))[0]
    for pattern in _TRANSITIONS:
        if match := pattern.search(text, 0, semicolon):
            return _first_clause(text, semicolon) if _tells_of_a_part(text, match) else match.end()
    return _first_clause(text, semicolon)


def _first_clause(text: str, end: int) -> int:
    return next(iter(_marks(_CLAUSE, text, 0, end)), (end, end))[0]


def _tells_of_a_part(text: str, verb: re.Match[str]) -> bool:
    """Tell whether "comprises" is said in a clause, and of another thing than what the claim is about, which its first words name."""
    told = _TOLD.search(text[: verb.start()]) if _FINITE.match(verb.group()) else None
    if told is None:
        return False
    subject = set(text[: told.start()].lower().split()[:_SUBJECT])
    return not any(word in subject for word in told["thing"].lower().split()[:3] if len(word) > _ARTICLES)


def _kept_whole(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return what no cut falls into: remarks in brackets, and enumerations of alternatives, with labels ("any of (a) ...; (b) ...")
    or without.
    """
    found = [match.span() for match in _BRACKETS.finditer(text, start, end)]
    for choice in _CHOICE.finditer(text, start, end):
        place = choice.start("label")
        for number in next(numbers for kind, numbers in _LABEL_KINDS.items() if choice[kind]):
            following = re.compile(rf"(?<![\w(])\(?{number}\)\s").search(text, place + 1, end)
            if following is None:
                break
            place = following.start()
        found.append((choice.start(), place + 1))
    return sorted(found)


def _marks(separator: re.Pattern[str], text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find separators, but not those within brackets: "(117; 413)" is one remark."""
    whole = _kept_whole(text, start, end)
    openings, ends = [first for first, _ in whole], list(accumulate((last for _, last in whole), max))
    marks = []
    for match in separator.finditer(text, start, end):
        nearest = bisect_left(openings, match.start()) - 1
        if nearest < 0 or ends[nearest] <= match.start():
            marks.append(match.span())
    return marks


def _cut(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    semicolons, labels = _marks(_SEMICOLON, text, start, end), _marks(_LABEL, text, start, end)
    marks = semicolons + [mark for mark in labels if not semicolons or _BEGINS_LABELS.search(text, start, mark[0])]
    clauses = _marks(_CLAUSE, text, start, end)
    if not [mark for mark in marks if mark[0] > start + 1]:
        marks += _listed(text, start, min([end, *(first for first, _ in clauses)]))
    if role == "characterising":
        marks += _marks(_AND_THAT, text, start, end) + _marks(_NEXT_SENTENCE, text, start, end)
    elif opened := _WHEREIN_LIST.search(text, start, end):
        marks += _marks(_NEXT_SENTENCE, text, opened.end(), end)
    marks += clauses + _acts(text, start, end)
    pieces = []
    opening = start
    for stop, restart in sorted(marks):
        if stop < opening:  # two signs of one boundary
            opening = max(opening, restart)
            continue
        pieces += _trimmed(text, opening, stop, role)
        opening = restart
    return _whole(text, pieces + _trimmed(text, opening, end, role))


def _acts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find where the second act of a thing begins, and each further one."""
    found = []
    for stop, restart in _marks(_NEXT_ACT, text, start, end):
        opening = max(start, text.rfind(";", start, stop))
        first = _FIRST_ACT.search(text, opening, stop)
        third = _THIRD.match(text, restart) is not None
        if first and third == (first["third"] is not None):
            found.append((stop, restart))
    return found


def _whole(text: str, pieces: list[ClaimElement]) -> list[ClaimElement]:
    """Join pieces that are none by themselves with what they belong to."""
    found: list[ClaimElement] = []
    for piece in pieces:
        if found and _goes_on(text, found[-1], piece):
            first = found.pop()
            if _ALTERNATIVE.search(
                text[first.end : piece.start]
            ):  # "(a) ...; (b) ...; or (c) ...": from the first of them on
                while found and _alternatives(found[-1], first, piece):
                    first = found.pop()
            piece = ClaimElement(first.role, first.start, piece.end, text[first.start : piece.end])
        found.append(piece)
    if len(found) > 1 and not content_words(found[-1].text, "en"):
        last, before = found.pop(), found.pop()
        found.append(ClaimElement(before.role, before.start, last.end, text[before.start : last.end]))
    return found


def _alternatives(*pieces: ClaimElement) -> bool:
    """Tell whether pieces are items of one list: labels of one kind, or short and with the same first word ("SEQ ID NO: 18")."""
    labels = [_LABELLED.match(piece.text) for piece in pieces]
    if any(labels):
        return len({label.lastgroup if label else "" for label in labels}) == 1
    return len({piece.text.split()[0] for piece in pieces}) == 1 and all(len(one.text) <= _SHORT for one in pieces)


def _goes_on(text: str, before: ClaimElement, piece: ClaimElement) -> bool:
    """Tell whether a piece of a claim goes on with what the one before it began."""
    between = text[before.end : piece.start]
    if _ALTERNATIVE.search(between) or (":" in between and _STEP_HEADING.match(before.text)):
        return True
    words = len(content_words(before.text[:200], "en"))
    if not words or _REST_OF_ALTERNATIVES.match(piece.text):
        return True
    if _DANGLING.search(before.text[-40:]):
        return words < _WORDS_OF_AN_ELEMENT + 1 or not _OPENS_A_LIST.search(before.text[-40:])
    if _DEFINITION.match(piece.text):
        return bool(_DEFINITION.match(before.text) or _FORMULA.search(before.text))
    back = _BACK.match(piece.text)
    if back is None or between.strip(" ,"):
        return False
    things = (back["thing"].lower(), (back["thing"] + (back["more"] or "")).lower())
    return before.text.lower().endswith(tuple(f" a {thing}" for thing in things))


def _listed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find the commas between the components of a list, and the "and" before its last."""
    commas = _marks(_COMMA, text, start, end)
    if commas and _ALTERNATIVE.search(
        text[slice(*commas[-1])]
    ):  # what is listed are alternatives, but for what an "and" ended before
        while commas and not _AND_LAST.search(text[slice(*commas[-1])]):
            commas.pop()
    if any(_TRAILING_JOINT.search(text[stop:restart].rstrip()) for stop, restart in commas[-1:]):
        return commas
    last = commas[-1][1] if commas else start
    end = min(end, last + _FAR)
    joints = [mark for mark in _marks(_AND, text, last, end) if not _HOLDS.search(text, last, mark[0])]
    if commas:
        return commas + joints[-1:]
    kept = []
    for stop, restart in joints:  # without a comma, only what is no part of a phrase of its own: "a shaft and a canopy"
        if len(_INDEFINITE.findall(text, last, stop)) <= 1:
            kept.append((stop, restart))
            last = restart
    return kept


def _trimmed(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    while start < end and (text[start].isspace() or text[start] in _EDGE):
        start += 1
    end = _trimmed_end(text, start, end, ",;" if role == "preamble" else _EDGE)
    if role != "preamble" and (joint := _TRAILING_JOINT.search(text, max(start, end - 5), end)):
        end = _trimmed_end(text, start, joint.start(), _EDGE)
    return [ClaimElement(role, start, end, text[start:end])] if any(c.isalnum() for c in text[start:end]) else []


def _trimmed_end(text: str, start: int, end: int, edge: str) -> int:
    while end > start and (text[end - 1].isspace() or text[end - 1] in edge):
        end -= 1
    return end
