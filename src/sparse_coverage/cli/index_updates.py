"""`sparse-coverage index add | delete | merge | refresh | verify`: an index that stays true to its collection."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.cli.options import (
    ProblemLog,
    index_argument,
    json_option,
    language_option,
    paths_argument,
    threads_option,
)
from sparse_coverage.cli.options.sides import make_sides, side_options


@click.command(no_args_is_help=True)
@index_argument
@paths_argument
@click.option("--replace", is_flag=True, help="Put new versions in the place of documents that are there already.")
@language_option
@threads_option
@json_option
def add(index: Path, paths: tuple[str, ...], replace: bool, language: str, threads: int | None, as_json: bool) -> int:
    """Add the patents in PATHS to INDEX. All become visible at once; searching goes on meanwhile.

    \b
    Example:
      sparse-coverage index add my-index week-46/
      sparse-coverage index add my-index corrected.xml --replace
    """
    from sparse_coverage import Index, read_patents
    from sparse_coverage.retrievers import refresh_sides

    log = ProblemLog()
    opened = Index.open(index, threads=threads)
    patents = log.watched(read_patents(list(paths), language=language, on_problem=log), opened.store.state.about["by"])
    count = opened.add(patents, replace=replace)
    refresh_sides(index, encoder=opened.model.encoder, threads=threads)
    done = f"{count:,} documents added. {log.about_texts}".strip()
    facts = {"added": count, "without_text": log.without_text, "problems": len(log.problems)}
    _tell(opened.store.manifest, as_json, done, **facts)
    return log.status


@click.command(no_args_is_help=True)
@index_argument
@click.argument("ids", nargs=-1, required=True)
@json_option
def delete(index: Path, ids: tuple[str, ...], as_json: bool) -> None:
    """Delete documents from INDEX by publication id, all of IDS or none. Their space is freed by `index merge`.

    \b
    Example:
      sparse-coverage index delete my-index EP-1234567-A1 EP-1234567-B1
    """
    from sparse_coverage.index import delete_documents, open_store
    from sparse_coverage.retrievers import refresh_sides

    delete_documents(index, ids)
    refresh_sides(index)  # a commit may merge small segments
    _tell(open_store(index).manifest, as_json, f"{len(ids):,} documents deleted.", deleted=len(ids))


@click.command(no_args_is_help=True)
@index_argument
@json_option
def merge(index: Path, as_json: bool) -> None:
    """Rewrite INDEX with as few segments as possible and without what was deleted. Results stay the same.

    \b
    Example:
      sparse-coverage index merge my-index
    """
    from sparse_coverage.index import merge_index, open_store
    from sparse_coverage.retrievers import refresh_sides

    merge_index(index)
    refresh_sides(index)
    _tell(open_store(index).manifest, as_json, "Merged.")


@click.command(no_args_is_help=True)
@index_argument
@side_options
@threads_option
@json_option
def refresh(
    index: Path,
    kinds: tuple[str, ...],
    hybrid: bool,
    dense_encoder: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Add sides to INDEX for other systems than Sparse Coverage, and bring those it has up to date.

    `index add`, `delete` and `merge` keep sides up to date by themselves; this is for an index that got none when it was
    built, that a program changed, or whose last command was interrupted.

    \b
    Example:
      sparse-coverage index refresh my-index --hybrid
      sparse-coverage index refresh my-index
    """
    made = make_sides(index, kinds, hybrid, dense_encoder, None, threads)
    if as_json:
        click.echo(json.dumps({"index": str(index), "sides": made}))
    elif not made:
        click.echo(f"{index} has no sides. Add some with --hybrid, or --with one of them.")
    else:
        for kind, count in made.items():
            click.echo(f"{kind}: {f'{count} segments made' if count else 'up to date'}")


@click.command(no_args_is_help=True)
@index_argument
@json_option
def verify(index: Path, as_json: bool) -> int:
    """Read every file of INDEX and compare it with its checksum. Exit status 1 if anything is damaged.

    \b
    Example:
      sparse-coverage index verify my-index
    """
    from sparse_coverage.index import damaged_files
    from sparse_coverage.retrievers.sides import damaged_side_files
    from sparse_coverage.search.building import damaged_model_files

    damaged = damaged_files(index) + damaged_model_files(index) + damaged_side_files(index)
    if as_json:
        click.echo(json.dumps({"index": str(index), "damaged": damaged}))
    elif damaged:
        for name in damaged:
            Console().print(f"[red]damaged[/red] {escape(str(index / name))}", highlight=False)
        click.echo("Restore these files from a copy, or build the index again.")
    else:
        click.echo(f"{index}: every file is as it was written.")
    return 1 if damaged else 0


def _tell(facts: dict[str, object], as_json: bool, done: str, **more: object) -> None:
    if as_json:
        click.echo(json.dumps({**more, **facts}))
    else:
        click.echo(
            f"{done} The index holds {facts['documents']:,} documents, {facts['passages']:,} passages, "
            f"in {facts['segments']} segments; {facts['deleted_documents']:,} deleted ones wait for a merge."
        )
