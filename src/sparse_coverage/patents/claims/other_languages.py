"""The elements of claims in German and French: one table a language, one way of cutting for both.

German puts the verb last, so a clause ends where a small word that is a verb stands before a comma or "und"; in French a clause has
one of the usual verbs. Whether a language is cut here is told by `claim_language`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern with every run of blanks bounded: one that begins with any number of them is slow on many."""
    return re.compile(pattern.replace(r"\s*", r"\s{0,8}").replace(r"\s+", r"\s{1,8}"))


@dataclass(frozen=True, slots=True)
class ClaimLanguage:
    """The words of a language that connect the parts of a claim.

    `transitions` end the preamble, the surest first. `that` opens what characterises and stands again before each further clause.
    `clause` begins a clause of its own wherever it stands. `item` begins a member of a list, `joint` joins the last of them, `step` is an
    item of a list of steps. `relative` begins a clause within a member. `verb` tells a clause by the words before a joint (`verb_last`) or
    within it, `subject` what the next one begins with.
    """

    sign: re.Pattern[str]
    characterised: re.Pattern[str]
    transitions: tuple[re.Pattern[str], ...]
    that: re.Pattern[str]
    clause: re.Pattern[str]
    item: str
    step: str
    joint: str
    relative: re.Pattern[str]
    between: re.Pattern[str]
    verb: re.Pattern[str]
    verb_last: bool
    subject: re.Pattern[str]
    reference: re.Pattern[str]


def _de() -> ClaimLanguage:
    holds = r"(?:umfassend|umfasst|aufweisend|enthaltend|beinhaltend|bestehend\s+aus|umfassen)"
    what = r"(?:\s+(?:die|folgende[n]?|wenigstens|zumindest))*(?:\s+(?:Verfahrens)?(?:Schritte|Merkmale|Komponenten|Bestandteile))?"
    article = r"(?:eine?[nmrs]?|mindestens|wenigstens|zumindest|zwei|drei|vier|mehrere[nr]?|jeweils)\b"
    return ClaimLanguage(
        sign=_compiled(
            r"\b(?:der|die|das|eine?[nmrs]?|und|nach|mit|dass|zum|zur|aus|wobei|umfassend|enthaltend|ist)\b"
        ),
        characterised=_compiled(
            r",?\s*\b(?:dadurch\s+gekennzeichnet\s*,?(?:\s*(?:dass|daß))?|gekennzeichnet\s+durch)\b\s*[:,]?"
        ),
        transitions=(
            _compiled(rf"\b{holds}{what}\s*:"),
            _compiled(rf"\b{holds}\b(?:{what}(?=\s+[a-z(]))?"),
            _compiled(rf"\bmit(?=\s+(?:\d[\d.]*\s+)?{article})"),
            _compiled(r",\s+bei\s+(?:dem|der|welche[mr])\b"),
            _compiled(rf",\s+(?:die|der|das|welche[rs]?)(?=\s+{article})"),
        ),
        that=_compiled(r"[,;]?\s*\b(?:(?:und|sowie|oder)\s+)?\b(?:dass|daß)\s+"),
        clause=_compiled(r"(?:,\s*|\s+)(?:und\s+)?(?=wobei\b)"),
        item=rf"(?:{article}|\d[\d.,]*(?:\s*(?:bis|-|–)\s*\d[\d.,]*)?\s*(?:Gew|%|Teile|Mol))",
        step=r"[A-ZÄÖÜ][a-zäöüß]+e?[nl]n?\b",
        joint=r"(?:und|sowie|oder)",
        relative=_compiled(
            r",\s+(?:(?:an|auf|aus|bei|durch|in|mit|unter|über|von|zu|zwischen)\s+)?(?:der|die|das|den|dem|deren|dessen|welche[rsnm]?|wenn)\b"
        ),
        between=_compiled(r"\b(?:zwischen|sowohl|weder|entweder)\b(?!.*\b(?:und|noch|oder)\b)"),
        verb=_compiled(r"(?:\b(?:ist|sind|hat|haben|kann|können)|\b[a-zäöüß]+(?:t|en|ern))$"),
        verb_last=True,
        subject=_compiled(
            r"(?:der|die|das|den|dem|ein|eine|einen|jede[rs]?)\s+(?:[a-zäöüß]+(?:e|en|er|es)\s+){0,2}[A-ZÄÖÜ]|[A-ZÄÖÜ]"
        ),
        reference=_compiled(
            r"\b(?:Patent)?[Aa]nspr(?:uch|üche|üchen)\b(?:\s+\d{1,3}(?:\s?(?:,|bis|oder|und|-|–)\s?\d{1,3})*)?"
        ),
    )


