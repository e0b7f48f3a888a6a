"""Choices that come from where they are defined, which is imported only when a choice is checked or shown."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


class NamesIn(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A name in a registry (or in a `Literal`), given as "package.module:REGISTRY" below `sparse_coverage`.

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
        module, _, attribute = self._registry.partition(":")
        registry = getattr(importlib.import_module(f"sparse_coverage.{module}"), attribute)
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


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Make one decorator of several options, in the order of the help page."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
