"""Those who change the index: documents added, replaced, deleted; by the library, by requests, on the command line; killed at random."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from random import Random
from time import monotonic

import httpx
from documents import State, Version, id_of, record_of
from truth import NAME, held
from world import BOUND, World
from writers import KilledError, Worker

from sparse_coverage.errors import SparseCoverageError

FEWEST, MOST = 8, 30


class Changer:
    """Makes one change at a time, and knows what the index must hold after each."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._chance = Random(f"{world.seed} changer")
        self._worker = Worker(world.index)
        self._client = httpx.Client(base_url=world.server.address, timeout=20 * BOUND)
        self._next = 1 + max(number for number, _ in world.ledger.state)
        self._editions = 1

    def close(self) -> None:
        """End its process."""
        self._worker.close()
        self._client.close()

    def change(self) -> None:
        """Make a change at random."""
        state = self._world.ledger.state
        kinds = ["add"] * (len(state) < MOST) + ["delete"] * (len(state) > FEWEST) + ["replace", "wrong"]
        kind = self._chance.choice(kinds)
        ways = {"library": 12, "request": 4, "command": 1}
        way = self._chance.choices([*ways], [*ways.values()])[0]
        if kind == "wrong":
            self._refused(state)
            return
        new: list[Version] = []
        gone: list[int] = []
        if kind == "add":
            new = [(self._next + place, 0) for place in range(self._chance.randint(1, 3))]
            self._next += len(new)
        else:
            gone = [number for number, _ in self._chance.sample(state, self._chance.randint(1, 2))]
        if kind == "replace":
            new = [(number, self._editions) for number in gone]
            self._editions += 1
        after = (*(one for one in state if one[0] not in gone), *new)
        kill = self._chance.uniform(0, 6.0 if way == "command" else 1.0) if self._chance.random() < 0.2 else None
        self._world.ledger.begin(after)
        outcome = "unknown"
        begun = monotonic()
        try:
            outcome, told = self._made(way, kind, new, gone, kill)
        except KilledError:
            self._world.tally.count("kills", f"writer ({way})")
            outcome, told = "killed", ""
        except httpx.TransportError as error:
            outcome, told = "killed", repr(error)
            if not self._world.down(begun) and not self._world.faults.felt("damage", begun):
                self._world.tally.violation(f"{kind} by request: no answer though nothing was killed: {told}")
        finally:
            self._settle(state, after, outcome)
        self._world.tally.count("changes", f"{kind} ({way}): {outcome}")
        if outcome == "broken" or (outcome == "error" and not self._may_fail(told, begun)):
            self._world.tally.violation(f"{kind} ({way}) failed: {told}")

    def _settle(self, before: State, after: State, outcome: str) -> None:
        """See what the index holds: what was acknowledged, or for all else one of both states, whole."""
        try:
            there = held(self._world.index)
        except SparseCoverageError as error:
            self._world.tally.violation(f"after a change ({outcome}) the index cannot be opened: {error}")
            there = before
        wanted = [after] if outcome == "done" else [before, after]
        if there not in wanted:
            self._world.tally.violation(f"after a change ({outcome}) the index holds {there}, not {wanted}")
        if outcome in ("error", "killed") and there == after:
            self._world.tally.count("changes", f"there although {outcome} came first")
        self._world.ledger.settle(after if there == after else before)

    def _made(self, way: str, kind: str, new: list[Version], gone: list[int], kill: float | None) -> tuple[str, str]:
        if way == "request":
            return self._requested(kind, new, gone, kill)
        if way == "command":
            return self._commanded(kind, new, gone, kill)
        if kind == "delete":
            return self._worker.do("delete", gone, kill_after=kill)
        return self._worker.do("add", new, kind == "replace", kill_after=kill)

    def _requested(self, kind: str, new: list[Version], gone: list[int], kill: float | None) -> tuple[str, str]:
        body = {"ids": [id_of(one) for one in gone]} if kind == "delete" else {"documents": [*map(record_of, new)]}
        begun = monotonic()
        killer = threading.Timer(kill or 0.0, self._world.server.kill_worker)
        if kill is not None and self._world.kills_server():
            self._world.tally.count("kills", "server's process within a change")
            killer.start()
        try:
            answer = self._client.post(f"/v1/indexes/{NAME}/{kind}", json=body)
        finally:
            if killer.is_alive():
                killer.join()
        if answer.status_code == 200:
            if monotonic() - begun > self._world.bound and not self._world.down(begun):
                self._world.tally.violation(f"{kind}: took {monotonic() - begun:.1f} s")
            return "done", ""
        if answer.status_code in (409, 429, 503):
            return "error", answer.json()["error"]["message"]
        return "broken", f"{answer.status_code} {answer.text[:500]}"

    def _commanded(self, kind: str, new: list[Version], gone: list[int], kill: float | None) -> tuple[str, str]:
        words = ["delete", str(self._world.index), *(id_of(one) for one in gone)]
        if kind != "delete":
            path = self._world.scratch / "documents.jsonl"
            path.write_text("".join(json.dumps(record_of(one)) + "\n" for one in new), encoding="utf-8")
            words = ["add", str(self._world.index), str(path), "--language", "any", "--threads", "1"]
            words += ["--replace"] if kind == "replace" else []
        return run_command(["index", *words], kill)

    def _refused(self, state: State) -> None:
        """Ask for what cannot be: nothing may change, and the reason must be told."""
        if self._chance.random() < 0.5:
            outcome, told = self._worker.do("add", [state[0]], False)
            wanted = "AlreadyThereError"
        else:
            outcome, told = self._worker.do("delete", [state[0][0], 900000])
            wanted = "NoDocumentError"
        self._world.tally.count("changes", f"refused: {wanted}")
        if outcome != "error" or not (told.startswith(wanted) or self._may_fail(told, monotonic())):
            self._world.tally.violation(f"a wrong change: {outcome} {told}, not {wanted}")
        if held(self._world.index) != state:
            self._world.tally.violation("a refused change changed the index")

    def _may_fail(self, told: str, begun: float) -> bool:
        if "another process is writing" in told:
            self._world.tally.count("refused", "being written")
            return True
        if self._world.faults.felt("full disk", begun):
            self._world.tally.count("refused", "full disk told")
            return True
        return "much to do" in told


