"""What is shown to people who wait, and to nobody else."""

from __future__ import annotations

import time

import pytest

from sparse_coverage.progress import waiting


@pytest.mark.parametrize(("terminal", "seconds", "shown"), [(True, 0.3, True), (True, 0.0, False), (False, 0.3, False)])
def test_a_label_is_shown_to_people_when_it_takes_long(
    terminal: bool, seconds: float, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1" if terminal else "")
    with waiting("Weighing the anchor", patience=0.05):
        time.sleep(seconds)
    printed = capsys.readouterr()
    assert ("Weighing the anchor" in printed.err) is shown
    assert printed.out == ""


def test_a_failure_ends_the_wait() -> None:
    with pytest.raises(KeyError), waiting("Weighing the anchor", patience=60.0):
        raise KeyError
