"""The package itself: its version, and names that are loaded when they are first used: a command loads what it needs, and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__version__ = "0.1.0"


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package: `modules` has its modules, each with the names that it gives, blanks between them.

    >>> load = lazy_names("sparse_coverage", {"errors": "InputError MismatchError"})
    >>> load("InputError").__name__
    'InputError'
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    return load
