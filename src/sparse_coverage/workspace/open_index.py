"""An open index: one committed state of it, and all that ranks, explains, reads and charts it. Everything a user can ask is a method."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore, open_store, parse_filter
from sparse_coverage.index.filters import allowed_documents, state_of
from sparse_coverage.index.sides import segments_without, sides_of
from sparse_coverage.package import __version__
from sparse_coverage.patents.queries import patent_query, text_query
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers import Rerank, Reranker, open_retriever, retriever_over
from sparse_coverage.search import Index, Retriever
from sparse_coverage.search.features import TOUCHED, Beyond, Touch
from sparse_coverage.search.part_scores import parts_of
from sparse_coverage.search.results import Answers, Hit
from sparse_coverage.search.stored import require_document, stored_passages, stored_patent
from sparse_coverage.systems import PARTS
from sparse_coverage.workspace.filters import Conditions, filters_text, join_filters
from sparse_coverage.workspace.grouping import (
    FamilyMembers,
    Newest,
    by_family,
    count_facets,
    expression_words,
    language_warning,
    with_closeness,
)
from sparse_coverage.workspace.preparing import (
    PreparedQuery,
    PrepareRequest,
    find_documents,
    prepare_query,
    query_of,
    without_family,
)
from sparse_coverage.workspace.related import Relatives
from sparse_coverage.workspace.requests import (
    TOP,
    BatchRequest,
    ChartRequest,
    CombineRequest,
    ExplainRequest,
    Filters,
    QuotationRequest,
    ReadRequest,
    SearchRequest,
    request_record,
)
from sparse_coverage.workspace.reranking import Rerankers
from sparse_coverage.workspace.results import (
    About,
    BatchResult,
    ChartResult,
    CombineResult,
    ExplainResult,
    InfoResult,
    PassagesResult,
    ReadResult,
    SearchResult,
)

if TYPE_CHECKING:
    from sparse_coverage.charts.chart import Chart, Quote
    from sparse_coverage.charts.charting import Charts
    from sparse_coverage.charts.second_reader import LanguageModel

_FIRST, _BEYOND, _SHOWN = 10, 50, 5
"""What the first so many documents lack is looked for in the best so many others, of which so many are shown."""
FACETED = 200
"""How many of the best documents are counted for the facets."""


class OpenIndex:
    """One state of an index, which never changes, and all that can be asked of it. It is closed when its last reader leaves.

    with OpenIndex.open("my-index") as opened:
        for hit in opened.search(SearchRequest(query="A valve with a spring")).hits:
            print(hit.document, hit.title)
    """

    def __init__(
        self,
        store: IndexStore,
        retrievers: Mapping[str, Retriever] | None = None,
        *,
        name: str = "",
        calibration: Path | None = None,
        reader: str = "",
        changed: float = 0.0,
        offered: Mapping[str, str] | None = None,
        threads: int | None = None,
    ) -> None:
        self.name = name or str(store.folder)
        self.store = store
        self.changed = changed
        self.rankings = self.rankings_now()
        self._retrievers: dict[str, Retriever] = dict(retrievers or {})
        self._rerankers = Rerankers(store, offered, threads)
        self._calibration = calibration
        self._reader = reader
        self._lock = threading.Lock()
        self._readers = 0

    @classmethod
    def open(
        cls,
        folder: str | Path,
        ranking: str | None = "combined",
        *,
        scoring: Mapping[str, float | str | None] | None = None,
        calibration: Path | None = None,
        reader: str = "",
        threads: int | None = None,
    ) -> OpenIndex:
        """Open an index, once, for what ranks it; for None, only to read in it."""
        if ranking is None:
            return cls(open_store(Path(folder), unfinished=True), name=str(folder))
        retriever = open_retriever(folder, ranking, scoring=scoring, threads=threads)
        ranked = {ranking: retriever}
        return cls(retriever.store, ranked, name=str(folder), calibration=calibration, reader=reader, threads=threads)

    def __enter__(self) -> OpenIndex:
        with self._lock:
            self._readers += 1
        return self

    def __exit__(self, *_: object) -> None:
        if (index := self._coverage) is not None:
            index.forget()
        with self._lock:
            self._readers -= 1
            last = not self._readers
        if last:
            self.store.close()

    @property
    def index(self) -> Index:
        """The index, where what was opened ranks by it."""
        if (found := self._coverage) is None:
            raise InputError(f"{self.name} was opened for a side of it alone. Open it with the ranking combined.")
        return found

    @property
    def _coverage(self) -> Index | None:
        return next((one for each in self._retrievers.values() if (one := each.coverage) is not None), None)

    @cached_property
    def charts(self) -> Charts:
        """What makes claim charts of this state."""
        from sparse_coverage.charts.charting import Charts

        return Charts(self.index, self._calibration, self._reader)

    def rankings_now(self) -> tuple[str, ...]:
        """Return what can rank this state: what the index keeps, and the sides that have all of it by now."""
        sides = [kind for kind in sides_of(self.store.folder) if not segments_without(self.store, kind)]
        return ("combined", *parts_of("combined", self.store.state), *sides)

    def retriever(self, ranking: str) -> Retriever:
        """Return what ranks, opened when it is first asked for."""
        with self._lock:
            if ranking not in self._retrievers:
                self._retrievers[ranking] = retriever_over(self.index, ranking)
            return self._retrievers[ranking]

    @property
    def rerankers(self) -> tuple[str, ...]:
        """What can rank documents of this state again."""
        return self._rerankers.names(self.rankings)

    def reranker(self, name: str) -> Reranker:
        """Return what ranks documents again, loaded when it is first asked for."""
        return self._rerankers.get(name, self.rankings, self._coverage)

    def search(self, request: SearchRequest, *, matches: bool = True, answers: bool = False) -> SearchResult:
        """Find prior art: documents ranked by their best passages, each passage explained by what found it.

        Without `matches` there are reasons alone, which is quicker; `answers` also sets each document as a whole against the query.
        """
        asked, told = request_record(request), list[str]()
        if request.query is None and request.like is None:
            request, retriever = self._expression(request, told)
        else:
            retriever = self._retriever(request, told)
        notes, conditions = self._begin(request.filters, told)
        query, condition, left_out = query_of(self.store, request, conditions.filter, notes)
        marks = request.marks or None
        found = retriever.search_explained(
            query.text,
            request.k,
            passages=request.passages,
            filter=condition,
            marks=marks,
            reasons=request.reasons,
            matches=matches,
            group=partial(by_family, members=FamilyMembers(self.store, condition)) if request.group else None,
        )
        hits = with_closeness(retriever, query.text, found.hits, condition, request, notes)
        if request.at_least:  # of what is left out, nothing is told
            found = found.only({hit.document for hit in hits})
        covering = retriever.coverage if answers else None
        facets = None
        if request.facets:
            with_marks: dict[str, Any] = {"marks": marks} if marks else {}
            first = retriever.retriever if isinstance(retriever, Rerank) else retriever
            facets = count_facets(first.search(query.text, FACETED, passages=1, filter=condition, **with_marks))
        marked = {name: list(ids) for name, ids in asdict(marks).items() if ids} if marks else {}
        about = self._about(retriever, request, f"without {left_out} and its family" if left_out else "", **marked)
        touched, beyond = self._by_feature(retriever, request, hits, condition)
        return SearchResult(
            query.text,
            hits,
            found.explanations,
            replace(about, state=state_of(self.store), request=asked),
            query.source,
            found.parts,
            {} if covering is None else {hit.document: covering.answers(query.text, hit.document) for hit in hits},
            found.cost if request.profile else None,
            found.reasons,
            facets,
            notes,
            conditions.nothing,
            self.store.state.documents if condition is None else int(allowed_documents(self.store, condition).sum()),
            touched,
            beyond,
            left_out,
        )

    def _by_feature(
        self, retriever: Retriever, request: SearchRequest, hits: Sequence[Hit], condition: Filter | None
    ) -> tuple[dict[str, tuple[Touch, ...]], Beyond | None]:
        """Return what documents have of each feature of the claim, and what covers the features that the first of them lack."""
        index = self._coverage
        if not request.elements or index is None or not hits:
            return {}, None
        texts = [one.text for one in request.elements]
        touched = index.touched(texts, [hit.document for hit in hits])
        first = hits[:_FIRST]
        lacking = [
            number
            for number, one in enumerate(request.elements)
            if touched and one.weight and all(touched[hit.document][number].share < TOUCHED for hit in first)
        ]
        if not lacking:
            return touched, None
        text = "\n".join(texts[number] for number in lacking)
        ranking = retriever.retriever if isinstance(retriever, Rerank) else retriever
        known = {id_ for hit in first for id_ in (hit.document, *hit.members)}
        found = [
            one for one in ranking.search(text, _BEYOND, passages=1, filter=condition) if one.document not in known
        ]
        more = index.touched(texts, [hit.document for hit in found])
        covered = {
            id_: sum(request.elements[number].weight for number in lacking if has[number].share >= TOUCHED)
            for id_, has in more.items()
        }
        best = sorted((hit for hit in found if covered[hit.document]), key=lambda hit: -covered[hit.document])[:_SHOWN]
        named = tuple(request.elements[number].label or texts[number] for number in lacking)
        return touched | {hit.document: more[hit.document] for hit in best}, Beyond(named, tuple(best))

    def _expression(self, request: SearchRequest, notes: list[str]) -> tuple[SearchRequest, Retriever]:
        """Return a search with an expression alone as one with its words, and what ranks: words, unless another ranking was asked for."""
        expression = request.filters.filter or ""
        if request.rerank:
            raise InputError("An expression alone is ranked by its words. Search with a claim, or do not rank again.")
        found = expression_words(self.store, parse_filter(expression))
        source = f"the expression {expression}"
        if not found:
            notes.append("The expression asks for no words of the text, so the newest documents come first.")
            return replace(request, query=expression, source=source), Newest(self.store)
        usual = request.__dataclass_fields__["ranking"].default
        ranking = "words" if request.ranking == usual else request.ranking
        return replace(request, query=" ".join(found), source=source, ranking=ranking), self.retriever(ranking)

    def search_passages(self, request: SearchRequest, documents: int) -> PassagesResult:
        """Return the k best of all passages of so many best documents (the paper's two stages)."""
        notes, conditions = self._begin(request.filters)
        query, condition, _ = query_of(self.store, request, conditions.filter, notes)
        index = self.index.ranked_by(request.ranking)
        found = index.rerank_passages(query.text, documents, filter=condition)[: request.k]
        why = {one.id: index.explain(query.text, one.id, filter=condition) for one in found} if request.reasons else {}
        about = self._about(index, request, rerank="passages", top=documents)
        return PassagesResult(query, found, why, about, notes, conditions.nothing)

    def batch(self, request: BatchRequest) -> BatchResult:
        """Rank the documents of many queries."""
        notes, conditions = self._begin(request.filters)
        notes += [conditions.nothing] if conditions.nothing else []
        retriever = self._retriever(request, notes)
        asked = [(id_, text, conditions.filter) for id_, text in request.queries.items()]
        absent = []
        for given in request.like:
            if (number := self.store.find_document(given)) is None:
                absent.append(given)
                continue
            patent = stored_patent(self.store, number)
            asked.append((patent.id, patent_query(patent).text, without_family(conditions.filter, patent.id)))
        if absent:
            named = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
            notes.append(f"Note: the index does not hold {len(absent):,} of the documents to search with: {named}.")
        rankings = {
            id_: retriever.search(text, request.k, passages=request.passages, filter=condition)
            for id_, text, condition in tracked(asked, "Searching", len(asked))
        }
        return BatchResult(rankings, self._about(retriever, request), notes)

    def explain(self, request: ExplainRequest) -> ExplainResult:
        """Say why a query finds a passage, or a document."""
        notes, conditions = self._begin(request.filters, filter(None, [language_warning(self.store, request.query)]))
        found = self._retriever(request, notes).explain(request.query, request.id, filter=conditions.filter)
        return ExplainResult(found, notes, conditions.nothing)

    def answers(self, query: str, document_id: str) -> Answers:
        """Set a whole document against a query: the strongest of each span, and what it has nothing for."""
        return self.index.answers(query, document_id)

    def read(self, request: ReadRequest) -> ReadResult:
        """Return a document in full; with a claim, why its best passages match."""
        number = require_document(self.store, request.id)
        text = text_query(request.claim, request.claims).text if request.claim else ""
        found = self.index.explain_best(text, request.id, request.matches) if text else {}
        return ReadResult(self.store.document(number), stored_passages(self.store, number), found)

    def chart(self, request: ChartRequest) -> ChartResult:
        """Set each element of a claim against documents."""
        claims, rows = request.split()
        notes, conditions = self._begin(request.filters, self.charts.notes_on(claims))
        chart = self.charts.chart(claims, request.documents, k=request.k, elements=rows, filter=conditions.filter)
        return ChartResult(self._told(chart, request.filters, len(chart.documents)), notes, conditions.nothing)

    def combine(self, request: CombineRequest) -> CombineResult:
        """Find the fewest documents that together disclose a claim."""
        from sparse_coverage.charts.charting import chart_of_combinations

        claims, rows = request.split()
        notes, conditions = self._begin(request.filters, self.charts.notes_on(claims))
        found, chart = self.charts.combine(
            claims,
            most=request.max,
            top=request.top,
            elements=rows,
            filter=conditions.filter,
            verdicts={(one.element, self._id(one.document)): one.verdict for one in request.verdicts},
            without=request.without,
        )
        notes += self._passed_over(request, chart)
        chart = self._told(chart, request.filters, found.documents, found.read)
        return CombineResult(found, chart, chart_of_combinations(found, chart), notes, conditions.nothing)

    def _passed_over(self, request: CombineRequest, chart: Chart) -> list[str]:
        """Say which verdicts of a user's own count for nothing, since what they are on is not here."""
        features, documents = {one.text for one in chart.elements}, {one.id for one in chart.documents}
        others = dict.fromkeys(one.element for one in request.verdicts if one.element not in features)
        absent = dict.fromkeys(one.document for one in request.verdicts if self._id(one.document) not in documents)
        told = [f"A verdict on what is no feature of the claim counts for nothing: “{one}”." for one in others]
        return told + [
            f"A verdict on a document that the search did not find counts for nothing: {one}." for one in absent
        ]

    def _id(self, given: str) -> str:
        """Return the id of a document in whatever spelling it is given."""
        number = self.store.find_document(given)
        return given if number is None else self.store.document(number).id

    def _begin(self, filters: Filters, notes: Iterable[str] = ()) -> tuple[list[str], Conditions]:
        """Return what everybody who asks is told (how much is encoded, while the index is built), then `notes`, and what may be found."""
        told = [*filter(None, [self.store.state.encoding_note]), *notes]
        return told, join_filters(self.store, filters, told.append)

    def _told(self, chart: Chart, filters: Filters, looked_at: int, read: int = 0) -> Chart:
        """Return a chart that says what was searched, how often such verdicts are right, and what they are not."""
        said = filters_text(request_record(filters))
        closely = f", {read:,} of them read closely, the others only looked through" if 0 < read < looked_at else ""
        searched = (
            f"Looked at: {looked_at:,} of {self.store.state.documents:,} documents of the index “{Path(self.name).name}”{closely}; "
            f"filters: {said}. What is not in the index, or was not found by the search, is not here: no hit is no "
            "proof of novelty."
        )
        return replace(chart, about=(searched, *self.charts.notes_on(chart.claims), *self.charts.calibration.told()))

    def read_again(self, chart: Chart, model: LanguageModel) -> Chart:
        """Return a chart with a second opinion on each cell, by a language model of the user's own."""
        from sparse_coverage.charts.second_reader import ReaderMeasured, read_again

        return read_again(chart, lambda id_: self.charts.document(id_).passages, model, ReaderMeasured.of(model.name))

    def quotation(self, request: QuotationRequest) -> Quote:
        """Return where a quotation stands in a document, verbatim; one that does not is refused."""
        from sparse_coverage.charts.chart import require_quotation

        number = require_document(self.store, request.id)
        return require_quotation(stored_passages(self.store, number), request.text, request.id)

    def find(self, number: str) -> tuple[list[str], str]:
        """Return the ids of the documents that a publication number as typed names, best first; where there are none, what is near."""
        return find_documents(self.store, number)

    def prepare(self, request: PrepareRequest) -> PreparedQuery:
        """Make what a user typed ready to be searched with; a publication number becomes the claims of the document."""
        return prepare_query(self.store, request)

    @cached_property
    def relatives(self) -> Relatives:
        """What documents cite, their families, and the drawings beside their files."""
        return Relatives(self.store)

    def info(self) -> InfoResult:
        """Say what the index holds."""
        from sparse_coverage.model import read_settings
        from sparse_coverage.search.own_model import MODEL_FOLDER
        from sparse_coverage.search.stored import summary_of
        from sparse_coverage.vocabulary import load_vocabulary

        home, model = self.store.folder / MODEL_FOLDER, dict[str, Any]()
        if home.is_dir():
            model = {"vocabulary": record(load_vocabulary(home, mmap=True, check=False).config), **read_settings(home)}
        return InfoResult(self.name, summary_of(self.store), model)

    def _retriever(self, request: SearchRequest | BatchRequest | ExplainRequest, notes: list[str]) -> Retriever:
        """Return what ranks; where the index lacks a part of what it would rank by, that is told."""
        ranking = request.ranking
        parts = parts_of("combined", self.store.state)
        if ranking == "combined" and len(parts) < len(PARTS) and self.store.state.complete:
            lacking = " and ".join(part for part in PARTS if part not in parts)
            notes.append(
                f"Note: this index keeps no {lacking} of passages, so it ranks by {' and '.join(parts)} alone."
            )
        first = self.retriever(ranking)
        if isinstance(request, ExplainRequest) or request.rerank is None:
            return first
        return Rerank(first, self.reranker(request.rerank), request.top or TOP)

    def _about(
        self, retriever: Retriever, request: SearchRequest | BatchRequest, like: str = "", **settings: Any
    ) -> About:
        """Return how a search comes about now: what was asked for, what ranked again, and the settings of the score that hold."""
        index, state = retriever.coverage, self.store.state
        model, scoring = "none: a side of the index ranks alone", {}
        if index is not None:
            config, scoring = index.model.vocabulary.config, record(index.statistics.config)
            model = f"{config.encoder}, {config.unit}, V={config.size:,}"
        again = {"rerank": request.rerank, "top": request.top or TOP} if request.rerank else {}
        return About(
            datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
            __version__,
            self.name,
            state.documents,
            state.passages,
            model,
            retriever.name if request.ranking == "combined" else request.ranking,  # an index may have centers alone
            {"k": request.k, "passages": request.passages, **again, **settings, **scoring},
            request.filters.typed() | ({"--like": like} if like else {}),
        )
