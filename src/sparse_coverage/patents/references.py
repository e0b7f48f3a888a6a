"""Which earlier claims does a claim refer to? In English, German and French, the languages of the EPO.

A reference is the word "claim" with a list of numbers ("claims 1 to 3 and 5"), or with a word for all that came before
("any of the preceding claims"). The hard part is where a list ends: "claim 1 and 20 mm" refers to claim 1 alone.
"""

from __future__ import annotations

import re

_SINGULAR = r"claim|(?:patent)?anspruchs?|revendication"
_PLURAL = r"claims|claim\(s\)|(?:patent)?anspr(?:ü|ue)chen?|revendications"
_HEAD = re.compile(
    rf"\b(?:(?P<plural>{_PLURAL})|(?:{_SINGULAR}))(?!\w)(?:\s*(?:nos?\b\.?|numbers?\b|nr\b\.?|n°|#))?", re.I
)
_NUMBER = re.compile(r"\s*\(?(\d{1,4})\)?(?!\w|\.\d|\s*[%°‰])")
_RANGE = re.compile(
    rf"\s*(?:\b(?:up\s+to|to|through|thru|until|bis|jusqu'à|à)\b|[-‐‑–—−]|\.\.\.?|…)\s*(?:(?:{_PLURAL}|{_SINGULAR})\s+)?(?=\(?\d)",
    re.I,
)
_COMMA_OR_AND = re.compile(
    r"\s*(?:,\s*)?(?:(?:and|as\s+well\s+as|und|sowie|et)\b|&)\s*(?=\(?\d)|\s*,\s*(?=\(?\d)", re.I
)
_OR = re.compile(
    r"\s*(?:,\s*)?(?:(?:and|und|et)\s*/\s*(?:or|oder|ou)\b|(?:or|oder|bzw|ou)\b\.?|/)\s*(?:(?:any|either)\s+(?:one\s+)?of\s+)?(?=\(?\d)",
    re.I,
)

_EARLIER = (
    r"(?:preceding|previous|foregoing|prior|above(?:-?\s?mentioned)?|earlier|aforementioned|aforesaid|antecedent"
    r"|vorhergehende[nrm]?|vorangehende[nrm]?|vorstehende[nrm]?|vorherige[nrm]?|vorgenannte[nrm]?|obige[nrm]?)"
)
_EARLIER_BEFORE = re.compile(rf"\b{_EARLIER}(?:\s+[\w/-]+){{0,3}}\s+$", re.I)
_EARLIER_AFTER = re.compile(r"\s+(?:above|hereinabove|pr[ée]c[ée]dentes?|ci-dessus)\b", re.I)
_THE_ONE_BEFORE = re.compile(rf"\b(?:the|dem|des)\s+(?:immediately\s+|directly\s+|unmittelbar\s+)?{_EARLIER}\s+$", re.I)
_LA_REVENDICATION = re.compile(r"\bla\s+$", re.I)
_ONE_OF_MANY = re.compile(r"\b(?:any|one|each|either|all|some|more)(?:\s+one)?\s+of\s+the\s+\S+\s+$", re.I)

# After the number of a quantity comes its unit; after the number of a claim comes the rest of the sentence.
_UNIT = re.compile(
    r"""\s*-?(?:mm|cm|dm|km|m|[µμu]m|nm|pm|inch(?:es)?|feet|foot|ft|mils?|ml|[µμu]l|l|cl|dl|lit(?:er|re)s?|g|kg|mg|[µμ]g|ng
        |tons?|s|ms|ns|[µμ]s|secs?|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmg]?hz|volts?|[mk]?v
        |amps?|amperes?|watts?|[mk]?w|ohms?|degrees?|celsius|kelvin|percent|per\s+cent|wt|vol|m?mol|moles?|ppm|ppb|m?bars?
        |[kmgh]?pa|psi|newtons?|[kmg]?bits?|[kmg]?bytes?|[kmg]b|db|dpi|rpm|times|fold|parts?|carbon|atoms?|layers?
        |prozent|stunden?|tage|minuten|sekunden|heures?|jours?|fois)\b | \s*[%°‰Å]""",
    re.I | re.X,
)
_SENTENCE = re.compile(
    rf"""\s*(?:$ | [,;:.)\]/&] | \w+(?:ing|ed|ly|end|net)\b
        | (?:and|or|to|as|wherein|where|whereby|which|that|in|for|when|with|is|are|the|said|further|by|at|on|made|having
        |has|have|if|then|each|an?|above|together|und|oder|bis|wobei|dadurch|welche[rs]?|zum|zur|mit|mittels|in|et|ou|à
        |dans|caract[ée]ris\w*|pour|avec|dont|{_PLURAL}|{_SINGULAR})\b)""",
    re.I | re.X,
)


def referenced_claims(text: str, number: int) -> tuple[int, ...]:
    """Return the numbers of the claims that claim `number` refers to: earlier ones only, ascending.

    >>> referenced_claims("The device of any one of claims 1 to 3 or 5, wherein the gap is 2 mm.", 8)
    (1, 2, 3, 5)
    >>> referenced_claims("The device of claim 1 and 20 mm of wire.", 30)
    (1,)
    """
    found: set[int] = set()
    for head in _HEAD.finditer(text):
        listed = _listed(text, head.end(), head["plural"] is not None, number)
        found |= listed if listed is not None else _earlier(text, head, number)
    return tuple(sorted(found))


def _listed(text: str, position: int, plural: bool, number: int) -> set[int] | None:
    """Read a list of numbers, item by item, until the sentence goes on. None when there is no number at all."""
    item = _NUMBER.match(text, position)
    if item is None:
        return None
    found: set[int] = set()
    items = 0
    natural = True  # the first item, and one after "or", need no further evidence
    while item is not None:
        first, last, end, quantity = _item(text, item)
        expected = natural or (plural and items == 1)
        if items and (quantity or not (expected or _SENTENCE.match(text, end))):
            break
        found.update(range(first, min(last, number - 1) + 1))
        items += 1 + (last > first)
        joint = _OR.match(text, end)
        natural = joint is not None
        joint = joint or _COMMA_OR_AND.match(text, end)
        item = _NUMBER.match(text, joint.end()) if joint else None
    return {n for n in found if 0 < n < number}


def _item(text: str, start: re.Match[str]) -> tuple[int, int, int, bool]:
    """Read one number or a range: its first and last number, its end, and whether it is a quantity with a unit."""
    first = int(start[1])
    dash = _RANGE.match(text, start.end())
    stop = _NUMBER.match(text, dash.end()) if dash else None
    if stop is None or int(stop[1]) <= first:
        return first, first, start.end(), _UNIT.match(text, start.end()) is not None
    if _UNIT.match(text, stop.end()):
        return first, first, start.end(), True
    return first, int(stop[1]), stop.end(), False


def _earlier(text: str, head: re.Match[str], number: int) -> set[int]:
    """Read words for earlier claims: all of them, or the one just before."""
    before = text[max(0, head.start() - 120) : head.start()]
    singular = head["plural"] is None
    after = _EARLIER_AFTER.match(text, head.end())
    the_one = _LA_REVENDICATION.search(before) if after else _THE_ONE_BEFORE.search(before)
    if singular and the_one and not _ONE_OF_MANY.search(before):
        return {number - 1} - {0}
    if after or _EARLIER_BEFORE.search(before):
        return set(range(1, number))
    return set()