def _fr() -> ClaimLanguage:
    holds = r"(?:comprenant|comportant|contenant|incluant|consistant\s+(?:en|à|de)|ayant|(?:constitu|compos)ée?s?\s+(?:de|par)|comprend)"
    article = r"(?:(?:une?|des|du|au\s+moins|plusieurs|deux|trois|quatre)\b|de\s+l['’])"
    number = r"(?:de\s+)?\d[\d.,]*(?:\s*(?:à|-|–)\s*\d[\d.,]*)?\s*(?:%|parties)"
    return ClaimLanguage(
        sign=_compiled(r"\b(?:le|la|les|une?|des|du|et|selon|dans|comprenant|lequel|laquelle|pour|est)\b"),
        characterised=_compiled(
            r",?\s*\bcaract[ée]ris[ée]e?s?\s+(?:en\s+ce\s+qu(?:e\b|['’])|par(?:\s+le\s+fait\s+qu(?:e\b|['’]))?)\s*[:,]?"
        ),
        transitions=(
            _compiled(
                rf"\b{holds}(?:\s+(?:les|des)\s+(?:étapes|éléments)(?:\s+suivante?s)?(?:\s+consistant\s+à)?)?\s*:"
            ),
            _compiled(rf"\b{holds}(?:\s+les\s+étapes(?:\s+suivantes)?(?:\s+consistant\s+à)?)?"),
            _compiled(r"\b(?:muni|équipé|doté|pourvu)e?s?\s+d(?=['’e]\s?une?\b)"),
            _compiled(r",\s+dans\s+(?:lequel|laquelle)(?=\s+on\b)"),
        ),
        that=_compiled(r"[,;]?\s*(?:\bet\s+)?\ben\s+ce\s+qu(?:e\s+|['’])"),
        clause=_compiled(r"(?:,\s*|\s+)(?:et\s+)?(?=dans\s+(?:lequel|laquelle|lesquels|lesquelles)\b)"),
        item=rf"(?:{article}|{number}|on\s)",
        step=r"(?:l['’]|la\s|le\s|les\s)[a-zéèê]+(?:tion|ment|age|ance|ée|ure)\b|[a-zéèê]+(?:er|ir|re)\s",
        joint=r"(?:et|ou|ainsi\s+qu(?:e|['’](?=une?\b)))",
        relative=_compiled(r"(?!)"),
        between=_compiled(r"\b(?:entre|soit)\b(?!.*\b(?:et|soit)\b)"),
        verb=_compiled(
            r"\b(?:est|sont|a|ont|on|peut|peuvent|s['’]\w+|(?:compren|contien|présente|possèd|comport|port|form|reli|règl|coup|travers|coopèr"
            r"|entour|repos|prend|reçoi)\w*)\b"
        ),
        verb_last=False,
        subject=_compiled(r"(?:le|la|les|chaque|chacune?|ledit|ladite|lesdits|une?|on)\s|l['’]"),
        reference=_compiled(
            r"\brevendications?\b(?:\s+\d{1,3}(?:\s?(?:,|à|ou|et|-|–)\s?\d{1,3})*|\s+pr[ée]c[ée]dentes?)?"
        ),
    )


LANGUAGES = {"de": _de(), "fr": _fr()}
_ENGLISH = _compiled(r"\b(?:the|an?|of|said|and|comprising|wherein|claims?|to|is)\b")


def claim_language(text: str) -> ClaimLanguage | None:
    """Return how claims of a text's language are cut; None for English, and where no language is clear.

    >>> claim_language("Ventil nach Anspruch 1, wobei die Feder aus Stahl ist.") is LANGUAGES["de"], claim_language("A valve of steel.")
    (True, None)
    """
    head = text[:600]
    counts = {code: len(rules.sign.findall(head)) for code, rules in LANGUAGES.items()}
    best = max(counts, key=lambda code: counts[code])
    others = [len(_ENGLISH.findall(head)), *(count for code, count in counts.items() if code != best)]
    return LANGUAGES[best] if counts[best] >= 2 and counts[best] > 1.5 * max(others) else None


_SEMICOLON = r"\s*;\s*(?:{joint}\s+)?"
_LABEL = _compiled(r"(?<=[,;:]\s)(?=\(?[a-z0-9]{1,2}\)\s)")
_BRACKETS = _compiled(r"\([^()]*\)")
_LINK = _compiled(r"[\s,]{0,8}")


