"""The command `sparse-coverage`. A subcommand is in a file of its name, or with its neighbours; it is imported only when it is called."""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import os
import sys
from functools import partial

import click

from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.printing import guarded_streams
from sparse_coverage.progress import be_quiet

SECTIONS = {
    "Every day": {
        "search": "Find the prior art of a claim, or what an expression asks for.",
        "explain": "Show why a passage was found.",
        "show": "Print a document of an index in full, matches marked.",
        "chart": "Set the features of a claim against documents.",
        "combine": "Find few documents that together disclose a claim.",
        "watch": "Say what is new for a search that was made.",
        "serve": "Serve indexes: a page to search in, and a REST service.",
        "demo": "Find prior art in the built-in demo collection.",
    },
    "Keep an index": {
        "inspect": "Say what patents a file or folder holds.",
        "convert": "Turn patents of any format into JSON lines.",
        "index": "Index patents for searching: build, add, delete, merge, verify.",
        "info": "Say what an index holds.",
        "models": "List encoders, or fetch one.",
        "warm-up": "Compile and fetch everything now, as for a container image.",
    },
    "Research": {
        "fit": "Learn a vocabulary of centers from patents or texts.",
        "vocabulary": "Look at centers, check them, and measure how they behave.",
        "evaluate": "Measure and compare systems on a test collection.",
        "reproduce": "Make the paper's tables and figures on a collection.",
        "calibrate": "Fit the score of claim charts for an encoder.",
        "clefip": "Check the CLEF-IP 2013 benchmark, and draw its pool.",
    },
    "Engines and programs": {
        "mcp": "Give an assistant tools to search, read, chart and combine.",
        "engine": "Serve an index on Qdrant.",
        "export": "Write an index for another engine.",
    },
}
"""The commands, as `--help` lists them."""
COMMANDS = {name: told for commands in SECTIONS.values() for name, told in commands.items()}
_TOGETHER = {
    **dict.fromkeys(("explain", "show", "info"), "reading"),
    "watch": "search",
    **dict.fromkeys(("chart", "combine", "calibrate"), "charts"),
    **dict.fromkeys(("serve", "mcp"), "serving"),
    **dict.fromkeys(("inspect", "convert"), "patents"),
    "warm-up": "models",
    **dict.fromkeys(("engine", "export"), "engines"),
    "clefip": "reproduce",
}
"""The modules that hold more than one command, or one of another name."""
HEADINGS = {
    "Filters: what may be found": "--before --not-family-of --only --filter",
    "Ranking": "--ranking --system --rerank --top --relevant --not-relevant",
    "Reading files": "--language --format --columns --ocr --metadata --by",
    "The method": "--encoder --unit --size --set --selection --tau --max-spans",
    "Output": "--report --run --runs --json",
}
"""Where the help of a command lists an option: under one of these if it has at least three of it, first of all under Options.

-k is no setting of the method where it counts results."""

_INTERRUPTED = (
    "\nInterrupted. No half-written file was left behind; redirected output is incomplete. "
    "`index`, `evaluate` and `reproduce` keep what is done: give the same command again to go on from there."
)
_OBJECTS_BETWEEN_COLLECTIONS = (
    50_000  # Python's own 700 make it look through everything again and again while modules are loaded
)
_FULL = (
    "the disk is full. No half-written file was left behind, but redirected output is incomplete; "
    "free some space and try again."
)

_TOO_MANY_FILES = "Allow more open files (`ulimit -n 4096`), then try again."


class _ReaderGoneError(Exception):
    """Whoever read our standard output has seen enough, as `head` does."""


def _completed(command: click.Command) -> click.Command:
    """Give a command, or all commands of a group, help with headings."""
    if isinstance(command, click.Group):
        for member in command.commands.values():
            _completed(member)
    else:
        command.format_options = partial(_format_options, command)  # type: ignore[method-assign]
    return command


def _format_options(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the options of a command, the common ones first and the others under headings."""
    rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in ("Options", *HEADINGS)}
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    names = [set(option.opts) for option in options]
    counts = any("--passages" in one for one in names)
    headings = {heading: {*listed.split()} - ({"-k"} if counts else set()) for heading, listed in HEADINGS.items()}
    few = [heading for heading, listed in headings.items() if sum(bool(one & listed) for one in names) < 3]
    for option, own in zip(options, names, strict=True):
        place = next(
            (heading for heading, listed in headings.items() if heading not in few and own & listed), "Options"
        )
        if row := option.get_help_record(context):
            rows[place].append(row)
    for heading, listed_rows in rows.items():
        if listed_rows:
            with formatter.section(heading):
                formatter.write_dl(listed_rows)


class _LazyGroup(click.Group):
    """Knows its commands by name and one line each, so that `--help` is quick and a command loads only what it needs."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        own = name.replace("-", "_")
        module = importlib.import_module(f"sparse_coverage.cli.{_TOGETHER.get(name, own)}")
        command: click.Command = getattr(module, f"{own}_command", None) or module.command
        return _completed(command)

    def invoke(self, context: click.Context) -> object:
        """Run a command. A closed pipe becomes an error of its own: click and rich would end with status 1, as after a failure."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            raise _ReaderGoneError from None
        except SystemExit as stop:
            if isinstance(stop.__context__, BrokenPipeError):
                raise _ReaderGoneError from None
            raise

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), told) for name, told in commands.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@click.version_option(package_name="sparse-coverage")
def cli(quiet: bool) -> None:
    """Prior-art search over patents: sparse, exact, explained.

    \b
    The usual way:
      sparse-coverage index PATENTS -o INDEX      read, learn, index
      sparse-coverage search INDEX "A valve ..."  ranked documents and passages
      sparse-coverage chart INDEX "A valve ..."   its features against the best of them

    See it work on a built-in collection first: sparse-coverage demo
    """
    be_quiet(quiet)


def main() -> None:
    """Run the command line; errors that a user can act on are shown in one place, without a traceback."""
    with guarded_streams():
        _main()


def _main() -> None:
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # when Python ends, it would look through everything once more
    try:
        status = cli.main(standalone_mode=False)
        sys.stdout.flush()  # here, because a failure to write is silent or ugly when Python ends
    except click.exceptions.Abort:
        print(_INTERRUPTED, file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SparseCoverageError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    except (_ReaderGoneError, BrokenPipeError):
        _give_up_output()
        sys.exit(0)
    except OSError as error:
        told = {errno.ENOSPC: _FULL, errno.EMFILE: f"{error}. {_TOO_MANY_FILES}"}
        print(f"Error: {told.get(error.errno or 0, error)}", file=sys.stderr)
        _give_up_output()
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _give_up_output() -> None:
    """Send what cannot be written nowhere, or Python would try once more when it ends, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
