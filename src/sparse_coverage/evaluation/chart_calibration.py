"""A test collection whose topics are claims, as the examples that calibrate claim charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sparse_coverage.charts.calibrating import (
    DISCLOSED,
    PARTLY,
    ClaimExample,
    fit_calibration,
    measures,
    negatives,
    score,
)
from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.phrase_level import phrase_level
from sparse_coverage.charts.phrases import stems
from sparse_coverage.charts.sentences import Sentences, each_sentences, joined, word_tokens
from sparse_coverage.encoding import Encoder
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.kernels import Floats
from sparse_coverage.patents import Patent, passages
from sparse_coverage.progress import tracked

_WORDS = 2000


def calibrate(collection: Collection, encoder: Encoder) -> Calibration:
    """Return the calibration of an encoder by a collection: relevant documents disclose a claim, others do not."""
    ids: list[str] = []
    documents: list[Sentences] = []
    texts: list[list[str]] = []
    for patent in tracked(collection.documents(), "Encoding documents", collection.candidates):
        pieces = [passage.text for passage in passages(patent)]
        ids.append(patent.id)
        texts.append(pieces)
        documents.append(joined(list(each_sentences(pieces, encoder)), encoder.dimension))
    numbers = {id_: number for number, id_ in enumerate(ids)}
    examples = []
    for query in tracked(collection.judged, "Encoding claims", len(collection.judged)):
        relevant = collection.judgements[query.id].documents
        found = frozenset(numbers[id_] for id_ in relevant if id_ in numbers)
        if found:
            whole, elements = claim_vectors(query.text, encoder)
            examples.append(ClaimExample(query.text, whole, elements, found))
    made = fit_calibration(
        examples,
        documents,
        [" ".join(pieces) for pieces in texts],
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
    )
    ours, theirs = [], []
    for example, (near, _) in zip(
        examples[::2], negatives(examples[::2], [" ".join(each) for each in texts]), strict=True
    ):
        element = chart_elements(read_claims(example.text))[-1].text
        wanted = stems(element)
        ours.append(element)
        theirs.append(max(texts[int(near[0])], key=lambda text: len(wanted & stems(text)))[:400])
    return replace(made, phrase=phrase_level(encoder, made.space, ours, theirs))


def own_descriptions(
    patents: Iterable[Patent], encoder: Encoder
) -> tuple[list[ClaimExample], list[Sentences], list[str]]:
    """Return the first claims of patents as examples, disclosed by their own descriptions, of which the first words count."""
    examples: list[ClaimExample] = []
    documents: list[Sentences] = []
    texts: list[str] = []
    for patent in tracked(patents, "Encoding patents"):
        pieces = _opening([passage.text for passage in passages(patent) if passage.section == "description"])
        if patent.claims and pieces:
            text = patent.claims[0].text
            examples.append(ClaimExample(text, *claim_vectors(text, encoder), frozenset([len(documents)])))
            documents.append(joined(list(each_sentences(pieces, encoder)), encoder.dimension))
            texts.append(" ".join(pieces))
    return examples, documents, texts


def raised(
    calibration: Calibration, examples: Sequence[ClaimExample], documents: Sequence[Sentences], texts: Sequence[str]
) -> Calibration:
    """Return a calibration whose thresholds hold for these documents, too: patents are more alike than papers are."""
    scored = score(calibration.space, examples, list(negatives(examples, texts)), documents)
    evidence = calibration.evidence(scored.hard.astype(np.float32))
    found = replace(
        calibration,
        disclosed=max(calibration.disclosed, float(np.quantile(evidence, 1 - DISCLOSED))),
        partly=max(calibration.partly, float(np.quantile(evidence, 1 - PARTLY))),
    )
    return replace(found, figures={**calibration.figures, "own_descriptions": measures(found, scored)})


def _opening(pieces: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for piece in pieces:
        if sum(len(each.split()) for each in kept) > _WORDS:
            break
        kept.append(piece)
    return kept


def claim_vectors(text: str, encoder: Encoder) -> tuple[Floats, Floats]:
    """Return the mean token vector of a claim, and of each of its elements."""
    claim = read_claims(text)[0]
    rows, starts, _ = word_tokens(claim.text, next(iter(encoder.encode([claim.text]))))
    means = []
    for element in chart_elements([claim]):
        inside = (starts >= element.start) & (starts < element.end)
        if inside.any():
            means.append(rows[inside].mean(0))
    return rows.mean(0), np.stack(means)
