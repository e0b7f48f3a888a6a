"""Killed without warning at any moment, a sweep goes on and ends as if nothing had been."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typed_commands import run
from waiting import wait_until


def command(report: Path, cache: Path, encoder: Path) -> list[str]:
    words = f"reproduce full --collection demo --small --unit token -V 30 --threads 1 --encoder {encoder}"
    return [*words.split(), "-o", str(report), "--cache", str(cache)]


def test_a_sweep_survives_kill_9(tmp_path: Path, tiny_checkpoint: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run(*command(tmp_path / "whole", tmp_path / "cache-1", tiny_checkpoint)).exception is None
    moments, ends = ("vocabularies/*/sample", "indexes/*/model", "results/*"), []
    for moment in moments:  # each time a little further: killed as soon as this much is there
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "sparse_coverage",
                *command(tmp_path / "cut", tmp_path / "cache-2", tiny_checkpoint),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(
            lambda reached=moment, cut=process: any((tmp_path / "cache-2").glob(reached)) or cut.poll() is not None,
            moment,
        )
        process.kill()
        ends.append(process.wait())
    assert ends[0] == -signal.SIGKILL
    assert set(ends) <= {0, -signal.SIGKILL}  # the last may be done before it is seen how far it came
    assert run(*command(tmp_path / "cut", tmp_path / "cache-2", tiny_checkpoint)).exception is None
    for suffix in (".csv", ".md", ".tex"):
        whole, cut = (
            (tmp_path / name / "full" / f"full{suffix}").read_text(encoding="utf-8") for name in ("whole", "cut")
        )
        assert whole == cut
