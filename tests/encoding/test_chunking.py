from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.encoding.batching import chunk_bounds
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

patent_like = st.lists(
    st.sampled_from(
        [
            "the valve",
            "(10)",
            "a spring;",
            "wherein",
            "1. A pump",
            "e.g.",
            "ends.",
            "Then",
            ",",
            "\n",
            "1.5 mm",
            "x" * 300,
        ]
    )
    | st.text(max_size=20),
    max_size=80,
).map(" ".join)


@given(text=st.text(max_size=400) | patent_like, limit=st.integers(1, 60))
def test_every_token_is_in_exactly_one_chunk_of_any_text(tiny_encoder: OpenVinoEncoder, text: str, limit: int) -> None:
    tokens = tiny_encoder.tokenize(text)
    bounds = chunk_bounds(text, tokens, limit)
    if len(tokens) == 0:
        assert bounds == []
        return
    assert bounds[0] == 0
    assert bounds[-1] == len(tokens)
    sizes = [last - first for first, last in pairwise(bounds)]
    assert all(1 <= size <= limit for size in sizes)
    assert sum(sizes) == len(tokens)


def chunks_of(encoder: OpenVinoEncoder, text: str, limit: int) -> list[str]:
    tokens = encoder.tokenize(text)
    bounds = chunk_bounds(text, tokens, limit)
    return [text[tokens.starts[a] : tokens.ends[b - 1]] for a, b in pairwise(bounds)]


def test_chunks_end_at_sentence_ends(tiny_encoder: OpenVinoEncoder) -> None:
    text = "The valve of the pump. The spring of the device. The sensor."
    assert chunks_of(tiny_encoder, text, 12) == ["The valve of the pump. The spring of the device.", "The sensor."]


def test_a_sentence_longer_than_the_limit_is_cut_at_a_clause(tiny_encoder: OpenVinoEncoder) -> None:
    text = "A device comprising a valve; a spring, a plunger; a sensor"
    assert chunks_of(tiny_encoder, text, 8) == ["A device comprising a valve;", "a spring, a plunger; a sensor"]


def test_a_clause_longer_than_the_limit_is_cut_between_words(tiny_encoder: OpenVinoEncoder) -> None:
    assert chunks_of(tiny_encoder, "valve spring plunger sensor pump", 2) == ["valve spring", "plunger sensor", "pump"]


def test_a_word_longer_than_the_limit_is_cut_as_a_last_resort(tiny_encoder: OpenVinoEncoder) -> None:
    assert chunks_of(tiny_encoder, "zzzzzzz", 3) == ["zzz", "zzz", "z"]


def test_a_decimal_comma_is_no_clause_boundary(tiny_encoder: OpenVinoEncoder) -> None:
    pieces = chunks_of(tiny_encoder, "valve spring 1,5 valve spring", 5)
    assert pieces[0] == "valve spring 1,5"


def test_a_limit_below_one_is_refused(tiny_encoder: OpenVinoEncoder) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        chunk_bounds("valve", tiny_encoder.tokenize("valve"), 0)
