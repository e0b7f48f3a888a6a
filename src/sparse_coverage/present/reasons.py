"""Why something was found, for people: what adds up to a score, in rows and in one line."""

from __future__ import annotations

from collections.abc import Sequence

from sparse_coverage.present.places import flat
from sparse_coverage.present.terms import GENERAL, LIKE_MARKED
from sparse_coverage.search.results import PartScore, Reason, Reasons, WordReason
from sparse_coverage.systems import label_of
from sparse_coverage.workspace.results import listed

_LEAST = 0.0005  # what three decimals show


def reason_rows(reasons: Reasons, shown: int) -> list[tuple[str, str, float]]:
    """Return what adds up to a score, for people: what of the query, what of the passage, and how much; nothing that adds nothing.

    The strongest phrases and words are `shown`, the others are one sum; what no words can be given for has a name. The same two
    texts are one row, however often they stand in query and passage.
    """
    told: dict[tuple[str, str], tuple[str, str]] = {}
    adds: dict[tuple[str, str], float] = {}
    every: list[Reason | WordReason] = [*reasons.phrases, *reasons.words]
    for one in every:
        asked, found = flat(one.query.text), flat(one.passage.text)
        key = asked.casefold(), found.casefold()
        if isinstance(one, WordReason):
            told[key] = asked, f"{found} ({_likeness(one)}, in {_passages(one.passages)})"
        told.setdefault(key, (asked, found))
        adds[key] = adds.get(key, 0.0) + one.contribution
    named = sorted(((*texts, adds[key]) for key, texts in told.items()), key=lambda row: -row[2])
    rest = "other phrases and words" if reasons.words else "other phrases"
    sums = [
        ("", rest, sum(value for *_, value in named[shown:])),
        ("", GENERAL, reasons.similarity),
        ("", LIKE_MARKED, reasons.feedback),
        ("", "the passage as a whole", reasons.whole),
    ]
    return named[:shown] + [row for row in sums if abs(row[2]) >= _LEAST]


def why_line(reasons: Reasons | None) -> str:
    """Return in one plain line why a passage was found, what adds most first; nothing that adds less than a tenth.

    >>> from sparse_coverage.search.results import Place
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
        (reasons.feedback, "it is like what was marked"),
    ]
    enough = [one for one in told if one[0] > 0 and one[0] >= 0.1 * reasons.total]
    return f"Found because {'; '.join(text for _, text in sorted(enough, key=lambda one: -one[0]))}." if enough else ""


def parts_line(parts: Sequence[PartScore]) -> str:
    """Return in one line what each part of a combined ranking adds to the score of a document."""
    told = (f"{label_of(one.part).removeprefix('by ')} {one.adds:.3f} ({rank_there(one)})" for one in parts)
    return " + ".join(told)


def rank_there(part: PartScore) -> str:
    """Return which place a document has in one part of a ranking."""
    return "not encoded yet" if part.waiting else f"rank {part.rank}" if part.rank else "not found"


def _likeness(reason: WordReason) -> str:
    """Say how a word of the query and one of the passage are the same.

    >>> from sparse_coverage.search.results import Place
    >>> _likeness(WordReason(Place("valves", 0, 6), Place("Valve", 0, 5), 7, 0.5))
    'a form of the same word'
    """
    same = reason.query.text.casefold() == reason.passage.text.casefold()
    return "the same word" if same else "a form of the same word"


def _passages(count: int) -> str:
    """Return a number of passages in words.

    >>> _passages(1), _passages(1200)
    ('1 passage', '1,200 passages')
    """
    return "1 passage" if count == 1 else f"{count:,} passages"
