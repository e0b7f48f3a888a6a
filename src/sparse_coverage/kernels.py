"""The one decorator for compiled kernels: machine code cached on disk, free of the interpreter's lock, exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function on flat arrays with Numba at its first call."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
