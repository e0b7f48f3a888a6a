"""What noun phrases leave out, as lists. This file is the documentation of it.

The rule behind every list: a word is left out only where it points at a thing without saying what the thing is. The lists
of words are applied at the start of a phrase, the lists of phrases to a whole phrase; nothing is ever taken out of the
middle or the end. So "at least one sensor" gives "sensor", and "LED lamp", "device housing" and "fastening means" stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    for before, noun, after in re.findall(r"([^|<>]*)<(\w+)>([^|<>]*)", expressions):
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
