"""No text can make a regular expression of the package take more than linear time."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparse_coverage.charts.phrases import denied

PROGRAM = Path(__file__).with_name("slow_patterns.py")
needs_a_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system cannot stop a pattern at work")


@needs_a_timer
def test_every_pattern_of_the_package_is_linear() -> None:
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=600, check=True)
    first, *slow = done.stdout.splitlines()
    assert int(first.split()[0]) > 150
    assert slow == []


@needs_a_timer
def test_a_quadratic_pattern_is_noticed() -> None:
    # In a process of its own too: the timer's signal would strike whatever else a worker does.
    code = """
import re
from slow_patterns import LENGTH, is_slow
print([is_slow(re.compile(r"\\w+\\s+x"), {use}, "a" * LENGTH) for use in ("search", "match")])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROGRAM.parent, capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout == "[True, False]\n"


def test_a_sequence_listing_denies_nothing() -> None:
    assert denied("acgt" * 25_000) == set()
    assert denied("acgt" * 25_000 + " spring is omitted") >= {"spring"}
