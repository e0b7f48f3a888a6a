"""`sparse-coverage info`: what an index holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import index_argument, json_option, show

if TYPE_CHECKING:
    from rich.console import Group

    from sparse_coverage.search.stored import IndexSummary

_MOST = 10


@click.command(no_args_is_help=True)
@index_argument
@json_option
def command(index: Path) -> None:
    """Say what INDEX holds: documents, dates, countries, languages, classes, sections, the model, sizes on disk.

    \b
    Example:
      sparse-coverage info my-index
      sparse-coverage info my-index --json | jq .fields.country
    """
    from sparse_coverage.workspace import OpenIndex

    with OpenIndex.open(index, None) as opened:
        found = opened.info()
    show(found.record(), lambda: _text(index, found.summary, found.model))


def _text(index: Path, held: IndexSummary, model: Mapping[str, Any]) -> Group:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False)
    table.add_column(style="dim")
    table.add_column()
    dates = f"{held.first_date} to {held.last_date}" if held.first_date else "none"
    undated = f"; {held.undated:,} without a date, which no filter on dates finds" if held.undated else ""
    vocabulary = model.get("vocabulary", {})
    rows = [
        (
            "documents",
            f"{held.documents:,}"
            + (f"; {held.encoded:,} encoded so far" if held.encoded < held.documents else "")
            + (f"; {held.deleted:,} deleted ones wait for a merge" if held.deleted else ""),
        ),
        ("passages", f"{held.passages:,}, by {held.by}"),
        ("published", dates + undated),
        *((_PLURALS[name], _counts(values, held.documents)) for name, values in held.fields.items()),
        ("classes", _counts(held.classes)),
        ("sections", _counts(held.sections)),
        ("years", _counts(held.years if len(held.years) <= _MOST else _decades(held.years))),
    ]
    if vocabulary:
        learned = f", learned from documents {vocabulary['only']}" if vocabulary.get("only") else ""
        rows.append(
            ("model", f"{vocabulary['encoder']}, {vocabulary['unit']}, {vocabulary['size']:,} centers{learned}")
        )
    sizes = [f"{name} {size / 2**20:,.1f} MB" for name, size in held.sizes.items()]
    rows.append(("on disk", ", ".join([*sizes, f"{held.segments} segment{'s' * (held.segments != 1)}"])))
    for name, value in rows:
        table.add_row(name, Text(value))
    return Group(Text(str(index), style="bold"), table)


_PLURALS = {"country": "countries", "kind": "kinds", "language": "languages"}


def _decades(years: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for year, count in years.items():
        decade = f"{year[:3]}0s"
        found[decade] = found.get(decade, 0) + count
    return found


def _counts(values: Mapping[str, int], documents: int = 0) -> str:
    """Return the most frequent values with their counts; of so many documents, how many have none."""
    told = [f"{name} {count:,}" for name, count in list(values.items())[:_MOST]]
    if (unknown := documents - sum(values.values())) > 0:
        told.append(f"unknown {unknown:,}")
    return ", ".join(told) + (f", and {len(values) - _MOST} more" if len(values) > _MOST else "") or "none"
