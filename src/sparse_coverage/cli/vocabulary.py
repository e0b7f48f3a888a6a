"""`sparse-coverage vocabulary`: look at the centers, check them, compare and analyse vocabularies."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table

from sparse_coverage.cli.options import count_option, json_option, path_option, show, threads_option
from sparse_coverage.cli.vocabulary_centers import frequencies_of, numbers_table, show_centers
from sparse_coverage.errors import InputError


@click.group(no_args_is_help=True)
def command() -> None:
    """Look at the centers of a vocabulary, check them, compare and analyse vocabularies.

    A MODEL is a folder made with `fit`, or the name of a published one on the model hub (owner/name).

    \b
    Example:
      sparse-coverage vocabulary show my-model --find valve
      sparse-coverage vocabulary verify my-model --work my-work
    """


@command.command()
@click.argument("model")
@path_option("--work", help="The work folder of the fit: the sample the centers were chosen from.")
@json_option
@click.pass_context
def verify(context: click.Context, model: str, work: Path | None, as_json: bool) -> None:
    """Check a vocabulary independently: its files and, with --work, every choice and every radius.

    With the sample at hand, each step of the traversal and each cell is recomputed with plain NumPy for all spans. That
    costs about as much as the plain algorithm saved: minutes for a million spans and 10,000 centers. The exit status is 1
    when something does not hold.

    \b
    Example:
      sparse-coverage vocabulary verify my-model
      sparse-coverage vocabulary verify my-model --work my-work
    """
    from sparse_coverage.vocabulary import SpanSample, load_vocabulary
    from sparse_coverage.vocabulary.verify import Finding
    from sparse_coverage.vocabulary.verify import verify as run

    vocabulary = load_vocabulary(model)
    findings = [Finding("every file has its checksum", True)]
    findings += run(vocabulary, None if work is None else SpanSample(work))
    told = []
    for finding in findings:
        mark = "[green]holds[/green]" if finding.holds else "[red]FAILS[/red]"
        told.append(f"{mark}  {finding.what}{'' if finding.holds else f' ({escape(finding.details)})'}")
    if work is None:
        told.append("Not checked: the choices and the radii. They need the sample: --work")
    show(findings, as_json, lambda: "\n".join(told))
    context.exit(0 if all(finding.holds for finding in findings) else 1)


@command.command()
@click.argument("first")
@click.argument("second")
@threads_option
@json_option
def compare(first: str, second: str, threads: int | None, as_json: bool) -> None:
    """Put two vocabularies side by side: how they were made, what they share, how well each covers the other.

    \b
    Example:
      sparse-coverage vocabulary compare my-model other-model
    """
    from sparse_coverage.vocabulary import load_vocabulary
    from sparse_coverage.vocabulary.compare import compare as run

    both = load_vocabulary(first, mmap=True), load_vocabulary(second, mmap=True)
    found = run(*both, threads=threads)
    table = Table("", escape(first), escape(second))
    for name, (mine, other) in found.differences.items():
        table.add_row(name, escape(str(mine)), escape(str(other)))
    table.add_row("median radius", *(f"{radius:.4f}" for radius in found.median_radii))
    if found.covered and found.distance:
        table.add_row("centers that the other covers", *(f"{share:.1%}" for share in found.covered))
        table.add_row("median distance to the other", *(f"{distance:.4f}" for distance in found.distance))
    told: list[RenderableType] = [table]
    told.append(f"Centers in common: {found.shared:,}. Equal from the start, in order: {found.agreeing:,}.")
    if not found.covered:
        told.append("Their vectors come from different encoders: no distance between them means anything.")
    show(found, as_json, lambda: Group(*told))


@command.command()
@click.argument("models", nargs=-1, required=True)
@path_option("--work", "works", multiple=True, required=True, help="The work folder of each model's fit.")
@count_option("--spans", default=20_000, help="How many spans to measure on.")
@path_option(
    "--index",
    "indexes",
    multiple=True,
    help="An index of each model: then its posting lists are measured, as in the paper, and its size alone.",
)
@path_option("--plot", help="Draw the three panels into this .png, .svg or .pdf file.")
@threads_option
@json_option
def analyse(
    models: tuple[str, ...],
    works: tuple[Path, ...],
    spans: int,
    indexes: tuple[Path, ...],
    plot: Path | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Measure how vocabularies behave, for each fitted size: compactness, sparsity, balance.

    On spans of the sample: median radius; centers that cover a span before the top-K cap, divided by V; longest posting list
    divided by the mean one (of the spans' documents, or of the index named with --index). Sizes come from `fit --sizes`.

    \b
    Example:
      sparse-coverage vocabulary analyse my-model --work my-work --plot panels.svg
      sparse-coverage vocabulary analyse tokens phrases --work w-tokens --work w-phrases
    """
    from sparse_coverage.vectors.analysis import analyse as run
    from sparse_coverage.vectors.analysis import plot_behaviour
    from sparse_coverage.vocabulary import SpanSample, load_vocabulary

    if len(models) != len(works):
        raise InputError(
            f"{len(models)} models need as many --work folders, in the same order; there are {len(works)}."
        )
    if indexes and len(indexes) != len(models):
        raise InputError(f"{len(models)} models need as many --index folders, or none; there are {len(indexes)}.")
    found = []
    for model, work, index in zip(models, works, indexes or [None] * len(models), strict=True):
        vocabulary = load_vocabulary(model, mmap=True)
        lists = None if index is None else frequencies_of(index, len(vocabulary))
        found += run(vocabulary, SpanSample(work), spans=spans, lists=lists, threads=threads)
    if plot is not None:
        plot_behaviour(found, plot)
    numbers = ("V", "spans", "median radius", "covering", "covering / V", "skew", "uncovered")
    table = numbers_table(("encoder", "unit", "selection"), numbers)
    for b in found:
        table.add_row(
            escape(b.encoder),
            escape(b.unit),
            b.selection,
            f"{b.size:,}",
            f"{b.spans:,}",
            f"{b.median_radius:.4f}",
            f"{b.covering:.2f}",
            f"{b.activation_rate:.6f}",
            f"{b.skew:.1f}",
            f"{b.uncovered:.2%}",
        )
    drawn = [] if plot is None else [f"Drawn in [bold]{escape(str(plot))}[/bold]"]
    show(found, as_json, lambda: Group(table, *drawn))


@command.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("repository")
@click.option("--private", is_flag=True, help="Only for you and those you name.")
def publish(model: Path, repository: str, private: bool) -> None:
    """Upload a model folder to the model hub as REPOSITORY (owner/name). Log in with the hub's own client first.

    \b
    Example:
      sparse-coverage vocabulary publish my-model my-name/patents-minilm-10k
    """
    from sparse_coverage.vocabulary import publish as run

    Console().print(f"Published: [bold]{run(model, repository, private=private)}[/bold]", highlight=False)


command.add_command(show_centers)
