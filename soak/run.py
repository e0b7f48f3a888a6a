"""A week's abuse of an index and its server in an hour (`make soak`; SOAK_MINUTES says how long).

    python soak/run.py --minutes 60 [--seed 7]

One server answers searches, charts, explanations and reports while other processes add, replace, delete, merge and verify, and while
faults come at random: writers and the server killed, a full disk, a clock that jumps, files cut short, bits flipped. All along, every
answer must be that of a fresh index of the same documents, every acknowledged change must stay, memory and open files must stay flat,
no answer may take too long, and only errors that say what to do may come out. Exit status 1 if anything was otherwise.

The seed gives the same changes, requests and faults again; when they meet is up to the machine.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import struct
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from changing import Changer
    from faults import Trouble
    from world import World
    from writers import Worker

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests")]

_CENTERS = 120
_FIRST = 12
_ASKERS = 3
_MORE_MEMORY, _MORE_FILES = 1.25, 100
"""What a process that answers may take in the end, measured against half of its life, and how many files more it may have open."""


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "60")))
    parser.add_argument("--seed", type=int, help="[default: any]")
    options = parser.parse_args()
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    print(f"Soak of {options.minutes:g} minutes with --seed {seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    os.environ["SOAK_CLOCK"] = str(folder / "clock")
    (folder / "clock").write_bytes(struct.pack("<d", 0.0))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE / "clock"), str(ROOT / "src"), str(HERE), str(ROOT / "tests")])
    os.environ["NO_COLOR"] = "1"
    violations = soak(folder, options.minutes, seed)
    if violations:
        print(f"{violations} violations. Replay: python soak/run.py --minutes {options.minutes:g} --seed {seed}")
        print(f"The index, logs and differences are kept in {folder}.")
        sys.exit(1)
    shutil.rmtree(folder)
    print("No violation.")


def soak(folder: Path, minutes: float, seed: int) -> int:
    """Soak; return how many violations there were."""
    from asking import ask, compare
    from changing import Changer, keep
    from desk import sit
    from faults import Trouble
    from writers import Worker

    world = _made(folder, seed)
    begun = time.monotonic()
    until = begun + 60 * minutes
    world.middle = begun + 30 * minutes
    changer = Changer(world)
    trouble, keeper = Trouble(world, changer), Worker(world.index)
    asking: list[Callable[[], None]] = [lambda number=number: ask(world, number) for number in range(_ASKERS)]  # type: ignore[misc]
    threads = [_thread(world, one) for one in [*asking, lambda: sit(world), lambda: keep(world, keeper)]]
    comparing = _thread(world, lambda: compare(world))
    try:
        _abuse(world, changer, trouble, begun, until)
    except Exception:
        world.tally.violation(f"the soak itself failed: {traceback.format_exc()}")
    world.stop.set()
    for thread in [*threads, comparing]:
        thread.join(600)
        if thread.is_alive():
            world.tally.violation("a thread of the soak did not end")
    _last_look(world, keeper)
    changer.close()
    trouble.close()
    keeper.close()
    world.disk.close()
    _show(world, (time.monotonic() - begun) / 60)
    return len(world.tally.violations)


def _abuse(world: World, changer: Changer, trouble: Trouble, begun: float, until: float) -> None:
    """Change the index and make faults, one after the other, until the time is over or too much went wrong."""
    chance = Random(f"{world.seed} run")
    next_fault, next_word = begun + 2, begun + 60
    while time.monotonic() < until and len(world.tally.violations) < 20:
        if time.monotonic() >= next_fault:
            trouble.make()
            next_fault = time.monotonic() + chance.uniform(2, 8)
        changer.change()
        if time.monotonic() >= next_word:
            next_word += 60
            said = {
                name: world.tally.total(name)
                for name in ("operations", "changes", "answers compared", "kills", "faults")
            }
            taken = [f"{memory:.0f} MiB, {files} files" for _, memory, files in world.server.lives[-1].taken[-1:]]
            print(f"{(time.monotonic() - begun) / 60:.0f} min: {said} {', '.join(taken)}", flush=True)
        world.stop.wait(chance.uniform(0, 1.0))


def _made(folder: Path, seed: int) -> World:
    """Make an encoder, a model, an index and its server."""
    from disk import Disk
    from documents import patent_of
    from made_documents_for_charts import made_calibration
    from pace import Pace
    from served import Served
    from tally import Tally
    from tiny_bert import write_checkpoint
    from truth import NAME, Ledger, References, build
    from world import World

    from sparse_coverage import SparseCoverage
    from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
    from sparse_coverage.progress import be_quiet

    be_quiet()
    # As every process that opens the index loads it: in bf16 where the CPU computes in it.
    checkpoint = write_checkpoint(folder / "encoder")
    encoder = OpenVinoEncoder(checkpoint, name=str(checkpoint), threads=1)
    model = SparseCoverage.fit([patent_of((number, 0)) for number in range(40)], encoder=encoder, size=_CENTERS)
    disk, tally, pace = Disk(folder), Tally(), Pace()
    state = tuple((number, 0) for number in range(_FIRST))
    build(disk.path / NAME, model, state)
    made_calibration(encoder).save(disk.path / "calibration.npz")
    (folder / "fresh").mkdir()
    (folder / "scratch").mkdir()
    server = Served(
        disk.path / NAME, disk.path / "projects", disk.path / "calibration.npz", folder / "server.log", tally, pace
    )
    return World(
        index=disk.path / NAME,
        projects=disk.path / "projects",
        scratch=folder / "scratch",
        clock=folder / "clock",
        disk=disk,
        server=server,
        ledger=Ledger(state),
        references=References(folder / "fresh", model, disk.path / "calibration.npz"),
        tally=tally,
        pace=pace,
        seed=seed,
    )


def _thread(world: World, function: Callable[[], None]) -> threading.Thread:
    def guarded() -> None:
        try:
            function()
        except BaseException as error:
            world.tally.violation(f"a part of the soak ended: {error!r}\n{traceback.format_exc()}")

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    return thread


def _last_look(world: World, keeper: Worker) -> None:
    """Whatever happened, in the end everything is sound and nothing was said that should not be."""
    from truth import held

    if held(world.index) != world.ledger.state:
        world.tally.violation("in the end the index holds something else than was acknowledged")
    outcome, told = keeper.do("verify")
    if outcome != "done" or told:
        world.tally.violation(f"in the end verify said {outcome} {told}")
    status = world.server.stop()
    if status != 0:
        world.tally.violation(f"the server ended with status {status}")
    said = world.server.all_said()
    for word in ("Traceback", "A request failed"):
        if word in said:
            world.tally.violation(f"the server's log has '{word}': {said[said.index(word) :][:1500]}")
    lives = sum(life.ends() is not None for life in world.server.lives)
    world.tally.count("server's processes", "all", len(world.server.lives))
    world.tally.count("server's processes", "measured", lives)
    for life in world.server.lives:
        if ends := life.ends():
            (memory, files), (last, more) = ends
            if last > _MORE_MEMORY * memory + 32 or more > files + _MORE_FILES:
                world.tally.violation(
                    f"a process that answered for {life.taken[-1][0]:.0f} s grew from {memory:.0f} to {last:.0f} MiB, "
                    f"from {files} to {more} open files"
                )


def _show(world: World, minutes: float) -> None:
    world.tally.count("answers compared", "fresh indexes built for it", world.references.made)
    for name in ("kills", "faults", "differences"):
        world.tally.count(name, "all", world.tally.total(name))
    world.tally.count("violations", "all", len(world.tally.violations))
    print(world.tally.table())
    print(f"the machine was up to {world.pace.slowest:.0f} times slower than one with nothing else to do")
    if lives := [life for life in world.server.lives if life.ends()]:
        longest = max(lives, key=lambda life: life.taken[-1][0])
        print(f"the longest life of a process that answers: {longest.taken[-1][0]:.0f} s of {minutes:.1f} min")
        print("its memory and open files, the middle of each tenth of its life:")
        for seconds, memory, files in longest.tenths():
            print(f"  up to {seconds:5.0f} s  {memory:5.0f} MiB  {files:4} files")


if __name__ == "__main__":
    main()
