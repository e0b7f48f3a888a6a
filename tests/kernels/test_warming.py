"""What `warm-up` compiles is every kernel there is."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Callable

from numba.core.dispatcher import Dispatcher

from sparse_coverage import kernels
from sparse_coverage.kernels.choosing import is_compiled
from sparse_coverage.search.warming import compile_dense, compile_lists


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


INTERRUPTED = """
import os, signal, time
from sparse_coverage.search.warming import interrupts_held

before = signal.getsignal(signal.SIGINT)
try:
    with interrupts_held():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        print("compiled")
except KeyboardInterrupt:
    print("interrupted", signal.getsignal(signal.SIGINT) is before)
"""


def test_an_interrupt_while_compiling_is_heard_afterwards() -> None:
    # In a process of its own, so that nothing but itself is interrupted.
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["compiled", "interrupted True", ""]


def test_warming_up_is_a_command(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, _ = run("warm-up", "--no-encoder", "--json")
    assert (status, json.loads(out)) == (0, {"compiled": True, "kept": True, "encoder": None})
    assert is_compiled()
