"""A test collection whose topics are claims, as the examples that calibrate claim charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sparse_coverage.charts.calibrating import ClaimExample, Examples, fit_calibration
from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.phrase_level import phrase_level
from sparse_coverage.charts.sentences import Sentences, sentences_of, word_tokens
from sparse_coverage.encoding import Encoder
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.patents import Patent, passages
from sparse_coverage.progress import tracked

_WORDS = 2000


def calibrate(collection: Collection, encoder: Encoder) -> Calibration:
    """Return the calibration of an encoder by a collection: relevant documents disclose a claim, others do not."""
    return calibrated(examples_of(collection, encoder), encoder)


def calibrated(examples: Examples, encoder: Encoder) -> Calibration:
    """Return the calibration of an encoder by examples."""
    made = fit_calibration(examples, encoder=encoder.name, fingerprint=encoder.fingerprint)
    return replace(made, phrase=phrase_level(examples, encoder, made))


def examples_of(collection: Collection, encoder: Encoder) -> Examples:
    """Return the claims of a collection and its documents, encoded."""
    ids: list[str] = []
    texts: list[list[str]] = []
    documents: list[Sentences] = []
    patents = list(collection.documents())
    for patent in tracked(patents, "Encoding documents", len(patents)):
        ids.append(patent.id)
        texts.append([passage.text for passage in passages(patent)])
        documents.append(sentences_of(texts[-1], encoder))
    return Examples(claims_of(collection, ids, encoder), texts, documents)


def claims_of(collection: Collection, ids: Sequence[str], encoder: Encoder) -> list[ClaimExample]:
    """Return the topics of a collection as claims; `ids` are those of the documents, by number."""
    numbers = {id_: number for number, id_ in enumerate(ids)}
    claims = []
    for query in tracked(collection.judged, "Encoding claims", len(collection.judged)):
        relevant = collection.judgements[query.id].documents
        found = frozenset(numbers[id_] for id_ in relevant if id_ in numbers)
        if found:
            claims.append(claim_example(query.text, found, encoder))
    return claims


def own_descriptions(patents: Iterable[Patent], encoder: Encoder) -> Examples:
    """Return the first claims of patents as examples, disclosed by their own descriptions, of which the first words count."""
    claims: list[ClaimExample] = []
    texts: list[list[str]] = []
    documents: list[Sentences] = []
    for patent in tracked(patents, "Encoding patents"):
        pieces = _opening([passage.text for passage in passages(patent) if passage.section == "description"])
        if patent.claims and pieces:
            claims.append(claim_example(patent.claims[0].text, frozenset([len(documents)]), encoder))
            texts.append(pieces)
            documents.append(sentences_of(pieces, encoder))
    return Examples(claims, texts, documents)


def _opening(pieces: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for piece in pieces:
        if sum(len(each.split()) for each in kept) > _WORDS:
            break
        kept.append(piece)
    return kept


def claim_example(text: str, relevant: frozenset[int], encoder: Encoder) -> ClaimExample:
    """Return a claim with the mean token vectors of the whole and of its elements."""
    claim = read_claims(text)[0]
    rows, starts, _ = word_tokens(claim.text, next(iter(encoder.encode([claim.text]))))
    parts, means = [], []
    for element in chart_elements([claim]):
        inside = (starts >= element.start) & (starts < element.end)
        if inside.any():
            parts.append(element.text)
            means.append(rows[inside].mean(0))
    return ClaimExample(text, tuple(parts), rows.mean(0), np.stack(means), relevant)
