"""A noun-phrase grammar for the language of patents: regular expressions over words written as letters (`word_letters`).

The rules of `_SETTLE` decide, one after the other, what an ambiguous word is in its place; each changes single letters
and never the length. Rules of rare letters begin with the letter, which is quick to find, and then look back over it.
`_PHRASE` is the phrase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import IntArray

# What noun phrases leave out, as lists. This file is the documentation of it.
#
# The rule behind every list: a word is left out only where it points at a thing without saying what the thing is. The lists
# of words are applied at the start of a phrase, the lists of phrases to a whole phrase; nothing is ever taken out of the
# middle or the end. So "at least one sensor" gives "sensor", and "LED lamp", "device housing" and "fastening means" stay.

#: Which one, how many.
DETERMINERS = frozenset(
    """a an the this that these those said any each every some no all both either neither such another what which whose its their
    his her our your my one""".split()
)

#: Determiners that can be part of a term, by the articles that show it: in "a one way valve" nothing is counted.
INSIDE_TERMS = {"one": frozenset(("a", "an")), "no": frozenset(("a", "an", "the"))}

#: Words that only compare the thing with one mentioned elsewhere.
POINTERS = frozenset(
    """other same respective corresponding further additional more many much several various numerous certain own fewer less few
    aforesaid aforementioned afore-mentioned abovementioned above-mentioned above-described foregoing following preceding
    so-called latter former subsequent""".split()
)

#: How exactly the next adjective is meant.
HEDGES = frozenset(
    """substantially essentially approximately about roughly nearly almost generally preferably particularly especially typically
    usually optionally respectively relatively very quite rather also then thus hence furthermore moreover however only even still
    just always not never now here there too most least mainly mostly advantageously alternatively additionally specifically
    similarly likewise accordingly therefore otherwise instead again already often sometimes once as so when thereby""".split()
)

#: Before a plural: how many.
NUMBER_WORDS = frozenset("two three four five six seven eight nine ten eleven twelve".split())

#: The rest of "at least one", "one or more", "up to three", "more than one", where a parser counts them to the phrase.
COUNTING = frozenset("at or up to than over".split())

LEADING = DETERMINERS | POINTERS | HEDGES | COUNTING

#: A phrase that is one of these and nothing else says nothing about the invention.
EMPTY_PHRASES = frozenset(
    """means plurality multiplicity multitude number pair couple series variety majority invention disclosure embodiment embodiments
    way ways manner thing things fact kind sort lot others none nothing anything something everything someone fig figs fig. figs. claim
    claims i ii iii iv vi vii viii ix first second third longer""".split()
) | frozenset(
    f"{first} {second}"
    for first in ("present", "preferred", "exemplary", "instant", "first", "second", "third", "one", "alternative")
    for second in ("invention", "embodiment", "embodiments", "disclosure", "application")
)

# Fixed expressions, the noun in angle brackets. Elsewhere the same noun is a phrase like any other.
_EXPRESSIONS = """
in <order> to | in <order> that | in <order> for | in <accordance> with | in <addition> | in <conjunction> with
on <board> | in <connection> with | in <contrast> | by <contrast> | in <front> of | in <general> | in <particular>
in <place> of | in <practice> | in <regard> to | with <regard> to | in <relation> to | in <respect> of
with <respect> to | in <response> to | in <spite> of | in <terms> of | in <turn> | in <view> of | in <case>
in the <case> of | in the <event> of | in the <event> that | in the <form> of | in the <course> of | in <lieu> of
in <detail> | in <comparison> with | in <comparison> to | in <common> | in <advance> | in <principle> | in <part>
in <use> | in the <context> of | in <light> of | for <example> | for <instance> | by <way> of | by <virtue> of
by <reason> of | with <reference> to | by <reference> | with the <aid> of | with the <help> of | on the <basis> of
on the one <hand> | on the other <hand> | on <account> of | as a <result> | as a <rule> | as a <whole>
as a <consequence> | at the same <time> | to the <extent> | into <account> | of <course> | the <group> consisting
the <group> comprising | at <least> | at <most> | in <fact> | a <set> of | a <group> of | a <range> of
in the <range> of | in the <range> from | a total <number> of | by <means> of
""".replace("\n", "|")


def _compile(expressions: str) -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    table: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for before, noun, after in re.findall(r"(?<![^|<>])([^|<>]*)<(\w+)>([^|<>]*)", expressions):
        table.setdefault(noun, []).append((tuple(before.split()), tuple(after.split())))
    return table


FIXED_EXPRESSIONS = _compile(_EXPRESSIONS)


def trimmed_start(words: Sequence[str], first: int, last: int, plural: bool) -> int:
    """Return where the phrase `words[first:last]` (lower case) starts once the leading lists are taken off."""
    while first < last and (words[first] in LEADING or (plural and words[first] in NUMBER_WORDS)):
        if first > 0 and words[first - 1] in INSIDE_TERMS.get(words[first], ()):
            break
        first += 1
    return first


def says_nothing(words: Sequence[str], first: int, last: int) -> bool:
    """Tell whether the phrase `words[first:last]` (lower case) is empty, or part of a fixed expression."""
    if last - first == 1:
        if words[first] in EMPTY_PHRASES:
            return True
        for before, after in FIXED_EXPRESSIONS.get(words[first], ()):
            begin = first - len(before)
            if begin >= 0 and tuple(words[begin:first]) == before and tuple(words[last : last + len(after)]) == after:
                return True
        return False
    return last - first == 2 and f"{words[first]} {words[first + 1]}" in EMPTY_PHRASES


# From text to words, as a part-of-speech tagger wants them, with hyphenated, chemical and bracketed names kept whole.

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
class WordPlaces:
    """The words and punctuation marks of one text: their strings and their places."""

    strings: list[str]
    starts: IntArray
    ends: IntArray

    def __len__(self) -> int:
        return len(self.strings)


def split_words(text: str) -> WordPlaces:
    """Split a text into words and punctuation marks.

    >>> split_words("A (meth)acrylate, 1.5 mm.").strings
    ['A', '(meth)acrylate', ',', '1.5', 'mm', '.']
    """
    matches = list(_WORD.finditer(text))
    strings = list(map(re.Match.group, matches))
    starts = np.fromiter(map(re.Match.start, matches), dtype=np.int32, count=len(matches))
    return WordPlaces(strings, starts, starts + np.fromiter(map(len, strings), dtype=np.int32, count=len(strings)))


# Each word as one letter, the alphabet of the noun-phrase grammar.
#
# | letter | word | letter | word |
# | --- | --- | --- | --- |
# | N | noun, singular | D | article, "said", "each"; a "A" |
# | M | noun, plural | I | preposition |
# | J | adjective | Q | preposition before things, not actions: "with" |
# | P | past participle | V | verb; v in its base form, m "can", "may" |
# | Y | past tense | B | form of "be" or "have" |
# | G | "-ing" form; g one tagged as a noun | O | "-ing" form that always acts: "comprising" |
# | R | adverb | A | "and", "or" |
# | C | number | K | comma |
# | W | number word: "two" | S | possessive "'s" |
# | L | label: a single letter, "S10" | E | word that is numbered: "claim", "FIG." |
# | T | kind, numbered inside a term: "type 2" | U | unit: "mm"; u of one letter: "V" |
# | Z | noun that needs no article: "data", "ANC" | t | "to" |
# | F | word before an amount: "about" | ( ) | brackets |
# | . | end of a sentence | X | anything else |
# | n | "one", "no" | | |

LetterArray = npt.NDArray[np.uint8]

#: The letter of a word that no list settles, by its tag.
TAG_LETTERS = {
    "NN": "N", "NNP": "N", "FW": "N", "NNS": "M", "NNPS": "M", "JJ": "J", "JJR": "J", "JJS": "J", "VBN": "P", "VBD": "Y",
    "VBG": "G", "VB": "v", "VBP": "v", "VBZ": "V", "MD": "m", "RB": "R", "RBR": "R", "RBS": "R", "IN": "I", "TO": "I", "RP": "I",
    "DT": "D", "PDT": "D", "PRP$": "D", "WP$": "D", "CD": "C", "POS": "S",
}  # fmt: skip

#: Tags that a newspaper would not give: in patents "said" is an article and "means" a thing.
PATENT_TAGS = {
    word: tag
    for tag, words in {
        "DT": "said",
        "NN": "claim method plurality fig. diabetes",
        "NNS": "means claims figs.",
        "JJ": "first second third fourth upper lower inner outer prior upstream downstream thick",
        "IN": "via",
        "MD": "cannot",
        "RB": """respectively thereof therein thereon thereto therefrom therewith therebetween herein hereinafter
            therefor e.g. i.e. etc. cf. approx.""",
        "VB": "comprise",
        "VBG": "comprising according having",
        "VBN": "comprised characterized characterised claimed configured coupled adapted disposed made",
        "VBZ": """comprises refers specifies determines includes contains provides receives generates transmits obtains
            performs corresponds represents relates indicates exists enables allows describes illustrates depicts
            suffers consists depends differs belongs extends occurs protects removes separates secures detects satisfies varies serves
            communicates translates occupies enters engages attaches settles solidifies elapses envisions moves opens closes""",
        "WRB": "wherein whereby",
    }.items()
    for word in words.split()
}

_ALWAYS_ACTING = "comprising including having containing consisting using according depending regarding concerning utilizing utilising"
_BEFORE_THINGS = "with between via through into onto under against behind like than upon"
_BE = "is are was were be been being am become becomes became has have had"
_NUMBERED = "claim claims fig fig. figs figs. figure figures example examples table tables equation equations eq no. nos. p. pp."
_KINDS = "type class grade category vitamin hepatitis bisphenol coenzyme influenza"
_BEFORE_AMOUNTS = """of from by at in for within about approximately around least most over above below until comprises includes
    contains exceeds equals nearly every up down only per"""
_IRREGULAR_PAST = frozenset(
    """became began bent bound broke brought built bought came caught chose cut dealt did drew drove fell felt found froze gave got grew
    ground heard held hit kept knew laid lay led left let lit lost made meant met paid put ran read rose saw sent set shone shot shut
    slid spent split spread spun stood stuck struck took thought threw told understood went wound wrote""".split()
)
_NEEDS_NO_ARTICLE = """data information power heat water light air energy gas fluid electricity content text oxygen hydrogen
    steam oil fuel ice pressure torque current"""
_UNITS = """mm cm km nm µm μm um pm kg mg µg μg ng lb ms µs μs ns min hr hrs Hz kHz MHz GHz THz mV kV mA µA mW kW MW kJ kN Pa kPa MPa GPa
    bar mbar mol mmol mM µM nM ml mL µl μl dl dB kΩ MΩ °C °F °K ppm ppb rpm wt% vol% mol% bits bit bytes kB MB GB TB kbps Mbps Gbps eV keV
    MeV mT"""
_WORD_LETTERS = {
    **dict.fromkeys(_UNITS.split(), "U"),
    **dict.fromkeys(_NEEDS_NO_ARTICLE.split(), "Z"),
    **dict.fromkeys(_BEFORE_AMOUNTS.split(), "F"),
    **dict.fromkeys(_BEFORE_THINGS.split(), "Q"),
    **dict.fromkeys(_KINDS.split(), "T"),
    **dict.fromkeys(NUMBER_WORDS, "W"),
    **dict.fromkeys(_BE.split(), "B"),
    **dict.fromkeys(_NUMBERED.split(), "E"),
    **dict.fromkeys(_ALWAYS_ACTING.split(), "O"),
    **dict.fromkeys(DETERMINERS - {"that", "which", "what"}, "D"),  # these may open a clause: their tag decides
    **dict.fromkeys(INSIDE_TERMS, "n"),
    "to": "t", "A": "a", "'s": "S", "’s": "S", "and": "A", "or": "A", "and/or": "A", ",": "K", "(": "(", ")": ")", "[": "(", "]": ")",
    ".": ".", "?": ".", "!": ".",
}  # fmt: skip
_NUMBER = re.compile(r"[-−+±]?\d+(?:[.,:/–-]\d+)*[A-Za-z]{0,2}['′″]{0,2}|[-−+±]?\d[\d.,]*%?")
_ONE_LETTER_UNIT = frozenset("mgshlLVWKCFNJTMΩ")
_LABEL = re.compile(r"[B-Zb-z]|[A-Z]\d{1,4}[a-z]?['′]?")
LONGEST_ACRONYM = 5
# A locant, then a name: "3-methyl-butane", but not "3-dimensional" or "2-way". A short formula: "i-PrOH". A species: "E. coli".
_NAME = re.compile(
    r"(?:[\w-]{1,40}-)?[\dN][\dN,:'′]*-.{3,}(?:ane|ene|yne|ol|one|ide|ate|ine|yl|ose|ether|acid|oic|azole)"
    r"|(?:n|i|s|t|iso|sec|tert)-[A-Z][a-zA-Z\d]{1,9}"
    r"|\d['′]-(?:[A-Z]{2,5}|end)|[A-Z]\.[ ].+"
)
_ROMAN = re.compile(r"I{2,3}|IV|VI{1,3}|IX")
_ING = re.compile(r"[^aeiouy\n]*[aeiouy].*ing")  # not "ring", "spring", "string"
_ELEMENTS = frozenset(("H2", "O2", "N2", "F2", "I2", "C1", "C2", "C3", "C4", "C5", "C6"))

_OPEN = np.frombuffer(b"wqryp", dtype=np.uint8)
_ACRONYMS = np.frombuffer(b"qr", dtype=np.uint8)
_NOUN_LIKE = np.frombuffer(b"NMJPYGVv", dtype=np.uint8)

#: What stands for a word that its tag decides: any word, one that looks like an acronym, a Roman numeral, an "-ing" form, a
#: past form.
OPEN, OPEN_ACRONYM, OPEN_ROMAN, OPEN_ING, OPEN_PAST = "w", "q", "r", "y", "p"


def lexical_letter(word: str) -> str:
    """Return the letter of a word that the lists or its shape settle, or one of the open ones."""
    letter = _WORD_LETTERS.get(word) or _WORD_LETTERS.get(word.lower())
    if letter == "U" and word not in _WORD_LETTERS:
        letter = None  # the case of a unit matters: "Pa", not "pa"
    if letter is not None:
        return letter
    if word[0] == "\n":
        return "."
    if _NUMBER.fullmatch(word):
        return "C"
    if word in _ONE_LETTER_UNIT:
        return "u"
    if _LABEL.fullmatch(word) and word not in _ELEMENTS:
        return "L"
    if not any(map(str.isalpha, word)):
        return "X"
    if word.startswith("SEQ ID"):
        return "E"
    if _ROMAN.fullmatch(word):
        return OPEN_ROMAN
    if word.isupper() and len(word) <= LONGEST_ACRONYM:
        return OPEN_ACRONYM
    if word.endswith("wise"):
        return "J"  # "clockwise"
    if _NAME.fullmatch(word):
        return "Z"
    if word.endswith("ed") or word.lower() in _IRREGULAR_PAST:
        return OPEN_PAST
    return OPEN_ING if _ING.fullmatch(word) else OPEN


def word_letters(lexical: LetterArray, tags: npt.NDArray[np.uint8], tag_names: tuple[str, ...]) -> LetterArray:
    """Return the letters of words from what `lexical_letter` said and their tags."""
    of_tag = np.frombuffer("".join(TAG_LETTERS.get(name, "X") for name in tag_names).encode(), dtype=np.uint8)[tags]
    acronym, ing = np.isin(lexical, _ACRONYMS), lexical == ord(OPEN_ING)
    letters = np.where(np.isin(lexical, _OPEN), of_tag, lexical)
    letters[(lexical == ord(OPEN)) & (letters == ord("Y"))] = ord("N")  # "the storage node" is no past form
    letters[acronym & np.isin(letters, _NOUN_LIKE)] = ord("Z")  # "LED" is no form of "lead"
    letters[ing & (letters == ord("N"))] = ord("g")
    return letters


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
