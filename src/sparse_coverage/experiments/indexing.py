"""One pass over a collection fills all the indexes that a sweep needs of one encoder: every text is encoded once.

The indexes are the product's own, without the texts: a sweep needs scores, and the collection has the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from time import monotonic

from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.index import DEFAULT_MEMORY, DocumentRecord, IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.index.manifest import MANIFEST
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import progress_bar
from sparse_coverage.search.building import is_unfinished
from sparse_coverage.search.own_model import MODEL_FOLDER, vocabulary_digest
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import ActivationConfig, SparseVector, trace

SECONDS_BETWEEN_COMMITS = 120.0
_GROUP = 500_000  # characters of text that are encoded at once


def is_complete(folder: Path) -> bool:
    """Tell whether an index is there and finished."""
    return (folder / MANIFEST).is_file() and not is_unfinished(folder)


def build_indexes(
    wanted: Mapping[Path, SparseCoverage],
    encoder: Encoder,
    documents: Iterable[Patent],
    by: By,
    total: int | None = None,
) -> None:
    """Build the indexes that are not complete yet, all in one pass. Interrupted, it goes on from the last commit."""
    missing = {folder: model for folder, model in wanted.items() if not is_complete(folder)}
    if not missing:
        return
    with ExitStack() as held, progress_bar("Indexing documents", total) as advance:
        writers = {
            folder: held.enter_context(_writer(folder, model, by, DEFAULT_MEMORY // len(missing)))
            for folder, model in missing.items()
        }
        last = monotonic()
        every = ((patent, list(passages(patent, by=by))) for patent in documents)
        for group in windows(filter(itemgetter(1), every), _characters, _GROUP):
            needed = {f: m for f, m in missing.items() if any(patent.id not in writers[f] for patent, _ in group)}
            vectors = vectors_of([part.text for _, parts in group for part in parts], needed, encoder) if needed else {}
            for folder in needed:
                _add(writers[folder], group, iter(vectors[folder]))
            advance(len(group))
            if monotonic() - last > SECONDS_BETWEEN_COMMITS:
                for writer in writers.values():
                    writer.commit(complete=False)
                last = monotonic()
        for writer in writers.values():
            writer.merge()


def vectors_of(
    texts: Sequence[str], models: Mapping[Path, SparseCoverage], encoder: Encoder, *, query: bool = False
) -> dict[Path, list[SparseVector]]:
    """Return the sparse vectors of texts under several models of one encoder: tokens, spans and activations are shared."""
    tokens = list(encoder.encode(texts))
    found: dict[Path, list[SparseVector]] = {}
    for unit in dict.fromkeys(model.vocabulary.config.unit for model in models.values()):
        spans = list(get_unit(unit).pool_many(texts, tokens))
        mine = {path: model for path, model in models.items() if model.vocabulary.config.unit == unit}
        for members in _alike(mine):
            first = next(iter(members.values()))
            ks = [model.activation.k for model in members.values()]
            traced = list(trace(spans, first.vocabulary, first.activation, query=query, ks=ks, threads=None))
            found |= {path: [one[place].vector for one in traced] for place, path in enumerate(members)}
    return found


def _alike(models: Mapping[Path, SparseCoverage]) -> Iterator[dict[Path, SparseCoverage]]:
    """Put models together that differ in K alone: the first K of more active centers are those that K alone would give."""
    groups: dict[tuple[str, ActivationConfig], dict[Path, SparseCoverage]] = {}
    for path, model in models.items():
        digest = vocabulary_digest(SparseCoverage(model.encoder, model.vocabulary))
        groups.setdefault((digest, replace(model.activation, k=1)), {})[path] = model
    yield from groups.values()


def _characters(one: tuple[Patent, list[Passage]]) -> int:
    return sum(len(part.text) for part in one[1])


def _writer(folder: Path, model: SparseCoverage, by: By, memory: int) -> IndexWriter:
    about = {"by": by, "vocabulary": vocabulary_digest(model)}
    begun = (folder / MANIFEST).is_file()
    if not begun:
        folder.mkdir(parents=True, exist_ok=True)
    writer = (
        IndexWriter.open(folder, memory=memory)
        if begun
        else IndexWriter.create(folder, len(model.vocabulary), about, memory=memory)
    )
    if not (folder / MODEL_FOLDER / "model.json").is_file():
        (folder / MODEL_FOLDER).mkdir(exist_ok=True)
        model.write_into(folder / MODEL_FOLDER)
    return writer


def _add(writer: IndexWriter, group: Sequence[tuple[Patent, list[Passage]]], vectors: Iterator[SparseVector]) -> None:
    for patent, parts in group:
        mine = [
            IndexedPassage(PassageRecord(part.id, part.document, part.section, ""), next(vectors)) for part in parts
        ]
        if patent.id not in writer:
            writer.add(DocumentRecord(patent.id, patent.title, {}), mine)
