"""Claims: splitting a text into claims, numbering, which earlier ones a claim refers to, and expanding it with what it depends on.

A reference is the word "claim" with a list of numbers ("claims 1 to 3 and 5"), or with a word for all that came before ("any of the
preceding claims"), in English, German and French. The hard part is where a list ends: "claim 1 and 20 mm" refers to claim 1 alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Claim, passage_xpath

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
# To be matched where the number ends, on lower-case text.
_UNIT = re.compile(
    r"""\s*-?(?:mm|cm|dm|km|m|[µμu]m|nm|pm|inch(?:es)?|feet|foot|ft|mils?|ml|[µμu]l|l|cl|dl|lit(?:er|re)s?|g|kg|mg|[µμ]g|ng
        |tons?|s|ms|ns|[µμ]s|secs?|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmg]?hz|volts?|[mk]?v
        |amps?|amperes?|watts?|[mk]?w|ohms?|degrees?|celsius|kelvin|percent|per\s+cent|wt|vol|m?mol|moles?|ppm|ppb|m?bars?
        |[kmgh]?pa|psi|newtons?|[kmg]?bits?|[kmg]?bytes?|[kmg]b|db|dpi|rpm|times|fold|parts?|carbon|atoms?|layers?
        |prozent|stunden?|tage|minuten|sekunden|teile|heures?|jours?|fois)\b | \s*[%°‰å]
        | \s+(?:or\s+(?:more|fewer|less|greater|higher)(?!\s+\w+ly\b)|oder\s+mehr|ou\s+plus)\b""",
    re.X,
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
_BEYOND = 9_000  # a number above that of any claim
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


def missing_parents(claims: Sequence[Claim]) -> dict[int, str]:
    """Return for each claim that refers to claims which are not among these, by its number, which they are, in words.

    >>> missing_parents(numbered_claims(["2. The pump of claim 1 or 3, wherein it is red.", "3. The pump of claim 2."]))
    {2: 'claim 1'}
    """
    found = {}
    for claim in claims:
        others = {other.number for other in claims} - {claim.number}
        # What refers to "any preceding claim" refers to one more where the claim has a higher number.
        named, one_more = (set(referenced_claims(claim.text, number)) for number in (_BEYOND, _BEYOND + 1))
        lacking = sorted(named - others)
        if named == one_more and lacking:
            found[claim.number] = f"claim{'s' * (len(lacking) > 1)} {', '.join(map(str, lacking))}"
        elif named != one_more and not any(other < claim.number for other in others):
            found[claim.number] = "a claim before it"
    return found


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
        return first, first, start.end(), _UNIT.match(text, start.end()) is not None
    if _UNIT.match(text, stop.end()):
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


# "1. A", "1) A", "1.A", "Claim 1: A", and "1-19. (cancelled)"; but not "1.5 mm" or "17.beta.-estradiol".
_LABEL = (
    r"(?:[Cc](?:laim|LAIM)\s(?P<named>\d{1,4})\s?[.:)]|(?P<number>\d{1,4})(?:\s?\.?\s?[-–]\s?(?P<last>\d{1,4}))?\s?[.)])"
    r"(?:\s+(?=\S)|(?=[^\W\d_a-z]))"
)
_PRINTED_NUMBER = re.compile(r"\s*" + _LABEL)
# In running text a label stands alone, and no other number follows it, but for the locants of chemistry (3-methyl).
_CLAIM_START = re.compile(r"(?<!\S)" + _LABEL + r"(?!\d+(?![\d,'’]*-))")
_CANCELLED = re.compile(r"(?:\s?\d{1,4}\s?\.?\s?(?:[-–]\s?\d{1,4}\s?\.?\s?)?\(cancell?ed\)\s?)+(?=\d)", re.I)
_LEFT_OUT = re.compile(r"\((?:cancell?ed|withdrawn|deleted)\)\.?\s{0,8}$", re.I)  # after it numbers may be missing
# Claims that a file has in one entry, because those between them are gone: "… over time. 20-22. (cancelled) 23. A vehicle …".
_CANCELLED_BETWEEN = re.compile(
    r"(?<=[.;])\s\d{1,4}\s?\.?\s?(?:[-–]\s?\d{1,4}\s?\.?\s?)?\(cancell?ed\)\.?\s(?=\d{1,4}\s?[.)-])", re.I
)
_NOTHING_LEFT = re.compile(
    r"(?:\d{1,4}\s?\.?\s?(?:[-–]\s?\d{1,4}\s?\.?\s?)?)?\(?(?:cancell?ed|withdrawn|deleted)\)?\.?", re.I
)
# "(Currently amended)" behind the number of a claim, and [[words]] that an amendment took out.
_STATUS = re.compile(
    r"(^|\d\s?[.:)])\s{0,3}\((?:original|new|(?:currently\s|previously\s|once\s|twice\s)?amended|previously\spresented"
    r"|withdrawn(?:\s?[-–,]\s?(?:currently\samended|previously\spresented))?)\)\s{0,3}(?=[^\W\d])",
    re.I,
)
_TAKEN_OUT = re.compile(r"\[\[[^\[\]]{0,2000}\]\]\s?")
_HEADING = re.compile(r"claim|patent|anspr|revendi", re.I)
_LONGEST_HEADING = 200
_ABBREVIATION = re.compile(r"\b(?:figs?|nos?|nr|eqs?|ex|vol|art|sec|abb|approx|ca|cf|e\.g|i\.e|z\.b|al)\.$", re.I)


def split_claims(text: str) -> list[str]:
    """Cut a text of numbered claims ("1. A pump … 2. The pump of claim 1 …") into claims, each with its number.

    The first number may be any at the beginning of the text, else it is 1; from there they count upwards one by one, each
    after the end of a sentence or on a new line. A text without such a number is one claim. What stands before the first
    is left out where it is a heading ("What is claimed is:"), else it belongs to the first claim. Where each line begins with a
    higher number than the one before, each is a claim, though numbers are missing between them.
    """
    starts: list[int] = []
    expected, style = 1, ""
    opening = len(text) - len(text.lstrip())
    for match in _CLAIM_START.finditer(text):
        first = int(match["named"] or match["number"])
        before = text[max(0, match.start() - 40) : match.start()]
        punctuation = match[0].rstrip()[-1]  # the same throughout: "2)" is a step of claim 1, where it is written "1."
        gap = first > expected and _LEFT_OUT.search(before)
        counts_on = (first == expected or gap) and style in ("", punctuation)
        if match.start() == opening or (counts_on and _may_follow(before, "" if starts else ":;")):
            starts.append(match.start())
            expected, style = int(match["last"] or first) + 1, punctuation
    lines = _numbered_lines(text)
    if not starts:
        return lines or ([text] if text.strip() else [])
    heading = text[: starts[0]]
    if heading.strip() and not (len(heading) <= _LONGEST_HEADING and _HEADING.search(heading)):
        starts[0] = 0
    ends = [*starts[1:], len(text)]
    found = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return lines if len(lines) > len(found) else found


def _numbered_lines(text: str) -> list[str]:
    """Return the lines of a text where each begins with a higher number than the one before: some may be missing; none otherwise."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labels = [_PRINTED_NUMBER.match(line) for line in lines]
    firsts = [int(one["named"] or one["number"]) for one in labels if one]
    rise = all(one < other for one, other in pairwise(firsts))
    return lines if rise and len(lines) == len(firsts) else []


