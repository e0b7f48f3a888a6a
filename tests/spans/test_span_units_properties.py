"""What holds for every unit on any text, however it is cut into tokens and chunks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.encoding import Tokens, TokenVectors
from sparse_coverage.errors import InputError
from sparse_coverage.spans import get_unit

UNITS = ("token", "np", "np+token")
WORDS = """the a said at least one plurality of rotating drum LED lamp valve (10) 12a, sensor; means for activating ANC. wherein
    3-methyl-butane 1.5 mm is heated and upper lower plates FIG. 2 comprising ∅ 中文 Größe 𝔘nicode é́ _ -- \n \n\n user's""".split(
    " "
)
any_text = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(), max_size=20),  # surrogates too
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
)


@st.composite
def tokenised(draw):
    """A text cut at random places into tokens in text order, some pieces left out, and chunks that never fall."""
    text = draw(any_text)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=40)) | {0, len(text)})
    places = [(a, b) for a, b in itertools.pairwise(cuts) if draw(st.integers(0, 9)) or b - a > 5]
    starts, ends = np.array(places, dtype=np.int32).reshape(-1, 2).T
    chunks = np.sort(
        np.array(draw(st.lists(st.integers(0, 3), min_size=len(places), max_size=len(places))), dtype=np.int32)
    )
    vectors = np.random.default_rng(0).normal(size=(len(places), 5)).astype(np.float32)
    return text, TokenVectors(vectors=vectors, starts=starts.copy(), ends=ends.copy(), chunks=chunks)


def as_tokens(vectors: TokenVectors) -> Tokens:
    return Tokens(ids=np.zeros(len(vectors), dtype=np.int32), starts=vectors.starts, ends=vectors.ends)


def holds_letter_or_digit(text: str) -> bool:
    return any(character.isalnum() for character in text)


@pytest.fixture(scope="module", params=UNITS)
def unit(request):
    return get_unit(request.param)


@given(tokenised())
def test_locate_and_pool_give_the_same_spans_in_the_same_order(unit, case):
    text, vectors = case
    starts, ends = unit.locate(text, as_tokens(vectors))
    spans = unit.pool(text, vectors)
    assert starts.tolist() == spans.starts.tolist()
    assert ends.tolist() == spans.ends.tolist()


@given(tokenised())
def test_spans_are_in_text_order_never_overlap_and_say_something(unit, case):
    text, vectors = case
    spans = unit.pool(text, vectors)
    assert (spans.starts < spans.ends).all()
    assert (spans.ends[:-1] <= spans.starts[1:]).all()
    for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True):
        piece = text[start:end]
        assert len(piece) == end - start
        assert holds_letter_or_digit(piece)
        assert piece == piece.strip()


@given(tokenised())
def test_vectors_are_float32_of_length_one_one_a_span(unit, case):
    text, vectors = case
    spans = unit.pool(text, vectors)
    assert spans.vectors.shape == (len(spans), 5)
    assert spans.vectors.dtype == np.float32
    assert spans.starts.dtype == spans.ends.dtype == np.int32
    np.testing.assert_allclose(np.linalg.norm(spans.vectors, axis=1), 1, rtol=1e-5)


@given(tokenised())
def test_np_plus_token_is_the_noun_phrases_and_the_tokens_outside_them(case):
    text, vectors = case
    tokens = as_tokens(vectors)
    places = {
        name: list(zip(*map(np.ndarray.tolist, get_unit(name).locate(text, tokens)), strict=True)) for name in UNITS
    }
    outside = [(s, e) for s, e in places["token"] if not any(a <= s and e <= b for a, b in places["np"])]
    assert places["np+token"] == sorted(places["np"] + outside)


@given(any_text)
def test_the_extractor_takes_any_unicode_and_its_offsets_reproduce_the_text(extractor, text):
    [(starts, ends)] = extractor.extract([text])
    assert (starts < ends).all()
    assert (ends[:-1] <= starts[1:]).all()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        assert 0 <= start < end <= len(text)
        assert any(map(str.isalpha, text[start:end]))


@given(st.lists(any_text, max_size=8))
def test_the_extractor_finds_the_same_in_a_text_alone_and_among_others(extractor, texts):
    together = [(starts.tolist(), ends.tolist()) for starts, ends in extractor.extract(texts)]
    alone = [(starts.tolist(), ends.tolist()) for text in texts for starts, ends in extractor.extract([text])]
    assert together == alone


def test_a_text_without_spans_gives_an_empty_matrix_of_the_right_width(unit):
    nothing = np.empty(0, dtype=np.int32)
    empty = TokenVectors(vectors=np.empty((0, 5), dtype=np.float32), starts=nothing, ends=nothing, chunks=nothing)
    assert unit.pool("", empty).vectors.shape == (0, 5)
    one = np.array([0], dtype=np.int32)
    comma = TokenVectors(vectors=np.ones((1, 5), dtype=np.float32), starts=one, ends=one + 1, chunks=one)
    assert unit.pool(",", comma).vectors.shape == (0, 5)


def test_many_texts_give_what_each_gives_alone(unit, word_tokens, vectors_for):
    texts = ["A rotating drum (10).", "", "Said valve opens; the LED lamp is lit.", "..."]
    vectors = [vectors_for(word_tokens(text)) for text in texts]
    for text, alone, together in zip(texts, vectors, unit.pool_many(iter(texts), iter(vectors)), strict=True):
        expected = unit.pool(text, alone)
        assert together.starts.tolist() == expected.starts.tolist()
        np.testing.assert_array_equal(together.vectors, expected.vectors)


def test_a_unit_is_found_again_by_its_own_name(unit):
    assert get_unit(unit.name).name == unit.name


@pytest.mark.parametrize("name", ["", "word", "np[other]", "token[spacy]", "np[spacy", "NP"])
def test_an_unknown_unit_is_an_error_that_lists_the_names(name):
    with pytest.raises(InputError, match=r"token, all-tokens, np, np\+token"):
        get_unit(name)


def test_a_blank_that_the_tokenizer_counts_to_a_word_is_not_part_of_the_span(vectors_for):
    text = "The rotating drum is ok"
    places = [
        (0, 3),
        (3, 12),
        (12, 17),
        (17, 20),
        (20, 23),
    ]  # as sentencepiece cuts: every blank goes with the word after it
    starts, ends = np.array(places, dtype=np.int32).T
    tokens = Tokens(ids=starts, starts=starts, ends=ends)
    for name, expected in {
        "token": ["The", "rotating", "drum", "is", "ok"],
        "np": ["rotating drum"],
        "np+token": ["The", "rotating drum", "is", "ok"],
    }.items():
        found = get_unit(name).locate(text, tokens)
        assert [text[a:b] for a, b in zip(*found, strict=True)] == expected


def test_units_work_on_a_real_encoders_tokens(unit, tiny_encoder):
    text = "A plunger (10) with a rotating drum and 3-methyl-butane; wherein said housing is heated."
    [vectors] = tiny_encoder.encode([text])
    spans = unit.pool(text, vectors)
    starts, ends = unit.locate(text, tiny_encoder.tokenize(text))
    assert starts.tolist() == spans.starts.tolist()
    assert ends.tolist() == spans.ends.tolist()
    assert spans.vectors.shape == (len(starts), tiny_encoder.dimension)
