"""`sparse-coverage chart`, `combine` and `calibrate`: a claim against documents, few that disclose it together, and the score of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import (
    count_option,
    echo_people,
    gathered,
    index_argument,
    json_option,
    path_option,
    show,
    tell,
)
from sparse_coverage.cli.options.inputs import claims_option, read_query
from sparse_coverage.cli.options.searching import Exports, features_option, filter_options, read_features, report_option
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import CHART_EXPORTS

if TYPE_CHECKING:
    from sparse_coverage.charts.second_reader import LanguageModel
    from sparse_coverage.workspace import ElementText, Filters, OpenIndex


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """A user's own split of the claim, and how evidence is found."""

    elements: Path | None
    calibration: Path | None
    reader: str

    def split(self) -> tuple[ElementText, ...] | None:
        """Return the elements that a user wrote down, one a line, or None."""
        return None if self.elements is None else read_features(self.elements)

    def open(self, index: Path) -> OpenIndex:
        """Open an index to make charts of it."""
        from sparse_coverage.workspace import OpenIndex

        return OpenIndex.open(index, calibration=self.calibration, reader=self.reader)


chart_options = gathered(
    "options",
    ChartOptions,
    features_option,
    click.option(
        "--reader",
        default="",
        metavar="NAME",
        help="The encoder that reads the documents [gte-small where it can be had, else that of the index].",
    ),
    path_option(
        "--calibration", exists=True, dir_okay=False, help="A calibration made by `calibrate -o` [that of the encoder]."
    ),
)


