"""The page of commands: what `--help` prints for each."""

from __future__ import annotations

from collections.abc import Iterator

import click


def page() -> str:
    """Return the help of every command."""
    from sparse_coverage.cli import cli

    lines = ["# Commands", "", "What `sparse-coverage COMMAND --help` prints, for every command.", ""]
    for path, command in _commands(cli, ("sparse-coverage",)):
        # With the settings that every command inherits: click keeps what the first context says about --help.
        context = click.Context(
            command, info_name=" ".join(path), max_content_width=120, terminal_width=120, **cli.context_settings
        )
        command._help_option = None  # click keeps the one that was made first, perhaps without -h
        shown = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        heading = f"{'#' * min(3, len(path) + 1)} {' '.join(path[1:]) or 'sparse-coverage'}"
        lines += [heading, "", "```text", shown, "```", ""]
    return "\n".join(lines)


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path[-1])
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from _commands(found, (*path, name))
