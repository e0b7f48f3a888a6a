"""What the page shows of a search and of a document: places as one cites them, snippets, marks by feature, links, each decided here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparse_coverage.dataclass_json import from_json
from sparse_coverage.index import PassageRecord
from sparse_coverage.present.places import (
    TextMark,
    TextPiece,
    cited,
    cited_place,
    cut_at,
    passage_marks,
    printed_number,
    shared_words,
    snippet,
    with_links,
)
from sparse_coverage.present.reasons import why_line
from sparse_coverage.present.terms import FACTS, asked_filters, ordinal, ranking_text, shown_of
from sparse_coverage.projects import RecordedResult, SearchMade
from sparse_coverage.search.features import Touch, feature_at, feature_places
from sparse_coverage.search.results import Hit, Place, Reasons
from sparse_coverage.workspace.filters import LETS_IN
from sparse_coverage.workspace.related import public_links
from sparse_coverage.workspace.results import ReadResult, listed

FAINT = 0.25
"""The share of the strongest phrase of a passage that one must have to be in colour; weaker ones are underlined."""
MOST_SHOWN = 2000
"""Characters of a query that the list of searches has."""
LENGTH = 420
"""Characters of a passage in the list of what was found."""
WORTHWHILE = 0.25
"""The share of the best score that a passage must have to be called a match in the reading view."""
_FEW = 3
_OPTION = re.compile(r"--([a-z][a-z-]{1,30})")
_SECTIONS = {
    "title+abstract": "Title and abstract",
    "title": "Title",
    "translation": "In other languages",
    "document": "Text",
}


@dataclass(frozen=True, slots=True)
class ShownFeature:
    """A feature of the claim beside a document: whether a passage of it has most of the feature's words (`touched`), some, or too few,
    and which passage that is. `left_out`: the search was made without it."""

    label: str
    text: str
    has: str
    told: str
    passage: str = ""
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class ShownSnippet:
    """A passage in the list of what was found: where it stands, and its text, or the part of it that matters, in pieces."""

    id: str
    place: str
    pieces: tuple[TextPiece, ...]
    before: bool
    after: bool


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A document in the list of what was found.

    `was` says where it stood before the marks were used, `closeness` how close it is, `why` in one line what it was found by.
    """

    document: str
    title: str
    facts: tuple[str, ...]
    links: Mapping[str, str]
    features: tuple[ShownFeature, ...]
    passages: tuple[ShownSnippet, ...]
    was: str = ""
    closeness: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class SearchView:
    """A search as the page shows it. `lacking` are the features that none of the first documents has, `beyond` what has some of them."""

    told: str
    ranking: str
    filters: str
    claim: str
    hits: tuple[ShownHit, ...]
    notes: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    beyond: tuple[ShownHit, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A search in the list of those that were made: the text that was used of what stood in the form, and all else in words."""

    query: str
    filters: str
    ranking: str
    found: str


@dataclass(frozen=True, slots=True)
class ShownParagraph:
    """A paragraph or claim of a document: `rank` is that of the passages that match the claim, 0 for the others."""

    id: str
    heading: str
    label: str
    place: str
    pieces: tuple[TextPiece, ...]
    rank: int = 0


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as the page shows it.

    `best` is the paragraph that answers each feature best, by the feature's number; of those `by_words` it has single words alone.
    """

    document: str
    title: str
    facts: Mapping[str, str]
    links: Mapping[str, str]
    claim: tuple[TextPiece, ...]
    paragraphs: tuple[ShownParagraph, ...]
    best: Mapping[int, str]
    by_words: tuple[int, ...]


def search_view(made: SearchMade) -> SearchView:
    """Return a search that was made as the page shows it."""
    found, request = from_json(RecordedResult, made.result), made.request
    elements = list(request.get("elements") or ())
    features = feature_places(found.query, (str(one["text"]) for one in elements))
    before = None if request.get("before") is None else list(request["before"])

    def shown(hit: Hit, rank: int = 0) -> ShownHit:
        has = found.touched.get(hit.document, ())
        strip = tuple(_feature(element, touch) for element, touch in zip(elements, has, strict=False))
        return _hit(hit, rank, found.reasons, features, strip, before if rank else None)

    return SearchView(
        shown_of(len(found.hits), found.searched),
        ranking_text(request),
        asked_filters(request),
        str(request.get("claim") or found.query),
        tuple(shown(hit, rank) for rank, hit in enumerate(found.hits, 1)),
        tuple(map(for_the_page, found.notes)),
        found.beyond.lacking if found.beyond else (),
        tuple(map(shown, found.beyond.hits)) if found.beyond else (),
    )


def _feature(element: Mapping[str, Any], touch: Touch) -> ShownFeature:
    has = touch.level
    place = cited_place(touch.section, touch.number, touch.passage)
    told = (
        f"{'most' if has == 'touched' else 'some'} of its words in {place}"
        if has
        else "few of its words in any passage"
    )
    label, text = str(element.get("label", "")), str(element["text"])
    return ShownFeature(label, text, has, told, touch.passage, element.get("weight") == 0)


def for_the_page(note: str) -> str:
    """Return a note without the options of the command line, which the page has not.

    >>> for_the_page(f"2 documents have no date and were left out ({LETS_IN})"), for_the_page("--before 1900 allows 0")
    ('2 documents have no date and were left out (“include undated” finds them)', 'before 1900 allows 0')
    """
    told = note.replace(f"({LETS_IN})", "(“include undated” finds them)")
    return _OPTION.sub(lambda found: found[1].replace("-", " "), told)


def history_line(made: SearchMade) -> HistoryLine:
    """Return a search as the list of those that were made shows it."""
    request = made.request
    used = request.get("used") or {}
    ranking = ranking_text(request) + (", with marks" if request.get("marks") else "")
    return HistoryLine(
        str(used.get("query") or request.get("claim") or request.get("query") or ""),
        asked_filters(request),
        ranking,
        shown_of(made.documents, int(used.get("searched") or 0)),
    )


def document_view(
    read: ReadResult,
    claim: str = "",
    elements: Sequence[str] = (),
    mentioned: Callable[[str], Iterable[tuple[int, int, str]]] = lambda text: (),
) -> DocumentView:
    """Return a document as the page shows it, with the places that a claim finds, and the documents of the index that are `mentioned`."""
    features = feature_places(claim, elements)
    best_score = max((one.score for one in read.explanations.values()), default=0.0)
    worth = [id_ for id_, one in read.explanations.items() if one.score >= WORTHWHILE * best_score]
    ranks = {id_: rank for rank, id_ in enumerate(sorted(worth, key=lambda id_: -read.explanations[id_].score), 1)}
    reasons = {one.id: read.reasons(one) for one in read.passages if one.id in ranks}
    names = {one.id: f"p{number}" for number, one in enumerate(read.passages)}
    claim_marks = [
        TextMark(
            one.query.start,
            one.query.end,
            one.contribution,
            feature_at(one.query, features),
            f"q-{one.query.start}",
            f"{names[id_]}-{one.passage.start}",
        )
        for id_, why in reasons.items()
        for one in (why.phrases if why else ())
        if one.query.text
    ]
    metadata = read.document.metadata
    best = _best_of_features(read.passages, reasons, features)
    by_words = _best_by_words(
        read.passages, {number: text for number, text in enumerate(elements) if number not in best}
    )
    return DocumentView(
        read.document.id,
        read.document.title,
        {words: listed(metadata[name]) for name, words in FACTS.items() if metadata.get(name)},
        public_links(read.document.id),
        # In the claim itself every feature is in its colour, however much a phrase adds.
        tuple(replace(one, strength=float(one.strength > 0)) for one in cut_at(claim, claim_marks)) if claim else (),
        tuple(
            replace(one, pieces=tuple(with_links(one.pieces, mentioned)))
            for one in _paragraphs(read.passages, reasons, features, names, ranks)
        ),
        best | by_words,
        tuple(by_words),
    )


def _paragraphs(
    passages: Sequence[PassageRecord],
    reasons: Mapping[str, Reasons | None],
    features: Sequence[Place],
    names: Mapping[str, str],
    ranks: Mapping[str, int],
) -> list[ShownParagraph]:
    shown: list[ShownParagraph] = []
    section = ""
    for one in passages:
        heading = "" if one.section == section else _SECTIONS.get(one.section, one.section.capitalize())
        section = one.section
        number = printed_number(one.section, one.number)
        pieces = cut_at(one.text, passage_marks(reasons.get(one.id), features, names[one.id]))
        place = cited(one)
        shown.append(ShownParagraph(one.id, heading, number, place, tuple(pieces), ranks.get(one.id, 0)))
    return shown


def _best_of_features(
    passages: Sequence[PassageRecord], reasons: Mapping[str, Reasons | None], features: Sequence[Place]
) -> dict[int, str]:
    best: dict[int, tuple[float, str]] = {}
    for one in passages:
        sums: dict[int, float] = {}
        for phrase in why.phrases if (why := reasons.get(one.id)) else ():
            feature = feature_at(phrase.query, features)
            sums[feature] = sums.get(feature, 0.0) + phrase.contribution
        for feature, value in sums.items():
            if feature >= 0 and value > best.get(feature, (0.0, ""))[0]:
                best[feature] = value, one.id
    return {feature: id_ for feature, (_, id_) in sorted(best.items())}


def _best_by_words(passages: Sequence[PassageRecord], features: Mapping[int, str]) -> dict[int, str]:
    """Return for each feature the passage with most of its words; nothing for one of which no word is in the document."""
    found: dict[int, str] = {}
    for number, text in features.items():
        counts = [len(shared_words(text, one.text)) for one in passages]
        if most := max(counts, default=0):
            found[number] = passages[counts.index(most)].id
    return found


def _with_phrases(feature: ShownFeature, number: int, passages: Sequence[ShownSnippet]) -> ShownFeature:
    """Return a feature that has too few words in any passage, but a phrase in its colour in one that is shown, as one that has some."""
    for one in passages if not feature.has else ():
        for piece in one.pieces:
            if piece.feature == number and piece.strength >= FAINT:
                return replace(feature, has="some", told=f"“{piece.text}” in {one.place}", passage=one.id)
    return feature


def _hit(
    hit: Hit,
    rank: int,
    reasons: Mapping[str, Reasons],
    features: Sequence[Place],
    strip: tuple[ShownFeature, ...],
    before: list[str] | None,
) -> ShownHit:
    known = hit.metadata
    facts = [f"{FACTS[name]} {known[name]}" for name in ("publication_date", "priority_date") if known.get(name)]
    facts += [_few(known[name]) for name in ("ipc", "applicants") if known.get(name)]
    facts += [f"family: {_few(hit.members)}"] if hit.members else []
    was = ""
    if before is not None:
        was = _was(before.index(hit.document) + 1 if hit.document in before else 0, rank)
    passages = tuple(_snippet(one, reasons.get(one.id), features) for one in hit.passages)
    return ShownHit(
        hit.document,
        hit.title or hit.document,
        tuple(facts),
        public_links(hit.document),
        tuple(_with_phrases(feature, number, passages) for number, feature in enumerate(strip)),
        passages,
        was,
        hit.closeness or "",
        why_line(reasons.get(hit.passages[0].id)) if hit.passages else "",
    )


def _snippet(passage: Any, reasons: Reasons | None, features: Sequence[Place]) -> ShownSnippet:
    strongest = sorted(reasons.phrases, key=lambda one: -one.contribution) if reasons else []
    start, end = snippet(passage.text, [one.passage for one in strongest], LENGTH)
    pieces = cut_at(passage.text, passage_marks(reasons, features), start, end)
    place = cited(passage)
    return ShownSnippet(passage.id, place, tuple(pieces), start > 0, end < len(passage.text))


def _was(before: int, now: int) -> str:
    if not before:
        return "new"
    return "" if before == now else f"was {ordinal(before)}"


def _few(value: Any) -> str:
    values = [value] if isinstance(value, str) else list(value)
    more = f" +{len(values) - _FEW}" if len(values) > _FEW else ""
    return listed(values[:_FEW]) + more
