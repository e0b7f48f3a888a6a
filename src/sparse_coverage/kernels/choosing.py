"""Machine code or NumPy: both give the same to the last bit, and each call takes what is sooner.

Loading machine code takes about a second, and compiling it after an installation ten. A single search in a small index is done in
less by NumPy (`plain.py`). So a process begins with NumPy and adds up what that costs; once it is as much as loading would have
cost, it loads the machine code. Where that is not compiled yet, another process compiles it in the background, and this one goes on
with NumPy until it is there. A search waits for no compiler. Work that goes on longer than compiling takes, on a machine too busy
to compile in the background, compiles for itself, so that nobody pays more than twice the least.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Literal

from sparse_coverage.kernels.compiling import HERE, SOURCES, is_writable

LOADING = 0.8
"""Seconds that loading the machine code takes."""
COMPILING = 15.0
"""Seconds that compiling it takes."""
_LOOK_AGAIN = 1.0  # seconds between two looks whether the code has been compiled meanwhile

Way = Literal["machine", "plain"]


class _Choice:
    """What this process uses, and what it has spent so far."""

    def __init__(self) -> None:
        self.way: Way | None = None
        self.spent = 0.0
        self.compiling = False
        self.looked = 0.0


_CHOICE = _Choice()


def machine_code(seconds: float) -> bool:
    """Tell whether to run machine code for work that takes NumPy about so many seconds."""
    if _CHOICE.way is not None:
        return _CHOICE.way == "machine"
    _CHOICE.spent += seconds
    if _CHOICE.spent < LOADING:
        return False
    if _is_compiled_by_now() or _CHOICE.spent > LOADING + COMPILING:
        _CHOICE.way = "machine"
        return True
    if not _CHOICE.compiling:
        if not can_keep():
            _CHOICE.way = "machine"  # nobody could compile for us: this process does it for itself
            return True
        _compile_in_background()
        _CHOICE.compiling = True
    return False


def use(way: Way | None) -> Way | None:
    """Settle what this process uses from now on (None: what is sooner); return what was settled before."""
    before, _CHOICE.way = _CHOICE.way, way
    return before


def marker() -> Path:
    """Return the file that tells that all kernels are compiled: for these sources, this Python, this Numba and this CPU."""
    name = f"warm-{sys.implementation.cache_tag}-numba-{_numba()}-{machine()}-{SOURCES[:16]}"
    beside = HERE / "__pycache__" / name
    if beside.exists() or is_writable(beside.parent):
        return beside
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sparse-coverage" / name


def can_keep() -> bool:
    """Tell whether compiled code can be kept for other processes."""
    return is_writable(HERE / "__pycache__") or is_writable(marker().parent.parent)


def is_compiled() -> bool:
    """Tell whether all kernels are compiled."""
    return marker().exists()


def _is_compiled_by_now() -> bool:
    if monotonic() - _CHOICE.looked < _LOOK_AGAIN:
        return False
    _CHOICE.looked = monotonic()
    return is_compiled()


def _compile_in_background() -> None:
    """Start a process that compiles everything and outlives this one; that it cannot be started is no reason to stop."""
    command = [sys.executable, "-m", "sparse_coverage", "warm-up", "--background"]
    try:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        _CHOICE.way = "machine"


@lru_cache
def _numba() -> str:
    """Return the version of Numba, without loading it, and without dots: what stands after one is a suffix."""
    return version("numba").replace(".", "_")


@lru_cache
def machine() -> str:
    """Return what tells CPUs apart for which other code would be made."""
    facts = platform.machine()
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as lines:
            wanted = ("flags", "Features", "model name", "CPU part")
            found = (line for line in lines if line.startswith(wanted))
            facts += "".join(dict.fromkeys(found))
    except OSError:
        facts += platform.processor()
    return hashlib.sha256(facts.encode()).hexdigest()[:8]
