"""`sparse-coverage vocabulary`: look at the centers of a vocabulary, check them, and measure how they behave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from sparse_coverage.cli.options import count_option, json_option, path_option, show
from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError, MismatchError, require_package
from sparse_coverage.files import require_place

if TYPE_CHECKING:
    from sparse_coverage.vocabulary import Vocabulary


@click.group(no_args_is_help=True)
def command() -> None:
    """Look at the centers of a vocabulary, check them, and measure how vocabularies behave.

    A MODEL is a folder made with `fit`, or the name of a published one on the model hub (owner/name).

    \b
    Example:
      sparse-coverage vocabulary show my-model --find valve
      sparse-coverage vocabulary show my-model --verify --work my-work
    """


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
@json_option
def analyse(
    models: tuple[str, ...],
    works: tuple[Path, ...],
    spans: int,
    indexes: tuple[Path, ...],
    plot: Path | None,
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
    if plot is not None:
        require_package("matplotlib", "Plotting", "plot")
        require_place(plot)
    found = []
    for model, work, index in zip(models, works, indexes or [None] * len(models), strict=True):
        vocabulary = load_vocabulary(model, mmap=True)
        lists = None if index is None else frequencies_of(index, len(vocabulary))
        found += run(vocabulary, SpanSample(work), spans=spans, lists=lists)
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
    show(found, lambda: Group(table, *drawn))


@command.command("show")
@click.argument("model")
@count_option("-n", "--number", default=20, help="How many centers to show.")
@count_option("--from", "first", default=0, least=0, help="The first center to show.")
@click.option("--find", help="Show only centers whose anchor text contains this.")
@click.option("--sort", type=click.Choice(["chosen", "radius", "spans", "df"]), default="chosen")
@count_option("--neighbours", default=3, least=0, help="Nearest other centers to show.")
@path_option("--index", help="An index built with this model, for document frequencies.")
@click.option("--verify", is_flag=True, help="Check it instead: every choice and radius where --work is given.")
@path_option("--work", help="The work folder of the fit, for --verify: the sample the centers were chosen from.")
@json_option
def show_centers(model: str, verify: bool, work: Path | None, **wanted: Any) -> int:
    """Show how a vocabulary was made and its centers: anchor text, where it stands, radius, spans in the cell, df, neighbours.

    For every fitted size: the median radius, the share of the sampled spans within their nearest center's radius, and their
    mean distance to it (the quantisation error).

    With --verify its files are checked and, with --work, each step of the selection and each cell is recomputed with plain
    NumPy for all spans: minutes for a million spans and 10,000 centers. The exit status is 1 when something does not hold.

    \b
    Example:
      sparse-coverage vocabulary show my-model --sort spans -n 10
      sparse-coverage vocabulary show my-model --find spring --index my-index
      sparse-coverage vocabulary show my-model --verify --work my-work
    """
    if verify:
        return _verify(model, work)
    _show(model, **wanted)
    return 0


def _verify(model: str, work: Path | None) -> int:
    """Check a vocabulary independently of how it was made; return the exit status."""
    from sparse_coverage.vocabulary import SpanSample, load_vocabulary
    from sparse_coverage.vocabulary.verify import Check
    from sparse_coverage.vocabulary.verify import verify as run

    vocabulary = load_vocabulary(model)
    checks = [Check("every file has its checksum", True), *run(vocabulary, SpanSample(work) if work else None)]
    told = [
        f"[green]holds[/green]  {one.what}" if one.holds else f"[red]FAILS[/red]  {one.what} ({escape(one.details)})"
        for one in checks
    ]
    if work is None:
        told.append("Not checked: the choices and the radii. They need the sample: --work")
    show(checks, "\n".join(told))
    return 0 if all(one.holds for one in checks) else 1


def _show(
    model: str, number: int, first: int, find: str | None, sort: str, neighbours: int, index: Path | None
) -> None:
    from sparse_coverage.vocabulary import load_vocabulary

    vocabulary = load_vocabulary(model, mmap=True)
    size = len(vocabulary)
    spans = vocabulary.levels[size].counts if size in vocabulary.levels else None
    frequencies = None if index is None else frequencies_of(index, size)
    keys: dict[str, Any] = {"radius": vocabulary.radii, "spans": spans, "df": frequencies}
    if sort != "chosen" and keys[sort] is None:
        raise InputError(
            "--sort df needs --index." if sort == "df" else "This vocabulary does not know its cells' sizes."
        )
    order = np.arange(size) if sort == "chosen" else np.argsort(-keys[sort], kind="stable")
    wanted = [int(c) for c in order if find is None or find.casefold() in vocabulary.anchors[c].text.casefold()]
    shown = wanted[first : first + number]
    near = _neighbours(vocabulary.centers, shown, neighbours)
    records = []
    for center, others in zip(shown, near, strict=True):
        anchor = vocabulary.anchors[center]
        about: dict[str, Any] = {"center": center, **record(anchor), "radius": float(vocabulary.radii[center])}
        if spans is not None:
            about["spans"] = int(spans[center])
        if frequencies is not None:
            about["df"] = int(frequencies[center])
        about["neighbours"] = [
            {"center": c, "text": vocabulary.anchors[c].text, "similarity": similarity} for c, similarity in others
        ]
        records.append(about)
    facts = {"size": size, "config": vocabulary.config, "sizes": _sizes(vocabulary), "found": len(wanted)}
    title = f"{len(wanted):,} of {size:,} centers, {len(shown)} shown"
    table = _centers(title, records) if wanted else f"No anchor contains '{escape(find or '')}'."
    making = _making(vocabulary) if find is None else []
    show({**facts, "centers": records}, lambda: Group(*making, table))


def numbers_table(names: Sequence[str], numbers: Sequence[str], **settings: Any) -> Table:
    """Return an empty table of columns with names and columns with numbers."""
    table = Table(*names, **settings)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _centers(title: str, records: list[dict[str, Any]]) -> Table:
    counts = [name for name in ("spans", "df") if any(name in about for about in records)]
    table = Table(title=title, title_justify="left")
    for name in ("center", "anchor", "radius", *counts, "nearest centers", "document"):
        table.add_column(name, justify="right" if name in ("center", "radius", *counts) else "left")
    for about in records:
        cells = [str(about["center"]), escape(about["text"]), f"{about['radius']:.4f}"]
        cells += [f"{about[name]:,}" for name in counts]
        near = ", ".join(f"{escape(o['text'])} {o['similarity']:.2f}" for o in about["neighbours"])
        table.add_row(*cells, near, escape(about["document"]))
    return table


def _sizes(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Return what is known of each fitted size."""
    return [
        {
            "size": size,
            "median_radius": float(np.median(cells.radii)),
            "covered": cells.covered,
            "error": cells.error,
            "farthest": cells.farthest,
            "largest_cell": int(cells.counts.max()),
        }
        for size, cells in sorted(vocabulary.levels.items())
    ]


