"""Cutting a text that is longer than the encoder's limit: at sentence ends, else at clauses, else at words."""

from __future__ import annotations

import re
from bisect import bisect_right

import numpy as np

from sparse_coverage.encoding.encoder import Tokens

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
_CLAUSE_END = re.compile(r"[;,:](?=\s)")


def chunk_bounds(text: str, tokens: Tokens, limit: int) -> list[int]:
    """Return token positions `[0, b1, b2, ..., n]` that cut the tokens into chunks of at most `limit`.

    Each chunk ends at the last sentence end within reach; where there is none, at the last clause boundary; where there
    is none either, between two words; inside a word only when the word alone is longer than the limit. Consecutive
    bounds make a partition: no token is left out, none is in two chunks. A text without tokens has no chunks.
    """
    if limit < 1:
        raise ValueError(f"the chunk limit must be at least 1, not {limit}")
    count = len(tokens)
    if count <= limit:
        return [0, count] if count else []
    starts = tokens.starts
    sentences = _token_positions(starts, np.asarray(sentence_ends(text)))
    clauses = _token_positions(starts, np.asarray([match.end() for match in _CLAUSE_END.finditer(text)]))
    # A word begins where a token does not touch the one before it.
    words = (np.flatnonzero(tokens.starts[1:] > tokens.ends[:-1]) + 1).tolist()
    bounds = [0]
    while count - bounds[-1] > limit:
        reach = bounds[-1] + limit
        cut = next(
            (end for ends in (sentences, clauses, words) if (end := _last_within(ends, bounds[-1], reach))), reach
        )
        bounds.append(cut)
    bounds.append(count)
    return bounds


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


def _token_positions(
    starts: np.ndarray[tuple[int], np.dtype[np.int32]], ends: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> list[int]:
    """For each character position, the number of tokens that start before it."""
    return np.searchsorted(starts, ends, side="left").tolist() if len(ends) else []


def _last_within(positions: list[int], low: int, high: int) -> int:
    """Return the last position in (low, high], or 0 where there is none."""
    place = bisect_right(positions, high) - 1
    return positions[place] if place >= 0 and positions[place] > low else 0
