from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.encoding.batching import sentence_ends


def sentences(text: str) -> list[str]:
    ends = sentence_ends(text)
    return [text[a:b].strip() for a, b in zip([0, *ends], ends, strict=False) if text[a:b].strip()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pump turns. It stops.", ["The pump turns.", "It stops."]),
        ("As Fig. 2 shows, it turns. Then it stops.", ["As Fig. 2 shows, it turns.", "Then it stops."]),
        ("A seal, e.g. a ring, is used. It holds.", ["A seal, e.g. a ring, is used.", "It holds."]),
        ("A gap of 1.5 mm remains. It is small.", ["A gap of 1.5 mm remains.", "It is small."]),
        ("1. A valve comprising a spring.", ["1. A valve comprising a spring."]),
        ("See Figs. 1 and 2. The seal (12) holds!", ["See Figs. 1 and 2.", "The seal (12) holds!"]),
        ("First line\nSecond line", ["First line", "Second line"]),
        ('He said "stop." Then it stopped.', ['He said "stop."', "Then it stopped."]),
        ("At approx. 20 °C. The oil flows.", ["At approx. 20 °C.", "The oil flows."]),
        ("Is it full? Yes.", ["Is it full?", "Yes."]),
        ("J. Smith et al. Report", ["J. Smith et al. Report"]),
    ],
)
def test_sentences_of_patent_prose(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(max_size=300))
def test_ends_rise_and_reach_the_end_of_any_text(text: str) -> None:
    ends = sentence_ends(text)
    assert ends[-1] == len(text)
    assert ends == sorted(set(ends))
