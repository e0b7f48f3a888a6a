"""`sparse-coverage watch`: searches that were made, made again over what came into the index since."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import json_option, path_option, show, tell
from sparse_coverage.cli.options.exports import Exports, export_options, tell_written
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import SEARCH_EXPORTS


@click.command(no_args_is_help=True)
@click.argument("saved", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@path_option("--index", "folder", exists=True, file_okay=False, help="Where the index is [where it was].")
@export_options(SEARCH_EXPORTS)
@json_option
def command(saved: Path, folder: Path | None, exports: Exports, as_json: bool) -> int:
    """Say what is new for the searches in SAVED: what came into the index since, and would be found.

    SAVED is what `search --json` printed, as a file that ends with .json, or a project of the page. It remembers how far one has looked:
    the next watch tells only what came after this one. A document that was replaced counts as new.

    \b
    Example:
      sparse-coverage search my-index @claim.txt --filter "ipc:H01M" --json > batteries.json
      sparse-coverage index add my-index new-patents
      sparse-coverage watch batteries.json --docx new.docx
    """
    from sparse_coverage.present.terminal import hits_text
    from sparse_coverage.workspace import OpenIndex
    from sparse_coverage.workspace.watching import watched_in

    searches = watched_in(saved)
    if not searches:
        raise InputError(f"{saved}: this project has no searches to watch. Search on the page first.")
    if len(searches) > 1 and exports:
        raise InputError(f"{saved} has {len(searches)} searches; files are written of one. Use --json.")
    answers = []
    for one in searches:
        with OpenIndex.open(folder or one.index, one.request.ranking) as opened:
            found = one.again(opened)
        tell(found.notes)
        answers.append({**found.record(), "since": one.made})
        asked = found.source or found.query
        title = f"New since {one.made[:10]}: {len(found.hits)}. {asked[:70]}{'…' * (len(asked) > 70)}"
        if not as_json:
            click.echo(title)
            if found.hits:
                show(None, False, lambda found=found: hits_text(found.hits, found.explanations, "", found.parts))  # type: ignore[misc]
        written = exports.write(found)
        if found.hits:
            one.keep(found)
        tell_written("Report", written, as_json)
    if as_json:
        show({"searches": answers}, True, lambda: None)
    return 0
