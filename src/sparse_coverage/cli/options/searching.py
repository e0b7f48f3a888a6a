"""Options of a search: what may be found at all, how much is shown, what ranks, and how centers score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sparse_coverage.cli.options import F, NamesIn, count_option, gathered, together
from sparse_coverage.systems import RERANKERS

_SCORING = {
    "alpha": "Exponent of idf",
    "gamma": "Exponent of the length normalisation",
    "rho": "Share of the most frequent centers to leave out",
}

_FILTER: dict[str, Any] = {
    "metavar": "EXPRESSION", "help": "Which documents may be found: an expression, see `search --help`."
}  # fmt: skip
filter_option = click.option("--filter", "expression", **_FILTER)


def _listed(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the publication numbers of files, or of lists as they were typed."""
    if not given:
        return ()
    from sparse_coverage.patents.numbers import numbers_in, read_numbers
    from sparse_coverage.patents.queries import looks_like_file

    found: list[str] = []
    for one in given:
        name = one.removeprefix("@")
        path = Path(name)
        is_file = one.startswith("@") or looks_like_file(one) or path.is_file()
        if is_file and not path.is_file():
            raise click.BadParameter(
                f"there is no such file: {name}. Name one with a list of publication numbers, or type the numbers."
            )
        listed = read_numbers(path) if is_file else numbers_in(one)
        found += [*listed.numbers, *listed.others]
    return tuple(dict.fromkeys(found))


filter_options = gathered(
    "filters",
    "workspace:Filters",
    click.option("--before", metavar="DATE", help="Only what was published before DATE (2001-05-17, 2001-05, 2001)."),
    click.option(
        "--undated",
        type=click.Choice(["keep", "drop"]),
        default="drop",
        help="Documents without the date that a filter asks for: let them through, or leave them out and say so.",
        show_default=True,
    ),
    click.option(
        "--not-family-of", metavar="ID", multiple=True, help="Leave out the document ID and its family. Repeatable."
    ),
    click.option(
        "--only",
        metavar="FILE|LIST",
        multiple=True,
        callback=_listed,
        help="Only documents of this list of publication numbers: a file (text, CSV, Excel), or numbers with commas.",
    ),
    click.option(
        "--must",
        metavar="WORDS",
        multiple=True,
        help='Only documents with this word or "phrase". Repeatable: with all.',
    ),
    click.option(
        "--any", "any_", metavar="WORDS,…", multiple=True, help="Only documents with one of these words or phrases."
    ),
    click.option(
        "--not", "not_", metavar="WORDS", multiple=True, help="Only documents without this word or phrase. Repeatable."
    ),
    click.option("--filter", **_FILTER),
)
k_option = count_option("-k", default=10, help="How many documents to show.")
group_option = click.option(
    "--no-group",
    "group",
    flag_value=False,
    default=True,
    show_default=False,
    help="A row for each document, not one for each family (A1 and B1 of one application are one, too).",
)
at_least_option = click.option(
    "--at-least",
    type=click.Choice(["close", "related"]),
    help="Leave out documents that are less close to QUERY than this, in absolute terms (measured for minilm and gte-small).",
)
passages_option = count_option("--passages", default=3, help="How many passages of each.")


def scoring_option(name: str, default: float | None = None) -> Callable[[F], F]:
    """Return the option for one setting of the score; without a default, the model's own holds."""
    help_ = f"{_SCORING[name]}." if default is not None else f"{_SCORING[name]} [that of the model]."
    return click.option(f"--{name}", type=float, default=default, help=help_)


weighting_options = together(*map(scoring_option, _SCORING))
documents_by_option = click.option(
    "--documents-by",
    "rank",
    metavar="RULE",
    help="How passages make a document's score: best, top-mean:3 or decayed-sum:0.5 [as the model says].",
)
ranking_option = click.option(
    "--ranking",
    type=NamesIn("systems:RANKINGS", what="ranking", open=True),
    default="combined",
    help="What ranks: combined (centers, words and the meaning of whole passages added up, as far as the index keeps them), one of "
    "them alone, or a side of the index.",
    show_default=True,
)
rerank_options = together(
    click.option(
        "--rerank",
        type=NamesIn("cli.options.searching:RERANK", what="reranker", open=True),
        help="Rank the best documents again: by a side of the index, or by a model that reads claim and passage together "
        "(cross-encoder:NAME, an ONNX folder or hub id). With `passages`, list the best of all their passages instead (the paper's "
        "two stages).",
    ),
    count_option("--top", default=100, help="How many documents --rerank takes."),
)
RERANK = (*RERANKERS, "passages")
"""What --rerank takes: what ranks documents again, or that passages are listed instead."""
