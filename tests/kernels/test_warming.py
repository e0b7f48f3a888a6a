"""What `warm-up` compiles is every kernel there is."""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import time

import pytest
from numba.core.dispatcher import Dispatcher

from sparse_coverage import kernels
from sparse_coverage.search.warming import compile_dense, compile_lists, interrupts_held


def test_every_kernel_is_compiled_by_warming_up() -> None:
    compile_dense()
    compile_lists()
    modules = [
        importlib.import_module(f"sparse_coverage.kernels.{file.name}")
        for file in pkgutil.iter_modules(kernels.__path__)
    ]
    found = {kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, Dispatcher)}
    assert len(found) > 40
    # A kernel that only others call is not even loaded where those are kept, so what counts is that its code is kept.
    assert [kernel.py_func.__name__ for kernel in found if not kernel._cache._cache_file._load_index()] == []


def test_an_interrupt_while_compiling_is_heard_afterwards() -> None:
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)

    def interrupted() -> None:
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
            done.append("compiled")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == ["compiled"]
    assert signal.getsignal(signal.SIGINT) is before