def llm_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options that name a language model."""
    named = click.option(
        "--llm-model", default="", metavar="NAME", help="With --llm: the model, as its server calls it."
    )
    address = click.option(
        "--llm",
        metavar="URL",
        help="Also ask a language model of your own, at this address (OpenAI chat protocol, such as http://127.0.0.1:8080/v1). Claim and "
        "passages are sent there. `calibrate --llm` measures how often it is right.",
    )
    return address(named(command))


def second_reader(llm: str | None, model: str) -> LanguageModel | None:
    """Return the model that was named, if one was."""
    from sparse_coverage.charts.second_reader import LanguageModel

    if llm is None and model:
        raise InputError("--llm-model names a model, but no server that has it. Give its address with --llm.")
    return None if llm is None else LanguageModel(llm, model)


@click.command(no_args_is_help=True)
@index_argument
@click.argument("claim")
@click.argument("documents", nargs=-1, metavar="[ID]...")
@claims_option
@count_option("-k", default=5, help="Without IDs: how many of the documents that a search finds.")
@filter_options
@chart_options
@llm_options
@report_option(CHART_EXPORTS)
@json_option
def chart_command(
    index: Path,
    claim: str,
    documents: tuple[str, ...],
    claims: str | None,
    k: int,
    filters: Filters,
    options: ChartOptions,
    llm: str | None,
    llm_model: str,
    exports: Exports,
) -> None:
    """Set each feature of CLAIM against documents: disclosed, partly or not found, with quotations and their places.

    CLAIM is the text of one claim or of several that are numbered, a file (its name alone or @FILE), or - for standard input. Of a
    patent, a Word or a PDF file all claims are charted; --claims chooses some. A dependent claim gives what it adds. Without any
    ID, the documents are those that a search for the claim finds.

    \b
    Example:
      sparse-coverage chart my-index @claim.txt EP-1234567-A1 EP-2345678-A1
      sparse-coverage chart my-index @claim.txt -k 10 --before 2001-05-17 --report chart.html --report chart.docx
      sparse-coverage chart my-index draft.docx --claims 1 --report chart.docx
      sparse-coverage chart my-index @claim.txt --features features.txt --report chart.xlsx
      sparse-coverage chart my-index @claim.txt --llm http://127.0.0.1:8080/v1 --llm-model NAME
    """
    from sparse_coverage.present.chart_text import chart_text
    from sparse_coverage.workspace import ChartRequest

    text = read_query(claim, "claim", claims).numbered
    request = ChartRequest(claim=text, documents=documents, k=k, elements=options.split(), filters=filters)
    second = second_reader(llm, llm_model)
    with options.open(index) as opened:
        found = opened.chart(request)
        made = opened.read_again(found.chart, second) if second else found.chart
    tell(found.notes)
    written = exports.write(made)
    show(made, lambda: chart_text(made, quotations=not written))
    echo_people(*(f"Written: {path}" for path in written))


@click.command(no_args_is_help=True)
@index_argument
@click.argument("claim")
@claims_option
@count_option("--max", "most", default=2, help="The most documents in a combination; exact up to 3, one by one beyond.")
@count_option("--top", default=200, help="How many of the documents that a search finds are looked at.")
@filter_options
@chart_options
@report_option(CHART_EXPORTS)
@json_option
def combine_command(
    index: Path,
    claim: str,
    claims: str | None,
    most: int,
    top: int,
    filters: Filters,
    options: ChartOptions,
    exports: Exports,
) -> None:
    """Find the fewest documents that together disclose every feature of CLAIM: the closest one, then what adds what it lacks.

    Combinations in which every feature is disclosed come first, then those with the stronger weakest feature, then those of
    nearer fields (IPC). Two documents of one family are never combined. Files show the documents of the combinations.

    \b
    Example:
      sparse-coverage combine my-index @claim.txt --max 2 --before 2001-05-17 --not-family-of EP-1246167-A1
    """
    from sparse_coverage.present.chart_text import combinations_text
    from sparse_coverage.workspace import CombineRequest

    text = read_query(claim, "claim", claims).numbered
    request = CombineRequest(claim=text, max=most, top=top, elements=options.split(), filters=filters)
    with options.open(index) as opened:
        found = opened.combine(request)
    tell(found.notes)
    written = exports.write(found.chart, found.combinations)
    result = {"combinations": found.combinations, "chart": found.chart}
    show(result, lambda: combinations_text(found.combinations, found.looked_at))
    echo_people(*(f"Written: {path}" for path in written))


@click.command(no_args_is_help=True)
@click.argument("collection", required=False)
@click.option("--encoder", default="minilm", metavar="NAME", help="The encoder: a name, a folder or a hub id.")
@path_option("-o", "--output", dir_okay=False, help="The file to write [where `chart` finds it by itself].")
@llm_options
@count_option("--cells", default=320, help="With --llm: how many of the demo's judged cells.")
@json_option
def calibrate_command(
    collection: str | None,
    encoder: str,
    output: Path | None,
    llm: str | None,
    llm_model: str,
    cells: int,
) -> None:
    """Calibrate claim charts for an encoder on COLLECTION, a test collection whose topics are claims.

    The documents that are relevant to a claim are taken to disclose it, the nearest others not to. The figures, which are kept with
    the calibration, are measured by scores that were fitted without the claim at hand.

    \b
    Example:
      sparse-coverage calibrate claims-to-papers.toml --encoder my-encoder
      sparse-coverage calibrate --llm http://127.0.0.1:8080/v1 --llm-model NAME

    With --llm, the language model reads judged cells of the demo collection instead; how often it agrees with them, beside the built-in
    score, is kept, and charts show it. One that is no better than the score decides nothing.
    """
    from sparse_coverage.charts.calibration import own_calibration
    from sparse_coverage.encoding import load_encoder
    from sparse_coverage.evaluation.chart_calibration import calibrate
    from sparse_coverage.evaluation.loading import load_collection

    second = second_reader(llm, llm_model)
    loaded = load_encoder(encoder)
    if second is not None:
        from sparse_coverage.evaluation.chart_calibration import measure_second_reader

        figure = measure_second_reader(second, loaded, cells)
        kept = figure.save()
        show(
            {"file": str(kept), **asdict(figure)},
            lambda: (
                f"{figure.model} agrees with {figure.agreement:.0%} of {figure.cells} judged cells, the built-in score with "
                f"{figure.built_in:.0%}: {'its verdicts count' if figure.decides else 'it decides nothing'}.\nWritten: {kept}"
            ),
        )
        return
    if collection is None:
        raise InputError("There is nothing to calibrate. Name a COLLECTION, or a language model with --llm.")
    made = calibrate(load_collection(collection), loaded)
    path = output or own_calibration(loaded)
    made.save(path)
    figures = made.figures
    show(
        {"file": str(path), "disclosed": made.disclosed, "partly": made.partly, "figures": figures},
        lambda: (
            f"Calibrated on {figures['cells']} cells; by scores fitted without the claim of a cell:\n"
            f"  agreement {figures['agreement']}, kappa {figures['kappa']}, area under the curve {figures['auc']}\n"
            f"  called disclosed: {figures['precision']:.0%} of them rightly, {figures['recall']:.0%} of what is\n"
            f"Written: {path}"
        ),
    )
