"""Where sentences and clauses end in patent prose, and texts cut there."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

# A full stop after one of these does not end a sentence.
ABBREVIATIONS = frozenset(
    """abb abs al anspr approx art bsp bspw bzw ca cf cit col cols comp corr deg dept diam dr e.g ed env eds eg eq eqs esp est et etc evtl
    ex
    ff fig figs g gem gen ggf i.e ibid ie inc incl insb jr lit ltd max mfg min misc mol mr mrs nat nos no nr op p para paras pat pct
    pp prof pub q.v ref refs resp sec sect sp spp st temp tab u.s usw vgl viz vol vols vs wt""".split()
)
_CANDIDATE = re.compile(r"""(?<![.!?])[.!?]+["'”’)\]]*(?=\s)|\n+""")
_LAST_WORD = re.compile(r"[\w.]+$")
_SECTION_NUMBER = re.compile(r"(?:^|\n)[^\S\n]*(?:\(?\d+\)?|[A-Za-z]|[ivxIVX]+)$")
_NEXT = re.compile(r"\s+[\"'“‘(\[]*(\S)")
_MONTH = re.compile(r"Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember")
_CLAUSE_END = re.compile(r"[;,:](?=\s)")
_WORD_END = re.compile(r"(?<=\S)(?=\s)")
_BLANKS = re.compile(r"\s*")


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
    if len(last) == 1 and last.isalpha() and before[: word.start()][-1:] in ("", " ", "(", "\n", "-"):
        return False  # an initial, or "e." of a spaced "e. g." or "c.-à-d."; but "20 °C." ends a sentence
    if last.isdigit() and following and _MONTH.match(text, following.start(1)):
        return False  # 3. Mai
    return last not in ABBREVIATIONS


def clause_ends(text: str) -> list[int]:
    """Return the character positions just after each `;`, `,` and `:` that a blank follows."""
    return [match.end() for match in _CLAUSE_END.finditer(text)]


def cut_text(text: str, longest: int) -> list[tuple[int, int]]:
    """Cut a text into consecutive pieces of at most `longest` words; return where each begins and ends.

    Pieces end at sentence ends and are as equally long as these allow. A sentence that is longer than that by itself is cut at a
    semicolon, comma or colon, and where there is none between two words. Blanks between two pieces belong to neither.

    >>> text = "A pump turns. It has a rotor. The rotor has blades."
    >>> [text[begin:end] for begin, end in cut_text(text, 8)]
    ['A pump turns. It has a rotor.', 'The rotor has blades.']
    """
    words = [match.start() for match in _WORD_END.finditer(text)]
    if not text[-1:].isspace():
        words.append(len(text))
    total = len(words)
    if total <= longest:
        return [(0, len(text))]
    ends = [[bisect_right(words, end) for end in found] for found in (sentence_ends(text), clause_ends(text))]
    cuts = [0]
    while (left := total - cuts[-1]) > longest:
        target = -(-left // -(-left // longest))  # so many words, if all pieces that are left were equally long
        cuts.append(_next_cut(ends, cuts[-1], target, longest))
    cuts.append(total)
    pieces = []
    for first, last in pairwise(cuts):
        begin = _BLANKS.match(text, words[first - 1] if first else 0)
        pieces.append((begin.end() if begin else 0, words[last - 1]))
    return pieces


def _next_cut(ends: list[list[int]], first: int, target: int, longest: int) -> int:
    """Return after how many words to cut: at the end nearest to the target that keeps the piece short enough."""
    for positions in ends:
        near = positions[bisect_right(positions, first) : bisect_right(positions, first + longest)]
        if near:
            return min(near, key=lambda end: abs(end - first - target))
    return first + target
