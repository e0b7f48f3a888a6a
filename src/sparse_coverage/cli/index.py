"""`sparse-coverage index`: patents in, a searchable folder out; and what keeps that folder true to its collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from sparse_coverage.cli.cluster import index_with_ray, workplace_options
from sparse_coverage.cli.options import (
    NamesIn,
    count_option,
    index_argument,
    json_option,
    output_option,
    show,
    threads_option,
    weight_bits_option,
)
from sparse_coverage.cli.options.inputs import (
    ProblemLog,
    count_documents,
    duplicate_option,
    language_option,
    limits_for,
    paths_argument,
    strict_option,
)
from sparse_coverage.cli.options.method import runtime_option
from sparse_coverage.cli.options.sides import encoder_for, make_sides, side_options
from sparse_coverage.errors import InputError
from sparse_coverage.files import as_typed
from sparse_coverage.present.records import to_json

if TYPE_CHECKING:
    from sparse_coverage.patents.repeats import OnDuplicate


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
    help="What one indexed passage is [as the model says: passage; paragraph for the preset paper and for older models].",
)
@language_option
@strict_option
@duplicate_option
@weight_bits_option
@count_option("--memory", default=512, help="MiB of postings to hold before they are written.")
@side_options
@workplace_options
@runtime_option
@threads_option
@json_option
def build(
    paths: tuple[str, ...],
    output: Path,
    model: str | None,
    by: str | None,
    language: str,
    strict: bool,
    on_duplicate: str,
    weight_bits: str,
    memory: int,
    on: str,
    address: str | None,
    runtime: str,
    threads: int | None,
    as_json: bool,
    **sides: Any,
) -> int:
    """Index the patents in PATHS (files, folders, patterns, archives). The word `build` may be left out.

    An interrupted build goes on where it stopped when the same command is given again.

    \b
    Example:
      sparse-coverage index patents/ -o my-index
      sparse-coverage index patents/ -o my-index --hybrid
    """
    from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents
    from sparse_coverage.search.learning import documents_read, learn_for

    log = ProblemLog()
    settings: dict[str, Any] = {"by": by, "weight_bits": int(weight_bits), "memory": memory << 20}
    reading: dict[str, Any] = {"language": language, "limits": limits_for(strict)}
    settings |= {"on_duplicate": on_duplicate, "on_repeat": log.repeated}
    if on == "ray":
        if strict:
            raise InputError("--strict is not for --on ray: small damage is always mended there. `inspect` finds it.")
        index = index_with_ray(
            address, threads, paths, output, model, log, language=language, runtime=runtime, **settings
        )
    else:
        if model is not None:
            learned = SparseCoverage.load(model, runtime=runtime, threads=threads)
            learned = learned.encoded_by(encoder_for(output, learned.encoder, sides, cleaned=bool(learned.clean)))
            total = count_documents(paths, **reading)
        else:
            if "-" in paths:
                raise InputError("Standard input can be read only once: fit a model first and give it with --model.")
            with log.held_back() as hold:
                learned = learn_for(
                    output,
                    lambda: read_patents(list(paths), on_problem=hold, **reading),
                    encoder=encoder_for(output, load_encoder(runtime=runtime, threads=threads), sides),
                    by=by,  # type: ignore[arg-type]
                    threads=threads,
                )
            total = documents_read(output) or count_documents(paths, **reading)
        patents = read_patents(list(paths), on_problem=log, on_note=log.note, **reading)
        patents = log.watched(patents, by or learned.by)  # type: ignore[arg-type]
        index = Index.build(output, learned, patents, total=total, **settings)
    facts = index.store.manifest
    made = make_sides(output, index.model.encoder, threads, **sides)
    counts = log.counts(watched=on == "local")
    share = facts["uncovered_spans"] / max(facts["spans"], 1)
    told = (
        f"[bold]{facts['documents']:,}[/bold] documents, {facts['passages']:,} {index.store.state.about['by']}s, "
        f"{facts['postings']:,} postings; {share:.1%} of the spans lie outside every center\n"
        f"{log.about_texts}{log.told_of_repeats(on_duplicate)}Saved in [bold]{escape(str(output))}[/bold]. "
        f'Next: sparse-coverage search {escape(as_typed(output))} "your claim"{" --hybrid" if sides["hybrid"] else ""}'
    )
    show({"index": str(output), **counts, **facts, "sides": made}, as_json, lambda: told)
    return log.status


@command.command(no_args_is_help=True)
@index_argument
@paths_argument
@click.option("--replace", is_flag=True, help="Put new versions in the place of documents that are there already.")
@language_option
@strict_option
@duplicate_option
@threads_option
@json_option
def add(
    index: Path,
    paths: tuple[str, ...],
    replace: bool,
    language: str,
    strict: bool,
    on_duplicate: OnDuplicate,
    threads: int | None,
    as_json: bool,
) -> int:
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
    reading: dict[str, Any] = {"language": language, "limits": limits_for(strict)}
    patents = read_patents(list(paths), on_problem=log, on_note=log.note, **reading)
    patents = log.watched(patents, opened.store.state.about["by"])
    repeats: dict[str, Any] = {"on_duplicate": on_duplicate, "on_repeat": log.repeated}
    count = opened.add(patents, replace=replace, total=count_documents(paths, **reading), **repeats)
    refresh_sides(index, encoder=opened.model.encoder, threads=threads)
    done = f"{count:,} documents added. {log.about_texts}{log.told_of_repeats(on_duplicate)}".strip()
    _tell(index, as_json, done, added=count, **log.counts())
    return log.status


@command.command(no_args_is_help=True)
@index_argument
@click.argument("ids", nargs=-1, required=True)
@json_option
def delete(index: Path, ids: tuple[str, ...], as_json: bool) -> None:
    """Delete documents from INDEX by publication id, all of IDS or none. Their space is freed by `index merge`.

    \b
    Example:
      sparse-coverage index delete my-index EP-1234567-A1 EP-1234567-B1
    """
    from sparse_coverage.index import delete_documents
    from sparse_coverage.retrievers import refresh_sides

    delete_documents(index, ids)
    refresh_sides(index)  # a commit may merge small segments
    _tell(index, as_json, f"{len(ids):,} documents deleted.", deleted=len(ids))


@command.command(no_args_is_help=True)
@index_argument
@json_option
def merge(index: Path, as_json: bool) -> None:
    """Rewrite INDEX with as few segments as possible and without what was deleted. Results stay the same.

    \b
    Example:
      sparse-coverage index merge my-index
    """
    from sparse_coverage.index import merge_index
    from sparse_coverage.retrievers import refresh_sides

    merge_index(index)
    refresh_sides(index)
    _tell(index, as_json, "Merged.")


@command.command(no_args_is_help=True)
@index_argument
@side_options
@threads_option
@json_option
def refresh(index: Path, threads: int | None, as_json: bool, **sides: Any) -> None:
    """Add sides to INDEX for other systems than Sparse Coverage, and bring those it has up to date.

    An index of an older version also gets the words that filters such as text:battery look for.

    `index add`, `delete` and `merge` keep sides up to date by themselves; this is for an index that got none when it was
    built, that a program changed, or whose last command was interrupted.

    \b
    Example:
      sparse-coverage index refresh my-index --hybrid
      sparse-coverage index refresh my-index
    """
    from sparse_coverage.index import add_words

    words = add_words(index)  # first: it writes segments anew, which sides follow
    made = make_sides(index, None, threads, **sides)
    told = [f"{kind}: {f'{count} segments made' if count else 'up to date'}" for kind, count in made.items()]
    none = f"{index} has no sides. Add some with --hybrid, or --with one of them."
    told += [f"words for filters: added to {words} segments"] if words else []
    click.echo(to_json({"index": str(index), "sides": made, "words": words}) if as_json else "\n".join(told) or none)


@command.command(no_args_is_help=True)
@index_argument
@json_option
def verify(index: Path, as_json: bool) -> int:
    """Read every file of INDEX and compare it with its checksum. Exit status 1 if anything is damaged, or the build not finished.

    \b
    Example:
      sparse-coverage index verify my-index
    """
    from sparse_coverage.index import damaged_files
    from sparse_coverage.index.manifest import MANIFEST, read_manifest
    from sparse_coverage.retrievers.sides import damaged_side_files
    from sparse_coverage.search.own_model import damaged_model_files

    damaged = damaged_files(index) + damaged_model_files(index) + damaged_side_files(index)
    told = [f"[red]damaged[/red] {escape(str(index / name))}" for name in damaged]
    told.append(
        "Restore these files from a copy, or build the index again."
        if damaged
        else f"{escape(str(index))}: every file is as it was written."
    )
    state = None if MANIFEST in damaged else read_manifest(index)
    complete = state is not None and state.complete
    if state is not None and not complete:
        told.append(
            f"[red]unfinished[/red] The build of this index did not finish; {state.documents:,} documents are in it. It cannot be "
            "searched. Run the same `sparse-coverage index` command again: it goes on where it stopped."
        )
    result = {"index": str(index), "damaged": damaged, "complete": complete}
    show(result, as_json, lambda: "\n".join(told), soft_wrap=True)
    return 0 if complete and not damaged else 1


def _tell(index: Path, as_json: bool, done: str, **more: object) -> None:
    from sparse_coverage.index import open_store

    facts = open_store(index).manifest
    told = (
        f"{done} The index holds {facts['documents']:,} documents, {facts['passages']:,} passages, "
        f"in {facts['segments']} segments; {facts['deleted_documents']:,} deleted ones wait for a merge."
    )
    click.echo(to_json({**more, **facts}) if as_json else told)
