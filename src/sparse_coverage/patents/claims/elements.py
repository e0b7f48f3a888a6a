"""The elements of an independent claim: preamble, the parts it comprises, and what characterises it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Literal

from sparse_coverage.patents.claims.labels import LABEL, LABELLED, counted
from sparse_coverage.patents.claims.marks import ARTICLE, CLAUSE, GAP, JOINT, SEMICOLON, marks
from sparse_coverage.patents.claims.other_languages import ClaimLanguage, claim_language, cut_claim
from sparse_coverage.patents.claims.preamble import preamble_end
from sparse_coverage.text import content_words

Role = Literal["preamble", "element", "characterising"]

_CHARACTERISED = re.compile(
    r"\b(?:(?<!is\s)(?<!are\s)(?<!be\s)(?<!being\s)characteri[sz]ed\s+(?:in\s+that|by(?:\s+that)?|in)|(?:where)?in\s+the\s+improvement\s+(?:comprises|comprising|is)"
    r"|the\s+improvement\s+(?:comprising|comprises|which\s+comprises|wherein|being)"
    r"|dadurch\s+gekennzeichnet\s*,?(?:\s*(?:dass|daß))?|gekennzeichnet\s+durch"
    r"|caract[ée]ris[ée]e?s?\s+(?:en\s+ce\s+que|par))\b\s*[:,]?",
    re.I,
)
_ALTERNATIVE = re.compile(r"(?<!/)\bor\s*,?\s*$", re.I)
_AND_LAST = re.compile(r"\band\s*$", re.I)
_STEP_WORDS = "compris includ hav be consist contain us depend extend form accord correspond follow".split()
_BY_WHAT = "using|by|via|through|with|at"  # "identifying, using the control unit, a provider": what comes between a verb and its object
_NO_OBJECT = "that|to|as|on|for|with|when|until|and|or|is|are"
_DOING = r"(?:[a-z]{1,4}-)?[a-z]{1,20}ing(?:\sand\s[a-z]{1,20}ing)?"
_STEP = rf"(?!(?:{'|'.join(_STEP_WORDS)})ing\b){_DOING}(?:\s(?!(?:{_NO_OBJECT})\b)\w|,\s(?:{_BY_WHAT})\b)"
_CONDITION = (
    r"(?:for|if|when|after|while|during|by|upon|based\son|in\sresponse\sto|subsequent\sto|prior\sto)\s[^,;:]{1,100}"
)
_HOW = rf"(?:{_CONDITION},\s)?(?:(?:then|next|thereafter|[a-z]{{2,20}}ly),?\s)?"
_NUMBER = r"(?:\(?\w{1,3}[).:]\s|step\s\w{1,3}\b(?:[^:;]{0,120}:|,)\s)?"
_STEP_BEGINS = re.compile(rf"\s*{_NUMBER}{_HOW}(?:using\s|{_STEP}|[a-z]{{3,20}}ing\s(?:in)?to\s)", re.I)
_ONLY_A_CONDITION = re.compile(rf"{_NUMBER}{_CONDITION}|optionally|preferably|further", re.I)
_FIRST_STEP = re.compile(rf"(?::|\b(?:compris|includ)(?:es?|ing))\s(?={_STEP})", re.I)
_NEXT_STEP = re.compile(rf",{GAP}{{1,8}}(?:and{GAP}{{1,8}})?(?={_HOW}{_STEP})")
_AMOUNT = r"(?:(?:up\s+to|from|about)\s+)?\d[\d.]*(?:\s+(?:to|and)\s+\d[\d.]*)?\s+(?:%|wt|parts?\b|(?!to\b|and\b|or\b)[a-z]{4,}\b)"
_ITEM = (
    rf"(?:{ARTICLE}\b|(?:and\s+)?(?:the|said)\s+(?:\w{{1,20}}\s){{1,3}}being\b|(?!said\b|the\b)(?:[a-z]{{1,20}}\s){{1,3}}means\b|(?:das|die)\s+[A-Z]\w+en\b"
    rf"|{_AMOUNT}|(?:two|three|four|five|six|eight)\s[a-z]{{2,20}}s\b|{_STEP})"
)
_COMMA = re.compile(rf",(?!(?<=\d,)\d{{3}}\b){GAP}{{0,8}}(?:{JOINT}{GAP}{{1,8}})?(?=(?:optionally,?\s)?{_ITEM})")
_AND = re.compile(rf"{GAP}{{1,8}}{JOINT}{GAP}{{1,8}}(?={_ITEM})")
_AND_THAT = re.compile(
    rf"(?:,{GAP}{{0,8}}(?:{JOINT}{GAP}{{1,8}})?|{GAP}{{1,8}}{JOINT}{GAP}{{1,8}})(?:in\sthat\s|(?=(?:dass|daß|que)\s))"
    rf"|,?{GAP}{{1,8}}{JOINT}{GAP}{{1,8}}(?=that\s)"
)
# What follows a comma before "a" or "the" and is no act.
_NO_ACT = (
    "a all also among an and any are as at based because been before being between both but by cause causes comprises "
    "contains depending during each either every for from further given has have having if in includes including into is "
    "its just less like more namely neither nor not of on one only onto or over per preferably responsive said than that "
    "the then thereby therein through to together under until up upon via was were what when where whereby wherein "
    "whether which while who whose with within without"
).replace(" ", "|")
_ACTS = rf"(?!(?:{_NO_ACT})\b)[a-z]{{2,20}}(?<!ing)(?<!ed)"
_OBJECT = r"\s(?:an?|the|said|each|whether|at\sleast|one\so[fr])\b"
# "a controller configured to measure a pressure, |compare it ..., and |open a valve"; "which counts ..., |moves ..., and |reports ...".
_FIRST_ACT = re.compile(
    rf"\b(?:configured|adapted|operable|programmed|arranged|designed|instructions?)\sto:?\s[a-z]|\bto:?\s(?:{_ACTS})\b"
    rf"|\b(?:that|which)\s(?P<third>(?:{_ACTS})e?s){_OBJECT}",
    re.I,
)
_NEXT_ACT = re.compile(rf",{GAP}{{1,8}}(?:and{GAP}{{1,8}})?(?=(?:{_ACTS})(?:e?s)?{_OBJECT})", re.I)
_THIRD = re.compile(rf"(?:{_ACTS})e?s\b", re.I)
_WHEREIN_LIST = re.compile(r"\bwherein\s?:", re.I)
_NEXT_SENTENCE = re.compile(
    rf",{GAP}{{0,8}}and{GAP}{{1,8}}(?=the\s(?:[\w()-]{{1,20}}\s){{1,4}}(?:is|are|has|have)\b)", re.I
)
# After one of these, "a first leg and a second leg" is what the element has, not the next element.
_HOLDS = re.compile(
    r"\b(?:having|has|with|compris\w+|includ\w+|contain\w+|between|both|either|each|selected|chosen|consist\w+)\b", re.I
)
_INDEFINITE = re.compile(rf"\b{ARTICLE}\b", re.I)
_FAR = 600  # so many characters after the last comma an "and" is no longer looked for
_NAMED_WITHIN = 1000  # characters: the formula whose letters are defined
_REFERENCE_WITHIN = 300  # characters: what comes later is no longer the preamble
_NUMBERS = (
    r"\s\d{1,4}(?:(?:\s?,)?\s?(?:,|to|or|and|and/or|-|–|bis|oder|und|à|ou|et)\s?(?:claims?\s)?\d{1,4}"
    r"(?!\s?(?:%|°|[a-zµ]{1,2}\b))){0,20}"
)
_REFERENCE = re.compile(rf"\b(?:claims?|ansprüche?n?|anspruch|revendications?)(?:{_NUMBERS}|(?=[,\s]|$))", re.I)
_LINK = re.compile(
    r"[\s,]{0,8}(?:(?:and\s)?(?:wherein|in\swhich|which|whereby|where)\b|characteri[sz]ed\s(?:in\sthat|by)|(?:and\s)?further\scomprising:?"
    r"|comprising:?|having|dadurch\sgekennzeichnet,?\sdass|wobei|caractérisée?\sen\sce\sque|dans\s(?:lequel|laquelle))?[\s,]{0,8}",
    re.I,
)
# "as claimed in", "according to any one of the preceding": what leads to the number of the claim.
_CITES = re.compile(
    r"(?:[\s,(]{0,4}\b(?:of|in|to|by|with|under|per|as|any|one|or|more|the|at|least|according|accordance|pursuant|claimed|defined|recited"
    r"|set|forth|described|specified|stated|preceding|previous|prior|foregoing|above)\b){1,9}[\s,(]{0,4}$",
    re.I,
)
_HOLDS_IT = re.compile(r"\b(?:comprising|including|containing|having|wherein|whereby|characteri[sz]ed)\b", re.I)
# What cannot end an element: a verb without its object, a preposition without its noun.
_DANGLING = re.compile(
    r"(?:^(?:\(?\w{1,3}[).]\s)?\w+ing$|(?:^|[\s,])\w+ing,\s(?:using|by|via|through|with|at)\s[^,;:]{1,80}$|[\s,](?:there|here)by\s\w+ing$|\b(?:configured|adapted|arranged|operable|programmed|designed|used|able|sufficient|inputting|applying|bound|attached|connected|coupled|linked|\w+ing)\sto|\b(?:(?<!operations\s)of|from|by|with|in|for|at|as|on|into|onto|via|that|which|wherein|whereby|where|is|are|includes?|comprises?|comprising|including"
    r"|having|has|contains?|containing|consists?\sof|consisting\sof|(?<!instructions\sto\s)at\sleast))\s?:?$",
    re.I,
)
_OPENS_A_LIST = re.compile(r"\b(?:compris|includ|hav|contain|consist)ing(?:\sof)?\s?:?$", re.I)
_REST_OF_ALTERNATIVES = re.compile(r"(?:an?y?\s)?(?:combinations?|mixtures?)\b[\w\s]{0,40}\bthereof\b", re.I)
# "R30 is hydrogen", "wherein X and Y are each", "n is 0": the definition of a letter of a formula.
_LETTER = (
    r"(?:(?:the\s)?integer\s)?(?:[A-Z][A-Za-z]?\d{0,3}[a-d]?|[A-Z]{1,5}\d?(?=\()|[a-zα-ω]\d{0,3})"
    r"(?:-[A-Z]\d{1,3}|['′″*]{1,2}|\([\w,]{1,3}\))?"
)
_DEFINITION = re.compile(
    rf"(?:(?:and|wherein|where|in\swhich|each(?:\soccurrence)?(?:\sof)?):?\s){{0,2}}{_LETTER}(?:(?:,\s|,?\s(?:and|or)\s){_LETTER}){{0,9}}(?:,\swhen\spresent)?,?\s"
    r"(?:is|are|being|represents?|denotes?|stands?\sfor|ranges?|consists?\sof|independently|each)\b"
)
# What goes on after such a definition: "each Y is independently ...", "the solvent is ...", "wherein when n is 2, ...".
_DEFINES = re.compile(rf"(?:^|\bwhere(?:in)?:?\s){_DEFINITION.pattern}")
_DEFINED_TOO = re.compile(
    rf"(?:wherein\s)?(?:when|if)\s{_LETTER}\s|is\s|(?!an?\s|wherein\s)(?:each\s|the\s)?\S{{1,15}}(?:\s\S{{1,15}})?\s(?:is|are)\b"
)
_FORMULA = re.compile(r"\bformula(?:e|s)?\b|\bstructure\b|=[^;]{0,200},\swhere\s", re.I)
_BACK = re.compile(r"wherein\s(?:the|said)\s(?P<thing>[\w-]{2,30})(?P<more>\s[\w-]{2,30})?\b", re.I)
# "step 1, heating:", "for each word:", "to detect:": before a colon, what goes on after it.
_STEP_HEADING = re.compile(
    r"wherein\s(?:the|said|each)\s(?:[\w-]{1,30}\s){0,3}[\w-]{1,30}$|(?:(?:step|part|case)\s\w{1,3}|for\seach)\b[^:;]{0,120}$",
    re.I,
)
_WANTS_AN_OBJECT = re.compile(
    r"^(?:\(?\w{1,3}[).]\s)?\w+ing\s(?:in)?to\s(?:an?|the|said)\s[\w\s-]{1,40}$|\bto\s(?!perform$|automatically$)\w+$",
    re.I,
)
_WORDS_OF_AN_ELEMENT = 2
_SHORT = 30  # characters of an alternative without a label
_COLON = re.compile(r"(?<!\bNO):\s")  # but that of "SEQ ID NO: 7"
_ITEMS = 50  # of a list of alternatives, at most
_EDGE = ",;:"
_TRAILING_JOINT = re.compile(rf"[\s,;]{JOINT}$", re.I)


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
    opening = preamble_end(text, known_end)
    elements = [*_trimmed(text, 0, opening, "preamble")]
    if opening < known_end:
        elements += _cut(text, opening, known_end, "element")
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
    if reference is None or _HOLDS_IT.search(text, 0, reference.start()):
        return claim_elements(text)
    link = _LINK.match(text, reference.end())
    start = link.end() if link else reference.end()
    return (*_trimmed(text, 0, reference.end(), "preamble"), *_cut(text, start, len(text), "element"))


def without_reference(element: ClaimElement) -> ClaimElement | None:
    """Return an element without the claim that it ends with a reference to; None where nothing is left, itself where it ends otherwise.

    >>> [without_reference(e).text for e in added_elements("A method of using the pump as claimed in claim 1, by hand.")]
    ['A method of using the pump', 'by hand.']
    """
    reference = _REFERENCE.search(element.text)
    if reference is None or content_words(element.text[reference.end() :], "en"):
        return element
    cites = _CITES.search(element.text, 0, reference.start())
    end = (cites or reference).start()
    return replace(element, end=element.start + end, text=element.text[:end]) if end else None


def _in(language: ClaimLanguage, text: str) -> tuple[ClaimElement, ...]:
    preamble, found = cut_claim(text, language)
    elements = [*_trimmed(text, *preamble, "preamble")]
    for (start, end), characterising in found:
        elements += _trimmed(text, start, end, "characterising" if characterising else "element")
    return tuple(elements)


def _cut(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    semicolons, labels = marks(SEMICOLON, text, start, end), marks(LABEL, text, start, end)
    segments = list(pairwise([start, *(last for _, last in semicolons), end]))
    cuts = semicolons + (counted(text, segments, labels) if semicolons else labels)
    clauses = marks(CLAUSE, text, start, end)
    listed_to = min([end, *(first for first, _ in clauses)])
    if not [mark for mark in cuts if start + 1 < mark[0] <= listed_to]:
        listed = _listed(text, start, listed_to)
        if not cuts or any(_AND_LAST.search(text[slice(*mark)]) for mark in listed[-1:]):
            cuts += listed
    if role == "characterising":
        cuts += marks(_AND_THAT, text, start, end) + marks(_NEXT_SENTENCE, text, start, end)
    elif opened := _WHEREIN_LIST.search(text, start, end):
        cuts += marks(_NEXT_SENTENCE, text, opened.end(), end)
    elif semicolons:
        cuts += _joined(text, segments)
    cuts += clauses + _acts(text, start, end) + _steps(text, segments)
    pieces = []
    opening = start
    for stop, restart in sorted(cuts):
        if stop < opening:  # two signs of one boundary
            opening = max(opening, restart)
            continue
        pieces += _trimmed(text, opening, stop, role)
        opening = restart
    return _whole(text, pieces + _trimmed(text, opening, end, role))


def _steps(text: str, segments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the steps that commas divide, where a colon or "comprises" opens them: two at least, or one after "and"."""
    found = []
    of_steps = _STEP_BEGINS.match(text, segments[0][0])
    nexts = marks(_NEXT_STEP, text, segments[0][0], segments[-1][1])
    for opening, stop in segments:
        first = of_steps if of_steps and len(segments) == 1 else _FIRST_STEP.search(text, opening, stop)
        commas = _within(nexts, first.end() if first else opening, stop)
        last = [mark for mark in commas if _AND_LAST.search(text[slice(*mark)])]
        if ((first or of_steps) and last) or (first and len(commas) > 1):
            found += commas
    return found


