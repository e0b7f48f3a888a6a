"""What evaluation works on: collections with queries and judgements, who is no candidate, passages in corpus order, and the rankings
measured.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.numbers import application_of, printed_id
from sparse_coverage.patents.passages import By


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its text, the document it was taken from (if any) and how many claims it is made of (0: not of claims)."""

    id: str
    text: str
    document: str = ""
    claims: int = 0


@dataclass(frozen=True, slots=True)
class Relevance:
    """What is relevant to one query: documents with their grades, and the relevant passages of each document.

    A grade of 1 or more means relevant. A judged passage stays here even where the corpus does not hold it: it is a miss.
    """

    grades: Mapping[str, int]
    passages: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def documents(self) -> frozenset[str]:
        """The relevant documents."""
        return frozenset(document for document, grade in self.grades.items() if grade > 0)


Judgements = Mapping[str, Relevance]


def require_one_word(query: str, source: object) -> None:
    """Refuse the id of a query that no run could hold."""
    if query.split() != [query]:
        raise InputError(
            f"The query id '{query}' of {source} holds white space, which would cut it in two in runs and judgements. Write it without."
        )


def spelled(ids: Iterable[str]) -> dict[str, str]:
    """Return, for ids as files write them, the form in which documents are kept here; those that are equal are left out.

    >>> spelled(["US20050012345A1", "D-17"])
    {'US-20050012345-A1': 'US20050012345A1'}
    """
    return {kept: id_ for id_ in ids if (kept := printed_id(id_)) != id_}


def graded(judged: Iterable[tuple[str, str, int]]) -> dict[str, Relevance]:
    """Gather judgements of query, document and grade. A grade below 0 counts as 0; a pair judged twice keeps its higher grade.

    >>> graded([("q", "a", 1), ("q", "b", -1), ("q", "a", 2)])["q"].grades
    {'a': 2, 'b': 0}
    """
    grades: dict[str, dict[str, int]] = {}
    for query, document, grade in judged:
        known = grades.setdefault(query, {})
        known[document] = max(0, grade, known.get(document, 0))
    return {query: Relevance(known) for query, known in grades.items()}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to one query: documents, best first, and the passages of the first documents, best first.

    The order counts, not the scores: equal scores are already in their final order.
    """

    documents: tuple[str, ...]
    scores: tuple[float, ...] = ()
    passages: tuple[str, ...] = ()
    passage_documents: tuple[str, ...] = ()
    passage_scores: tuple[float, ...] = ()

    @property
    def twice(self) -> str | None:
        """The first document that is named a second time, which no measure allows for; None where there is none."""
        if len(set(self.documents)) == len(self.documents):
            return None
        return next(one for place, one in enumerate(self.documents) if one in self.documents[:place])

    def cut(self, depth: int) -> Ranking:
        """Return the ranking cut to its first `depth` documents. All passages stay: they belong to the first documents."""
        return replace(self, documents=self.documents[:depth], scores=self.scores[:depth])


Run = Mapping[str, Ranking]


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Documents, queries and judgements of a test collection, whatever files they came from.

    `documents` starts a new reading of the documents each time it is called; `by` says what one indexed passage is.
    `excluded` names, for a query, the documents that are no candidates for it: its own and those of its family.
    `notes` tells what was left out on the way in, for people; `candidates` is how many documents there should be, where
    that is known before they are read; `problems` gathers what could not be read, as it happens. `own_ids` returns, for the
    documents whose ids are kept in another form here (`US-2005012345-A1`), how the collection's own files write them.
    `choices` names, for a query that is to choose among a few documents, which these are.
    """

    name: str
    documents: Callable[[], Iterator[Patent]]
    queries: tuple[Query, ...]
    judgements: Judgements
    by: By = "passage"
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    candidates: int | None = None
    problems: set[str] = field(default_factory=set)
    own_ids: Callable[[], Mapping[str, str]] = dict
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for query in self.queries:
            require_one_word(query.id, f"the collection '{self.name}'")
            if query.id in seen:
                raise InputError(
                    f"The query '{query.id}' comes twice in the collection '{self.name}'. Remove one of them."
                )
            seen.add(query.id)

    @property
    def judged(self) -> tuple[Query, ...]:
        """The queries with at least one relevant document, which are those that count."""
        return _with_judgements(self.queries, self.judgements)

    def no_candidates(self, query: str, documents: Iterable[str]) -> frozenset[str]:
        """Return which of the documents a ranking for this query leaves out."""
        excluded = self.excluded.get(query, frozenset())
        return excluded.union(documents) - self.choices[query] if query in self.choices else excluded

    @property
    def has_passages(self) -> bool:
        """Whether passages are judged too."""
        return any(relevance.passages for relevance in self.judgements.values())


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "judged query"), counted(1200, "query"), counted(0, "document")
    ('1 judged query', '1,200 queries', '0 documents')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def share(number: int, total: int, noun: str) -> str:
    """Return how many of all something is true of, as the beginning of a sentence.

    >>> share(1, 4, "document"), share(2, 4, "document")
    ('1 of 4 documents is', '2 of 4 documents are')
    """
    return f"{number:,} of {counted(total, noun)} {'is' if number == 1 else 'are'}"


