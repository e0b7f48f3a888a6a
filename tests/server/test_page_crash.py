"""Kill -9 while a user works: whatever the server acknowledged is there when it is started again."""

from __future__ import annotations

import multiprocessing
import os
import random
import sqlite3
import threading
from pathlib import Path

import httpx
import pytest
from killed_writer import write
from running import Running
from waiting import SECONDS, wait_until

from sparse_coverage.projects import ProjectFolder

KILLS = int(os.environ.get("SPARSE_COVERAGE_PROJECT_KILLS", "6"))
SERVER_KILLS = int(os.environ.get("SPARSE_COVERAGE_SERVER_KILLS", "1"))


@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9 here")
def test_every_acknowledged_change_of_the_store_survives(tmp_path: Path):
    """A process changes a note and overrules cells as fast as it can, and is killed at random points, again and again."""
    chance = random.Random(18)
    folder = ProjectFolder(tmp_path / "projects")
    with folder.create("Devices") as project:
        id_ = project.id
    log = tmp_path / "acknowledged"
    log.touch()
    # Processes are forked from one that has the modules already, so that fifty of them take seconds.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["sparse_coverage.projects"])
    for _ in range(KILLS):
        enough = log.stat().st_size + chance.randrange(40)
        writer = context.Process(target=write, args=(folder.path, id_, log))
        writer.start()
        wait_until(lambda size=enough: log.stat().st_size > size, "a process that changes something")
        writer.kill()
        writer.join()
        acknowledged = int(log.read_text().split()[-1])
        with folder.open(id_) as project:
            content = project.content()
        assert int(content.marks[0].note) in (acknowledged, acknowledged + 1)
        assert content.marks[0].mark == ("relevant" if int(content.marks[0].note) % 2 else "not")
        assert {one.note for one in content.rulings} >= {str(number) for number in range(1, acknowledged + 1)}
        known = sqlite3.connect(folder.path / f"{id_}.sqlite")
        assert known.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        known.close()


def test_every_acknowledged_mark_of_the_server_survives(made, tmp_path, environment):
    """Four users mark and note at once; the server is killed at random points and started again."""
    chance = random.Random(19)
    server = Running(made, tmp_path / "projects", environment, tmp_path / "log")
    project = httpx.post(f"{server.address}/v1/projects", json={"name": "Devices"}, timeout=SECONDS).json()["head"][
        "id"
    ]
    states: dict[str, tuple[int, int]] = {f"EP-{1000001 + user}-A1": (0, 0) for user in range(4)}
    try:
        for _ in range(SERVER_KILLS):
            stop = threading.Event()
            users = [
                threading.Thread(target=_edit, args=(server.address, project, id_, states, stop)) for id_ in states
            ]
            for user in users:
                user.start()
            enough = sum(number for number, _ in states.values()) + chance.randrange(20, 60)
            wait_until(lambda many=enough: sum(number for number, _ in states.values()) >= many, "marks that are kept")
            server.kill()
            stop.set()
            for user in users:
                user.join()
            server.start()
            there = httpx.get(f"{server.address}/v1/projects/{project}", timeout=SECONDS).json()["marks"]
            notes = {mark["id"]: (int(mark["note"]), mark["version"]) for mark in there}
            for id_, (number, _) in states.items():
                assert notes.get(id_, (0, 0))[0] in (number, number + 1), id_
                states[id_] = notes.get(id_, (0, 0))
    finally:
        server.stop()
    assert all(number for number, _ in states.values()), states


def _edit(address: str, project: str, id_: str, states: dict[str, tuple[int, int]], stop: threading.Event) -> None:
    number, version = states[id_]
    with httpx.Client(base_url=address, timeout=SECONDS) as client:
        while not stop.is_set():
            body = {"mark": "relevant", "note": str(number + 1), "version": version}
            try:
                answer = client.put(f"/v1/projects/{project}/marks/devices/{id_}", json=body)
            except httpx.TransportError:
                return
            assert answer.status_code == 200, answer.text
            number, version = number + 1, answer.json()["version"]
            states[id_] = number, version
