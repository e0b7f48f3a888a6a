"""Words for people: what things are called on the page, in reports, in the terminal and in the docs. Each is said here, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparse_coverage.systems import label_of
from sparse_coverage.workspace.filters import filters_text

NOTICE = (
    "A tool for finding documents; nothing here is legal advice.",
    "Verdicts of charts are measured, not decided: each chart says how often they are wrong. Read the passage.",
    "Only what was indexed was searched. That nothing was found is no proof of novelty.",
)
"""What every result says of itself."""
NOTICE_HERE = (
    "Projects lie on the disk of this server, not encrypted.",
    "Nothing you enter leaves the machine that it runs on.",
)
"""What the page adds."""

MARKS: Mapping[str | None, str] = {"relevant": "relevant", "not": "not relevant", None: ""}
"""What a mark of a document or passage is called."""
GENERAL, LIKE_MARKED = "general similarity", "similar to what was marked"
"""What adds to a score beside the phrases that match."""
CITED_BY_US = "assessed by the searcher"
FACTS: Mapping[str, str] = {
    "publication_date": "published",
    "priority_date": "priority",
    "application_date": "filed",
    "applicants": "applicant",
    "inventors": "inventor",
    "ipc": "IPC",
    "cpc": "CPC",
    "family_members": "family",
}
"""What is known of a document, in the order of a report."""
FACETS: Mapping[str, str] = {"country": "Country", "year": "Year", "class": "Class", "applicant": "Applicant"}
"""What the documents found are counted by."""
TERMS: Mapping[str, str] = {
    "feature": "a part of the claim that is looked for by itself: what the claim says, cut into pieces",
    "ranking": "what puts the documents in order",
    "my assessment": "a searcher's own verdict for a cell of a chart, with the reason",
    CITED_BY_US: "stands at a verdict that the searcher gave",
    "exclude families": "leave out a document and all publications of the same invention",
    "include undated": "also find documents without the date that a filter asks for",
    GENERAL: "what wording in general adds to a score, beside the phrases that match",
    LIKE_MARKED: "what is added because a passage is like those that were marked as relevant",
    "was 18th": "the rank of a document before the marks were used",
    "back up project": "save all of a project in one file, which another machine can restore",
}
"""Terms that are used the same everywhere, with what they mean."""


def ordinal(number: int) -> str:
    """Return a rank as it is said.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 18, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '18th', '21st', '102nd']
    """
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def shown_of(shown: int, searched: int) -> str:
    """Say how many documents are shown, of how many that were searched.

    >>> shown_of(20, 107), shown_of(1, 1)
    ('20 shown of 107', '1 document')
    """
    if shown < searched:
        return f"{shown:,} shown of {searched:,}"
    return f"{shown:,} document{'' if shown == 1 else 's'}"


def asked_filters(request: Mapping[str, Any]) -> str:
    """Return the filters of a search that a project keeps, in words."""
    automatic, since = (str(request.get(name) or "") for name in ("automatic", "new_since"))
    return filters_text(request.get("filters") or {}, automatic, f"new since {since}" if since else "")


def ranking_text(request: Mapping[str, Any]) -> str:
    """Return what ranked a search that was made: an expression alone is ranked by its words, or newest first.

    >>> ranking_text({"ranking": "combined"}), ranking_text({"ranking": "combined", "used": {"ranking": "words"}})
    ('combined', 'by words')
    >>> ranking_text({"ranking": "words", "rerank": "cross-encoder:small", "top": 50})
    'by words, then by cross-encoder:small'
    >>> ranking_text({"ranking": "words", "elements": [{"label": "1a", "weight": 0}, {"label": "1b"}, {"label": "1c", "weight": 2}]})
    'by words, without 1a, 1c counting twice'
    """
    ranked = label_of(str((request.get("used") or {}).get("ranking") or request.get("ranking") or ""))
    again = request.get("rerank")
    ranked = f"{ranked}, then by {label_of(again)}" if again else ranked
    weights = {
        weight: [one.get("label", "") for one in request.get("elements") or () if one.get("weight") == weight]
        for weight in (0, 2)
    }
    without, twice = (", ".join(map(str, weights[weight])) for weight in (0, 2))
    return ranked + (f", without {without}" if without else "") + (f", {twice} counting twice" if twice else "")