def judged_notes(queries: tuple[Query, ...], judgements: Judgements) -> list[str]:
    """Return the notes that say how many of the queries count, and how many that are judged cannot be asked."""
    count, known = len(_with_judgements(queries, judgements)), {query.id for query in queries}
    which = "all" if count == len(queries) else f"{count:,} of them"
    notes = [f"{counted(len(queries), 'query')}, {which} with relevant documents"]
    if silent := sum(bool(one.documents) for id_, one in judgements.items() if id_ not in known):
        notes.append(f"{counted(silent, 'more judged query')} without a text: left out")
    return notes


def _with_judgements(queries: tuple[Query, ...], judgements: Judgements) -> tuple[Query, ...]:
    return tuple(query for query in queries if query.id in judgements and judgements[query.id].documents)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Ids of the passages and their documents. The passages of document i are `starts[i]:starts[i + 1]`.

    `words` counts the words of each passage; `fingerprint` identifies ids, titles, dates and texts; `without_text` is how many
    documents have no passage and so are left out.
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    fingerprint: str
    without_text: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many documents and passages there are."""
        return len(self.documents), len(self.ids)


def read_corpus(documents: Iterable[Patent], by: By) -> Corpus:
    """Walk through the documents once and note their passages. A document without text has none and is left out, counted."""
    ids: list[str] = []
    names: list[str] = []
    starts: list[int] = []
    words: list[int] = []
    digest = hashlib.sha256(by.encode())
    seen: set[str] = set()
    empty = 0
    for patent in documents:
        first = len(ids)
        # Vocabularies are learned from titles too, and sampled by year.
        digest.update(f"{patent.id}\0{patent.title}\0{patent.publication_date}\0".encode())
        for passage in passages(patent, by=by):
            ids.append(passage.id)
            words.append(len(passage.text.split()))
            digest.update(f"{passage.id}\0{passage.text}\0".encode())
        if len(ids) == first:
            empty += 1
        else:
            if patent.id in seen:
                raise InputError(f"The document '{patent.id}' comes twice in the collection. Remove one of the two.")
            seen.add(patent.id)
            names.append(patent.id)
            starts.append(first)
    if not ids:
        raise InputError("The collection holds no documents with text.")
    starts.append(len(ids))
    return Corpus(
        tuple(ids), tuple(names), np.asarray(starts), np.asarray(words, np.int64), digest.hexdigest()[:16], empty
    )


def corpus_passages(documents: Iterable[Patent], by: By) -> Iterator[Passage]:
    """Yield the passages themselves, in the order that `read_corpus` counts them."""
    for patent in documents:
        yield from passages(patent, by=by)


def missing_passages(judged: Iterable[str], corpus: Corpus) -> int:
    """Return how many of the judged passages the corpus does not hold. They stay in the judgements, as misses."""
    return len(set(judged).difference(corpus.ids))


@dataclass(frozen=True, slots=True)
class Statistic:
    """One line of the table: what is counted, and the count, or the mean and the median."""

    key: str
    name: str
    values: tuple[float, ...]


def dataset_statistics(collection: Collection, corpus: Corpus) -> list[Statistic]:
    """Count documents, passages, queries and judgements as the paper does; lengths are in words between blanks."""
    judged = collection.judged
    relevance = [collection.judgements[query.id] for query in judged]
    relevant = frozenset().union(*(r.documents for r in relevance))
    per_document = np.diff(corpus.starts)
    held = np.array([document in relevant for document in corpus.documents])
    lines = [
        Statistic("documents", "documents", (len(corpus.documents),)),
        Statistic("relevant_documents", "of them relevant", (int(held.sum()),)),
        Statistic("other_documents", "of them not relevant", (int((~held).sum()),)),
        Statistic("passages", "passages", (len(corpus),)),
        Statistic("relevant_document_passages", "of them from relevant documents", (int(per_document[held].sum()),)),
        Statistic("other_document_passages", "of them from other documents", (int(per_document[~held].sum()),)),
        Statistic("passages_per_document", "passages a document", _mean_median(per_document)),
        Statistic("queries", "queries", (len(judged),)),
        Statistic("query_words", "words a query", _mean_median([*query_lengths(collection)])),
        Statistic(
            "documents_per_query", "relevant documents a query", _mean_median([len(r.documents) for r in relevance])
        ),
    ]
    if collection.has_passages:
        by_query = [frozenset().union(*r.passages.values()) for r in relevance]
        unique = frozenset().union(*by_query)
        lines += [
            Statistic("passages_per_query", "relevant passages a query", _mean_median([*map(len, by_query)])),
            Statistic("passage_judgements", "relevant (query, passage) pairs", (sum(map(len, by_query)),)),
            Statistic("passages_judged", "different relevant passages", (len(unique),)),
            Statistic("passages_present", "of them in the corpus", (len(unique) - missing_passages(unique, corpus),)),
        ]
    return [*lines, Statistic("passage_words", "words a passage", _mean_median(corpus.words))]


def query_lengths(collection: Collection) -> list[int]:
    """Return the number of words of each judged query."""
    return [len(query.text.split()) for query in collection.judged]


def _mean_median(values: Sequence[int] | npt.NDArray[np.int64]) -> tuple[float, float]:
    return (float(np.mean(values)), float(np.median(values))) if len(values) else (0.0, 0.0)


_KIND = re.compile(r"-[A-Z]\d?$")


def same_application(document: str) -> str:
    """Return a publication id without its kind: EP-1246167-A1 and EP-1246167-B1 are one application.

    >>> same_application("EP-1246167-A1")
    'EP-1246167'
    """
    return application_of(document) or _KIND.sub("", document)


class Families:
    """The candidates, pairs of id and family, by application and by family. Ids alone are kept, however many there are."""

    def __init__(self, candidates: Iterable[tuple[str, str]]) -> None:
        self._by_application: dict[str, list[str]] = defaultdict(list)
        self._by_family: dict[str, list[str]] = defaultdict(list)
        for id_, family in candidates:
            self._by_application[same_application(id_)].append(id_)
            if family:
                self._by_family[family].append(id_)

    def of(self, document: Patent, named: Iterable[str] = ()) -> frozenset[str]:
        """Return the ids among the candidates that are the document itself, its other publications or its family.

        Family is what the documents say (the same family number, or members listed) and what `named` adds.
        """
        numbers = {same_application(id_) for id_ in (document.id, *document.family_members, *named)}
        found = {id_ for number in numbers for id_ in self._by_application.get(number, ())}
        return frozenset(found.union(self._by_family.get(document.family, ())))


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """Title and text of a query, to be found again in the document it was taken from."""

    title: str
    text: str

    @property
    def joined(self) -> str:
        """The query: title and text, whichever there are."""
        return "\n".join(part for part in (self.title, self.text) if part)

    def is_from(self, patent: Patent) -> bool:
        """Tell whether a document of the same id is where the query comes from: it has its title or its text."""
        title, text = " ".join(self.title.split()), " ".join(self.text.split())
        own = " ".join(" ".join(part.text for part in patent.abstract).split())
        return bool(title and title == patent.title) or bool(text and text == own)


def own_families(
    queries: Mapping[str, OwnDocument], documents: Callable[[], Iterator[Patent]]
) -> dict[str, frozenset[str]]:
    """Return, for each query that is a document, that document and its family.

    Such a query has the id of a document and its title or text; equal ids alone say nothing (Cranfield's queries 1, 2, 3
    are not its documents 1, 2, 3).
    """
    named = {printed_id(id_): id_ for id_ in queries}
    own = {
        named[patent.id]: patent
        for patent in documents()
        if patent.id in named and queries[named[patent.id]].is_from(patent)
    }
    if not own:
        return {}
    families = Families((patent.id, patent.family) for patent in documents())
    return {id_: families.of(patent) for id_, patent in own.items()}


def without_excluded(judgements: Judgements, excluded: Mapping[str, frozenset[str]]) -> tuple[Judgements, int]:
    """Return the judgements of candidates only, and how many judged documents were not: a query never looks for its family."""
    kept = {}
    dropped = 0
    for query, relevance in judgements.items():
        out = excluded.get(query, frozenset())
        grades = {document: grade for document, grade in relevance.grades.items() if document not in out}
        dropped += len(relevance.grades) - len(grades)
        kept[query] = Relevance(grades, {doc: ids for doc, ids in relevance.passages.items() if doc not in out})
    return kept, dropped
