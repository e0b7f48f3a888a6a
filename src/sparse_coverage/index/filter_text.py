"""A filter as the text that `parse_filter` reads, to be sent elsewhere."""

from __future__ import annotations

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index.facts import family_names
from sparse_coverage.index.filter_kinds import Both, Dates, Document, Family, Filter, Not, Section, Term, Undated, Words

_DATES = ("published", "priority")
_LAST = 9999_99_99


def filter_text(filter_: Filter) -> str:
    """Return a text that lets the same documents through when it is read.

    >>> from sparse_coverage.index.filters import country, published
    >>> filter_text(published(before="2001") & ~country("US"))
    '(published<=2000-12-31 and not country:"US")'
    """
    if isinstance(filter_, Both):
        join = "and" if filter_.join is np.logical_and else "or"
        return f"({filter_text(filter_.left)} {join} {filter_text(filter_.right)})"
    if isinstance(filter_, Not):
        return f"not {filter_text(filter_.inner)}"
    if isinstance(filter_, Dates):
        return _dates(filter_)
    if isinstance(filter_, Undated):
        return f"{_DATES[filter_.column]}:none"
    if isinstance(filter_, Document):
        return f"document:{_quoted(filter_.id)}"
    if isinstance(filter_, Family) and set(filter_.names) == family_names(filter_.id.strip(), {}):
        return f"family:{_quoted(filter_.id)}"
    if isinstance(filter_, Words):
        wanted = filter_.wanted
        return f"{wanted.field}:{_quoted(' '.join(wanted.words) + '*' * wanted.open_end)}"
    if isinstance(filter_, Section):
        return f"section:{','.join(map(_quoted, filter_.names))}"
    if isinstance(filter_, Term) and filter_.field in ("ipc", "cpc", "country", "kind", "language"):
        return f"{filter_.field}:{_quoted(filter_.value)}"
    raise InputError(f"A filter of the kind {type(filter_).__name__} cannot be written as text.")


def _dates(dates: Dates) -> str:
    name = _DATES[dates.column]
    bounds = []
    if dates.first > 1:
        bounds.append(f"{name}>={_day(_up(dates.first))}")
    if dates.last < _LAST:
        bounds.append(f"{name}<={_day(_down(dates.last))}")
    return f"({' and '.join(bounds)})" if len(bounds) == 2 else bounds[0] if bounds else f"not {name}:none"


def _up(day: int) -> int:
    """Return the first number from `day` on that is a day of a month of up to 31."""
    year, month, date = day // 10_000, day // 100 % 100, day % 100
    if date > 31:
        month, date = month + 1, 1
    if month > 12:
        year, month, date = year + 1, 1, 1
    if month == 0:
        month, date = 1, 1
    return year * 10_000 + month * 100 + max(date, 1)


def _down(day: int) -> int:
    """Return the last number up to `day` that is a day of a month of up to 31."""
    year, month, date = day // 10_000, day // 100 % 100, min(day % 100, 31)
    if date == 0:
        month, date = month - 1, 31
    if month <= 0:
        year, month, date = year - 1, 12, 31
    if month > 12:
        month, date = 12, 31
    return year * 10_000 + month * 100 + date


def _day(day: int) -> str:
    return f"{day // 10_000:04d}-{day // 100 % 100:02d}-{day % 100:02d}"


def _quoted(value: str) -> str:
    if '"' in value:
        raise InputError(f"A filter on {value} cannot be written as text: it holds a quotation mark.")
    return f'"{value}"'
