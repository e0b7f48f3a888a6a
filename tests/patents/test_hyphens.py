"""Words that a line end cut in two."""

import pytest

from sparse_coverage.patents.hyphens import join_broken_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a semi-\nconductor and a semi\u00adconductor", "a semiconductor and a semiconductor"),
        ("well-known, so well-\nknown", "well-known, so well-known"),
        ("for stimulat- ing the stimulating", "for stimulating the stimulating"),
        ("state-of-\nthe-art, two-\nthree", "state-of-the-art, two-three"),
        ("a two-\nand three-\ndimensional body", "a two-\nand three-dimensional body"),
        ("two- and three-dimensional, 1 - 2", "two- and three-dimensional, 1 - 2"),
    ],
)
def test_a_hyphen_goes_only_where_the_text_has_the_whole_word_elsewhere(text, expected):
    assert join_broken_words(text) == expected
