"""What is shown to people who wait, and to nobody else."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
from waiting import wait_until

from sparse_coverage import progress
from sparse_coverage.progress import be_quiet, progress_bar, tracked, waiting


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("FORCE_COLOR", "")
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "BETWEEN_LINES", 0.0)
    yield
    be_quiet(False)


def told(capsys: pytest.CaptureFixture[str], text: str) -> str:
    """Wait until a text is shown, and return all that is shown by then."""
    shown = ""

    def there() -> bool:
        nonlocal shown
        shown += capsys.readouterr().err
        return text in shown

    wait_until(there, text)
    return shown


@pytest.mark.parametrize("terminal", [True, False])
def test_a_label_is_shown_when_it_takes_long(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1" if terminal else "")
    with waiting("Weighing the anchor", patience=0.01):
        told(capsys, "Weighing the anchor")
    assert capsys.readouterr().out == ""


def test_a_notebook_gets_lines_not_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Though it says that it shows colours, as a kernel does."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    with progress_bar("Counting", 3) as advance:
        advance()
    shown = capsys.readouterr().err
    assert shown.startswith("Counting: 1 of 3 (33%)")
    assert "\x1b" not in shown


def test_a_label_is_not_shown_when_it_takes_no_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with waiting("Weighing the anchor", patience=60.0):
        pass
    assert "Weighing the anchor" not in capsys.readouterr().err


def test_a_failure_ends_the_wait() -> None:
    with pytest.raises(KeyError), waiting("Weighing the anchor", patience=60.0):
        raise KeyError


def test_a_log_gets_plain_lines_with_totals_and_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Weighing anchors", 2_000) as advance:
        advance(500)
        advance(1_500)
    printed = capsys.readouterr()
    assert printed.out == ""
    first, *_, last = printed.err.splitlines()
    assert re.fullmatch(r"Weighing anchors: 500 of 2,000 \(25%\), \d s, about \d s left", first)
    assert re.fullmatch(r"Weighing anchors: 2,000 done in \d s", last)
    assert "\x1b" not in printed.err


def test_no_total_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Weighing anchors") as advance:
        advance(3)
        assert capsys.readouterr().err.startswith("Weighing anchors: 3, ")


def test_the_time_left_is_told_once_enough_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Weighing anchors", 50_000) as advance:
        advance(1)
        first = capsys.readouterr().err
        assert "1 of 50,000 (0%)" in first
        assert "left" not in first
        advance(499)
        assert "about" in capsys.readouterr().err


def test_one_of_many_tells_nothing_however_long_it_took(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_LONG", 0.0)
    with progress_bar("Weighing anchors", 50_000) as advance:
        advance(1)
        assert "left" not in capsys.readouterr().err
        advance(99)
        assert "left" in capsys.readouterr().err


def test_what_is_quick_is_not_shown_and_what_fails_is_not_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        with progress_bar("Weighing anchors", 2) as advance:
            advance(1)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    shown = capsys.readouterr().err
    assert "1 of 2" in shown
    assert "done" not in shown
    monkeypatch.setattr(progress, "FIRST_LINE", 60.0)
    assert list(tracked(range(5), "Counting", 5)) == list(range(5))
    assert capsys.readouterr().err == ""


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    be_quiet()
    with progress_bar("Weighing anchors", 2) as advance, waiting("Weighing", patience=0.01):
        advance()
        time.sleep(0.15)  # that nothing comes cannot be waited for
    assert capsys.readouterr().err == ""


def test_every_command_can_be_quiet(run: Callable[..., tuple[int, str, str]]) -> None:
    assert "--quiet" in run("--help")[1]
    run("--quiet", "models", "--json")
    with progress_bar("Weighing", 1), waiting("Weighing", patience=0.0):
        assert progress._Shown.quiet


def test_a_total_that_proves_too_small_grows_so_that_no_share_exceeds_a_hundred_percent() -> None:
    heard: list[tuple[int, int | None]] = []
    with progress.heard_by(lambda _, done, total: heard.append((done, total))), progress_bar("Reading", 8) as advance:
        advance(9)
        advance(1)
    assert heard == [(0, 8), (9, 9), (10, 10)]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_share_is_shown_in_percent_alone(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1" if terminal else "")
    with progress_bar("Weighing anchors", 1000, share=True) as advance:
        advance(250)
        assert "1000" not in told(capsys, "25%").replace(",", "")
