"""The workbench of an experiment: one collection, and everything made from it, each thing once."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sparse_coverage.encoding import Encoder, TokenVectors, load_encoder
from sparse_coverage.errors import InputError, SparseCoverageError, VocabularyError
from sparse_coverage.evaluation.collection import (
    Collection,
    Corpus,
    Ranking,
    counted,
    missing_passages,
    read_corpus,
    share,
)
from sparse_coverage.experiments.cache import DEFAULT_BUDGET, RememberingEncoder, alone, code_key, content_key, unit_key
from sparse_coverage.experiments.indexes import Vocabularies, build_indexes, build_part, vectors_of
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.files import read_json, write_json
from sparse_coverage.index import IndexStore, open_store
from sparse_coverage.model import SparseCoverage, sample_size
from sparse_coverage.patents import Passage, Patent, Problem, passages, read_patents
from sparse_coverage.patents.reading.sources import expand, require_present
from sparse_coverage.presets import Preset
from sparse_coverage.progress import tracked
from sparse_coverage.search import Hit, Index, PassageHit
from sparse_coverage.search.own_model import vocabulary_digest
from sparse_coverage.spans import SpanUnit, get_unit
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vocabulary import Sampling, Selection, SpanSample
from sparse_coverage.vocabulary.sampling import EVERYTHING, Restriction


class Workbench:
    """Encoders, vocabularies, indexes and query vectors of a collection, cached in a folder by their content.

    Tell it with `plan` what a sweep will ask for: then one traversal serves all sizes of a vocabulary, and one pass over
    the documents all the indexes of an encoder. Vocabularies are learned from the collection itself, or from the patents in
    `learn_from` (the paper's come from another corpus than its evaluation), in both cases from the
    documents that `only` allows. `precision` is what encoders compute in (see `load_encoder`). Use it in a
    `with` block, which closes its files.
    """

    def __init__(
        self,
        collection: Collection,
        cache: Path,
        *,
        threads: int | None = None,
        learn_from: Sequence[str] = (),
        only: Restriction = EVERYTHING,
        token_budget: int = DEFAULT_BUDGET,
        precision: str = "auto",
    ) -> None:
        self.collection = collection
        self._learn_from = tuple(learn_from)
        self.only = only
        self.cache = cache
        self.threads = threads
        self._token_budget = token_budget
        self._precision = precision
        self._encoders: dict[str, RememberingEncoder] = {}
        self._units: dict[str, SpanUnit] = {}
        self._stores: dict[Path, IndexStore] = {}
        self._missing: dict[str, SparseCoverageError] = {}
        self._models: dict[SystemOptions, SparseCoverage] = {}
        self._query_tokens: dict[str, list[TokenVectors]] = {}
        self._planned: dict[SystemOptions, None] = {}
        self._texts: dict[str, tuple[str, dict[str, Passage]]] = {}
        self._vocabularies = Vocabularies(self._vocabulary_folder, self._fit, self._planned)

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        for store in self._stores.values():
            store.close()
        for encoder in self._encoders.values():
            encoder.close()

    @cached_property
    def corpus(self) -> Corpus:
        """The passages of the collection, read once."""
        return read_corpus(tracked(self.collection.documents(), "Reading documents"), self.collection.by)

    def passages_of(self, documents: Iterable[str]) -> tuple[dict[str, dict[str, Passage]], dict[str, str]]:
        """Return the passages of some documents by their ids, and the titles. All texts are read once and kept."""
        wanted = set(documents)
        if not wanted <= self._texts.keys():
            for patent in self.collection.documents():
                cut = {passage.id: passage for passage in passages(patent, by=self.collection.by)}
                self._texts[patent.id] = (patent.title, cut)
        return {id_: self._texts[id_][1] for id_ in wanted}, {id_: self._texts[id_][0] for id_ in wanted}

    def hits(self, ranking: Ranking, top: int) -> list[Hit]:
        """Return the first documents of a ranking as hits with the texts of their passages, as a reranker reads them."""
        documents = ranking.documents[:top]
        ranked: dict[str, dict[str, float]] = {document: {} for document in documents}
        for passage, of, score in zip(ranking.passages, ranking.passage_documents, ranking.passage_scores, strict=True):
            if of in ranked:
                ranked[of][passage] = score
        cut, titles = self.passages_of(documents)
        hits = []
        for document, score in zip(documents, ranking.scores, strict=False):
            known = ranked[document] or dict.fromkeys(cut[document], -math.inf)
            passages = [
                PassageHit(id_, document, cut[document][id_].section, cut[document][id_].text, value)
                for id_, value in known.items()
            ]
            hits.append(Hit(document, titles[document], score, {}, tuple(passages)))
        return hits

    @cached_property
    def own_ids(self) -> Mapping[str, str]:
        """How the collection's own files write the ids of documents that are kept in another form."""
        return self.collection.own_ids()

    def stamps(self, options: SystemOptions, read: Sequence[str]) -> dict[str, Any]:
        """Return what was really used for a row: encoder, precision and weights, V, spans and seed of the vocabulary, and the code."""
        stamps: dict[str, Any] = {}
        if "encoder" in read:
            encoder = self.encoder(options.encoder)
            stamps |= {"encoder": encoder.name, "precision": encoder.precision, "weights": encoder.fingerprint}
        if "size" in read:
            config = self.model(options).vocabulary.config
            stamps |= {"V": config.size, "spans": config.spans, "documents": config.documents, "seed": config.seed}
        return {**stamps, "code": self.code}

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the whole collection: texts, queries, judgements, exclusions."""
        facts = [
            self.corpus.fingerprint,
            [(query.id, query.text) for query in self.collection.queries],
            [
                (query, sorted(relevance.grades.items()), sorted((d, sorted(p)) for d, p in relevance.passages.items()))
                for query, relevance in sorted(self.collection.judgements.items())
            ],
            *(
                [(query, sorted(ids)) for query, ids in sorted(named.items())]
                for named in (self.collection.excluded, self.collection.choices)
            ),
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]

    @cached_property
    def source(self) -> str:
        """Identifies what vocabularies are learned from: the collection's texts, or all files named, by size and time."""
        if not self._learn_from:
            return f"{self.corpus.fingerprint} {self.only}".strip()
        require_present(self._learn_from)
        files = [
            (one.path, Path(one.path)) for _, found in expand(self._learn_from) for one in found if not one.skipped
        ]
        about = [(name, path.stat().st_size, path.stat().st_mtime_ns) for name, path in files]
        facts = {"only": str(self.only)} if self.only else {}
        return content_key(code=code_key("patents"), files=about, **facts)

    def sources(self) -> Iterator[Patent]:
        """Start a new reading of what vocabularies are learned from."""
        if not self._learn_from:
            return self.collection.documents()
        unread: list[Problem] = []
        return self._told_apart(read_patents(self._learn_from, language="only-en", on_problem=unread.append), unread)

    def _told_apart(self, patents: Iterator[Patent], unread: list[Problem]) -> Iterator[Patent]:
        """Pass patents on, and keep what could not be read: a vocabulary that is found in the cache is not learned again."""
        yield from patents
        path = self._unread_file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, [str(problem) for problem in unread])

    @property
    def learns_from_itself(self) -> bool:
        """Whether vocabularies are learned from the collection, not from other documents."""
        return not self._learn_from

    @property
    def _unread_file(self) -> Path:
        return self.cache / "learned-from" / f"{self.source}.json"

    def notes(self) -> tuple[str, ...]:
        """Return what people should know about the collection: what was left out, and what is judged but not there."""
        relevance = [self.collection.judgements[query.id] for query in self.collection.judged]
        documents = self._relevant
        passages = {passage for one in relevance for ids in one.passages.values() for passage in ids}
        notes = [*self.learned_from(), *self.collection.notes]
        held = len(self.corpus.documents)
        if problems := sorted(self.collection.problems):
            notes.append(f"{counted(len(problems), 'document')} could not be used, the first: {problems[0]}")
        if self._learn_from and self._unread_file.is_file() and (unread := read_json(self._unread_file)):
            notes.append(f"{len(unread):,} of --learn-from could not be used, the first: {unread[0]}")
        documents_read = max(held + self.corpus.without_text, self.collection.candidates or 0)
        if documents_read - held > len(problems):
            notes.append(
                f"{share(documents_read - held, documents_read, 'document')} left out for want of readable text"
            )
        if missing := len(documents.difference(self.corpus.documents)):
            told = share(missing, len(documents), "relevant document")
            notes.append(f"{told} not in the corpus: counted as missed")
        if missing := missing_passages(passages, self.corpus):
            told = share(missing, len(passages), "relevant passage")
            notes.append(f"{told} not in the corpus: counted as missed")
        return tuple(f"{note[:1].upper()}{note[1:].removesuffix('.')}." for note in notes)

    @property
    def _relevant(self) -> set[str]:
        judgements = self.collection.judgements
        return {document for query in self.collection.judged for document in judgements[query.id].documents}

    def require_relevant(self) -> None:
        """Refuse judgements of which the corpus holds no relevant document: they belong to other documents."""
        if self._relevant.isdisjoint(self.corpus.documents):
            raise InputError(
                f"The collection '{self.collection.name}' holds no document that is relevant to any query: '{min(self._relevant)}' is "
                f"judged, and '{self.corpus.documents[0]}' is there. Do judgements and documents use the same ids?"
            )

    def learned_from(self) -> list[str]:
        """Say what vocabularies are learned from, where that is not simply the collection."""
        if not self._learn_from and not self.only:
            return []
        source = ", ".join(Path(one).name for one in self._learn_from) or "the collection"
        return [f"Vocabularies are learned from {source}" + (f", documents {self.only}." if self.only else ".")]

    def plan(self, options: Iterable[SystemOptions]) -> None:
        """Say what will be asked for, so that work is shared."""
        self._planned.update(dict.fromkeys(_core(one) for one in options))

    def encoder(self, name: str) -> RememberingEncoder:
        """Return a running encoder that remembers what it encoded."""
        if name in self._missing:
            raise self._missing[name]  # asked for by many rows, looked for once
        if name not in self._encoders:
            try:
                running = load_encoder(name, precision=self._precision, threads=self.threads)
            except SparseCoverageError as error:
                self._missing[name] = error
                raise
            self._encoders[name] = RememberingEncoder(running, self.cache, self._token_budget)
        return self._encoders[name]

    def use(self, encoder: Encoder) -> str:
        """Take an encoder of a user's own; return the name by which settings mean it."""
        if encoder.name not in self._encoders:
            self._encoders[encoder.name] = RememberingEncoder(encoder, self.cache, self._token_budget)
        if self._encoders[encoder.name].fingerprint != encoder.fingerprint:
            raise InputError(f"Two encoders are called '{encoder.name}'. Give yours a name of its own.")
        return encoder.name

    def use_unit(self, unit: SpanUnit) -> str:
        """Take a unit of a user's own; return the name by which settings mean it."""
        if unit_key(self._units.setdefault(unit.name, unit)) != unit_key(unit):
            raise InputError(f"Two units are called '{unit.name}'. Give yours a name of its own.")
        return unit.name

    def unit(self, name: str) -> SpanUnit:
        """Return the unit that settings mean by a name: one of a user's own, or one that everybody has."""
        return self._units.get(name) or get_unit(name)

    @property
    def code(self) -> str:
        """The digest of the program text that computes everything here."""
        return code_key(".")

    def encoders(self) -> dict[str, dict[str, str]]:
        """Return the requested encoders, each with what identifies its vectors: the checksum of the weights and the number format."""
        return {name: {"precision": one.precision, "weights": one.fingerprint} for name, one in self._encoders.items()}

    def model(self, options: SystemOptions) -> SparseCoverage:
        """Return the model of some options: from the cache, or fitted together with all the sizes that were planned."""
        core = _core(options)
        if core not in self._models:
            vocabulary = self._vocabularies.get(core)
            unit = self.unit(core.unit)
            self._models[core] = SparseCoverage(self.encoder(core.encoder), vocabulary, core.activation, unit=unit)
        return self._models[core]

    def index(self, options: SystemOptions) -> Index:
        """Return the index of some options, built together with all that were planned for the same encoder."""
        core = _core(options)
        mine = [*(one for one in self._planned if one.encoder == core.encoder), core]
        models = {}
        for one in dict.fromkeys(mine):
            try:
                models[self._index_folder(self.model(one))] = self.model(one)
            except VocabularyError:
                if one == core:
                    raise  # another row's vocabulary that cannot be made is that row's failure
        encoder = self.encoder(core.encoder)
        with alone(self.cache / "indexes" / f"{encoder.fingerprint}-{self.corpus.fingerprint}", "these indexes"):
            documents = self.collection.documents()
            build_indexes(models, encoder, documents, self.collection.by, len(self.corpus.documents))
        folder = self._index_folder(self.model(core))
        if folder not in self._stores:
            self._stores[folder] = open_store(folder)
        return Index(self._stores[folder], self.model(core), options.scoring, self.threads)

    def words(self) -> IndexStore:
        """Return the words of all passages, as an index keeps them."""
        return self._part("words", None)

    def passage_vectors(self, encoder: str) -> IndexStore:
        """Return one vector for each passage, as an index keeps them."""
        return self._part("vectors", self.encoder(encoder))

    def _part(self, name: str, encoder: RememberingEncoder | None) -> IndexStore:
        key = content_key(
            code=code_key("text", "kernels", "encoding", "index", "experiments/indexes.py"),
            documents=self.corpus.fingerprint,
            encoder=(encoder.fingerprint, encoder.precision) if encoder else None,
        )
        folder = self.cache / "indexes" / f"{name}-{key}"
        with alone(folder, f"the {name} of these passages"):
            build_part(folder, encoder, self.collection.documents(), self.collection.by, len(self.corpus.documents))
        if folder not in self._stores:
            self._stores[folder] = open_store(folder)
        return self._stores[folder]

    def query_tokens(self, encoder: str) -> list[TokenVectors]:
        """Return the token vectors of the judged queries."""
        if encoder not in self._query_tokens:
            texts = [query.text for query in self.collection.judged]
            self._query_tokens[encoder] = list(self.encoder(encoder).encode(texts))
        return self._query_tokens[encoder]

    def query_vectors(self, options: SystemOptions) -> list[SparseVector]:
        """Return the sparse vectors of the judged queries."""
        texts = [query.text for query in self.collection.judged]
        folder = Path()
        model = self.model(options)
        models = {folder: SparseCoverage(model.encoder, model.vocabulary, options.activation, unit=model.unit)}
        return vectors_of(texts, models, self.encoder(options.encoder), query=True)[folder]

    def sample(self, options: SystemOptions) -> SpanSample:
        """Return the spans that the vocabulary of some options was chosen from."""
        return self._vocabularies.sample(_core(options))

    def _vocabulary_folder(self, options: SystemOptions) -> Path:
        """Return where the vocabularies of one sample of spans are kept, whatever their size, selection and radii."""
        encoder = self.encoder(options.encoder)
        key = content_key(
            code=code_key("kernels", "encoding", "spans", "vocabulary", "model.py"),
            documents=self.source,
            encoder=encoder.fingerprint,
            precision=encoder.precision,
            unit=unit_key(self.unit(options.unit)),
            seed=options.seed,
            max_spans=options.max_spans,
            max_documents=options.max_documents,
            by=self.collection.by if options.learn == "passages" else "",
        )
        return self.cache / "vocabularies" / key

    def _fit(self, options: SystemOptions, sizes: list[int], work: Path) -> SparseCoverage:
        return SparseCoverage.fit(
            self.sources,
            encoder=self.encoder(options.encoder),
            unit=self.unit(options.unit),
            size=sizes[-1] if sizes else None,
            sampling=Sampling(options.max_documents, options.max_spans, self.only),
            selection=Selection(options.selection, sizes, options.tau),
            seed=options.seed,
            preset=Preset(options.common, options.activation, options.scoring, self.collection.by, options.learn),
            threads=self.threads,
            work=work,
        )

    def _index_folder(self, model: SparseCoverage) -> Path:
        code = code_key("kernels", "encoding", "spans", "vocabulary", "vectors", "index", "experiments/indexes.py")
        unit = unit_key(model.unit)
        key = content_key(code=code, documents=self.corpus.fingerprint, vocabulary=vocabulary_digest(model), unit=unit)
        return self.cache / "indexes" / key


def _core(options: SystemOptions) -> SystemOptions:
    """Return the options without what is applied at search time, which no model and no index depends on.

    How many spans to sample is written out: a larger V asks for more of them, so it is learned from a sample of its own.
    """
    plain = SystemOptions()
    at_search = ("alpha", "gamma", "rho", "repeats", "smoothing", "rank", "k1", "b", "checkpoint", "fixed")
    spans = options.max_spans or sample_size(Preset(learn=options.learn), options.size)
    core = replace(options, **{name: getattr(plain, name) for name in at_search}, max_spans=spans)
    return replace(core, k=plain.k) if options.assignment == "hard" else core
