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

    `members` are the other documents of its family that might have been found, where results are grouped by family. `closeness` says how
    close it is to the query in absolute terms: `close`, `related` or `weak`, or nothing where that was not measured or not asked for.
    """

    document: str
    title: str
    score: float
    metadata: Mapping[str, Any]
    passages: tuple[PassageHit, ...]
    members: tuple[str, ...] = ()
    closeness: str = ""


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
class WordReason:
    """A word that query and passage share, as it stands in each, in how many passages of the index it stands, and what it adds."""

    query: Place
    passage: Place
    passages: int
    contribution: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for a score, strongest first; all of them together are the score.

    `phrases` share centers; `similarity` is what centers add that no phrase can be named for (general similarity), `feedback` what
    the passages that were found first, or marked, lent the query. `words` are shared words. `whole` is what the passage adds by
    being like the query as a whole.
    """

    phrases: tuple[Reason, ...] = ()
    similarity: float = 0.0
    feedback: float = 0.0
    words: tuple[WordReason, ...] = ()
    whole: float = 0.0

    @property
    def total(self) -> float:
        """The sum of all."""
        named = sum(one.contribution for one in self.phrases) + sum(one.contribution for one in self.words)
        return named + self.similarity + self.feedback + self.whole


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a passage scored as it did: its reasons add up to the score.

    `matches` are the shared centers behind them, strongest first; their contributions add up to the score by centers alone. `parts`
    say what each part of a combined ranking adds to the score of the passage's document. `unmatched` are the words of the query that
    were looked for and not found in this passage (see `unmatched_words`).
    `unsearched` are those that nothing can match. `reasons` are the matches summed up in words and phrases.
    """

    query: str
    passage: PassageHit
    matches: tuple[Match, ...]
    unmatched: tuple[Place, ...]
    unsearched: Unsearched = Unsearched()
    reasons: Reasons = Reasons()
    parts: tuple[PartScore, ...] = ()

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
    """What a query cost: the lists it read (stop centers left out), the seconds of each stage on the clock, and all of them.

    `feedback` is the first of two searches, where the scoring asks for it. `centers` are the active ones that count, `postings` the
    summed lengths of their lists and of those of words, `vectors` how many of whole passages were compared.
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
    vectors: int = 0


@dataclass(frozen=True, slots=True)
class PartScore:
    """What one part of a combined ranking says of a document: its rank and score there, None where it was not found, and what that
    adds to the document's score. While an index is built, documents that are `waiting` have no centers and no vectors yet.
    """

    part: str
    rank: int | None
    score: float | None
    adds: float
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class ExplainedHits:
    """The documents of a search and why they were found.

    `explanations` are those of the passages shown, by passage id. `reasons` are theirs, and may be there alone. `parts`, by
    document id, say what each part of a combined ranking added. `cost` is known where the index itself ranked.
    """

    hits: list[Hit]
    explanations: Mapping[str, Explanation] = field(default_factory=dict)
    reasons: Mapping[str, Reasons] = field(default_factory=dict)
    parts: Mapping[str, tuple[PartScore, ...]] = field(default_factory=dict)
    cost: QueryCost | None = None

    def only(self, documents: set[str]) -> ExplainedHits:
        """Return what concerns some of the documents, and what the search cost."""
        hits = [hit for hit in self.hits if hit.document in documents]
        passages = {passage.id for hit in hits for passage in hit.passages}
        return ExplainedHits(
            hits,
            {id_: one for id_, one in self.explanations.items() if id_ in passages},
            {id_: one for id_, one in self.reasons.items() if id_ in passages},
            {id_: one for id_, one in self.parts.items() if id_ in documents},
            self.cost,
        )
