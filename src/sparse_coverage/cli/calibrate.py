"""`sparse-coverage calibrate`: the thresholds of claim charts for an encoder, from claims and documents that disclose them."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import json_option, path_option, show, threads_option


@click.command(no_args_is_help=True)
@click.argument("collection")
@click.option("--encoder", default="minilm", metavar="NAME", help="The encoder: a name, a folder or a hub id.")
@path_option("-o", "--output", dir_okay=False, help="The file to write [where `chart` finds it by itself].")
@threads_option
@json_option
def command(collection: str, encoder: str, output: Path | None, threads: int | None, as_json: bool) -> None:
    """Calibrate claim charts for an encoder on COLLECTION, a test collection whose topics are claims.

    The documents that are relevant to a claim are taken to disclose it, the nearest others not to. Every other claim chooses the
    thresholds, the rest measures them; the figures are kept with the calibration.

    \b
    Example:
      sparse-coverage calibrate claims-to-papers.toml --encoder my-encoder
    """
    from sparse_coverage.charts.calibration import own_calibration
    from sparse_coverage.encoding import load_encoder
    from sparse_coverage.evaluation.chart_calibration import calibrate
    from sparse_coverage.evaluation.find_collection import load_collection

    loaded = load_encoder(encoder, threads=threads)
    made = calibrate(load_collection(collection), loaded)
    path = output or own_calibration(loaded)
    made.save(path)
    held = made.figures["held_out"]
    result = {"file": str(path), "disclosed": made.disclosed, "partly": made.partly, "figures": made.figures}
    shares = held["shares"]
    show(
        result,
        as_json,
        lambda: (
            f"Calibrated on {made.figures['claims']} claims; on those held out:\n"
            f"  area under the curve, near others {held['auc_hard']:.4f}, random others {held['auc_random']:.4f}\n"
            f"  called disclosed: {shares['positive']['disclosed']:.1%} of what is, {shares['hard']['disclosed']:.1%} of near others\n"
            f"  disclosed or partly: {shares['positive']['disclosed or partly']:.1%} and {shares['hard']['disclosed or partly']:.1%}\n"
            f"Written: {path}"
        ),
    )
