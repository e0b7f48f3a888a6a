"""The tagger's weights: plain arrays that come with the package."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from sparse_coverage.spans.tagger import load_arrays, weights_from_arrays


def lines(*strings: str) -> np.ndarray:
    return np.frombuffer("\n".join(strings).encode(), dtype=np.uint8)


def test_features_are_found_by_what_they_look_at():
    weights = weights_from_arrays(
        {
            "tags": lines("DT", "NN"),
            "feature_names": lines("bias", "i word drum", "i-1 tag DT", "i-1 tag+i word DT drum"),
            "offsets": np.array([0, 2, 3, 4, 5], np.int32),
            "classes": np.array([0, 1, 1, 1, 1], np.uint8),
            "weights": np.array([-1250, 500, 2001, 1000, 3000], np.int32),
            "known_words": lines("the"),
            "known_tags": np.array([0], np.uint8),
        }
    )
    assert weights.tags == ("DT", "NN")
    assert weights.known_tags == {"the": 0}

    def of(feature):
        entries = slice(weights.offsets[feature], weights.offsets[feature + 1])
        pairs = zip(weights.classes[entries], weights.weights[entries], strict=True)
        return {weights.tags[tag]: int(weight) for tag, weight in pairs}

    drum = weights.strings["drum"]
    assert of(weights.bias) == {"DT": -1250, "NN": 500}
    assert of(weights.features[drum, 2]) == {"NN": 2001}
    assert of(weights.tag_word[drum, 0]) == {"NN": 3000}
    assert of(weights.tag_before[0]) == {"NN": 1000}
    assert of(weights.features[drum, 0]) == {}  # never seen
    assert of(weights.tag_word[-1, 0]) == {}


def test_the_published_weights_come_with_the_package():
    arrays = load_arrays()
    assert len(weights_from_arrays(arrays).tags) == 45
    assert (
        sha256(arrays["weights"].tobytes() + arrays["feature_names"].tobytes())
        .hexdigest()
        .startswith("fa6068a676a52050")
    )
    assert not any(array.dtype.hasobject for array in arrays.values())
