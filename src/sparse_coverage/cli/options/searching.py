"""Options of a search: how much is shown, what ranks, and how it scores. (What may be found: `filtering`.)"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import F, NamesIn, count_option, together

if TYPE_CHECKING:
    from sparse_coverage.cli.options.filtering import FilterOptions
    from sparse_coverage.present.findings import About
    from sparse_coverage.search import Retriever

_SCORING = {
    "alpha": "Exponent of idf",
    "gamma": "Exponent of the length normalisation",
    "rho": "Share of the most frequent centers to leave out",
}

k_option = count_option("-k", default=10, help="How many documents to show.")
group_option = click.option(
    "--no-group",
    "group",
    flag_value=False,
    default=True,
    help="A row for each document, not one for each family (A1 and B1 of one application are one, too).",
)
passages_option = count_option("--passages", default=3, help="How many passages of each.")


def scoring_option(name: str, default: float | None = None) -> Callable[[F], F]:
    """Return the option for one setting of the score; without a default, the model's own holds."""
    help_ = f"{_SCORING[name]}." if default is not None else f"{_SCORING[name]} [that of the model]."
    return click.option(f"--{name}", type=float, default=default, help=help_)


weighting_options = together(*map(scoring_option, _SCORING))
scoring_options = together(
    weighting_options,
    count_option(
        "--feedback",
        least=0,
        help="How many documents found first lend the query their centers; 0: search once [that of the model].",
    ),
)
rank_option = click.option(
    "--rank",
    metavar="RULE",
    help="How passages make a document's score: best, top-mean:3 or decayed-sum:0.5 [as the model or system says].",
)
joining_options = together(
    click.option(
        "--system",
        type=NamesIn("systems:SYSTEMS", what="system"),
        default="coverage",
        help="What ranks: Sparse Coverage, three systems joined (hybrid), or a side of the index.",
    ),
    click.option("--hybrid", is_flag=True, help="The same as --system hybrid: Sparse Coverage, BM25 and dense."),
    click.option(
        "--fuse",
        type=NamesIn("systems:FusionRule"),
        default="rrf",
        help="How hybrid joins: by rank, or by scores (Sparse Coverage counts half).",
    ),
    click.option(
        "--fuse-level",
        "level",
        type=NamesIn("systems:FusionLevel"),
        default="document",
        help="What hybrid joins: rankings of documents or of passages.",
    ),
)
system_options = together(
    joining_options,
    click.option(
        "--rescore",
        type=NamesIn("systems:RERANKERS", what="reranker", open=True),
        help="Rank the best documents again: by a side of the index, or by how much of the claim they disclose (chart).",
    ),
    count_option("--top", default=100, help="How many documents --rescore takes."),
)


def about_search(folder: Path, retriever: Retriever, system: str, filters: FilterOptions) -> About:
    """Return how a search comes about: the index, the system, and the filters and settings that were typed or hold."""
    from datetime import datetime

    from sparse_coverage.index.manifest import read_manifest
    from sparse_coverage.present.findings import About
    from sparse_coverage.present.records import record
    from sparse_coverage.retrievers import coverage_of
    from sparse_coverage.version import __version__

    context = click.get_current_context()
    given = {
        parameter.opts[0]: record(context.params.get(parameter.name or ""))
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
    }
    names = ["-k", "--passages", "--relevant", "--not-relevant", "--rescore", "--fuse", "--fuse-level"]
    if system != "hybrid":
        names = names[:-2]
    settings = {name.lstrip("-"): given.get(name) for name in names if given.get(name) not in (None, [])}
    state, index = read_manifest(folder), coverage_of(retriever)
    if index is not None:
        settings |= record(index.statistics.config)
    config = None if index is None else index.model.vocabulary.config
    model = f"{config.encoder}, {config.unit}, V={config.size:,}" if config else "none: a side of the index ranks alone"
    now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return About(
        now, __version__, str(folder), state.documents, state.passages, model, system, settings, filters.typed()
    )