def _making(vocabulary: Vocabulary) -> list[RenderableType]:
    config = vocabulary.config
    told = (
        f"[bold]{config.size:,}[/bold] centers, chosen by {escape(config.selection)} (seed {config.seed}) from {config.spans:,} "
        f"spans of {config.documents:,} documents\nencoder {escape(config.encoder)} ({config.precision}, {config.dimension} "
        f"dimensions), unit {escape(config.unit)}, tau {config.tau:g}"
        + (f"\nlearned from documents {escape(config.only)}" if config.only else "")
    )
    table = numbers_table((), ("V", "median radius", "spans covered", "mean distance", "farthest", "largest cell"))
    for facts in _sizes(vocabulary):
        table.add_row(
            f"{facts['size']:,}",
            f"{facts['median_radius']:.4f}",
            f"{facts['covered']:.2%}",
            f"{facts['error']:.4f}",
            f"{facts['farthest']:.4f}",
            f"{facts['largest_cell']:,}",
        )
    return [told, table] if vocabulary.levels else [told]


def frequencies_of(index: Path, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the document frequencies of an index that belongs to a vocabulary of that size."""
    from sparse_coverage.index import open_store

    frequencies = open_store(index).frequencies
    if len(frequencies) != size:
        raise MismatchError(
            f"The index has {len(frequencies):,} centers, the model {size:,}: they do not belong together."
        )
    return frequencies


def _neighbours(
    centers: np.ndarray[Any, np.dtype[np.float32]], shown: list[int], count: int
) -> list[list[tuple[int, float]]]:
    """Return the centers nearest to each of some centers, with their similarities."""
    near = []
    for center in shown:
        similarities = centers @ centers[center]
        similarities[center] = -np.inf
        order = np.argsort(-similarities, kind="stable")[: min(count, len(centers) - 1)]
        near.append([(int(other), float(similarities[other])) for other in order])
    return near
