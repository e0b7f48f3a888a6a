"""Killed without warning at any moment, a sweep goes on and ends as if nothing had been."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from typed_commands import run
from waiting import wait_until


def test_a_sweep_survives_kill_9(few: Path, tmp_path: Path, tiny_checkpoint: Path) -> None:
    sweep = tmp_path / "own.toml"
    sweep.write_text(f'[[rows]]\nsystem = "paper"\nencoder = "{tiny_checkpoint}"\nsize = 30\nrho = [0.0, 0.01]\n')

    def command(report: str, cache: str) -> list[str]:
        return [
            "reproduce",
            str(sweep),
            "--collection",
            str(few),
            "--threads",
            "1",
            "-o",
            str(tmp_path / report),
            "--cache",
            str(tmp_path / cache),
        ]

    assert run(*command("whole", "cache-1")).exception is None
    ends = []
    for moment in ("vocabularies/*/sample", "results/*"):  # each time further: killed as soon as this much is there
        process = subprocess.Popen(
            [sys.executable, "-m", "sparse_coverage", *command("cut", "cache-2")],
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
    assert run(*command("cut", "cache-2")).exception is None
    for suffix in (".csv", ".md", ".tex"):
        whole, cut = (
            (tmp_path / name / "own" / f"own{suffix}").read_text(encoding="utf-8") for name in ("whole", "cut")
        )
        assert whole == cut
