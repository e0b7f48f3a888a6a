"""What a search gives: hits, explanations of them, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparse_coverage.index import PassageRecord

Queries = list[str] | tuple[str, ...]
"""Several queries. Not any sequence: a plain string is one query, and a sequence of strings too."""


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage with its score, and the number of its paragraph or claim where one is printed."""

    id: str
    document: str
    section: str
    text: str
    score: float
    number: str = ""

    @classmethod
    def of(cls, record: PassageRecord, score: float) -> PassageHit:
        """Return a passage of an index with a score."""
        return cls(record.id, record.document, record.section, record.text, score, record.number)


@dataclass(frozen=True, slots=True)
class Hit:
    """A document with its score and its best passages, best first.

    `members` are the other documents of its family that might have been found, where results are grouped by family.
    """

    document: str
    title: str
    score: float
    metadata: Mapping[str, Any]
    passages: tuple[PassageHit, ...]
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a text: its characters and where they stand."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """One center that query and passage share: the spans that activated it and what it adds to the score.

    `contribution` = `query_weight` * `passage_weight` * `idf`^alpha / (|S| + smoothing)^gamma. Where `lender` names a passage,
    the query has the center from that one, by feedback, and `query` is the span of it.
    """

    center: int
    anchor: str
    query: Place
    passage: Place
    query_weight: float
    passage_weight: float
    idf: float
    contribution: float
    lender: str = ""


@dataclass(frozen=True, slots=True)
class Unsearched:
    """The spans of a query that no document is compared with: no center covers them, or their centers are all too common."""

    uncovered: tuple[Place, ...] = ()
    common: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """A phrase of the query, the phrase of the passage that it found, and what all their matches add to the score."""

    query: Place
    passage: Place
    contribution: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for a score, strongest first. `wording` is what wording in general adds, `feedback` what the passages
    that were found first lent the query (this one may have been among them). Together they are the score.
    """

    phrases: tuple[Reason, ...] = ()
    wording: float = 0.0
    feedback: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a passage scored as it did: matches, strongest first, whose contributions add up to the score.

    `unmatched` are the words of the query that were looked for and not found in this passage (see `search.lacking`).
    `unsearched` are those that nothing can match. `reasons` are the matches summed up in words and phrases.
    """

    query: str
    passage: PassageHit
    matches: tuple[Match, ...]
    unmatched: tuple[Place, ...]
    unsearched: Unsearched = Unsearched()
    reasons: Reasons = Reasons()

    @property
    def score(self) -> float:
        """The passage's score."""
        return self.passage.score

    @property
    def matched(self) -> tuple[Place, ...]:
        """The spans of the query that found something here; what feedback lent it is not among them."""
        return tuple(match.query for match in self.matches if not match.lender)


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of the query and the strongest that a document has to set against it: a match, and the passage it is in."""

    query: Place
    passage: str
    match: Match


@dataclass(frozen=True, slots=True)
class Answers:
    """A query against a whole document: what each span found anywhere in it, and the spans that found nothing.

    `passages` holds the texts of the passages where something was found, `numbers` the numbers of their paragraphs or claims
    where these are printed, both by id. `unsearched`: spans that nothing can match.
    """

    query: str
    document: str
    found: tuple[Answer, ...]
    missing: tuple[Place, ...]
    unsearched: Unsearched = Unsearched()
    passages: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryCost:
    """What a query cost: the lists it read (stop centers left out), and the seconds of each stage.

    `feedback` is the first of two searches, where the scoring asks for it. `centers` are the active ones that count,
    `postings` the summed lengths of their lists. Scoring and selecting are added up over threads; `total` is the time on the
    clock.
    """

    centers: int
    stop_centers: int
    postings: int
    encoding: float
    filtering: float
    feedback: float
    scoring: float
    selecting: float
    reading: float
    total: float
