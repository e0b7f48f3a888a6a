"""The command `sparse-coverage`. Each subcommand is one file here, imported only when it is called."""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import os
import sys

import click

from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.progress import be_quiet

COMMANDS = {
    "demo": "Find prior art in the built-in demo collection.",
    "fit": "Learn a vocabulary of centers from patents or texts.",
    "index": "Index patents for searching.",
    "search": "Find the prior art of a claim.",
    "explain": "Show why a passage was found.",
    "show": "Print a document of an index in full, matches marked.",
    "info": "Say what an index holds.",
    "chart": "Set the elements of a claim against documents.",
    "combine": "Find few documents that together disclose a claim.",
    "serve": "Serve indexes: a page to search in, and a REST service.",
    "mcp": "Give an assistant tools to search, read, chart and combine.",
    "inspect": "Say what patents a file or folder holds.",
    "convert": "Turn patents of any format into JSON lines.",
    "spans": "Show what counts as a span in a text.",
    "evaluate": "Measure and compare systems on a test collection.",
    "reproduce": "Make the paper's tables and figures on a collection.",
    "clefip": "Check the CLEF-IP 2013 benchmark and its candidate pool.",
    "vocabulary": "Look at centers; check, compare and analyse vocabularies.",
    "engine": "Serve an index on Qdrant, Milvus, OpenSearch or Elasticsearch.",
    "export": "Write an index for another engine.",
    "vectors": "Index and search vectors of other encoders.",
    "calibrate": "Measure the thresholds of claim charts for an encoder.",
    "models": "List, fetch and locate encoders.",
    "warm-up": "Compile and fetch everything now, as for a container image.",
}

_INTERRUPTED = (
    "\nInterrupted. No half-written file was left behind; redirected output is incomplete. "
    "An index build goes on from its last commit when the same command is given again."
)
_OBJECTS_BETWEEN_COLLECTIONS = (
    50_000  # Python's own 700 make it look through everything again and again while modules are loaded
)
_FULL = (
    "the disk is full. No half-written file was left behind, but redirected output is incomplete; "
    "free some space and try again."
)


class _ReaderGoneError(Exception):
    """Whoever read our standard output has seen enough, as `head` does."""


def _able_to_be_quiet(command: click.Command) -> click.Command:
    """Give a command, or all commands of a group, the option `--quiet`."""
    if isinstance(command, click.Group):
        for member in command.commands.values():
            _able_to_be_quiet(member)
    elif not any(option.name == "quiet" for option in command.params):
        command.params.append(
            click.Option(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_quiet, help="Show no progress.")
        )
    return command


def _quiet(context: click.Context, parameter: click.Parameter, quiet: bool) -> None:
    be_quiet(quiet)


class _LazyGroup(click.Group):
    """Knows its commands by name and one line each, so that `--help` is quick and a command loads only what it needs."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"sparse_coverage.cli.{name.replace('-', '_')}").command
        return _able_to_be_quiet(command)

    def invoke(self, context: click.Context) -> object:
        """Run a command. That nobody reads on must be told from failures here: click and rich make it status 1."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            raise _ReaderGoneError from None
        except SystemExit as stop:
            if isinstance(stop.__context__, BrokenPipeError):
                raise _ReaderGoneError from None
            raise

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="sparse-coverage")
def cli() -> None:
    """Prior-art search over patents: sparse, exact, explained.

    \b
    The usual way:
      sparse-coverage index PATENTS -o INDEX      read, learn, index
      sparse-coverage search INDEX "A valve ..."  ranked documents and passages
      sparse-coverage explain INDEX "A valve ..." EP-1234567-A1

    See it work on a built-in collection first: sparse-coverage demo
    """


def main() -> None:
    """Run the command line; errors that a user can act on are shown in one place, without a traceback."""
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
        print(f"Error: {_FULL if error.errno == errno.ENOSPC else error}", file=sys.stderr)
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
