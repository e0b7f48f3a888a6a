"""The passages of a collection in corpus order: which documents there are, and which passages belong to each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Ids of the passages and their documents. The passages of document i are `starts[i]:starts[i + 1]`.

    `words` counts the words of each passage; `fingerprint` identifies ids, titles, dates and texts.
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    fingerprint: str

    def __len__(self) -> int:
        return len(self.ids)


def read_corpus(documents: Iterable[Patent], by: By) -> Corpus:
    """Walk through the documents once and note their passages. A document without text has none and is not counted."""
    ids: list[str] = []
    names: list[str] = []
    starts: list[int] = []
    words: list[int] = []
    digest = hashlib.sha256(by.encode())
    seen: set[str] = set()
    for patent in documents:
        first = len(ids)
        # Vocabularies are learned from titles too, and sampled by year.
        digest.update(f"{patent.id}\0{patent.title}\0{patent.publication_date}\0".encode())
        for passage in passages(patent, by=by):
            ids.append(passage.id)
            words.append(len(passage.text.split()))
            digest.update(f"{passage.id}\0{passage.text}\0".encode())
        if len(ids) > first:
            if patent.id in seen:
                raise InputError(f"The document '{patent.id}' comes twice in the collection. Remove one of the two.")
            seen.add(patent.id)
            names.append(patent.id)
            starts.append(first)
    if not ids:
        raise InputError("The collection holds no documents with text.")
    starts.append(len(ids))
    return Corpus(
        tuple(ids), tuple(names), np.asarray(starts), np.asarray(words, dtype=np.int64), digest.hexdigest()[:16]
    )


def corpus_passages(documents: Iterable[Patent], by: By) -> Iterator[Passage]:
    """Yield the passages themselves, in the order that `read_corpus` counts them."""
    for patent in documents:
        yield from passages(patent, by=by)
