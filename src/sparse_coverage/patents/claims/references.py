"""Which earlier claims does a claim refer to? In English, German and French, the languages of the EPO.

A reference is the word "claim" with a list of numbers ("claims 1 to 3 and 5"), or with a word for all that came before
("any of the preceding claims"). The hard part is where a list ends: "claim 1 and 20 mm" refers to claim 1 alone.
"""

from __future__ import annotations

import re

from sparse_coverage.patents.cleaning.quantities import UNIT

# One pattern a language: each begins with letters that can be looked for at once.
_WORDS = {
    "claim": (r"s|\(s\)", ""),
    "anspr": ("(?:ü|ue|u)chen?", "uchs?"),
    "revendication": ("s", ""),
}
_ANY_WORD = "(?:patent)?(?:" + "|".join(f"{stem}(?:{plural}|{end})" for stem, (plural, end) in _WORDS.items()) + ")"
_HEADS = {
    stem: re.compile(
        rf"{stem}(?P<plural>{plural})?(?:{singular})?(?![^\W\d])"
        r"(?:\s*(?:nos?\b\.?|numbers?\b|nr\b\.?|n°|№|#)|\s+(?:from|von|de)(?=\s+\d))?"
    )
    for stem, (plural, singular) in _WORDS.items()
}
# Not "1a", "2.5" or "10 %"; but "1wherein", where a conversion lost the space, as it does in "ofclaim".
_NUMBER = re.compile(r"\s*\(?(\d{1,4})\)?(?![\d_]|[^\W\d_]{1,2}(?!\w)|[^\W\d_]{1,2}\d|\.\d|\s*[%°‰])")
_GLUED = re.compile(r"(?:^|\W)(?:of|to|in|by|per|from|with|the)$")
_RANGE = re.compile(
    r"\s*(?:\b(?:up\s+to|through(?:\s+to)?|to|thru|until|bis|jusqu['’]à|à)(?:\s+and\s+including)?\b|[-‐‑–—−~]|\.\.\.?|…)\s*"
    rf"(?:{_ANY_WORD}\s+)?(?=\(?\d)"
)
_COMMA_OR_AND = re.compile(r"\s*(?:,\s*)?(?:(?:and|as\s+well\s+as|und|sowie|et)\b|&)\s*(?=\(?\d)|\s*,\s*(?=\(?\d)")
_OR = re.compile(
    r"\s*(?:,\s*)?(?:(?:and|und|et)\s*/\s*(?:or|oder|ou)\b|(?:or|oder|bzw|ou)\b\.?|/)\s*(?:(?:any|either)\s+(?:one\s+)?of\s+)?(?=\(?\d)",
)

_EARLIER = (
    r"(?:preceding|previous|foregoing|aforegoing|prior|above(?:-?\s?mentioned)?|earlier|aforementioned|aforesaid|antecedent"
    r"|(?:vorhergeh|vorangeh|vorausgeh|vorsteh|voransteh)ende[nrm]?|(?:vorherig|vorig|vorgenannt|obig)e[nrm]?"
    r"|pr[ée]c[ée]dentes?)"
)
_EARLIER_BEFORE = re.compile(rf"\b{_EARLIER}(?:\s+[\w/-]+){{0,3}}\s+$")
_EARLIER_AFTER = re.compile(
    r"\s+(?:(?:(?:mentioned|recited|defined|stated)\s+)?(?:above|before)|hereinabove|hereinbefore"
    r"|pr[ée]c[ée]dentes?|ant[ée]rieures?|qui\s+pr[ée]c[èe]dent|ci-dessus)\b"
)
_THE_ONE_BEFORE = re.compile(
    rf"\b(?:the|dem|des|la)\s+(?:(?:immediately|directly|last|next|unmittelbar)\s+)?{_EARLIER}\s+$"
)
_LA_REVENDICATION = re.compile(r"\bla\s+$")
_ONE_OF_MANY = re.compile(r"\b(?:any|one|each|either|all|some|more)(?:\s+one)?\s+of\s+the\s+\S+\s+$")
_EXCEPT = re.compile(
    r"\b(?:other\s+than|except(?:\s+for|ing)?|excluding|but\s+not|with\s+the\s+exception\s+of|außer|ausgenommen"
    r"|mit\s+ausnahme\s+(?:von|der|des)|sauf|hormis|à\s+l['’]exception\s+(?:de|des))(?:\s+(?:of|in|by|la|les))?\s+$"
)
# Claims that people make on others, not on inventions.
_NO_PATENT_CLAIM = re.compile(r"\b(?:insurance|warranty|medical|damages?|expense|reimbursement)\s+$")

# After the number of a quantity comes its unit; after the number of a claim comes the rest of the sentence.
_SENTENCE = re.compile(
    rf"""\s*(?:$ | [,;:.)\]/&] | \w+(?:ing|ed|ly|end|net)\b
        | (?:and|or|to|as|wherein|where|whereby|which|that|in|for|when|with|is|are|the|said|further|by|at|on|made|having
        |has|have|if|then|each|an?|above|together|und|oder|bis|wobei|dadurch|welche[rs]?|zum|zur|mit|mittels|in|et|ou|à
        |dans|caract[ée]ris\w*|pour|avec|dont|{_ANY_WORD})\b)""",
    re.X,
)


def referenced_claims(text: str, number: int) -> tuple[int, ...]:
    """Return the numbers of the claims that claim `number` refers to: earlier ones only, ascending.

    >>> referenced_claims("The device of any one of claims 1 to 3 or 5, wherein the gap is 2 mm.", 8)
    (1, 2, 3, 5)
    >>> referenced_claims("The device of claim 1 and 20 mm of wire.", 30)
    (1,)
    """
    found: set[int] = set()
    left_out: set[int] = set()
    text = text.lower()  # once, because patterns that ignore case are slow
    for stem, pattern in _HEADS.items():
        if stem not in text:
            continue
        for head in pattern.finditer(text):
            if not _begins_a_word(text, head.start()):
                continue
            before = text[max(0, head.start() - 120) : head.start()]
            if _NO_PATENT_CLAIM.search(before):
                continue
            listed = _listed(text, head.end(), head["plural"] is not None, number)
            if listed is not None and _EXCEPT.search(before):
                left_out |= listed
            else:
                found |= listed if listed is not None else _earlier(text, head, before, number)
    return tuple(sorted(found - left_out))


def _begins_a_word(text: str, start: int) -> bool:
    before = text[max(0, start - 12) : start]
    if text.startswith("anspr", start):
        before = before.removesuffix("patent")
    return not before[-1:].isalnum() or _GLUED.search(before) is not None


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
        return first, first, start.end(), UNIT.match(text, start.end()) is not None
    if UNIT.match(text, stop.end()):
        return first, first, start.end(), True
    return first, int(stop[1]), stop.end(), False


def _earlier(text: str, head: re.Match[str], before: str, number: int) -> set[int]:
    """Read words for earlier claims: all of them, or the one just before."""
    singular = head["plural"] is None
    after = _EARLIER_AFTER.match(text, head.end())
    the_one = _LA_REVENDICATION.search(before) if after else _THE_ONE_BEFORE.search(before)
    if singular and the_one and not _ONE_OF_MANY.search(before):
        return {number - 1} - {0}
    if after or _EARLIER_BEFORE.search(before):
        return set(range(1, number))
    return set()
