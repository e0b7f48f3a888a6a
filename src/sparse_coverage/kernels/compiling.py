"""The one way to compile: machine code without the interpreter's lock, in exact arithmetic, kept on disk while it is true.

Numba keeps the code of a function while the function's own file stays as it is, and would not see that a function it calls
changed in another file, or a constant. Here the code is kept only while every file of this package stays as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache

F = TypeVar("F", bound=Callable[..., Any])


def sources() -> str:
    """Return a digest of all files of this package: whatever kernels call, and every constant they were compiled with."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


SOURCES = sources()


class _Code(CompileResultCacheImpl):  # type: ignore[misc]
    """How the code of one function is kept: where Numba keeps it, but under the stamp of the whole package."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        own = self.locator.get_source_stamp()
        self.locator.get_source_stamp = lambda: (own, SOURCES)

    def check_cachable(self, result: Any) -> bool:
        """Keep no code of files that were edited while this process ran: it may be of either version."""
        return sources() == SOURCES and bool(super().check_cachable(result))


class _Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Code


def compiled(function: F) -> F:
    """Compile a function on flat arrays with Numba at its first call.

    The machine code is kept beside the source, or in the user's cache folder where the package cannot be written. Where
    neither can be, as in some containers, every process compiles for itself.
    """
    dispatcher = numba.njit(nogil=True)(function)
    with suppress(RuntimeError):  # Numba finds no folder that can be written
        dispatcher._cache = _Cache(function)
    return cast(F, dispatcher)
