"""Finding a document by its publication number, however it is spelled, and what is near where there is none."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from sparse_coverage.index.facts import NUMBER_FIELD
from sparse_coverage.index.segment import Segment
from sparse_coverage.kernels import Mask
from sparse_coverage.patents.numbers import PublicationNumber, parse_number, spellings

Searched = Sequence[tuple[Segment, Mask]]
"""Segments, each with those of its documents that count."""
_NEAR = 5


def find_document(segments: Searched, id_: str) -> tuple[int, int] | None:
    """Return the place of a document: that of its segment, and its number there.

    The id as it is comes first, then other spellings of the same publication number. A number without a kind, or with the
    letter of one alone, finds a publication that is the only one of these.
    """
    for name in spellings(id_):
        for place, (segment, live) in enumerate(segments):
            for number in segment.document_numbers(name, live):
                return place, number
    wanted = parse_number(id_)
    if wanted is None:
        return None
    found = _publications(segments, wanted)
    same = [place for place, publication in found if publication.kind == wanted.kind]
    if not same and len(wanted.kind) < 2:
        same = [place for place, publication in found if publication.kind.startswith(wanted.kind)]
    return same[0] if len(same) == 1 else None


def near_ids(segments: Searched, id_: str) -> list[str]:
    """Return ids like one that is not there: other publications of the same number, else those that begin most alike."""
    wanted = parse_number(id_)
    if wanted is not None and (found := _publications(segments, wanted)):
        return [segments[place][0].texts.document(number).id for (place, number), _ in found[:_NEAR]]
    asked = str(wanted) if wanted else id_.strip()
    alike = {other for segment, live in segments for other in _neighbours(segment, live, asked)}
    shared = {other: _alike(asked, other) for other in alike}
    least = max(3, len(asked.rpartition("-")[0] if wanted and wanted.kind else asked) - 2)
    return sorted((other for other in alike if shared[other] >= least), key=lambda one: (-shared[one], one))[:_NEAR]


def near(segments: Searched, id_: str) -> str:
    """Say what the index holds that is near an id that it does not hold: in brackets, behind a blank; or nothing."""
    found = near_ids(segments, id_)
    return f" (near it: {', '.join(found)})" if found else ""


def _publications(segments: Searched, wanted: PublicationNumber) -> list[tuple[tuple[int, int], PublicationNumber]]:
    """Return the places of all publications of a number, of whatever kind."""
    name = f"{wanted.country}-{wanted.number}"
    found = []
    for place, (segment, live) in enumerate(segments):
        facts = segment.facts
        mask = facts.with_term(NUMBER_FIELD, name) | facts.with_term("id", name)
        for start in (f"{name}-", name.replace("-", "", 1)):  # segments of older versions have ids alone
            mask |= facts.with_prefix("id", start)
        for number in np.flatnonzero(mask & live).tolist():
            publication = parse_number(segment.texts.document(number).id)
            if publication and (publication.country, publication.number) == (wanted.country, wanted.number):
                found.append(((place, number), publication))
    return found


def _alike(one: str, other: str) -> int:
    """Return how many letters two ids begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _neighbours(segment: Segment, live: Mask, asked: str) -> list[str]:
    """Return the ids beside which one would stand among those of a segment."""
    terms, begin = segment.facts.terms, f"id={asked}"
    place = bisect_left(terms, begin)
    ids = [term[3:] for term in terms[max(0, place - 2) : place + 3] if term.startswith("id=")]
    return [id_ for id_ in ids if segment.document_numbers(id_, live)]
