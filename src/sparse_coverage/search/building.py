"""Streaming patents through a model into an index."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from time import monotonic
from typing import Any

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.files import as_typed, new_folder, require_free
from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.index.manifest import MANIFEST, Manifest, read_manifest, require_finished
from sparse_coverage.kernels.choosing import use
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By, Document, as_patents, first_of_each, text_key, too_many
from sparse_coverage.patents.patent import Problem
from sparse_coverage.patents.reading.context import log_problem
from sparse_coverage.presets import DEFAULT_PRESET, Preset
from sparse_coverage.progress import progress_bar, tracked
from sparse_coverage.search.own_model import MODEL_FOLDER, require_fit, vocabulary_digest
from sparse_coverage.search.vector_cache import VectorCache, Vectors, encoding_once, sparse_cache, stored_vectors
from sparse_coverage.vectors import SparseVector, trace
from sparse_coverage.vocabulary.passage_sample import count_kept_spans, kept_passages
from sparse_coverage.vocabulary.sampling import Documents
from sparse_coverage.vocabulary.span_sample import SAMPLE

SECONDS_BETWEEN_COMMITS, SECONDS_TO_FIRST_COMMIT, SECONDS_BETWEEN_WORDS = 300.0, 10.0, 60.0
KNOWN = ".known-{}.sqlite"
"""The vectors of texts while an index is built; the name tells with what vocabulary they were made."""
Put = Callable[[DocumentRecord, list[IndexedPassage]], Any]
"""What puts a document with its passages into an index."""
OnRepeat = Callable[[Patent], None]
"""What is told of a document whose id came before."""
_TEXT_FIELDS = frozenset({"id", "title", "abstract", "claims", "description", "translations"})


def is_unfinished(folder: str | Path) -> bool:
    """Tell whether a folder holds an index whose build was interrupted; building it again goes on where it stopped."""
    return (Path(folder) / MANIFEST).is_file() and not read_manifest(Path(folder)).complete


def require_buildable(folder: Path) -> None:
    """Refuse, before any work, a folder that holds an index already, or anything else that is not an unfinished one."""
    if is_unfinished(folder):
        return
    if (folder / MANIFEST).is_file():
        name = as_typed(folder)
        raise InputError(
            f"{folder} holds an index already. Add to it with: sparse-coverage index add {name} PATHS (--replace puts new versions in the "
            "place of old ones). To build a new one, choose another folder."
        )
    require_free(folder)


def build_index(
    folder: Path,
    model: SparseCoverage | Callable[[], SparseCoverage],
    documents: Iterable[Document],
    *,
    by: By,
    seconds_between_commits: float = SECONDS_BETWEEN_COMMITS,
    total: int | None = None,
    without: Sequence[str] | None = None,
    remember: Callable[[SparseCoverage, VectorCache[SparseVector]], None] | None = None,
    on_repeat: OnRepeat | None = None,
) -> SparseCoverage:
    """Build an index, or finish one whose build was interrupted; return its model.

    First all documents are read and can be found by their words. Then the model is asked for, where it is a function, and one
    document after the other is encoded and takes the place of its words. What is in the index already is passed over.

    `total` is how many documents there are, if that is known; `without` names what is not kept of passages in the end; `remember`
    adds vectors of texts that were encoded before.
    Of documents with one id the first is kept; `on_repeat` is told of the others.
    """
    require_buildable(folder)
    begun = is_unfinished(folder)
    if begun:
        _require_same(folder, read_manifest(folder), by, None if callable(model) else model, without)
        opened = IndexWriter.open(folder)
    else:
        forget_sample(folder)  # of a build whose folder somebody removed
        opened = IndexWriter.create(folder, 0, {"by": by}, words=True)
    try:
        with opened as writer:
            _read_words(folder, writer, documents, by, total, on_repeat)
            if not (writer.manifest.documents or writer.pending):
                raise InputError("There is nothing to index: the input holds no text.")
            learned = model() if callable(model) else model
            _require_same(folder, writer.manifest, by, learned, without)
            about = {"by": by, "vocabulary": vocabulary_digest(learned)}
            _write_model(folder, learned)
            words, dimension = kept_parts(learned, without)
            writer.begin_encoding(len(learned.vocabulary), dimension, about, words=words)
            with sparse_cache(folder / KNOWN.format(about["vocabulary"][:16])) as known:
                if remember is not None:
                    remember(learned, known)
                _encode_waiting(writer, encoding_once(known, vectors_by(learned)), seconds_between_commits)
                writer.merge()
                known.remove()
    except InputError:
        # After anything else, an interruption or a full disk, the same command goes on, with the model it has learned.
        if not begun:
            _remove_if_nothing_encoded(folder)
        raise
    return learned


def _read_words(
    folder: Path,
    writer: IndexWriter,
    documents: Iterable[Document],
    by: By,
    total: int | None,
    on_repeat: OnRepeat | None,
) -> None:
    """Put the words of all documents that are not in an index into it, and commit them.

    What a build that was interrupted lacks is committed later, with what is encoded first: the folder stays as it is where these
    are not the documents of that build, or its model cannot be learned from them.
    """
    present, came = writer.manifest.documents, 0

    def known(id_: str) -> bool:
        nonlocal came
        there = bool(present) and writer.stored(id_) is not None
        came += there
        return there

    chosen = (patent for patent in first_of_each(as_patents(documents), on_repeat) if not known(patent.id))
    last = monotonic()
    for document, records in _records(tracked(chosen, "Reading documents", total), by):
        writer.add_words(document, records)
        if monotonic() - last > SECONDS_BETWEEN_WORDS:
            writer.flush()
            if not present:
                writer.commit(complete=False)
            last = monotonic()
    if came < present:
        raise MismatchError(
            f"{folder} holds the unfinished index of another build: {present - came:,} of its {present:,} documents are not among these. "
            "Nothing was changed. Give the same command again to finish that build and add these with `sparse-coverage index add`, or "
            "choose another folder."
        )
    if writer.pending and not present:
        writer.commit(complete=False)


def _encode_waiting(writer: IndexWriter, vectors: Vectors, seconds: float) -> None:
    """Encode the documents that only their words are known of.

    The first commit comes soon, so that there are centers to search by; the others come later and later, so that an
    interruption costs minutes, not hours, and small segments are not merged over and over.
    """
    use("machine")  # encoding is long: compiled code pays, and writing needs it anyway
    waiting = writer.manifest.documents - writer.manifest.encoded_documents
    last, pause = monotonic(), min(SECONDS_TO_FIRST_COMMIT, seconds)
    for _ in _put_all(writer.replace, vectors, writer.waiting(), waiting):
        if not writer.pending or monotonic() - last > pause:
            writer.commit(complete=False)
            last, pause = monotonic(), min(2 * pause, seconds)


def kept_parts(model: SparseCoverage, without: Sequence[str] | None = None) -> tuple[bool, int]:
    """Return whether an index keeps the words of passages, and how long the vectors of whole passages are (0: it keeps none)."""
    left_out = set(model.without if without is None else without)
    if unknown := sorted(left_out - {"words", "vectors"}):
        raise InputError(f"An index can be built without words and without vectors, not without '{unknown[0]}'.")
    if "vectors" in left_out and model.vectors is not None:
        raise InputError(
            f"The vectors of passages are to be made by '{model.vectors.name}', and yet none are to be kept. Ask for one or the other "
            "(--vectors, --without; the preset paper keeps no vectors)."
        )
    return "words" not in left_out, 0 if "vectors" in left_out else model.whole_encoder.dimension


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
    skip_known: bool = False,
    total: int | None = None,
    known: VectorCache[SparseVector] | None = None,
    on_repeat: OnRepeat | None = None,
) -> int:
    """Add or replace documents, without committing; return how many. One without text is passed over.

    With `known` vectors equal passages are encoded once, and passages of a new version that the old one had not at all. A new
    version without text is an error: to keep the old one would be wrong, to drop it might be. `skip_known` passes over what is there.
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

    documents = first_of_each(documents, on_repeat)
    if skip_known:
        documents = (patent for patent in documents if writer.stored(patent.id) is None)
    put: Put = writer.replace if replace else writer.add
    chosen = checked() if replace else documents
    each = vectors if known is None else encoding_once(known, vectors)
    return sum(1 for _ in _put_all(put, each, _records(chosen, by), total))


