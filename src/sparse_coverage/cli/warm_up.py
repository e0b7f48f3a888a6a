"""`sparse-coverage warm-up`: what the first commands after an installation would wait for, done now."""

from __future__ import annotations

import click

from sparse_coverage.cli.options import json_option, method
from sparse_coverage.present.records import to_json


@click.command()
@method.encoder_option("minilm", "The encoder to fetch and prepare.")
@click.option("--no-encoder", is_flag=True, help="Compile only; fetch and prepare no encoder.")
@click.option("--background", is_flag=True, hidden=True)
@json_option
def command(encoder: str, no_encoder: bool, background: bool, as_json: bool) -> int:
    """Compile the search and fetch the encoder now.

    Nothing has to wait for this: after an installation searches run without compiled code, while another process compiles it.
    In a container image or a read-only installation nothing could be kept, so run this when the image is made, as the
    user who may write there.

    \b
    Example:
      RUN pip install sparse-coverage && sparse-coverage warm-up
    """
    from sparse_coverage.search.warming import warm_up, warm_up_in_background

    if background:
        warm_up_in_background()
        return 0
    kept = warm_up()
    if not no_encoder:
        from sparse_coverage import load_encoder

        load_encoder(encoder)
    told = "Compiled." if kept else "Compiled, but the code cannot be kept here: every process compiles for itself."
    about = {"compiled": True, "kept": kept, "encoder": None if no_encoder else encoder}
    click.echo(to_json(about) if as_json else told + ("" if no_encoder else f" The encoder {encoder} is ready."))
    return 0 if kept else 1
