"""Faults: a full disk, a clock that jumps, damaged files, a server that is killed. Each is mended again, and what it did is checked."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from changing import Changer, folder_copy
from documents import id_of, request
from truth import NAME, held
from world import World
from writers import Worker

from sparse_coverage.index.manifest import read_manifest
from sparse_coverage.index.segment import SEGMENTS

_JUMPS = (-400 * 86400.0, -3600.0, -1.0, 0.0, 3600.0, 3650 * 86400.0)
_LEFT = (0, 4096, 16384, 65536, 200_000, 600_000)
_DAMAGED = 6


class Trouble:
    """Makes faults at random."""

    def __init__(self, world: World, changer: Changer) -> None:
        self._world, self._changer = world, changer
        self._chance = Random(f"{world.seed} faults")
        self._worker = Worker(world.index)
        self._left: list[Callable[[], None]] = []

    def close(self) -> None:
        """End its process."""
        self._worker.close()

    def make(self) -> None:
        """Make one of all faults in turn, in an order of chance."""
        if not self._left:
            self._left = [self._jump, self._copy_damaged, self._copy_damaged, self._beside]
            self._left += [self._full] if self._world.disk.small else []
            if self._world.kills_server():
                self._left += [self._kill_worker, self._chance.choice([self._kill_all, self._offline, self._under])]
            self._chance.shuffle(self._left)
        self._left.pop()()

    def _jump(self) -> None:
        """The clock jumps, back or forth, and with it the times of files written then."""
        self._world.jump(self._chance.choice(_JUMPS))
        self._touch(time.time() + self._world.now)
        self._world.tally.count("faults", "clock jumps")

    def _full(self) -> None:
        """The disk is full to the last few bytes while changes are made."""
        self._world.tally.count("faults", "full disk")
        self._world.faults.begin("full disk")
        self._world.disk.fill(self._chance.choice(_LEFT))
        for _ in range(self._chance.randint(2, 6)):
            self._changer.change()
        self._world.disk.empty()
        self._world.faults.end("full disk")

    def _kill_worker(self) -> None:
        """Kill -9 of the process that answers."""
        if self._world.kills_server() and self._world.server.kill_worker():
            self._world.tally.count("kills", "server's process")

    def _kill_all(self) -> None:
        """Kill -9 of the whole server."""
        if self._world.kills_server():
            self._world.server.kill()
            self._world.tally.count("kills", "whole server")
            if not self._world.server.start():
                self._world.tally.violation(
                    f"a killed server does not start again: {self._world.server.said()[-1500:]}"
                )

    def _copy_damaged(self) -> None:
        """A copy of the index is damaged: `verify` says so, and a process that opens it answers rightly or says so."""
        folder = self._world.scratch / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with self._world.quiet:
            folder_copy(self._world.index, folder / NAME)
            shutil.copy(self._world.index.parent / "calibration.npz", folder)
        state = self._world.ledger.state
        path = self._choose(folder / NAME)
        name = f"{self._damage(path)} in {_plain(path, folder / NAME)}"
        outcome, told = self._worker.do("verify", folder / NAME)
        if outcome == "broken" or (outcome == "done" and not told):
            self._world.tally.violation(f"{name}: verify said {outcome} {told}")
        asked = [request(self._chance, [id_of(number) for number, _ in state]) for _ in range(_DAMAGED)]
        after = "merge" if self._chance.random() < 0.3 else ""
        outcome, told = self._worker.do("probe", folder / NAME, self._chance.randrange(1 << 30), asked, after)
        if outcome == "broken":
            self._world.tally.violation(f"{name}, {after or 'asked'}: {told}")
        for kind, body, status, content in told if outcome == "done" else ():
            if status == 200 and (status, content) != self._world.references.answer(state, kind, body):
                self._world.tally.violation(f"{name}, {after or 'asked'}: {kind} {body} is answered wrongly")
        self._world.tally.count("damaged copies", "told when opened or changed" if outcome == "error" else "asked")

    def _beside(self) -> None:
        """A damaged file takes the place of a file that the server has open; it is told to look again."""
        with self._world.quiet:
            path, sound = self._begin()
            other = path.with_name(f"{path.name}.damaged")
            shutil.copy(path, other)
            self._damage(other)
            other.replace(path)
            self._touch()
            self._world.stop.wait(self._chance.uniform(1, 3))
            self._mend(path, sound)

    def _offline(self) -> None:
        """The server is killed, a file is damaged, the server is started: it says so, at once or when asked, or answers rightly."""
        if not self._world.kills_server():
            return
        with self._world.quiet:
            path, sound = self._begin()
            self._world.server.kill()
            self._world.tally.count("kills", "whole server")
            self._damage(path)
            if self._world.server.start():
                self._world.stop.wait(self._chance.uniform(1, 3))
            self._mend(path, sound, restart=True)

    def _under(self) -> None:
        """A file that the server has mapped is cut short: what reads it may be ended by the system, and is started again."""
        if not self._world.kills_server():
            return
        with self._world.quiet:
            path, sound = self._begin()
            self._damage(path, cut=True)
            self._touch()
            self._world.stop.wait(self._chance.uniform(1, 3))
            self._mend(path, sound, restart=True)

    def _begin(self) -> tuple[Path, bytes]:
        self._world.faults.begin("damage")
        path = self._choose(self._world.index)
        return path, path.read_bytes()

    def _mend(self, path: Path, sound: bytes, *, restart: bool = False) -> None:
        """Restore a file from its copy."""
        if self._world.server.ended:
            said = self._world.server.said()
            if "Error: " not in said or "Traceback" in said:
                self._world.tally.violation(f"{path}: damaged, and the server ended without saying so: {said[-1500:]}")
        other = path.with_name(f"{path.name}.sound")
        other.write_bytes(sound)
        other.replace(path)
        self._touch()
        if restart:
            if not self._world.server.ended:
                self._world.server.kill()
            if not self._world.server.start():
                self._world.tally.violation(f"the mended index is not served: {self._world.server.said()[-1500:]}")
        if held(self._world.index) != self._world.ledger.state:
            self._world.tally.violation("the mended index holds something else than before")
        self._world.faults.end("damage")

    def _choose(self, folder: Path) -> Path:
        """Choose a file of an index. What a killed writer left behind is none: no manifest names it, and the next writer removes it."""
        named = {entry.name: entry.tombstones for entry in read_manifest(folder).segments}
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
        left = {path for path in files if path.parent.parent.name == SEGMENTS and path.parent.name not in named}
        left |= {path for path in files if path.match("deleted-*") and path.name != named.get(path.parent.name)}
        return self._chance.choice([path for path in files if path not in left])

    def _damage(self, path: Path, *, cut: bool = False) -> str:
        """Cut a file short, or flip one bit in it."""
        content = bytearray(path.read_bytes())
        place = self._chance.randrange(len(content))
        if cut or self._chance.random() < 0.4:
            name = "truncated"
            os.truncate(path, place)
        else:
            name = "bit flipped"
            content[place] ^= 1 << self._chance.randrange(8)
            with path.open("r+b") as file:
                file.seek(place)
                file.write(content[place : place + 1])
        self._world.tally.count("faults", name)
        return f"{name} at {place}"

    def _touch(self, when: float | None = None) -> None:
        """Let the server look at the index again."""
        manifest = self._world.index / "manifest.json"
        os.utime(manifest, None if when is None else (when, when))


def _plain(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder))