def _may_follow(before: str, also: str) -> bool:
    """Tell whether a claim can begin after this: a sentence, a closing bracket or quote, or a line of its own."""
    last = before.rstrip()
    if _ABBREVIATION.search(last):
        return False
    return "\n" in before[len(last) :] or last[-1:] in tuple('.)]"”’' + also)


def is_cancelled(text: str) -> bool:
    """Tell whether nothing is left of a claim but that it was cancelled.

    >>> is_cancelled("(canceled)"), is_cancelled("4-5. (cancelled)"), is_cancelled("A cancelled stamp")
    (True, True, False)
    """
    return len(text) < 60 and _NOTHING_LEFT.fullmatch(text.strip()) is not None


def as_amended(text: str) -> str:
    """Return claims without what amendments print beside them: their status, and what was taken out.

    >>> as_amended("1. (Currently amended) A [[lamp]] torch."), as_amended("(New) A lamp (new).")
    ('1. A torch.', 'A lamp (new).')
    """
    text = _STATUS.sub(lambda found: found[1] and found[1] + " ", text)
    return _TAKEN_OUT.sub("", text) if "[[" in text else text


def begins_with_number(text: str) -> bool:
    """Tell whether a text begins with what would be read as the number of its claim."""
    return _PRINTED_NUMBER.match(text) is not None or _CANCELLED.match(text) is not None


def numbered_claims(texts: Iterable[str]) -> tuple[Claim, ...]:
    """Make claims from their texts: an entry's position is its XPath, its printed number, if it has one, its number."""
    entries = (" ".join(text.split()) for text in texts)
    parts = (part for text in entries for part in _CANCELLED_BETWEEN.split(text))
    return make_claims((index, index, text) for index, text in enumerate(parts, start=1) if text)


def make_claims(raw: Iterable[tuple[int, int, str]]) -> tuple[Claim, ...]:
    """Make linked claims from (position, number, text) triples.

    A number printed at the start of a text is taken off it, and trusted. Numbers always rise: one that does not is
    replaced by the next free one, so that dependencies can have no cycle.
    """
    claims: list[Claim] = []
    numbers: set[int] = set()
    last = 0
    for position, number, text in raw:
        text = text[match.end() :] if (match := _CANCELLED.match(text)) else text
        if (match := _PRINTED_NUMBER.match(text)) and not match["last"]:
            number, text = int(match["named"] or match["number"]), text[match.end() :]
        text = as_amended(text)
        last = number if number > last else last + 1
        earlier = tuple(n for n in referenced_claims(text, last) if n in numbers)
        claims.append(Claim(last, text, passage_xpath("claims", "claim", position), earlier))
        numbers.add(last)
    return tuple(claims)


def expand_claim(claims: Sequence[Claim], number: int) -> tuple[Claim, ...]:
    """Return a claim preceded by all the claims it depends on, directly or not, in the order of their numbers."""
    by_number = {claim.number: claim for claim in claims}
    if number not in by_number:
        known = f"1 to {max(by_number)}" if by_number else "none"
        raise InputError(f"there is no claim {number}; the patent has {known}.")
    needed: set[int] = set()
    open_numbers = [number]
    while open_numbers:
        current = open_numbers.pop()
        if current not in needed and current in by_number:
            needed.add(current)
            open_numbers.extend(by_number[current].depends_on)
    return tuple(by_number[n] for n in sorted(needed))
