"""The command `sparse-coverage`. Each subcommand is one file here, imported only when it is called."""

from __future__ import annotations

import errno
import importlib
import sys

import click

from sparse_coverage.errors import SparseCoverageError

COMMANDS = {
    "demo": "Find prior art in the built-in demo collection.",
    "fit": "Learn a vocabulary of centers from patents or texts.",
    "index": "Index patents for searching.",
    "search": "Find the prior art of a claim.",
    "explain": "Show why a passage was found.",
    "models": "List, fetch and locate encoders.",
}


class _LazyGroup(click.Group):
    """Knows its commands by name and one line each, so that `--help` is quick and a command loads only what it needs."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"sparse_coverage.cli.{name}").command
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
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
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        print("\nInterrupted. Nothing half-written was left behind.", file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SparseCoverageError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: nothing to report
        sys.exit(0)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            print(
                "Error: the disk is full. Nothing half-written was left behind; make room and try again.",
                file=sys.stderr,
            )
        else:
            print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)
