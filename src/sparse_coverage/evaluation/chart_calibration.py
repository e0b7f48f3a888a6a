"""A test collection whose topics are claims, as the examples that calibrate claim charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sparse_coverage.charts.calibrating import JudgedClaim, fit_calibration
from sparse_coverage.charts.calibration import Calibration, calibration_for
from sparse_coverage.charts.chart import ChartDocument
from sparse_coverage.charts.claims import encode_claims
from sparse_coverage.charts.elements import chart_elements, given_elements, read_claims
from sparse_coverage.charts.reading import make_chart
from sparse_coverage.charts.second_reader import LanguageModel, ReaderMeasured, read_again
from sparse_coverage.encoding import Encoder
from sparse_coverage.evaluation.clefip import topic_document
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_chart_truth, demo_patents, demo_topics
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import passages
from sparse_coverage.text import idf, stems

_NEAR = 3
"""How many of the nearest other documents, by the words of a claim, are taken not to disclose it."""
_ELEMENTS = 12
"""A claim to hundreds of substituents shall not outweigh all others."""


def calibrate(collection: Collection, encoder: Encoder) -> Calibration:
    """Return the calibration of an encoder by a collection: relevant documents disclose a claim, the nearest others do not."""
    patents = list(collection.documents())
    texts = [[passage.text for passage in passages(patent)] for patent in patents]
    numbers = {patent.id: number for number, patent in enumerate(patents)}
    claims: list[JudgedClaim] = []
    for query in collection.judged:
        relevant = [numbers[id_] for id_ in collection.judgements[query.id].documents if id_ in numbers]
        claim = read_claims(query.text)[:1]
        elements = chart_elements(claim)[:_ELEMENTS]
        if relevant and elements:
            claims.append(JudgedClaim(claim[0], elements, {number: [2] * len(elements) for number in relevant}))
    whole = [" ".join(each) for each in texts]
    judged = [
        replace(one, labels=one.labels | {number: [0] * len(one.elements) for number in near})
        for one, near in zip(claims, _nearest(claims, whole), strict=True)
    ]
    return fit_calibration(judged, texts, encoder)


def _nearest(claims: Sequence[JudgedClaim], texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield for each claim the documents that are not judged for it and nearest by its words."""
    bags = [Counter({word: text.lower().count(word) for word in stems(text, "en")}) for text in texts]
    frequency: Counter[str] = Counter(word for bag in bags for word in bag)
    for one in claims:
        scores = np.zeros(len(texts))
        for word in stems(one.claim.text, "en"):
            counts = np.asarray([bag[word] for bag in bags], dtype=np.float64)
            scores += idf(frequency[word], len(texts)) * counts / (counts + 1.5)
        order = np.argsort(-scores, kind="stable")
        yield order[~np.isin(order, list(one.labels))][:_NEAR].tolist()


def measure_second_reader(model: LanguageModel, encoder: Encoder, cells: int) -> ReaderMeasured:
    """Return how often a language model agrees with judged cells of the demo collection, and the built-in score with the same."""
    calibration = calibration_for(encoder)
    patents = {patent.id: patent for patent in demo_patents()}
    topics = {topic.id: topic for topic in demo_topics()}
    right = built_in = done = 0
    for truth in demo_chart_truth():
        if done >= cells:
            break
        numbers = {element.claim for element in truth.elements}
        claims = [one for one in topic_document(topics[truth.topic], TOPICS_FILE).claims if one.number in numbers]
        elements = given_elements(claims, [element.text for element in truth.elements])
        documents = [
            ChartDocument(id_, "", tuple(PassageRecord.of(one) for one in passages(patents[id_])))
            for id_ in truth.documents
        ]
        by_id = {document.id: document.passages for document in documents}
        chart = make_chart(encode_claims(claims, elements, encoder, calibration), documents, encoder, calibration)
        rows = min(len(chart.elements), max(1, (cells - done) // max(len(documents), 1)))
        chart = replace(chart, elements=chart.elements[:rows], cells=chart.cells[:rows], weights=chart.weights[:rows])
        asked = read_again(chart, by_id.__getitem__, model, None)
        for element, row in zip(truth.elements, asked.cells, strict=False):
            for cell in row:
                said = cell.second.verdict if cell.second and cell.second.verdict else cell.verdict
                right += said == element.found[cell.document]
                built_in += cell.verdict == element.found[cell.document]
                done += 1
    return ReaderMeasured(model.name, done, right / max(done, 1), built_in / max(done, 1))
