"""Places of a text as people read them: whole words, not pieces of them, and what of a query found nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sparse_coverage.patents.passages import PARAGRAPHS
from sparse_coverage.present.terms import FIRST_HITS, GENERAL
from sparse_coverage.search.results import (
    Answers,
    Match,
    PartScore,
    PassageHit,
    Place,
    Reasons,
    Unsearched,
)
from sparse_coverage.systems import label_of
from sparse_coverage.text import content_words, sentence_ends, stems_of
from sparse_coverage.workspace.results import listed

_LEAST = 0.0005  # what three decimals show
_LINE_END = re.compile(r"[\r\n]")
_ORDINAL = re.compile(r"\[(\d{1,9})\](?::\d{1,9})?$")
_NUMBERS = re.compile(r"\d+(?:–\d+)?")
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def whole_words(text: str, place: Place) -> Place:
    """Widen a place to the words it touches.

    >>> whole_words("a solenoid valve", Place("noid", 6, 10)).text
    'solenoid'
    """
    start, end = place.start, place.end
    for word in _WORD.finditer(text, max(0, start - 80), min(len(text), end + 80)):
        if word.start() < end and word.end() > start:
            start, end = min(start, word.start()), max(end, word.end())
    return Place(text[start:end], start, end)


def words_at(text: str, places: Iterable[Place], but: Iterable[Place] = ()) -> list[str]:
    """Return the distinct words at some places, in small letters, without those of which any piece is at the other places.

    >>> words_at("A solenoid, a spring", [Place("sole", 2, 6), Place("spring", 14, 20)], but=[Place("noid", 6, 10)])
    ['spring']
    """
    left_out = {whole_words(text, place).text.lower() for place in but}
    words = dict.fromkeys(whole_words(text, place).text.lower() for place in places)
    return [word for word in words if word not in left_out]


def missing_words(answers: Answers) -> list[str]:
    """Return the words of a query that a whole document has nothing for."""
    return words_at(answers.query, answers.missing)


def missing_sentence(words: Sequence[str], what: str) -> str:
    """Say what of a query or claim a document has nothing for.

    >>> missing_sentence(["spring", "coil"], "claim")
    'Of the claim, nothing in this document answers: spring, coil.'
    >>> missing_sentence([], "claim")
    'Every word of the claim that counts finds something in this document.'
    """
    if not words:
        return f"Every word of the {what} that counts finds something in this document."
    return f"Of the {what}, nothing in this document answers: {', '.join(words)}."


def unsearched_words(query: str, unsearched: Unsearched, searched: Sequence[Place]) -> list[tuple[str, list[str]]]:
    """Return the words of a query that nothing is compared with, each list with its reason; empty ones are left out."""
    common = words_at(query, unsearched.common, but=searched)
    uncovered = words_at(query, unsearched.uncovered, but=[*searched, *unsearched.common])
    reasons = [("too common to count", common), ("outside every center", uncovered)]
    return [(why, words) for why, words in reasons if words]


def place_in(document: str, passage: PassageHit) -> str:
    """Return where a passage stands in its document, with the printed number of a paragraph.

    >>> place_in("EP-1-A1", PassageHit("EP-1-A1/description/p[3]", "EP-1-A1", "description", "A pump.", 1.0, "0034"))
    'description/p[3] [0034]'
    """
    number = printed_number(passage.section, passage.number) if passage.section == "description" else ""
    return f"{within(document, passage.id)} {number}".rstrip()


def cited_place(section: str, number: str, passage: str) -> str:
    """Return where a passage stands as a reader cites it: by what is printed, else by its place in the order.

    >>> cited_place("description", "0034", "EP-1-A1/description/p[3]"), cited_place("claims", "17", "EP-1-A1/claims/claim[17]:4")
    ('paragraph [0034]', 'claim 17')
    >>> cited_place("description", "0007–0008", "EP-1-A1/description/p[8]"), cited_place("abstract", "", "US-1-A/abstract/p[1]")
    ('paragraphs [0007]–[0008]', 'abstract')
    >>> cited_place("description", "column 3, line 12", "US-1-A/description/p[3]")
    'column 3, line 12'
    >>> cited_place("description", "", "US-1-A/description/p[3]:2"), cited_place("description", "paragraphs 2–3", "US-1-A/description/p[3]")
    ('description, paragraph 3', 'description, paragraphs 2–3')
    """
    ordered = _ORDINAL.search(passage)
    if section == "claims":
        return f"claim {number or (ordered[1] if ordered else '')}".strip()
    if number.startswith(PARAGRAPHS):
        return f"{section}, {number}"
    if _NUMBERS.fullmatch(number):
        return f"paragraph{'s' if '–' in number else ''} {printed_number(section, number)}"
    if number:
        return number
    if section == "description" and ordered:
        return f"description, paragraph {ordered[1]}"
    return {"title+abstract": "title and abstract", "document": "text"}.get(section, section) or "text"


def printed_number(section: str, number: str) -> str:
    """Return a number as it is printed before its paragraph or claim; nothing where none is.

    >>> printed_number("description", "0007–0008"), printed_number("claims", "3"), printed_number("description", "paragraphs 2–3")
    ('[0007]–[0008]', '3.', '')
    """
    if not number or number.startswith(PARAGRAPHS):
        return ""
    return f"{number}." if section == "claims" else "–".join(f"[{one}]" for one in number.split("–"))


def within(document: str, passage: str) -> str:
    """Return the id of a passage without that of its document.

    >>> within("EP-1-A1", "EP-1-A1/claims/claim[1]")
    'claims/claim[1]'
    """
    return passage.removeprefix(document).lstrip("/")


def reason_rows(reasons: Reasons, shown: int) -> list[tuple[str, str, float]]:
    """Return what adds up to a score, for people: what of the query, what of the passage, and how much; nothing that adds nothing.

    The strongest phrases and words are `shown`, the others are one sum; what no words can be given for has a name.
    """
    named = [(flat(one.query.text), flat(one.passage.text), one.contribution) for one in reasons.phrases]
    named += [
        (one.query.text, f"{one.passage.text} (the same word, in {_passages(one.passages)})", one.contribution)
        for one in reasons.words
    ]
    named.sort(key=lambda row: -row[2])
    rest = "other phrases and words" if reasons.words else "other phrases"
    sums = [
        ("", rest, sum(adds for *_, adds in named[shown:])),
        ("", GENERAL, reasons.similarity),
        ("", FIRST_HITS, reasons.feedback),
        ("", "the passage as a whole", reasons.whole),
    ]
    return named[:shown] + [row for row in sums if abs(row[2]) >= _LEAST]


def parts_line(parts: Sequence[PartScore]) -> str:
    """Return in one line what each part of a combined ranking adds to the score of a document."""
    told = (f"{label_of(one.part).removeprefix('by ')} {one.adds:.3f} ({rank_there(one)})" for one in parts)
    return " + ".join(told)


def rank_there(part: PartScore) -> str:
    """Return which place a document has in one part of a ranking."""
    return "not encoded yet" if part.waiting else f"rank {part.rank}" if part.rank else "not found"


def why_line(reasons: Reasons | None) -> str:
    """Return in one plain line why a passage was found, what adds most first; nothing that adds less than a tenth.

    >>> from sparse_coverage.search.results import Reason, WordReason
    >>> spring, coil = Place("spring", 0, 6), Place("coil", 9, 13)
    >>> why_line(Reasons((Reason(spring, coil, 0.5),), words=(WordReason(spring, spring, 3, 1.0),), whole=0.7))
    'Found because it has the word spring; a passage is alike as a whole; it speaks of coil where the query has spring.'
    """
    if reasons is None:
        return ""
    words = list(dict.fromkeys(flat(one.passage.text).lower() for one in reasons.words))[:3]
    pairs = [(flat(one.query.text).lower(), flat(one.passage.text).lower()) for one in reasons.phrases]
    other = next(((asked, found) for asked, found in pairs if asked not in found and found not in asked), None)
    concepts = f"it has phrases such as {pairs[0][1]}" if pairs else ""
    if other:
        concepts = f"it speaks of {other[1]} where the query has {other[0]}"
    told = [
        (sum(one.contribution for one in reasons.words), f"it has the word{'s' * (len(words) > 1)} {listed(words)}"),
        (sum(one.contribution for one in reasons.phrases), concepts),
        (reasons.whole, "a passage is alike as a whole"),
        (reasons.similarity, "its wording is alike in general"),
        (reasons.feedback, "it is like the first hits"),
    ]
    enough = [one for one in told if one[0] > 0 and one[0] >= 0.1 * reasons.total]
    return f"Found because {'; '.join(text for _, text in sorted(enough, key=lambda one: -one[0]))}." if enough else ""


def flat(text: str) -> str:
    """Return a text in one line, with every character at its place."""
    return _LINE_END.sub(" ", text)


def shared_words(query: str, text: str) -> list[Place]:
    """Return where words of a query stand in a text, without those that say nothing: the longest first, each once.

    >>> [place.text for place in shared_words("a plunger biased by a spring", "The spring of the plunger, a spring.")]
    ['plunger', 'spring']
    """
    asked = {stems_of(word.text) for word in content_words(query)}
    found: dict[tuple[str, ...], Place] = {}
    for word in content_words(text):
        if (stems := stems_of(word.text)) in asked:
            found.setdefault(stems, Place(*word))
    return sorted(found.values(), key=lambda place: (place.start - place.end, place.start))


def snippet(text: str, places: Sequence[Place], length: int) -> tuple[int, int]:
    """Return where to cut a text that is longer than so many characters: around the strongest of some places, strongest first.

    Whole sentences from the one with the strongest place on, as far as they fit; a longer sentence is cut between words.

    >>> text = "The pump is old. A plunger is biased by a spring. It closes."
    >>> text[slice(*snippet(text, [Place("plunger", 19, 26)], 40))]
    'A plunger is biased by a spring.'
    """
    if len(text) <= length:
        return 0, len(text)
    ends = sentence_ends(text)
    strongest = places[0] if places else Place("", 0, 0)
    begin = max((end for end in [0, *ends] if end <= strongest.start), default=0)
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    if strongest.end > begin + length:  # far into a long sentence, as in a claim
        begin = text.find(" ", max(begin, strongest.start - length // 2)) + 1
    last = max((end for end in ends if begin < end <= begin + length), default=0)
    return begin, last or max(text.rfind(" ", begin + 1, begin + length), strongest.end, begin + 1)


def query_words(query: str, match: Match) -> str:
    """Return the words of the query that a match starts from, or those that another passage lent it, and which."""
    return f"{match.query.text} (lent by {match.lender})" if match.lender else whole_words(query, match.query).text


def _passages(count: int) -> str:
    """Return a number of passages in words.

    >>> _passages(1), _passages(1200)
    ('1 passage', '1,200 passages')
    """
    return "1 passage" if count == 1 else f"{count:,} passages"
