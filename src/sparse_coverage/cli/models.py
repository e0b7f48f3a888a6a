"""`sparse-coverage models` and `warm-up`: the store of encoders, and what the first commands after an installation would wait for."""

from __future__ import annotations

import click
from rich.markup import escape

from sparse_coverage.cli.options import echo, json_option, research, show

_FACTS = ("name", "hub", "kind", "dimension", "licence", "languages", "megabytes", "speed", "measured")


@click.command()
@click.argument("name", required=False)
@json_option
def models_command(name: str | None) -> None:
    """List the encoders that have a name here, or fetch the encoder NAME and say where it lies.

    The list says size, licence, languages, speed, what was measured, and which are in the cache. NAME is one of them, or an id on
    the model hub (owner/name). What is fetched is verified and kept in the cache; SPARSE_COVERAGE_CACHE moves it.
    """
    if name is None:
        _list()
        return
    from sparse_coverage.encoding.catalogue import CATALOGUE
    from sparse_coverage.encoding.fetching import model_folder

    folder = model_folder(name)
    if name in CATALOGUE and CATALOGUE[name].adapter:
        model_folder(CATALOGUE[name].adapter)
    echo({"name": name, "path": str(folder)}, f"{name} is in {folder}")


def _list() -> None:
    from sparse_coverage.encoding.catalogue import CATALOGUE
    from sparse_coverage.encoding.weights import cached_folder

    rows, told = [], []
    for model in CATALOGUE.values():
        cached = cached_folder(model.name) is not None
        facts = {field: getattr(model, field) for field in _FACTS}
        rows.append({**facts, "cached": cached, "about": model.about})
        # Not a table: ids are there to be copied, and a narrow terminal would cut its columns.
        told.append(
            f"[bold]{model.name}[/bold]  {model.hub or model.package}  {model.dimension:,} dimensions{', in the cache' * cached}"
        )
        known = [model.kind, f"languages: {model.languages}" * bool(model.languages), model.licence]
        known += [f"{model.megabytes} MB" * bool(model.megabytes)]
        known += [f"{model.speed:g} times as fast as minilm" if model.speed not in (None, 1.0) else ""]
        told.append(f"    {escape(model.about)}")
        told.append(f"    {escape('; '.join(filter(None, known)))}")
        told += [f"    measured: {escape(model.measured)}"] if model.measured else []
    show(rows, "\n".join(told), soft_wrap=True)


@click.command()
@research.encoder_option("minilm", "The encoder to fetch and prepare.")
@click.option("--no-encoder", is_flag=True, help="Compile only; fetch and prepare no encoder.")
@click.option("--background", is_flag=True, hidden=True)
@json_option
def warm_up_command(encoder: str, no_encoder: bool, background: bool) -> int:
    """Compile the search and fetch the encoder now.

    Nothing has to wait for this: after an installation searches run without compiled code, while another process compiles it.
    In a container image or a read-only installation nothing could be kept, so run this when the image is made, as the
    user who may write there.

    \b
    Example:
      RUN pip install ./sparse-coverage && sparse-coverage warm-up
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
    echo(about, told + ("" if no_encoder else f" The encoder {encoder} is ready."))
    return 0 if kept else 1
