"""Documents that were found, counted by what is known of them: country, year, class, applicant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sparse_coverage.patents.numbers import parse_number
from sparse_coverage.search.results import Hit

FACETS = ("country", "year", "ipc", "applicant")


def count_facets(hits: Iterable[Hit]) -> dict[str, dict[str, int]]:
    """Count documents by each facet, most first. A document with two applicants or subclasses counts for both.

    >>> known = {"publication_date": "2001-05-17", "ipc": ["H04N 5/44", "H04N 7/01"]}
    >>> count_facets([Hit("EP-0049154-A1", "Valve", 1.0, known, ())])
    {'country': {'EP': 1}, 'year': {'2001': 1}, 'ipc': {'H04N': 1}, 'applicant': {}}
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for hit in hits:
        for name, values in _facets_of(hit.document, hit.metadata).items():
            counts[name].update(values)
    return {name: dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))) for name, found in counts.items()}


def _facets_of(id_: str, metadata: Mapping[str, Any]) -> dict[str, set[str]]:
    number = parse_number(id_)
    year = str(metadata.get("publication_date") or "")[:4]
    return {
        "country": {number.country} if number else set(),
        "year": {year} if year else set(),
        "ipc": {symbol[:4] for symbol in metadata.get("ipc") or ()},
        "applicant": {str(name) for name in metadata.get("applicants") or ()},
    }