def add_to_index(
    folder: Path, model: SparseCoverage, documents: Iterable[Document], **how: Any
) -> tuple[int, Manifest]:
    """Add documents to an index, all or none; return how many, and the committed state. `how`: as in `add_documents`."""
    with IndexWriter.open(folder) as writer, sparse_cache() as known:
        require_finished(folder, writer.manifest)
        require_fit(folder, writer.manifest, model)
        by: By = writer.manifest.about["by"]
        count = add_documents(writer, vectors_by(model), as_patents(documents), by, known=known, **how)
        return count, writer.commit()


def _put_all(
    put: Put,
    vectors: Vectors,
    documents: Iterable[tuple[DocumentRecord, list[PassageRecord]]],
    total: int | None = None,
) -> Iterator[str]:
    """Encode documents and put them into an index; yield the id of each when it is there."""
    waiting: deque[tuple[DocumentRecord, list[PassageRecord]]] = deque()

    def texts() -> Iterator[str]:
        for document, passages in documents:
            waiting.append((document, passages))
            yield from (passage.text for passage in passages)

    encoded = vectors(texts())
    with progress_bar("Encoding documents", total) as advance:
        for first in encoded:
            document, passages = waiting.popleft()
            made = [first, *islice(encoded, len(passages) - 1)]
            put(
                document,
                [IndexedPassage(one, vector, vector.whole) for one, vector in zip(passages, made, strict=True)],
            )
            advance()
            yield document.id


