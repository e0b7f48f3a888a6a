"""`sparse-coverage serve` as a user starts it: it says where it is, restarts what dies, stops in good order, refuses what is unsafe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from served_devices import CLAIM
from waiting import SECONDS, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")


class Served:
    """A running command, and what it prints."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        self.address = ""

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    def wait_for(self, text: str) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for line in list(self.lines):
                if text in line:
                    return line
            if self.process.poll() is not None and not self._thread.is_alive():
                break
            time.sleep(0.02)
        raise AssertionError(f"'{text}' was not printed:\n{''.join(self.lines)}")

    def workers(self) -> list[int]:
        """The processes that answer: children with the socket, not the one that clears up after them."""
        children = (
            Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="utf-8").split()
        )
        return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@contextmanager
def started(environment: dict[str, str], *arguments: object) -> Iterator[Served]:
    command = [sys.executable, "-m", "sparse_coverage", *map(str, arguments)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    served = Served(process)
    try:
        yield served
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        served._thread.join(10)
        assert process.stdout is not None
        process.stdout.close()


def test_it_says_where_it_is_restarts_a_dead_worker_and_stops_in_good_order(made, environment):
    words = ["serve", made / "devices", "--port", 0, "--no-browser", "--calibration", made / "calibration.json"]
    with started(environment, *words) as served:
        address = served.wait_for("Serving devices at ").split()[3]
        assert address.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=address, timeout=SECONDS) as client:
            body = {"query": CLAIM, "k": 2}
            first = client.post("/v1/indexes/devices/search", json=body).json()["hits"]
            if sys.platform == "linux":
                [worker] = served.workers()
                os.kill(worker, signal.SIGKILL)
                served.wait_for(f"Child process [{worker}] died")
                # The socket is still there: a request waits for the new process instead of being refused.
                with httpx.Client(base_url=address, timeout=SECONDS) as again:
                    assert again.post("/v1/indexes/devices/search", json=body).json()["hits"] == first
                assert served.workers() != [worker]
        answers = []

        def chart():
            with httpx.Client(base_url=address, timeout=SECONDS) as mine:
                asked = {"claim": CLAIM, "k": 12}
                answers.append(mine.post("/v1/indexes/devices/chart", json=asked).status_code)

        thread = threading.Thread(target=chart)
        thread.start()
        with httpx.Client(base_url=address, timeout=SECONDS) as looking:  # until it is under way
            while thread.is_alive() and "work_running 1.0" not in looking.get("/metrics").text:
                pass
        served.process.terminate()
        thread.join(SECONDS)
        assert served.process.wait(SECONDS) == 0
        assert answers == [200]
    text = "".join(served.lines)
    assert "Traceback" not in text
    assert CLAIM[:40] not in text


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_when_the_command_is_killed_nothing_of_it_is_left(made, environment):
    with started(environment, "serve", made / "devices", "--port", 0, "--no-browser") as served:
        served.wait_for("Serving devices at ")
        [worker] = served.workers()
        served.process.kill()
        wait_until(lambda: not Path(f"/proc/{worker}").exists(), "the end of the process that answers")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "0.0.0.0"], "--key-file"),
        (["--name", "patents.example.com"], "--key-file"),
        (["--port", "1"], "Choose another with --port"),
    ],
)
def test_what_is_unsafe_or_impossible_is_refused_at_once(made, run, words, told):
    if "--port" in words and os.geteuid() == 0:
        words = ["--host", "127.0.0.1", "--port", "TAKEN"]
        import socket

        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            words[-1] = str(taken.getsockname()[1])
            _refused(run, made, words, told)
    else:
        _refused(run, made, words, told)


def _refused(run, made, words, told):
    status, _, err = run("serve", made / "devices", "--no-browser", *words)
    assert status == 1
    assert told in err


def test_a_folder_without_an_index_and_two_of_one_name_are_refused(made, run, tmp_path):
    status, _, err = run("serve", tmp_path, "--no-browser")
    assert status == 1
    assert "there is no index here" in err
    status, _, err = run("serve", made / "devices", made / "devices", "--no-browser")
    assert status == 1
    assert "NAME=" in err


def test_an_index_that_cannot_be_opened_ends_the_server_with_its_reason(copied, environment):
    for path in (copied / "model").iterdir():
        path.unlink()
    with started(environment, "serve", copied, "--port", 0, "--no-browser") as served:
        served.wait_for("Error: ")
        assert served.process.wait(SECONDS) == 1
    assert "Traceback" not in "".join(served.lines)


@pytest.mark.parametrize(("words", "module", "extra"), [("serve", "fastapi", "server"), ("mcp", "mcp", "mcp")])
def test_without_the_extra_its_name_is_told(made, environment, words, module, extra):
    program = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv = ['sparse-coverage', {words!r}, {str(made / 'devices')!r}]\n"
        "from sparse_coverage.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert f"pip install '.[{extra}]'" in done.stderr
