"""Each word as one letter, the alphabet of the noun-phrase grammar.

| letter | word | letter | word |
| --- | --- | --- | --- |
| N | noun, singular | D | article, "said", "each"; a "A" |
| M | noun, plural | I | preposition |
| J | adjective | Q | preposition before things, not actions: "with" |
| P | past participle | V | verb; v in its base form, m "can", "may" |
| Y | past tense | B | form of "be" or "have" |
| G | "-ing" form; g one tagged as a noun | O | "-ing" form that always acts: "comprising" |
| R | adverb | A | "and", "or" |
| C | number | K | comma |
| W | number word: "two" | S | possessive "'s" |
| L | label: a single letter, "S10" | E | word that is numbered: "claim", "FIG." |
| T | kind, numbered inside a term: "type 2" | U | unit: "mm"; u of one letter: "V" |
| Z | noun that needs no article: "data", "ANC" | t | "to" |
| F | word before an amount: "about" | ( ) | brackets |
| . | end of a sentence | X | anything else |
| n | "one", "no" | | |
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from sparse_coverage.spans.noun_phrases.filters import DETERMINERS, INSIDE_TERMS, NUMBER_WORDS

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
_ING = re.compile(r".*[aeiouy].*ing")  # not "ring", "spring", "string"
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
