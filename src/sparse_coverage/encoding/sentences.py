"""Where sentences end in patent prose."""

from __future__ import annotations

import re

# A full stop after one of these does not end a sentence.
ABBREVIATIONS = frozenset(
    """al approx art ca cf cit col cols comp corr deg dept diam dr e.g ed eds eg eq eqs esp est et etc ex
    ff fig figs g gen i.e ibid ie inc incl jr lit ltd max mfg min misc mol mr mrs nat nos no op p para paras pat pct
    pp prof pub q.v ref refs resp sec sect sp spp st temp tab u.s viz vol vols vs wt""".split()
)
_CANDIDATE = re.compile(r"""[.!?]+["'”’)\]]*(?=\s)|\n+""")
_LAST_WORD = re.compile(r"[\w.]+$")
_SECTION_NUMBER = re.compile(r"(?:^|\n)\s*(?:\(?\d+\)?|[A-Za-z]|[ivxIVX]+)$")
_NEXT = re.compile(r"\s+[\"'“‘(\[]*(\S)")


def sentence_ends(text: str) -> list[int]:
    """Return the character positions just after each sentence, the end of the text included.

    >>> text = "Fig. 2 shows a pump (10). It turns."
    >>> [text[a:b].strip() for a, b in zip([0, *sentence_ends(text)], sentence_ends(text))]
    ['Fig. 2 shows a pump (10).', 'It turns.']
    """
    ends = [match.end() for match in _CANDIDATE.finditer(text) if _ends_sentence(text, match)]
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return ends


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if match.group().startswith("\n"):
        return True
    following = _NEXT.match(text, match.end())
    if following and following.group(1).islower():
        return False
    if not match.group().startswith(".") or match.group().startswith(".."):
        return True
    before = text[max(0, match.start() - 40) : match.start()]
    if _SECTION_NUMBER.search(before) and match.start() <= 40:
        return False  # the "1." that opens a claim
    word = _LAST_WORD.search(before)
    if word is None:
        return True
    last = word.group().strip(".").lower()
    if len(last) == 1 and last.isalpha() and before[: word.start()][-1:] in ("", " ", "(", "\n"):
        return False  # an initial, or "e." of a spaced "e. g."; but "20 °C." ends a sentence
    return last not in ABBREVIATIONS
