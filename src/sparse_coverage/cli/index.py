"""`sparse-coverage index`: patents in, a searchable folder out; and what keeps that folder true to its collection."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from sparse_coverage.cli.cluster import index_with_ray, workplace_options
from sparse_coverage.cli.options import (
    NamesIn,
    echo,
    index_argument,
    json_option,
    output_option,
    show,
    threads_option,
)
from sparse_coverage.cli.options.inputs import (
    ProblemLog,
    paths_argument,
    read_ids,
    reading_options,
    reading_settings,
)
from sparse_coverage.cli.options.research import runtime_option
from sparse_coverage.errors import AlreadyThereError, InputError
from sparse_coverage.files import as_typed, require_space

if TYPE_CHECKING:
    from sparse_coverage.search import Index


side_option = click.option(
    "--with",
    "sides",
    multiple=True,
    type=NamesIn("systems:KINDS", what="side", open=True),
    help="Also keep what another ranking needs. Repeatable.",
)


class _Build(click.Command):
    """Knows which options belong to `fit`: a model is learned there, with settings of one's own."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            from sparse_coverage.cli.fit import command as fit

            if any(error.option_name in parameter.opts for parameter in fit.params):
                raise click.UsageError(
                    f"{error.option_name} says how a model is learned, so it is an option of `fit`. Learn one with it, then index "
                    f"with that: sparse-coverage fit PATHS {error.option_name} … -o MODEL; "
                    "sparse-coverage index PATHS --model MODEL -o INDEX",
                    context,
                ) from None
            raise


