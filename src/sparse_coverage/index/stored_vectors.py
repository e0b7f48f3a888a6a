"""The sparse vectors of a document that an index holds, taken back out of its inverted lists."""

from __future__ import annotations

import numpy as np

from sparse_coverage.index.postings import weight_scale, widened
from sparse_coverage.index.segment import Segment
from sparse_coverage.kernels.postings import FAR_SPAN
from sparse_coverage.vectors.sparse_vector import SparseVector


def stored_vectors(segment: Segment, document: int) -> dict[str, SparseVector]:
    """Return the vectors of a document's passages by their texts: one pass over all lists of its segment.

    They lack the places of spans in the text, which no index keeps. An index knows only of whole documents how many spans no
    center covers: where there are any, nothing is returned.
    """
    if segment.uncovered[document]:
        return {}
    first, last = segment.document_starts[document : document + 2].tolist()
    segment.packed.check_all()
    segment.spans.check_all()
    packed = widened(segment.postings.packed)
    places = np.flatnonzero((packed >= np.uint64(first) << np.uint64(16)) & (packed < np.uint64(last) << np.uint64(16)))
    passages = (packed[places] >> np.uint32(16)).astype(np.int64)
    order = np.argsort(passages, kind="stable")
    places, passages = places[order], passages[order]
    centers = (np.searchsorted(segment.postings.offsets, places, side="right") - 1).astype(np.int32)
    weights = (packed[places] & np.uint32(0xFFFF)) / weight_scale(segment.postings.weight_bits)
    spans = segment.postings.spans[places].astype(np.int32)
    for row in np.flatnonzero(spans == FAR_SPAN).tolist():
        far = segment.postings.far
        spans[row] = far[(far[:, 0] == centers[row]) & (far[:, 1] == passages[row]), 2][0]
    found = {}
    for record, number in zip(segment.texts.passages_between(first, last), range(first, last), strict=True):
        part = slice(*np.searchsorted(passages, [number, number + 1]).tolist())
        nowhere = np.zeros(part.stop - part.start, dtype=np.int32)
        count = int(segment.span_counts[number])
        found[record.text] = SparseVector(
            centers[part], weights[part].astype(np.float32), spans[part], nowhere, nowhere, count, 0
        )
    return found
