"""From text to words, as a part-of-speech tagger wants them, with hyphenated, chemical and bracketed names kept whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from sparse_coverage.encoding.encoder import IntArray

# Every quantifier is bounded or runs over disjoint characters, so that no input makes the search slow.
_WORD = re.compile(
    r"""
    [a-z]+(?=[ ,;])                                      # most words: a short cut
  | (?:FIGS?|Figs?|Nos?|pp?)\.(?=\s{0,3}\d)             # abbreviations that keep their dot: "FIG. 1", "No. 7"
  | (?:e\.g|i\.e|etc|cf|vs|ca|approx|resp|al)\.
  | SEQ[ ]ID[ ]NO[Ss]?\b[.:]{0,2}                        # "SEQ ID NO: 5" is numbered as "FIG. 5" is
  | [A-Z]\.[ ](?:coli|[a-z]{3,20}(?:(?<!o)us|is|ae|um|ii|ans|osa|ana|ori))\b   # "E. coli", "B. subtilis": no sentence ends
  | and/or
  | (?:(?<=\s)|(?<=[(\[])|^)[-−+±]\d[\d.,]{0,20}(?<=\d)   # signed numbers: "-20"
  | ['’]s\b                                              # the possessive stands apart from its word
  | (?:\([^\W\d_]{1,9}\)(?=[-]?[^\W_]))?                 # "(meth)acrylate", "(R)-limonene"
    (?:°(?=[CFK]\b))?
    [^\W_]+                                              # letters and digits of any script
    (?:
        [-‐‑–/_·+](?=[^\W_])                             # "light-emitting", "input/output"
      | (?<=[0-9])['′″]?[.,:](?=[0-9])                   # "1.5", "1,2-", "1:10"
      | (?<=[A-Zα-ω])['′]?,(?=[A-Zα-ω]['′]?-)            # "N,N-", "α,β-"
      | (?<=[0-9])['′]{1,2}-(?=[^\W\d_])                 # "5'-UTR"
      | (?<=[0-9])['′]?,(?=[0-9A-Z]['′]?-)               # "2,N-"
      | (?<=\b[A-Za-z])\.(?=[A-Za-z]\b)                  # "U.S"
      | [([](?![\d\s,;]{1,12}[a-z]{0,2}['′]{0,2}[)\]])[^\s()[\]]{1,40}[)\]]   # "Fe(III)", "layer(s)", not "valve(10)"
      | (?<=[Pp]oly)\([^\s()]{1,30}[ ][^\s()]{1,30}\)    # "poly(vinyl chloride)"
      | [-](?=\([^\s()]{1,30}\)-)                        # "4-(dimethylamino)-"
      | [^\W_]+
    )*
    (?:%|['′″]{1,2}(?![^\W_]))?                          # "wt%", the primed numeral of "12′"
  | \n[ \t\r]*\n\s*                                      # a blank line ends a sentence
  | [^\s]
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words and punctuation marks of one text: their strings and their places."""

    strings: list[str]
    starts: IntArray
    ends: IntArray

    def __len__(self) -> int:
        return len(self.strings)


def split_words(text: str) -> Words:
    """Split a text into words and punctuation marks.

    >>> split_words("A (meth)acrylate, 1.5 mm.").strings
    ['A', '(meth)acrylate', ',', '1.5', 'mm', '.']
    """
    matches = list(_WORD.finditer(text))
    strings = list(map(re.Match.group, matches))
    starts = np.fromiter(map(re.Match.start, matches), dtype=np.int32, count=len(matches))
    return Words(strings, starts, starts + np.fromiter(map(len, strings), dtype=np.int32, count=len(strings)))