def run_command(words: list[str], kill: float | None = None) -> tuple[str, str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "sparse_coverage", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=kill or 900)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        if kill is None:
            return "broken", f"{words} did not end within 900 s"
        raise KilledError from None
    if process.returncode == 0:
        return "done", out
    if process.returncode == 1 and "Error" in err and "Traceback" not in err:
        return "error", err
    return "broken", f"exit status {process.returncode}: {out[-500:]} {err[-1500:]}"


def keep(world: World, worker: Worker) -> None:
    """Merge and verify now and then, while others change the index; a merge changes no answer."""
    chance = Random(f"{world.seed} keeper")
    while not world.stop.wait(chance.uniform(1, 6)):
        with world.quiet:
            what = chance.choice(["merge", "verify", "verify"])
            kill = chance.uniform(0, 1) if what == "merge" and chance.random() < 0.3 else None
            begun = monotonic()
            try:
                outcome, told = worker.do(what, kill_after=kill)
            except KilledError:
                world.tally.count("kills", "writer (merge)")
                continue
            world.tally.count("operations", what)
            if outcome == "done" and not told:
                continue
            expected = "another process is writing" in str(told) or world.faults.felt("full disk", begun)
            if outcome != "error" or not expected:
                world.tally.violation(f"{what}: {outcome} {told}")
            else:
                world.tally.count("refused", "being written" if "another" in str(told) else "full disk told")


def folder_copy(source: Path, target: Path) -> None:
    """Copy an index that nobody changes meanwhile."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True, timeout=60)
