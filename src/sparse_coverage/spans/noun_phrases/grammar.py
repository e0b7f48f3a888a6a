"""A noun-phrase grammar for the language of patents: regular expressions over words written as letters (`word_letters`).

The rules of `_SETTLE` decide, one after the other, what an ambiguous word is in its place; each changes single letters
and never the length. Rules of rare letters begin with the letter, which is quick to find, and then look back over it.
`_PHRASE` is the phrase.
"""

from __future__ import annotations

import re

# A number after a word that is not before an amount, unless a unit follows; or numbers in brackets.
_REFERENCE = re.compile(r"(?<=[wqrypEZT])[CLu](?:[KA]C(?![UuwqrypZ]))*(?!U)|(?<=[ET])r|\((?:[CLu][KA]?){1,8}\)")

_SETTLE = tuple(
    (re.compile(pattern), letter)
    for pattern, letter in (
        (r"E(?=X*[CLu#])", "X"),  # "claim 1", "FIG. 2"
        (r"(?<=T)[#a](?!#)", "N"),  # "type 2 diabetes", "vitamin A"
        (r"a", "D"),
        (r"(?<=D)n(?=[NMZJPYGgvTU])", "J"),  # "a one way valve"; the lists take it off where it counts
        (r"n", "D"),
        (r"(?<=C)[Uu]", "N"),  # "1.5 mm", "2.7 V"
        (r"[TEU]", "N"),
        (r"u", "L"),
        (r"[Gg](?=A[Gg][NMZ])(?<=[DJ].)", "J"),  # "a heating and cooling circuit", of both words
        (r"[Gg](?=[NMZ])(?<=[DJ]JA.)", "J"),
        (r"g(?:(?<![^.X].)|(?<=A.)(?=[DK]))", "G"),  # at the start of a step or sentence
        (r"g", "N"),
        (r"(?<=Z)G(?=M)", "J"),  # "data decoding schemes"
        (r"(?<=[NMZ])G(?=N*Z(?![NMZ]))", "V"),  # "a heater generating heat"
        (r"G(?=N(?!Z))(?<![^.XAK].)", "J"),  # "Washing machine with ..."; "activating ANC" stays an action
        (r"[Jv](?=V[DFQRWOAtNMZ.K])(?:(?<=[DFQ].)|(?<=[DFQ][JNZ].))", "N"),  # "the mobile terminal extracts the ..."
        (r"M(?=Z[FQt])(?<=[DJGNZ]N.)", "V"),  # "the pad supplies power"
        (r"G(?=tv)(?:(?<=[OQFI]N.)|(?<=[OQFI][JN]N.))", "N"),  # "by reactive ion etching to expose ..."
        (r"Z", "N"),
        (r"G(?=[BVm])(?<![^.X].)", "N"),  # "Polishing is ..."
        (r"(?<=#)M|(?<=#)N(?=[DI])|(?<=[NM])M(?=D)", "V"),  # "the piston 14 moves", "the medium stores a ..."
        (r"(?<=m)N|(?<=mR)N|(?<=t)N(?=D)|(?<=vA)N(?=D)", "V"),  # "may store", "to store the ..."
        (r"(?<=N)v(?=[NM])|(?<=[DJS])v|(?<=[^A]DN)v|(?<=D[JN]N)v", "N"),  # "the reply score": no verb agrees there
        (r"P(?:(?<=B.)|(?<=BR.))", "V"),  # "is heated", "has quickly heated"
        (r"(?<=[DJSQWF])Y(?=[JPNMG])", "P"),  # "the heated water"
        (r"(?<=[DJSQW])G(?=R?[GJPNM])", "J"),  # "a rotating drum"
        (r"(?<=J[AK])G(?=[NM])", "J"),  # "an elastic and sealing ring"
        (r"(?<=[NM])G(?=N)", "J"),  # "a signal processing circuit"
        (r"(?<=[DJ])G(?![DJNMRPC])", "N"),  # "the welding of ..."
        (r"(?<=N)G(?=[.K)BVm]|A[NM]|$)", "N"),  # "image processing.", "spot welding and friction welding"
        (r"(?<=[NM])L(?=[NM])", "X"),
        (r"L(?=[NM])", "N"),  # "T cell"
    )
)

_PHRASE = re.compile(
    r"""
    (?:(?<![NM])C{1,2}(?=[NM]|J[NM]))?                   # "10 mm"
    W?
    (?:(?<!B)R?[JP](?:K?R?[JP]){0,4}K?AR?[JP](?=[JPNM])  # "upper and lower plates"
      |(?<!B)R?J(?:KR?J){1,3}(?=[JPNM]))?                # "thin, flexible film"
    (?:R{0,2}[JP]|[NM]S?|(?<=[JD])W){0,12}
    [NM]
    """,
    re.VERBOSE,
)


def reference_numerals(lexical: str) -> list[tuple[int, int]]:
    """Return the runs of words that are reference numerals, from the lexical letters alone."""
    return [match.span() for match in _REFERENCE.finditer(lexical)]


def phrase_runs(letters: str) -> list[tuple[int, int]]:
    """Return the runs of words that are noun phrases. Reference numerals are `#`.

    >>> phrase_runs("DGNBPIDN.")  # "A rotating drum is driven by a motor."
    [(1, 3), (7, 8)]
    """
    for pattern, letter in _SETTLE:
        letters = pattern.sub(letter, letters)
    return [match.span() for match in _PHRASE.finditer(letters)]