def _records(documents: Iterable[Patent], by: By) -> Iterator[tuple[DocumentRecord, list[PassageRecord]]]:
    """Yield what an index keeps of each document that has any text. One with more passages than it can hold is left out, and told."""
    for patent in documents:
        records = [PassageRecord.of(passage) for passage in passages(patent, by=by)]
        if cause := too_many(len(records)):
            log_problem(Problem(patent.source or "input", 0, cause, patent.id))
        elif records:
            yield document_record(patent), records


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


def _require_same(
    folder: Path,
    manifest: Manifest,
    by: By,
    model: SparseCoverage | None,
    without: Sequence[str] | None = None,
) -> None:
    """Refuse to finish an index that was begun with other settings, or another model."""
    if (there := manifest.about["by"]) != by:
        raise MismatchError(
            f"{folder} holds an unfinished index by {there}; this one would be by {by}. Use the same settings to finish it, or "
            "another folder."
        )
    begun = manifest.about.get("vocabulary")
    if begun and model is not None and begun != (here := vocabulary_digest(model)):
        raise MismatchError(
            f"{folder} holds an unfinished index made with another vocabulary ({begun[:12]}, this one is {here[:12]}). "
            f"Finish it with the model in {folder / MODEL_FOLDER}, or use another folder."
        )
    if begun and model is not None and (manifest.words, manifest.dimension) != kept_parts(model, without):
        raise MismatchError(
            f"{folder} holds an unfinished index that keeps other parts of passages (--without). Use the same settings to finish it, "
            "or another folder."
        )


def _remove_if_nothing_encoded(folder: Path) -> None:
    """Leave nothing behind when not one document was encoded: words are read again in no time."""
    if (folder / MANIFEST).is_file() and not read_manifest(folder).encoded_documents:
        shutil.rmtree(folder, ignore_errors=True)


_AT_ONCE = 1 << 14  # spans that are activated together: about a second's worth


def learning_folder(index: str | Path) -> Path:
    """Return the hidden folder beside an index where its model is learned, until the index is there."""
    path = Path(index).absolute()
    return path.with_name(f".{path.name}.learning")


def learn_for(
    index: str | Path,
    documents: Documents,
    *,
    encoder: str | Encoder = DEFAULT_ENCODER,
    preset: str | Preset = DEFAULT_PRESET,
    by: By | None = None,
    threads: int | None = None,
) -> SparseCoverage:
    """Learn a model from documents that an index is to hold, and keep the encoded passages for it.

    Interrupted, it goes on where it stopped; a model that an unfinished index has already is taken as it is.
    """
    if is_unfinished(index) and (Path(index) / MODEL_FOLDER).is_dir():
        running = None if isinstance(encoder, str) else encoder
        return SparseCoverage.load(Path(index) / MODEL_FOLDER, encoder=running, threads=threads)
    folder = learning_folder(index)
    return SparseCoverage.fit(documents, encoder=encoder, preset=preset, by=by, threads=threads, work=folder)


def remember_sample(index: str | Path, model: SparseCoverage, known: VectorCache[SparseVector]) -> None:
    """Put the vectors of the passages that a model was learned from among the known ones."""
    folder = learning_folder(index)
    if not (folder / SAMPLE).is_file():
        return
    threads = getattr(model.encoder, "threads", None)
    with progress_bar("Activating the sample", count_kept_spans(folder)) as advance:
        for group in chain.from_iterable(
            windows(group, lambda one: len(one[1]), _AT_ONCE) for group in kept_passages(folder)
        ):
            keys = [text_key(text) for text, _ in group]
            spans = [spans for _, spans in group]
            if not all(key in known for key in keys):
                read = list(model.with_wholes((text for text, _ in group), spans))
                traced = trace(read, model.vocabulary, model.activation, threads=threads)
                known.add({key: one.vector for key, [one] in zip(keys, traced, strict=True)})
            advance(sum(map(len, spans)))


def forget_sample(index: str | Path) -> None:
    """Remove what learning left beside an index."""
    shutil.rmtree(learning_folder(index), ignore_errors=True)