class _BuildsByDefault(click.Group):
    """`index PATHS -o DIR` builds; `index add`, `index verify` and the others are its subcommands."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in context.help_option_names:
            args = ["build", *args]
        return super().parse_args(context, args)


@click.group(cls=_BuildsByDefault, no_args_is_help=True, subcommand_metavar="PATHS -o FOLDER | COMMAND ...")
def command() -> None:
    """Index patents for searching, and keep the index up to date.

    \b
    Example:
      sparse-coverage index patents/ -o my-index
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
      sparse-coverage index add my-index new-patents/
      sparse-coverage index delete my-index EP-1234567-A1

    All options of a build: sparse-coverage index build --help
    """


@command.command(cls=_Build, no_args_is_help=True)
@paths_argument
@output_option("index")
@click.option(
    "--model",
    help="A model made with `fit`, or one on the model hub (owner/name) [without it, one is learned from PATHS first].",
)
@click.option(
    "--by",
    type=NamesIn("patents.passages:By"),
    help="What one indexed passage is [as the model says: passage; paragraph for the preset paper].",
)
@reading_options
@click.option(
    "--without",
    metavar="PARTS",
    default="",
    help="Parts of passages not to keep: words, vectors or words,vectors. Searches then rank by the others "
    "[none; words,vectors for the preset paper].",
)
@click.option(
    "--vectors",
    "vectors_of",
    metavar="NAME",
    help="The encoder that makes the vectors of whole passages, such as use-multilingual, so that a claim finds documents in other "
    "languages. It is a second pass [the encoder of the model, in one pass].",
)
@side_option
@workplace_options
@runtime_option
@threads_option
@json_option
def build(
    paths: tuple[str, ...],
    output: Path,
    model: str | None,
    by: str | None,
    without: str,
    vectors_of: str | None,
    sides: tuple[str, ...],
    on: str,
    address: str | None,
    runtime: str,
    threads: int | None,
) -> int:
    """Index the patents in PATHS (files, folders, patterns, archives). The word `build` may be left out.

    All files are read first; from then on the documents can be found by their words, while one after the other is encoded. An
    interrupted build goes on where it stopped when the same command is given again.

    \b
    Example:
      sparse-coverage index patents/ -o my-index
      sparse-coverage index patents/ -o my-index --without vectors
      sparse-coverage index patents/ -o my-index --vectors use-multilingual
    """
    from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents
    from sparse_coverage.presets import DEFAULT_PRESET, get_preset
    from sparse_coverage.retrievers import refresh_sides
    from sparse_coverage.search.building import learn_for, require_buildable
    from sparse_coverage.systems import require_system

    for kind in sides:
        require_system(kind, "side")
    left_out = tuple(filter(None, (part.strip() for part in without.split(",")))) or None
    if vectors_of and "vectors" in (left_out or ()):
        raise InputError("--vectors names the encoder of vectors that --without does not keep. Give one of the two.")
    require_space(output)
    require_buildable(output)
    log = ProblemLog()
    settings: dict[str, Any] = {"by": by, "without": left_out, "on_repeat": log.repeated}
    wholes = load_encoder(vectors_of, runtime=runtime, threads=threads) if vectors_of else None
    reading: dict[str, Any] = reading_settings()
    if on == "ray":
        index = index_with_ray(
            address,
            threads,
            paths,
            output,
            model,
            log,
            wholes,
            runtime=runtime,
            language=reading["language"],
            **settings,
        )
    else:
        if model is None and "-" in paths:
            raise InputError("Standard input can be read only once: fit a model first and give it with --model.")
        learned: Any
        if model is not None:
            learned = SparseCoverage.load(model, runtime=runtime, threads=threads)
            learned = learned.with_vectors_of(wholes) if wholes else learned
            settings["by"] = by or learned.by
        else:
            running = load_encoder(runtime=runtime, threads=threads)

            def learned() -> SparseCoverage:
                found = learn_for(
                    output,
                    lambda: read_patents(
                        list(paths), on_problem=lambda problem: None, **reading
                    ),  # all was told before
                    encoder=running,
                    by=settings["by"],
                    threads=threads,
                )
                return found.with_vectors_of(wholes) if wholes else found

            settings["by"] = by or get_preset(DEFAULT_PRESET).by
        patents = read_patents(list(paths), on_problem=log, on_note=log.note, **reading)
        index = Index.build(output, learned, log.watched(patents, settings["by"]), **settings)
    facts = index.store.manifest
    made = refresh_sides(output, tuple(dict.fromkeys(sides)), threads=threads, repair=True)
    counts = log.counts(watched=on == "local")
    share = facts["uncovered_spans"] / max(facts["spans"], 1)
    told = (
        f"[bold]{facts['documents']:,}[/bold] documents, {facts['passages']:,} {index.store.state.about['by']}s, "
        f"{facts['postings']:,} postings; {share:.1%} of the spans lie outside every center\n"
        f"{log.about_texts(index.model.encoder.name, index.model.whole_encoder.name)}{log.told_of_repeats()}"
        f"Saved in [bold]{escape(str(output))}[/bold]. "
        f'Next: sparse-coverage search {escape(as_typed(output))} "your claim"'
    )
    show({"index": str(output), **counts, **facts, "sides": made}, told)
    return log.status


@command.command(no_args_is_help=True)
@index_argument
@paths_argument
@click.option("--replace", is_flag=True, help="Put new versions in the place of documents that are there already.")
@click.option(
    "--skip-known", is_flag=True, help="Leave documents that are there already as they are, and add the others."
)
@reading_options
@threads_option
@json_option
def add(
    index: Path,
    paths: tuple[str, ...],
    replace: bool,
    skip_known: bool,
    threads: int | None,
) -> int:
    """Add the patents in PATHS to INDEX. All become visible at once; searching goes on meanwhile.

    \b
    Example:
      sparse-coverage index add my-index week-46/
      sparse-coverage index add my-index all-patents/ --skip-known
      sparse-coverage index add my-index corrected.xml --replace
    """
    from sparse_coverage import Index, read_patents
    from sparse_coverage.retrievers import refresh_sides

    if replace and skip_known:
        raise click.UsageError(
            "--replace and --skip-known say two things of documents that are there already: give one of them."
        )
    log = ProblemLog()
    opened = Index.open(index, threads=threads)
    reading: dict[str, Any] = reading_settings()
    ids = read_ids(paths, **reading)
    known = [] if replace else _known(opened, ids or [])
    if known and not skip_known:
        named = ", ".join(known[:5]) + (", …" if len(known) > 5 else "")
        raise AlreadyThereError(
            f"{len(known):,} of these {len(set(ids or [])):,} documents are in the index already ({named}). Nothing was added. "
            "Give --skip-known to leave them as they are and add the others, or --replace to put these versions in their place."
        )
    patents = read_patents(list(paths), on_problem=log, on_note=log.note, **reading)
    patents = log.watched(patents, opened.store.state.about["by"])
    total = None if ids is None else len(ids) - len(known)
    count = opened.add(patents, replace=replace, skip_known=skip_known, total=total, on_repeat=log.repeated)
    refresh_sides(index, threads=threads)
    left = f"In the index already, and left as they are: {len(known):,}. " if known else ""
    more = f"{left}{log.about_texts(opened.model.encoder.name, opened.model.whole_encoder.name)}{log.told_of_repeats()}"
    done = f"{count:,} document{'' if count == 1 else 's'} added. {more}".strip()
    _tell(index, done, added=count, **log.counts())
    return log.status


@command.command(no_args_is_help=True)
@index_argument
@click.argument("ids", nargs=-1, required=True)
@json_option
def delete(index: Path, ids: tuple[str, ...]) -> None:
    """Delete documents from INDEX by publication id, all of IDS or none. Their space is freed by `index merge`.

    \b
    Example:
      sparse-coverage index delete my-index EP-1234567-A1 EP-1234567-B1
    """
    from sparse_coverage.index import delete_documents
    from sparse_coverage.retrievers import refresh_sides

    delete_documents(index, ids)
    refresh_sides(index)  # a commit may merge small segments
    _tell(index, f"{len(ids):,} documents deleted.", deleted=len(ids))


@command.command(no_args_is_help=True)
@index_argument
@json_option
def merge(index: Path) -> None:
    """Rewrite INDEX with as few segments as possible and without what was deleted. Results stay the same.

    \b
    Example:
      sparse-coverage index merge my-index
    """
    from sparse_coverage.index import merge_index
    from sparse_coverage.retrievers import refresh_sides

    merge_index(index)
    refresh_sides(index)
    _tell(index, "Merged.")


@command.command(no_args_is_help=True)
@index_argument
@side_option
@threads_option
@json_option
def refresh(index: Path, sides: tuple[str, ...], threads: int | None) -> None:
    """Add sides to INDEX for other rankings than its own, and bring those it has up to date.

    `index add`, `delete` and `merge` keep sides up to date by themselves; this is for an index that got none when it was
    built, that a program changed, or whose last command was interrupted.

    \b
    Example:
      sparse-coverage index refresh my-index --with splade
      sparse-coverage index refresh my-index
    """
    from sparse_coverage.retrievers import refresh_sides

    made = refresh_sides(index, tuple(dict.fromkeys(sides)), threads=threads, repair=True)
    told = [f"{kind}: {f'{count} segments made' if count else 'up to date'}" for kind, count in made.items()]
    none = f"{index} has no sides. Add one with --with."
    echo({"index": str(index), "sides": made}, "\n".join(told) or none)


@command.command(no_args_is_help=True)
@index_argument
@json_option
def verify(index: Path) -> int:
    """Read every file of INDEX and compare it with its checksum. Exit status 1 if anything is damaged, or the build not finished.

    \b
    Example:
      sparse-coverage index verify my-index
    """
    from sparse_coverage.index import damaged_files
    from sparse_coverage.index.manifest import MANIFEST, read_manifest
    from sparse_coverage.index.sides import damaged_side_files, sides_behind
    from sparse_coverage.search.own_model import damaged_model_files

    damaged = damaged_files(index) + damaged_model_files(index) + damaged_side_files(index)
    told = [f"[red]damaged[/red] {escape(str(index / name))}" for name in damaged]
    told.append(
        "Restore these files from a copy, or build the index again. What is in sides/ is made again by: "
        f"sparse-coverage index refresh {escape(as_typed(index))}"
        if damaged
        else f"{escape(str(index))}: every file is as it was written."
    )
    state = None if MANIFEST in damaged else read_manifest(index)
    behind = {} if state is None else sides_behind(index)
    told += [
        f"[yellow]behind[/yellow] The {kind} side lacks {count:,} passages: the index was changed without it. Bring it up to date "
        f"with: sparse-coverage index refresh {escape(as_typed(index))}"
        for kind, count in behind.items()
    ]
    complete = state is not None and state.complete
    if state is not None and not complete:
        told.append(
            f"[red]unfinished[/red] The build of this index did not finish: {state.encoded_documents:,} of {state.documents:,} "
            "documents are encoded, the others are found by their words alone. If it is not running, give the same "
            "`sparse-coverage index` command again: it goes on where it stopped."
        )
    result = {"index": str(index), "damaged": damaged, "behind": behind, "complete": complete}
    show(result, "\n".join(told), soft_wrap=True)
    return 0 if complete and not damaged else 1


def _known(opened: Index, ids: Iterable[str]) -> list[str]:
    """Return which documents an index holds already."""
    store = opened.store
    places = ((id_, store.find_document(id_)) for id_ in dict.fromkeys(ids))
    return [id_ for id_, number in places if number is not None and store.document(number).id == id_]


def _tell(index: Path, done: str, **more: object) -> None:
    from sparse_coverage.index import open_store

    facts = open_store(index).manifest
    told = (
        f"{done} The index holds {facts['documents']:,} documents, {facts['passages']:,} passages "
        f"(segments: {facts['segments']}; deleted documents that wait for a merge: {facts['deleted_documents']:,})."
    )
    echo({**more, **facts}, told)