def cut_claim(text: str, rules: ClaimLanguage) -> tuple[Span, list[tuple[Span, bool]]]:
    """Return where the preamble of a claim is, and each element: whether it characterises the claim."""
    mark = rules.characterised.search(text)
    known = mark.start() if mark else len(text)
    reference = rules.reference.search(text, 0, min(known, 300))
    found: list[tuple[Span, bool]] = []
    if reference and (reference.end() >= known or text[reference.end() :].lstrip()[:1] in (",", ";", ".", "")):
        end = reference.end()
        start = _LINK.match(text, end).end()  # type: ignore[union-attr]
        found += [(span, False) for span in _pieces(text, start, known, rules)]
    else:
        end = _preamble_end(text, known, rules)
        found += [(span, False) for span in _pieces(text, end, known, rules)]
    if mark:
        found += [(span, True) for span in _pieces(text, mark.end(), len(text), rules)]
    return (0, end), found


def _preamble_end(text: str, end: int, rules: ClaimLanguage) -> int:
    clause = next(iter(_outside(rules.clause, text, 0, end)), (end, end))[0]
    for pattern in rules.transitions:
        match = pattern.search(text, 0, end)
        if match and (match.start() < clause or pattern is rules.transitions[0]):
            return match.end()
    return clause


def _pieces(text: str, start: int, end: int, rules: ClaimLanguage) -> Iterator[Span]:
    """Cut a part of a claim: at semicolons or labels, else as a list or at the ends of clauses; and always before a clause."""
    semicolons = _outside(_compiled(_SEMICOLON.format(joint=rules.joint)), text, start, end)
    marks = [mark for mark in semicolons if mark[1] < end] or _outside(_LABEL, text, start, end)
    clauses = _outside(rules.clause, text, start, end)
    thats = _outside(rules.that, text, start, end)
    if not marks:
        first = min([end, *(one for one, _ in clauses)])
        marks = _clause_ends(text, start, end, rules) if not thats else []
        marks = marks or ([] if thats else _list_joints(text, start, first, rules))
    opening = start
    for stop, restart in sorted([*marks, *clauses, *thats]):
        if stop > opening:
            yield opening, stop
        opening = max(opening, restart)
    if opening < end:
        yield opening, end


def _clause_ends(text: str, start: int, end: int, rules: ClaimLanguage) -> list[Span]:
    """Find where one clause with a verb ends and another begins."""
    found = []
    last = start
    joints = _compiled(rf",\s+(?:{rules.joint}\s+)?|\s+{rules.joint}\s+")
    candidates = _outside(joints, text, start, end)
    for stop, restart in candidates:
        if not rules.subject.match(text, restart, end):
            continue
        if rules.verb_last:
            whole = rules.verb.search(text[max(last, stop - 40) : stop])
            goes_on = rules.verb.search(text[restart:end].rstrip(" .,;"))
        else:
            following = min([end, *(one for one, _ in candidates if one > restart)])
            whole = rules.verb.search(text, last, stop)
            goes_on = rules.verb.search(text, restart, following)
        if whole and goes_on and not rules.between.search(text[last:stop]):
            found.append((stop, restart))
            last = restart
    return found


def _list_joints(text: str, start: int, end: int, rules: ClaimLanguage) -> list[Span]:
    """Find the commas between the members of a list, and the "and" before its last."""
    body = text[start:end].lstrip(" :")
    steps = re.match(rules.step, body) is not None and not re.match(rules.item, body)
    amounts = body[:1].isdigit()
    item = rf"(?:{rules.item}|{rules.step})" if steps else rules.item
    commas = _outside(_compiled(rf",\s+(?:{rules.joint}\s+)?(?={item})"), text, start, end)
    last = commas[-1][1] if commas else start
    ends_list = commas and re.search(rf"\b{rules.joint}\s*$", text[commas[-1][0] : commas[-1][1]])
    after = rf"(?:{item}|[A-ZÄÖÜ])" if amounts else item
    joints = [
        mark
        for mark in _outside(_compiled(rf"\s+{rules.joint}(?:\s+|(?<=['’]))(?={after})"), text, last, end)
        if not rules.between.search(text[last : mark[0]]) and not rules.relative.search(text, last, mark[0])
    ]
    begins = re.match(rf"(?:.{{0,30}}\b)?{item}", body) is not None
    if not begins or (not commas and (not joints or rules.verb.search(text[start : joints[0][0]].strip()[:30]))):
        return []
    return commas if ends_list else [*commas, *joints[-1:]]


def _outside(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[Span]:
    brackets = [match.span() for match in _BRACKETS.finditer(text, start, end)]
    found = (match.span() for match in pattern.finditer(text, start, end))
    return [span for span in found if not any(first < span[0] < last for first, last in brackets)]
