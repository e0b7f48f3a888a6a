"""`sparse-coverage spans`: what counts as a span in a text."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from sparse_coverage.cli.options import json_option, read_query


@click.command(no_args_is_help=True)
@click.argument("text", metavar="TEXT|FILE")
@click.option(
    "--unit",
    default="np",
    show_default=True,
    help="token, np or np+token; np[spacy] and np+token[spacy] take the noun phrases from spaCy.",
)
@click.option(
    "--encoder", default="minilm", show_default=True, help="Whose tokens: a known name, a local folder or a hub id."
)
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Also write a page with the spans highlighted."
)
@json_option
def command(text: str, unit: str, encoder: str, html: Path | None, as_json: bool) -> None:
    """Show the spans of a text: the pieces that become vectors. TEXT can be the name of a file, or - for standard input.

    \b
    Example:
      sparse-coverage spans "A washing machine comprising a rotating drum (10)."
      sparse-coverage spans claim.txt --unit np+token --html spans.html
    """
    from sparse_coverage.encoding.store import model_folder
    from sparse_coverage.encoding.tokenizer import TextTokenizer
    from sparse_coverage.files import write_text
    from sparse_coverage.spans import get_unit
    from sparse_coverage.spans.show import print_spans, spans_page

    content = read_query(f"@{text}" if _is_file(text) else text)
    chosen = get_unit(unit)
    starts, ends = chosen.locate(content, TextTokenizer.from_folder(model_folder(encoder))(content))
    if html:
        write_text(html, spans_page(content, starts, ends, chosen.name))
    if as_json:
        spans = [
            {"text": content[a:b], "start": a, "end": b} for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        click.echo(json.dumps(spans))
    else:
        print_spans(Console(), content, starts, ends, chosen.name)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or not one
        return False
