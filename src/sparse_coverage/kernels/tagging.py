"""The greedy averaged perceptron that tags words, on integer arrays."""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import Bytes, Int32s, Int64s
from sparse_coverage.kernels.compiling import compiled


@compiled
def tag_words(
    rows: Int32s,
    sentence_ends: Int64s,
    borders: Int32s,
    start: int,
    start2: int,
    n_tags: int,
    offsets: Int32s,
    classes: Bytes,
    weights: Int32s,
    tag_word: Int32s,
    tag_before: Int32s,
    tag_before2: Int32s,
    tag_pair: Int32s,
    bias: int,
) -> Bytes:
    """Return the tag of each word: the best one given the words around it and the two tags before. Weights are whole numbers."""
    tags = np.empty(len(rows), dtype=np.uint8)
    scores = np.empty(n_tags, dtype=np.int32)
    active = np.empty(14, dtype=np.int32)
    begin = 0
    for end in sentence_ends:
        before, before2 = start, start2
        for i in range(begin, end):
            tag = rows[i, 0]
            if tag < 0:
                left = rows[i - 1] if i - 1 >= begin else borders[1]
                left2 = rows[i - 2] if i - 2 >= begin else borders[i - begin]
                right = rows[i + 1] if i + 1 < end else borders[2]
                right2 = rows[i + 2] if i + 2 < end else borders[2 + i + 2 - end]
                active[0] = bias
                active[1] = rows[i, 2]
                active[2] = rows[i, 3]
                active[3] = rows[i, 4]
                active[4] = left[5]
                active[5] = left[6]
                active[6] = left2[7]
                active[7] = right[8]
                active[8] = right[9]
                active[9] = right2[10]
                active[10] = tag_before[before]
                active[11] = tag_before2[before2]
                active[12] = tag_pair[before, before2]
                active[13] = tag_word[rows[i, 1], before]
                scores[:] = 0
                for feature in active:
                    for entry in range(offsets[feature], offsets[feature + 1]):
                        scores[classes[entry]] += weights[entry]
                tag = 0
                for candidate in range(1, n_tags):
                    if scores[candidate] >= scores[tag]:  # ties go to the last tag in the alphabet, as in training
                        tag = candidate
            tags[i] = tag
            before2 = before
            before = tag
        begin = end
    return tags
