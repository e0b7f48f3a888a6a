"""Reference numerals: the "(10)" and "(10a, 12)" that point into a drawing, and everything that only looks like them.

A numeral is taken for one only after a word that can name a part. Where that is in doubt it stays: a numeral too many
costs little, a lost "pH (7)" or "(2) cooling" costs meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sparse_coverage.patents.cleaning.quantities import UNIT

Edit = tuple[int, int, str]

_JOINT = r"and|or|und|oder|et|ou"
# 10, 10a, 10', 110A, S10; but not 3D, which is a word.
_ONE = r"(?:\d{1,4}[a-f]?|\d{2,4}[A-F]|S\d{2,4})['’′\"″]{0,3}"
_GROUP = re.compile(rf"\(\s?(?P<first>{_ONE})(?:\s?(?:,|;|-|–|\b(?:{_JOINT}|to)\b)\s?{_ONE})*\s?\)(?![\w-])")
_LINK = re.compile(rf" ?(?:, ?)?(?:\b(?:{_JOINT})\b ?)?")
_YEAR = re.compile(r"\(\s?(?:19|20)\d\d\s?\)")
_SENTENCE_END = re.compile(r"[.!?]\s")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
# Words after which a number in brackets says which one, how many, or begins an enumeration.
_NO_PARTS = frozenset(
    (
        "formula formulas formulae eq eqs equation equations expression expressions example examples compound compounds step "
        "steps claim claims fig figs figure figures no nos number numbers table tables rule rules inequality inequalities "
        "condition conditions embodiment embodiments aspect aspects item items option options type types class grade category "
        "ph ratio ratios integer integers value values temperature range percentage amount current voltage charge poly "
        "one two three four five six seven eight nine ten eleven twelve "
        "and or und oder et ou then of by in to from with for at on as is are be being was were the a an that which wherein "
        "whereby comprising comprises comprise comprised including includes include consisting having has containing contains "
        "following followings follows either both namely umfassend umfasst wobei comprenant"
    ).split()
)
_OXIDATION = re.compile(r"\(\s?[1-8]\s?\)\s\w*(?:ide|ate|ite|ions?|salts?|acid|complex|compounds?|catalysts?)\b")
_METALS = frozenset(
    (
        "copper iron tin lead cobalt nickel manganese chromium vanadium titanium mercury gold silver palladium platinum cerium "
        "antimony arsenic molybdenum tungsten ruthenium rhodium iridium bismuth thallium uranium"
    ).split()
)


def numeral_edits(text: str) -> Iterator[Edit]:
    """Find the reference numerals of a text, each with the space before it: "the pump (10) and (12)" loses both."""
    groups = list(_GROUP.finditer(text))
    labels = _labels(text, groups)
    removed_until = 0
    for group in groups:
        start = group.start()
        if start in labels:
            continue
        if removed_until and _LINK.fullmatch(text, removed_until, start):
            yield removed_until, group.end(), ""
            removed_until = group.end()
        elif text[max(0, start - 1) : start] in (" ", "\xa0") and _numbers_a_part(text, group):
            yield start - 1, group.end(), ""
            removed_until = group.end()


def _numbers_a_part(text: str, group: re.Match[str]) -> bool:
    before = text[max(0, group.start() - 40) : group.start()].rstrip()
    match = _LAST_WORD.search(before)
    if match is None or _YEAR.fullmatch(group[0]):
        return False
    word = match[0]
    lower = word.lower()
    is_symbol = len(word) < 3 and word[0].isupper()  # C (1-4) alkyl, Fe (2)
    if is_symbol or lower in _NO_PARTS or lower.endswith("yl"):  # alkyl (1-4)
        return False
    if lower in _METALS and _OXIDATION.match(text, group.start()):
        return False
    return UNIT.match(text[group.end() : group.end() + 20].lower()) is None


def _labels(text: str, groups: list[re.Match[str]]) -> set[int]:
    """Return where the labels of enumerations are: "(1) heating; (2) cooling" within one sentence.

    They count from one, and from the second on they follow a comma or "and", not the name of a part.
    """
    labels: set[int] = set()
    run: list[int] = []
    end = 0
    for group in groups:
        if run and _SENTENCE_END.search(text, end, group.start()):
            run = []
        end = group.end()
        if group[0].strip("( )") == "1":
            run = [group.start()]
        elif run and group[0].strip("( )") == str(len(run) + 1) and not _numbers_a_part(text, group):
            run.append(group.start())
            labels.update(run)
    return labels
