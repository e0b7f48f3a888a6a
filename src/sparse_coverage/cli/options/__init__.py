"""Every option that more than one command has: here those of every kind, beside this file the others by topic.

None is defined twice, and choices come from where they are defined, which is imported only when a choice is checked or shown.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from sparse_coverage.errors import NoIndexError
from sparse_coverage.printing import console

F = TypeVar("F", bound=Callable[..., Any])


class NamesIn(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A name in a registry (or in a `Literal`, or that a function returns), given as "package.module:REGISTRY" below `sparse_coverage`.

    `also` are names beside those of the registry, `what` is what they name. An `open` registry is one of several sources of
    names: others are let through, for the library to judge.
    """

    name = "choice"

    def __init__(self, registry: str, *also: str, what: str = "choice", open: bool = False) -> None:  # noqa: A002
        self._registry = registry
        self._also = also
        self._what = what
        self._open = open

    def names(self) -> list[str]:
        """Import the registry and return its names."""
        registry = attribute(self._registry)
        registry = registry() if inspect.isfunction(registry) else registry
        return [*self._also, *map(str, get_args(registry) or registry)]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the names for the help page."""
        return f"[{'|'.join(self.names())}{'|…' if self._open else ''}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is no name. A default is known to be one: a test checks them all, and no user need wait for that."""
        default = ctx and param and ctx.get_parameter_source(param.name or "") == ParameterSource.DEFAULT
        if not (default or self._open or value in self._also) and value not in (names := self.names()):
            self.fail(f"There is no {self._what} '{value}'. Choose one of: {', '.join(names)}.", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete a name."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


def attribute(place: str) -> Any:
    """Return what stands at "package.module:NAME" below `sparse_coverage`."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(f"sparse_coverage.{module}"), attribute)


class OnceOnly(click.Command):
    """A command that refuses an option given twice, unless that may be repeated: the last would win in silence."""

    def make_parser(self, ctx: click.Context) -> Any:
        """Return the parser, which counts."""
        parser = super().make_parser(ctx)
        options: set[Any] = {*parser._long_opt.values(), *parser._short_opt.values()}
        for option in options:
            if option.action == "store":
                option.process = partial(_once, option, option.process, ctx)
        return parser


def _once(option: Any, process: Callable[[Any, Any], None], ctx: click.Context, value: Any, state: Any) -> None:
    if option.dest in state.opts:
        raise click.UsageError(f"{'/'.join(option.obj.opts)} may be given once only.", ctx)
    process(value, state)


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Make one decorator of several options, in the order of the help page."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def gathered(
    name: str,
    kind: type[Any] | str,
    *options: Callable[[Any], Any],
    check: Callable[[Any, Mapping[str, Any]], None] | None = None,
) -> Callable[[Any], Any]:
    """Return one decorator for several options. The command gets their values as one dataclass, in its argument `name`.

    A field without an option keeps its default.
    A dataclass that takes long to load is given as "package.module:Name" below `sparse_coverage`, and loaded when it is needed.
    `check` sees the values, and those of other options, before anything else is loaded.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def with_values(**given: Any) -> Any:
            made: type[Any] = attribute(kind) if isinstance(kind, str) else kind
            values = made(**{field.name: given.pop(field.name) for field in fields(made) if field.name in given})
            if check is not None:
                check(values, given)
            return function(**{name: values}, **given)

        return together(*options)(with_values)

    return decorate


def count_option(
    *names: str,
    help: str,  # noqa: A002
    default: int | None = None,
    least: int = 1,
    **settings: Any,
) -> Callable[[F], F]:
    """Return an option that counts something."""
    kind = click.IntRange(least)
    return click.option(*names, default=default, type=kind, help=help, **settings)


def path_option(
    *names: str,
    help: str,  # noqa: A002
    exists: bool = False,
    file_okay: bool = True,
    dir_okay: bool = True,
    **settings: Any,
) -> Callable[[F], F]:
    """Return an option that names a file or a folder."""
    kind = click.Path(path_type=Path, exists=exists, file_okay=file_okay, dir_okay=dir_okay)
    return click.option(*names, type=kind, help=help, **settings)


def output_option(what: str) -> Callable[[F], F]:
    """Return the option for the new folder that a command fills."""
    return path_option("-o", "--output", required=True, help=f"The new folder for the {what}.")


def seed_option(what: str) -> Callable[[F], F]:
    """Return the option for the seed of what a command draws at random."""
    return count_option("--seed", default=0, least=0, help=what)


measure_option = click.option(
    "--measure",
    "measures",
    multiple=True,
    type=NamesIn("evaluation.measures:NAMES", open=True),
    help="As R@100, MAP, PRES@100 or nDCG@10; one of these or of ir_measures; may be repeated [those of the paper].",
)
depth_option = count_option(
    "--depth",
    default=1000,
    help="How many documents of a ranking are measured and written in runs; of passages, all are.",
)


def _with_index(context: click.Context, parameter: click.Parameter, folder: Path) -> Path:
    """Refuse a folder without an index at once, before what reads indexes is loaded."""
    if not (folder / "manifest.json").is_file():
        raise NoIndexError(folder)
    return folder


seeds_option = count_option(
    "--seeds", default=1, help="Measure vocabularies with so many seeds: the mean, and the deviation over them."
)
json_option = click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    callback=lambda context, parameter, wanted: context.meta.update(json=wanted),
    help="Print JSON for programs instead of text for people.",
)
threads_option = click.option("--threads", type=click.IntRange(1), help="How many cores to use (all by default).")
fresh_option = click.option("--fresh", is_flag=True, help="Rank and measure again, even where the result is known.")
index_argument = click.argument("index", type=click.Path(path_type=Path), callback=_with_index)


def tell(notes: Iterable[str]) -> None:
    """Tell a user something beside the result, on standard error."""
    for note in notes:
        click.echo(note, err=True)


def wants_json() -> bool:
    """Tell whether the command that runs was given `--json`."""
    return bool(click.get_current_context().meta.get("json"))


def show(result: Any, text: Any, **printing: Any) -> None:
    """Print the result of a command: JSON with `--json`, otherwise a text (or what a function returns) in the colours of the terminal."""
    from sparse_coverage.dataclass_json import to_json

    if wants_json():
        click.echo(to_json(result))
    else:
        console().print(text() if callable(text) else text, highlight=False, **printing)


def echo(result: Any, text: str) -> None:
    """Print the result of a command: JSON with `--json`, otherwise a text as it is."""
    from sparse_coverage.dataclass_json import to_json

    click.echo(to_json(result) if wants_json() else text)


def echo_people(*lines: str) -> None:
    """Print lines to people, beside the result; nothing with `--json`."""
    for line in () if wants_json() else lines:
        click.echo(line)
