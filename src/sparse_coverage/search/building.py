"""Streaming patents through a model into an index."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import Any

from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.files import new_folder, require_free
from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter, PassageRecord, WeightBits
from sparse_coverage.index.manifest import MANIFEST, Manifest, read_manifest
from sparse_coverage.index.stored_vectors import stored_vectors
from sparse_coverage.kernels.choosing import use
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.documents import Document, as_patents
from sparse_coverage.patents.passages import By
from sparse_coverage.patents.repeats import Repeats
from sparse_coverage.patents.text_keys import text_key
from sparse_coverage.progress import progress_bar
from sparse_coverage.search.known_vectors import KnownVectors, Vectors, knowing
from sparse_coverage.search.own_model import MODEL_FOLDER, vocabulary_digest
from sparse_coverage.vectors import SparseVector

SECONDS_BETWEEN_COMMITS = 300.0
KNOWN = ".known-{}.sqlite"
"""The vectors of texts while an index is built; the name tells with what vocabulary they were made."""
Put = Callable[[DocumentRecord, list[IndexedPassage]], Any]
"""What puts a document with its passages into an index."""
_TEXT_FIELDS = frozenset({"id", "title", "abstract", "claims", "description"})


def is_unfinished(folder: str | Path) -> bool:
    """Tell whether a folder holds an index whose build was interrupted; building it again goes on where it stopped."""
    return (Path(folder) / MANIFEST).is_file() and not read_manifest(Path(folder)).complete


def build_index(
    folder: Path,
    model: SparseCoverage,
    documents: Iterable[Document],
    *,
    by: By,
    weight_bits: WeightBits,
    memory: int,
    seconds_between_commits: float = SECONDS_BETWEEN_COMMITS,
    total: int | None = None,
    remember: Callable[[KnownVectors], None] | None = None,
    repeats: Repeats | None = None,
) -> None:
    """Build an index, or finish one whose build was interrupted: documents that are in it already are passed over.

    `total` is how many documents there are, if that is known; `remember` adds vectors of texts that were encoded before.
    `repeats` says what becomes of documents that come twice; without it they are an error.
    """
    repeats = repeats or Repeats()
    use("machine")  # a build is long: compiled code pays, and writing needs it anyway
    about = {"by": by, "vocabulary": vocabulary_digest(model)}
    begun = is_unfinished(folder)
    if begun:
        _require_same(folder, read_manifest(folder), about, weight_bits)
    else:
        require_free(folder)
    opened = (
        IndexWriter.open(folder, memory=memory)
        if begun
        else IndexWriter.create(folder, len(model.vocabulary), about, weight_bits=weight_bits, memory=memory)
    )
    try:
        with opened as writer:
            _write_model(folder, model)
            with KnownVectors(folder / KNOWN.format(about["vocabulary"][:16])) as known:
                if remember is not None:
                    remember(known)
                present = bool(begun and writer.manifest.documents)
                rest = _chosen(as_patents(documents), repeats, lambda id_: present and id_ in writer)
                put = writer.replace if repeats.rule == "replace" else writer.add
                vectors = knowing(known, vectors_by(model))
                _add_and_commit(writer, put, vectors, rest, by, seconds_between_commits, total)
                if not writer.merge().documents:
                    raise InputError("There is nothing to index: the input holds no text.")
                known.remove()
    except InputError:
        # After anything else, an interruption or a full disk, the same command goes on, with the model it has learned.
        _remove_if_empty(folder)
        raise


def _chosen(
    documents: Iterable[Patent], repeats: Repeats, known: Callable[[str], bool] = lambda id_: False
) -> Iterator[Patent]:
    """Yield the documents to put into an index: those that are not `known`, and of those that come twice the ones that count."""
    try:
        for patent in documents:
            again = repeats.again(patent)
            if not (repeats.rule == "keep" if again else known(patent.id)):
                yield patent
    finally:
        repeats.close()


def vectors_by(model: SparseCoverage) -> Vectors:
    """Return what turns a stream of texts into their vectors."""
    return lambda texts: (traced.vector for traced in model.trace(texts))


def add_documents(
    writer: IndexWriter,
    vectors: Vectors,
    documents: Iterable[Patent],
    by: By,
    *,
    replace: bool,
    total: int | None = None,
    known: KnownVectors | None = None,
    repeats: Repeats | None = None,
) -> int:
    """Add or replace documents, without committing; return how many. One without text is passed over.

    With `known` vectors equal passages are encoded once, and passages of a new version that the old one had not at all. A new
    version without text is an error: to keep the old one would be wrong, to drop it might be.
    """

    use("machine")

    def checked() -> Iterator[Patent]:
        for patent in documents:
            if patent.id in writer:
                texts = {passage.text for passage in passages(patent, by=by)}
                if not texts:
                    raise InputError(
                        f"The new version of '{patent.id}' has no text to index (in this language), so nothing was changed. "
                        "Leave it out, or delete the document by its id."
                    )
                there = writer.stored(patent.id)
                if there is not None and known is not None:
                    old = stored_vectors(*there)
                    known.add({text_key(text): vector for text, vector in old.items() if text in texts})
            yield patent

    repeats = repeats or Repeats()
    documents = _chosen(documents, repeats)
    put: Put = writer.replace if replace else _put_again(writer) if repeats.rule == "replace" else writer.add
    chosen = checked() if replace else documents
    each = vectors if known is None else knowing(known, vectors)
    return sum(1 for _ in _put_all(put, each, chosen, by, total))


def _put_again(writer: IndexWriter) -> Put:
    """Return what adds a document, or puts it in the place of one that it added before."""
    added: set[str] = set()

    def put(document: DocumentRecord, passages: list[IndexedPassage]) -> None:
        (writer.replace if document.id in added else writer.add)(document, passages)
        added.add(document.id)

    return put


def _add_and_commit(
    writer: IndexWriter,
    put: Put,
    vectors: Vectors,
    documents: Iterable[Patent],
    by: By,
    seconds: float,
    total: int | None,
) -> None:
    """Commit now and then, so that an interruption costs minutes, not hours."""
    last = monotonic()
    for _ in _put_all(put, vectors, documents, by, total):
        if not writer.pending or monotonic() - last > seconds:
            writer.commit(complete=False)
            last = monotonic()


def _put_all(
    put: Put, vectors: Vectors, documents: Iterable[Patent], by: By, total: int | None = None
) -> Iterator[str]:
    with progress_bar("Indexing documents", total) as advance:
        for _, passages in groupby(_encoded(vectors, documents, by), key=lambda encoded: encoded[0]):
            indexed = []
            for _, owner, passage, vector in passages:
                patent = owner
                record = PassageRecord.of(passage)
                indexed.append(IndexedPassage(record, vector))
            put(document_record(patent), indexed)
            advance()
            yield patent.id


def _encoded(
    vectors: Vectors, documents: Iterable[Patent], by: By
) -> Iterator[tuple[int, Patent, Passage, SparseVector]]:
    waiting: deque[tuple[int, Patent, Passage]] = deque()

    def texts() -> Iterator[str]:
        for number, patent in enumerate(documents):
            for passage in passages(patent, by=by):
                waiting.append((number, patent, passage))
                yield passage.text

    for vector in vectors(texts()):
        yield (*waiting.popleft(), vector)


def document_record(patent: Patent) -> DocumentRecord:
    """Return what an index keeps of a patent beside its passages."""
    metadata: dict[str, Any] = {
        name: value for name, value in asdict(patent).items() if value and name not in _TEXT_FIELDS
    }
    return DocumentRecord(patent.id, patent.title, metadata)


def _write_model(folder: Path, model: SparseCoverage) -> None:
    for leftover in folder.glob(f".{MODEL_FOLDER}.partial-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if not (folder / MODEL_FOLDER).exists():
        with new_folder(folder / MODEL_FOLDER) as partial:
            model.write_into(partial)


def _require_same(folder: Path, manifest: Manifest, about: dict[str, Any], weight_bits: int) -> None:
    there, here = (manifest.about["by"], manifest.weight_bits), (about["by"], weight_bits)
    if there != here:
        raise MismatchError(
            f"{folder} holds an unfinished index by {there[0]} with {there[1]}-bit weights; this one would be by {here[0]} with "
            f"{here[1]}-bit weights. Use the same settings to finish it, or another folder."
        )
    if manifest.about["vocabulary"] != about["vocabulary"]:
        raise MismatchError(
            f"{folder} holds an unfinished index made with another vocabulary ({manifest.about['vocabulary'][:12]}, this one is "
            f"{about['vocabulary'][:12]}). Finish it with the model in {folder / MODEL_FOLDER}, or use another folder."
        )


def _remove_if_empty(folder: Path) -> None:
    """Leave nothing behind when not one document was committed."""
    if (folder / MANIFEST).is_file() and not read_manifest(folder).documents:
        shutil.rmtree(folder, ignore_errors=True)
