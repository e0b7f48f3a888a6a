"""`sparse-coverage explain`, `show` and `info`: why a passage was found, a document of an index in full, and what the index holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, tell
from sparse_coverage.cli.options.inputs import claims_option, query_argument, read_query
from sparse_coverage.cli.options.searching import filter_options, ranking_option
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from rich.console import Group

    from sparse_coverage.search.stored import IndexSummary
    from sparse_coverage.workspace import Filters

_MOST = 10
"""How many values of a field `info` lists."""


@click.command(no_args_is_help=True)
@index_argument
@query_argument
@click.argument("id_", metavar="ID")
@claims_option
@count_option("-n", "--matches", default=20, help="How many matches to show.")
@click.option(
    "--whole", is_flag=True, help="Set the whole document against QUERY: the strongest of each span, and what it lacks."
)
@ranking_option
@filter_options
@json_option
def explain_command(
    index: Path,
    query: str,
    id_: str,
    claims: str | None,
    matches: int,
    whole: bool,
    ranking: str,
    filters: Filters,
) -> None:
    """Show why QUERY found ID, a passage or a document (its best passage): what adds up to its score.

    That are phrases with a shared meaning, shared words with how rare they are, and how like the passage is as a whole. Give the
    filters and the ranking of the search that found it: scores depend on them.

    \b
    Example:
      sparse-coverage explain my-index @claim.txt EP-1234567-A1
      sparse-coverage explain my-index @claim.txt "EP-1234567-A1/description/p[16]"
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --whole
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --ranking centers
    """
    from sparse_coverage.present.terminal import answers_text, explanation_text
    from sparse_coverage.workspace import ExplainRequest, OpenIndex

    text = read_query(query, claims=claims).text
    with OpenIndex.open(index, ranking) as opened:
        if whole:
            answers = opened.answers(text, id_)
            show(answers, lambda: answers_text(answers, matches))
            return
        found = opened.explain(ExplainRequest(query=text, id=id_, ranking=ranking, filters=filters))
    tell(found.notes)
    why = found.explanation
    show(why, lambda: explanation_text(why, matches))


@click.command(no_args_is_help=True)
@index_argument
@click.argument("id_", metavar="ID")
@click.option("--claim", metavar="TEXT|@FILE", help="Mark the passages that this claim finds in the document.")
@claims_option
@count_option("-n", "--matches", default=10, help="How many passages to mark.")
@json_option
def show_command(
    index: Path,
    id_: str,
    claim: str | None,
    claims: str | None,
    matches: int,
) -> None:
    """Print the document ID of INDEX in full: title, facts, abstract, description with its printed numbers, claims.

    With --claim, the strongest passages are marked with their rank and score, and the phrases that match in them.

    \b
    Example:
      sparse-coverage show my-index EP-1234567-A1
      sparse-coverage show my-index EP-1234567-A1 --claim @claim.txt | less -R
      sparse-coverage show my-index EP-1234567-A1 --json
    """
    from sparse_coverage.present.terminal import document_text
    from sparse_coverage.workspace import OpenIndex, ReadRequest

    if claims and not claim:
        raise InputError("--claims chooses claims of --claim. Give that, too.")
    text = read_query(claim, "claim", claims).text if claim else None
    with OpenIndex.open(index, "combined" if text else None) as opened:
        found = opened.read(ReadRequest(id=id_, claim=text, matches=matches))
        show(found.record(), lambda: document_text(found))


@click.command(no_args_is_help=True)
@index_argument
@json_option
def info_command(index: Path) -> None:
    """Say what INDEX holds: documents, dates, countries, languages, classes, sections, the model, sizes on disk.

    \b
    Example:
      sparse-coverage info my-index
      sparse-coverage info my-index --json | jq .fields.country
    """
    from sparse_coverage.workspace import OpenIndex

    with OpenIndex.open(index, None) as opened:
        found = opened.info()
    show(found.record(), lambda: _info_text(index, found.summary, found.model))


def _info_text(index: Path, held: IndexSummary, model: Mapping[str, Any]) -> Group:
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
        *((_PLURALS.get(name, name), _counts(values, held.documents)) for name, values in held.fields.items()),
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
