"""The one way to compile: machine code without the interpreter's lock, in exact arithmetic, kept on disk while it is true.

Numba keeps the code of a function while the function's own file stays as it is, and would not see that a function it calls
changed in another file, or a constant. Here the code is kept only while every file of this package stays as it is.

Numba itself is loaded with the first kernel that is called, not before: it takes as long as a whole search. Until then a kernel is a
`Kernel`, and what only compiled code uses an `Outside`; both are replaced in the files of this package when they are needed.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

HERE = Path(__file__).parent


def sources() -> str:
    """Return a digest of all files of this package: whatever kernels call, and every constant they were compiled with."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


SOURCES = sources()
"""Taken before the first kernel is compiled: what is edited afterwards is not what was compiled."""


def is_writable(folder: Path) -> bool:
    """Tell whether files can be made in a folder, which need not be there yet."""
    place = folder if folder.exists() else folder.parent
    return os.access(place, os.W_OK | os.X_OK)


_LOADING = threading.RLock()


class Kernel:
    """A function that is compiled with Numba at its first call, or loaded from where its code is kept."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code."""
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    @property
    def dispatcher(self) -> Any:
        """The function as Numba knows it."""
        if self._dispatcher is None:
            with _LOADING:
                for module in [value for name, value in sys.modules.items() if name.startswith(f"{__package__}.")]:
                    _make_ready(vars(module))
                self.make()  # one that lies elsewhere, as in a test
        return self._dispatcher

    def make(self) -> Any:
        """Return the dispatcher, made at the first time."""
        if self._dispatcher is None:
            self._dispatcher = _dispatcher(self._function)
        return self._dispatcher


class Outside:
    """Something that only compiled code uses, by its module and name: loaded with the first kernel."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def load(self) -> Any:
        """Import it."""
        return getattr(importlib.import_module(self._module), self._name)


def compiled(function: F) -> F:
    """Compile a function on flat arrays with Numba at its first call.

    The machine code is kept beside the source, or in the user's cache folder where the package cannot be written. Where
    neither can be, as in some containers, every process compiles for itself, unless `warm-up` was run before.
    """
    return cast(F, Kernel(function))


def instruction(name: str) -> Any:
    """Return what stands for a function of `instructions` until the first kernel is called."""
    return Outside(f"{__package__}.instructions", name)


def outside(module: str, name: str) -> Any:
    """Return what stands for something of another package until the first kernel is called."""
    return Outside(module, name)


def _make_ready(names: dict[str, Any]) -> None:
    """Replace what stands for other things in a file of this package."""
    for name, value in list(names.items()):
        if isinstance(value, Outside):
            names[name] = value.load()
        elif isinstance(value, Kernel):
            names[name] = value.make()


def _dispatcher(function: Callable[..., Any]) -> Any:
    import numba

    made = numba.njit(nogil=True)(function)
    with suppress(RuntimeError):  # Numba finds no folder that can be written
        made._cache = code_cache()(function)
    return made


@cache
def code_cache() -> Any:
    """Return the class that keeps the code of a function: where Numba keeps it, but under the stamp of this whole package."""
    import numba
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator

    class KeptBeside(InTreeCacheLocator):  # type: ignore[misc]
        """The folder beside the source, also where it can only be read: `warm-up` has filled it before."""

        def ensure_cache_path(self) -> None:
            path = Path(self.get_cache_path())
            if is_writable(path) or not any(path.glob("*.nbi")):
                super().ensure_cache_path()

    class Code(CompileResultCacheImpl):  # type: ignore[misc]
        """How the code of one function is kept."""

        _locator_classes: ClassVar[list[Any]] = [
            KeptBeside if found is InTreeCacheLocator else found for found in CompileResultCacheImpl._locator_classes
        ]

        def __init__(self, function: Callable[..., Any]) -> None:
            super().__init__(function)
            own = self.locator.get_source_stamp()
            self.locator.get_source_stamp = lambda: (own, SOURCES)

        def get_filename_base(self, fullname: str, abiflags: str) -> str:
            """Name the files of each version of Numba otherwise: two that share a source tree would overwrite each other's."""
            return f"{super().get_filename_base(fullname, abiflags)}.numba-{numba.__version__}"

        def check_cachable(self, result: Any) -> bool:
            """Keep no code of files that were edited while this process ran: it may be of either version."""
            if not is_writable(Path(self.locator.get_cache_path())):
                return False
            return sources() == SOURCES and bool(super().check_cachable(result))

    class CodeCache(FunctionCache):  # type: ignore[misc]
        """What a dispatcher keeps its code in."""

        _impl_class = Code

    return CodeCache
