"""`sparse-coverage spans`: what counts as a span in a text."""

from __future__ import annotations

import codecs
import re
import sys
from pathlib import Path

import click
from rich.console import Console

from sparse_coverage.cli.options import json_option, path_option, show
from sparse_coverage.cli.options.inputs import is_file
from sparse_coverage.cli.options.method import encoder_option, unit_option
from sparse_coverage.errors import InputError

# One word with a slash or with a suffix that begins with a letter: nobody asks for the spans of that.
_LOOKS_LIKE_A_FILE = re.compile(r"\S*[/\\]\S*|\S+\.[A-Za-z]\w{0,7}")


@click.command(no_args_is_help=True)
@click.argument("text", metavar="TEXT|FILE")
@unit_option("np")
@encoder_option(help="Whose tokens: a known name (see `models list`), a local folder or a hub id.")
@path_option("--html", dir_okay=False, help="Also write a page with the spans highlighted.")
@json_option
def command(text: str, unit: str, encoder: str, html: Path | None) -> None:
    """Show the spans of a text: the pieces that become vectors.

    TEXT can be the name of a file of plain text (UTF-8), or - for standard input. Offsets count characters, line ends
    as they are in the file; a byte order mark at its start is not counted.

    \b
    Example:
      sparse-coverage spans "A washing machine comprising a rotating drum (10)."
      sparse-coverage spans claim.txt --unit np+token --html spans.html
    """
    from sparse_coverage.encoding.batching import TextTokenizer
    from sparse_coverage.encoding.weights import model_folder
    from sparse_coverage.files import write_text
    from sparse_coverage.present.pages import render_spans, spans_text
    from sparse_coverage.spans import get_unit

    content = _content(text)
    try:
        chosen = get_unit(unit)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="--unit") from None
    starts, ends = chosen.locate(content, TextTokenizer.from_folder(model_folder(encoder))(content))
    if html:
        write_text(html, render_spans(content, starts, ends, chosen.name))
    places = zip(starts.tolist(), ends.tolist(), strict=True)
    console = Console()
    colors = console.is_terminal and not console.no_color
    show(
        [{"text": content[start:end], "start": start, "end": end} for start, end in places],
        lambda: spans_text(content, starts, ends, chosen.name, colors=colors),
        soft_wrap=not console.is_terminal,
    )


def _content(text: str) -> str:
    """Return the text itself, or what the file or standard input holds that it names."""
    if text == "-":
        content = _plain_text(sys.stdin.buffer.read(), "Standard input")
    elif is_file(text):
        try:
            content = _plain_text(Path(text).read_bytes(), text)
        except OSError as error:
            raise InputError(f"{text} cannot be read ({error.strerror}).") from None
    elif _LOOKS_LIKE_A_FILE.fullmatch(text):
        if Path(text).is_dir():
            raise InputError(f"{text} is a folder. Name one file of plain text.")
        raise InputError(f"There is no such file: {text}. If it is meant as a text, give it on standard input, with -.")
    elif any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("The text holds bytes that are not UTF-8. Put it into a file in UTF-8.")
    else:
        content = text
    if not content.strip():
        raise InputError("The text is empty. Give a text, the name of a file, or - for standard input.")
    return content


def _plain_text(data: bytes, name: str) -> str:
    """Decode a file without changing a character of it, so that offsets hold; refuse what is no plain text."""
    inside = data.removeprefix(codecs.BOM_UTF8).strip()
    if inside.startswith((b"<?xml", b"<!")) or (inside.startswith(b"<") and inside.endswith(b">")):
        raise InputError(
            f"{name} holds markup, not plain text: its tags would count as words. "
            "`sparse-coverage convert FILE` reads the text out of patents in XML; give one passage of it."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text (byte {error.start}). Convert it to UTF-8 first.") from None
