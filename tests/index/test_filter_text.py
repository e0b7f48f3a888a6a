"""A filter written as text and read again lets the same documents through."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import Made, build

from sparse_coverage.errors import InputError
from sparse_coverage.index import filters, open_store, parse_filter, stored_fields
from sparse_coverage.index.filter_syntax import filter_text
from sparse_coverage.index.filters import Dates, Joined, Not, Section, Term, Undated, allowed_documents

DATES = st.one_of(
    st.integers(1900, 2030).map(str),
    st.tuples(st.integers(1900, 2030), st.integers(1, 12)).map(lambda d: f"{d[0]}-{d[1]:02d}"),
    st.dates().filter(lambda day: 1900 <= day.year <= 2030).map(str),
)
BOUNDS = st.dictionaries(st.sampled_from(["before", "after", "since", "until"]), DATES, min_size=1)
SIMPLE = st.one_of(
    BOUNDS.map(lambda bounds: filters.published(**bounds)),
    BOUNDS.map(lambda bounds: filters.priority(**bounds)),
    st.sampled_from(["published", "priority"]).map(filters.undated),
    st.sampled_from(["H", "H04", "H04N", "H04N 5", "H04N 5/44", "H04N5/4*", "H04N5*"]).map(filters.classified),
    st.sampled_from(["H04N", "Y02E"]).map(lambda symbol: filters.classified(symbol, scheme="cpc")),
    st.sampled_from(["EP", "wo"]).map(filters.country),
    st.sampled_from(["A", "B1"]).map(filters.kind),
    st.sampled_from(["en", "de"]).map(filters.language),
    st.sampled_from(["EP 0 049 154 A1", "EP-0049154", "cranfield-17"]).map(filters.document),
    st.sampled_from(["EP-0049154-A1", "x 1"]).map(filters.family),
    st.sampled_from(["battery", "phase change", "lead-acid", "batter*"]).map(filters.words),
    st.sampled_from(["Bosch", "Kraft Foods"]).map(lambda name: filters.words(name, field="applicant")),
    st.sampled_from([("claims",), ("claims", "abstract")]).map(lambda names: filters.section(*names)),
)
FILTERS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        inner.map(lambda one: ~one),
        st.tuples(inner, inner).map(lambda two: two[0] & two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] | two[1]),
    ),
    max_leaves=8,
)
DAYS = [
    0,
    *(
        year * 10_000 + month * 100 + day
        for year in range(1898, 2034)
        for month in range(1, 13)
        for day in (1, 2, 15, 16, 30, 31)
    ),
]


@given(FILTERS)
def test_reading_what_was_written_gives_a_filter_that_does_the_same(filter_):
    again = parse_filter(filter_text(filter_))
    ends = [
        end for part in filters.conditions_in(filter_) if isinstance(part, Dates) for end in (part.first, part.last)
    ]
    near = [
        day for end in ends for day in range(end - 2, end + 3) if 0 < day % 100 <= 31 and 0 < day // 100 % 100 <= 12
    ]
    for day in [*DAYS[::37], *near]:
        assert _lets_through(filter_, day) == _lets_through(again, day)


def _lets_through(filter_, day):
    if isinstance(filter_, Joined):
        return bool(filter_.join.reduce([_lets_through(part, day) for part in filter_.parts]))
    if isinstance(filter_, Not):
        return not _lets_through(filter_.inner, day)
    if isinstance(filter_, Dates):
        return max(filter_.first, 1) <= day <= filter_.last
    if isinstance(filter_, Undated):
        return day == 0
    if isinstance(filter_, Section) and len(filter_.names) > 1:  # it is read as one of each
        return any(_lets_through(Section((name,)), day) for name in filter_.names)
    return crc32(repr(filter_).encode()) % 2 == 0  # any other condition is met or not, by equal ones alike


def test_what_has_no_text_is_refused():
    for filter_ in (Term("id", "x"), filters.family("EP-1-A1", members=["EP-2-A1"]), filters.document('a"b')):
        with pytest.raises(InputError, match="written as text"):
            filter_text(filter_)


def test_a_field_of_terms_is_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written, typed, shown and looked up of a field all comes from its row."""
    monkeypatch.setitem(stored_fields.TERM_FIELDS, "office", stored_fields.TermField("office", "an office"))
    build(tmp_path / "index", [Made("A", (({1: 0.5}, 3),), {"office": "Munich"}), Made("B", (({1: 0.5}, 3),))])
    wanted = parse_filter("office:munich")
    assert filter_text(wanted) == 'office:"MUNICH"'
    store = open_store(tmp_path / "index")
    assert allowed_documents(store, wanted).tolist() == [True, False]
    store.close()