def _joined(text: str, segments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the components that ", and" joins where semicolons divide: two of one segment, and the last where no "; and" is."""
    found = []
    ended = any(_TRAILING_JOINT.search(text[opening - 8 : opening].rstrip()) for opening, _ in segments[1:])
    components = marks(_COMMA, text, segments[0][0], segments[-1][1])
    for opening, stop in segments:
        opening = max(opening, text.rfind(":", opening, stop) + 1)
        commas = _within(components, opening, stop)
        last = [mark for mark in commas if _AND_LAST.search(text[slice(*mark)])][-1:]
        two = last and last == commas[:1] and _INDEFINITE.match(text[opening : opening + _SHORT].lstrip())
        only_joint = stop == segments[-1][1] and not ended
        if only_joint or (two and not _HOLDS.search(text, opening, last[0][0])):
            found += last
    return found


def _within(found: list[tuple[int, int]], opening: int, stop: int) -> list[tuple[int, int]]:
    return found[bisect_left(found, (opening, 0)) : bisect_left(found, (stop, 0))]


def _acts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find where the second act of a thing begins, and each further one."""
    found = []
    first, looked = None, start  # no first act holds a comma, so what was looked through need not be again
    for stop, restart in marks(_NEXT_ACT, text, start, end):
        semicolon = text.rfind(";", looked, stop)
        if semicolon >= 0:
            first, looked = None, semicolon
        first, looked = first or _FIRST_ACT.search(text, looked, stop), stop
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
                for _ in range(_opened(text, found, first)):
                    first = found.pop()
                while found and _alternatives(found[-1], first, piece):
                    first = found.pop()
            piece = ClaimElement(first.role, first.start, piece.end, text[first.start : piece.end])
        found.append(piece)
    if len(found) > 1 and not content_words(found[-1].text, "en"):
        last, before = found.pop(), found.pop()
        found.append(ClaimElement(before.role, before.start, last.end, text[before.start : last.end]))
    return found


def _opened(text: str, before: list[ClaimElement], item: ClaimElement) -> int:
    """Return how many pieces before an item belong to its list, which a colon opens: "used in: a lamp; a torch; or a lens"."""
    if LABELLED.match(item.text):
        return 0
    for count, piece in enumerate(islice(reversed(before), _ITEMS), 1):
        between = text[piece.end : item.start].strip()
        if between != ";" or _COLON.search(piece.text):
            return count if between in (";", ":") else 0
        item = piece
    return 0


def _alternatives(*pieces: ClaimElement) -> bool:
    """Tell whether pieces are items of one list: labels of one kind, or short and with the same first word ("SEQ ID NO: 18")."""
    labels = [LABELLED.match(piece.text) for piece in pieces]
    if any(labels):
        return len({label.lastgroup if label else "" for label in labels}) == 1
    return len({piece.text.split(maxsplit=1)[0] for piece in pieces}) == 1 and all(
        len(one.text) <= _SHORT for one in pieces
    )


def _goes_on(text: str, before: ClaimElement, piece: ClaimElement) -> bool:
    """Tell whether a piece of a claim goes on with what the one before it began."""
    between = text[before.end : piece.start]
    if _ALTERNATIVE.search(between):
        return True
    if ":" in between and (_STEP_HEADING.match(before.text) or _WANTS_AN_OBJECT.search(before.text[-60:])):
        return True
    if between in (" ", ", ") and _ONLY_A_CONDITION.fullmatch(before.text):
        return True
    words = len(content_words(before.text[:200], "en"))
    if not words or _REST_OF_ALTERNATIVES.match(piece.text):
        return True
    if _DANGLING.search(before.text[-40:]):
        whole = words > _WORDS_OF_AN_ELEMENT or _INDEFINITE.match(before.text)
        return not whole or not _OPENS_A_LIST.search(before.text[-40:])
    if _DEFINITION.match(piece.text):
        return bool(_DEFINITION.match(before.text) or _FORMULA.search(before.text))
    if ";" in between and _DEFINED_TOO.match(piece.text) and _FORMULA.search(text, 0, _NAMED_WITHIN):
        return bool(_DEFINES.search(before.text))
    back = _BACK.match(piece.text)
    if back is None or between.strip(" ,"):
        return False
    said, one = before.text.lower(), back["thing"].lower()
    two = one + (back["more"] or "").lower()
    return said.endswith(f" a {one}") or (said.endswith(f" a {two}") and said.count(two) > 1)


def _listed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find the commas between the components of a list, and the "and" before its last."""
    commas = marks(_COMMA, text, start, end)
    steps = _STEP_BEGINS.match(text, start)
    if steps:
        commas = [mark for mark in commas if not _INDEFINITE.match(text, mark[1])]
    if commas and _ALTERNATIVE.search(
        text[slice(*commas[-1])]
    ):  # what is listed are alternatives, but for what an "and" ended before
        while commas and not _AND_LAST.search(text[slice(*commas[-1])]):
            commas.pop()
    if any(_TRAILING_JOINT.search(text[stop:restart].rstrip()) for stop, restart in commas[-1:]):
        return commas
    last = commas[-1][1] if commas else start
    end = min(end, last + _FAR)
    joints = marks(_AND, text, last, end)
    if steps:
        return commas + [mark for mark in joints if _STEP_BEGINS.match(text, mark[1])][-1:]
    joints = [mark for mark in joints if not _HOLDS.search(text, last, mark[0])]
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
    if role != "preamble" and (joint := _TRAILING_JOINT.search(text, max(start, end - 8), end)):
        end = _trimmed_end(text, start, joint.start(), _EDGE)
    return [ClaimElement(role, start, end, text[start:end])] if any(c.isalnum() for c in text[start:end]) else []


def _trimmed_end(text: str, start: int, end: int, edge: str) -> int:
    while end > start and (text[end - 1].isspace() or text[end - 1] in edge):
        end -= 1
    return end
