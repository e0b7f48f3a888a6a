"""Killed without warning at any moment, a sweep goes on and ends as if nothing had been."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest


def command(report: Path, cache: Path, encoder: Path) -> list[str]:
    words = (
        f"reproduce full --collection demo --small --unit token --unit np -V 30 -V 60 --threads 1 --encoder {encoder}"
    )
    return [sys.executable, "-m", "sparse_coverage", *words.split(), "-o", str(report), "--cache", str(cache)]


def test_a_sweep_survives_kill_9(tmp_path: Path, tiny_checkpoint: Path) -> None:
    pytest.importorskip("matplotlib")
    subprocess.run(command(tmp_path / "whole", tmp_path / "cache-1", tiny_checkpoint), check=True, capture_output=True)
    moments = ("vocabularies/*/sample", "indexes/*/model", "results/*")
    for moment in moments:  # each time a little further: killed as soon as this much is there
        process = subprocess.Popen(
            command(tmp_path / "cut", tmp_path / "cache-2", tiny_checkpoint),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not any((tmp_path / "cache-2").glob(moment)) and process.poll() is None:
            sleep(0.01)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    subprocess.run(command(tmp_path / "cut", tmp_path / "cache-2", tiny_checkpoint), check=True, capture_output=True)
    for suffix in (".csv", ".md", ".tex"):
        whole, cut = (
            (tmp_path / name / "full" / f"full{suffix}").read_text(encoding="utf-8") for name in ("whole", "cut")
        )
        assert whole == cut
