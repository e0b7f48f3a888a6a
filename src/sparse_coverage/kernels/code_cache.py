"""Where machine code is kept, and whether it is still true. Loaded with Numba, not before."""

# mypy: disable-error-code="import-untyped,misc,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator

from sparse_coverage.kernels.compiling import SOURCES, is_writable, sources


class _KeptBeside(InTreeCacheLocator):
    """The folder beside the source, also where it can only be read: `warm-up` has filled it before."""

    def ensure_cache_path(self) -> None:
        path = Path(self.get_cache_path())
        if is_writable(path) or not any(path.glob("*.nbi")):
            super().ensure_cache_path()


class _Code(CompileResultCacheImpl):
    """How the code of one function is kept: where Numba keeps it, but under the stamp of the whole package."""

    _locator_classes: ClassVar[list[Any]] = [
        _KeptBeside if found is InTreeCacheLocator else found for found in CompileResultCacheImpl._locator_classes
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


class Cache(FunctionCache):
    """What a dispatcher keeps its code in."""

    _impl_class = _Code
