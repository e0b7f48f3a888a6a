"""A server of two indexes that are added to every second, with as few open files as macOS allows: nothing fails, nothing grows.

    python soak/steady.py [--minutes 10] [--plot steady.png]

Two askers search, explain, read and chart all along. Exit status 1 if any answer was no success, or if memory or open files grew.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import httpx
from served import Served
from tally import Tally

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests")]

FILES = 256
_NAMES = ("one", "two")
_BEGUN_WITH = 12
_KEPT = 40
"""So many documents an index holds: for each that is added from then on the oldest is deleted."""
_MORE_MEMORY, _MORE_FILES = 1.1, 30


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--plot", type=Path, help="Draw memory and open files over time.")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="steady-"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(HERE), str(ROOT / "tests")])
    os.environ["NO_COLOR"] = "1"
    tally = Tally()
    server = _served(folder, tally)
    try:
        _abuse(server, tally, 60 * options.minutes)
        _judge(server, tally)
    finally:
        server.stop()
    for word in ("Traceback", "A request failed", "cannot be opened"):
        if word in (said := server.all_said()):
            tally.violation(f"the server's log has '{word}': {said[said.index(word) :][:1500]}")
    print(tally.table())
    life = server.lives[-1]
    for seconds, memory, files in life.tenths():
        print(f"  up to {seconds:5.0f} s  {memory:5.0f} MiB  {files:4} files")
    if options.plot:
        _draw(life.taken, options.plot)
    if tally.violations:
        print(f"{len(tally.violations)} violations; the server's log is in {folder}.")
        sys.exit(1)
    shutil.rmtree(folder)
    print("No violation.")


def _served(folder: Path, tally: Tally) -> Served:
    from documents import patent_of
    from made_documents_for_charts import made_calibration
    from pace import Pace
    from tiny_bert import write_checkpoint
    from truth import build

    from sparse_coverage import SparseCoverage
    from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
    from sparse_coverage.progress import be_quiet

    be_quiet()
    checkpoint = write_checkpoint(folder / "encoder")
    encoder = OpenVinoEncoder(checkpoint, name=str(checkpoint), threads=1)
    model = SparseCoverage.fit([patent_of((number, 0)) for number in range(40)], encoder=encoder, size=120)
    for name in _NAMES:
        build(folder / name, model, tuple((number, 0) for number in range(_BEGUN_WITH)))
    made_calibration(encoder).save(folder / "calibration.npz")
    first, *others = (folder / name for name in _NAMES)
    return Served(
        first, folder / "projects", folder / "calibration.npz", folder / "log", tally, Pace(), *others, files=FILES
    )


def _abuse(server: Served, tally: Tally, seconds: float) -> None:
    """Add to the indexes in turn, one document a second, and ask meanwhile."""
    from documents import id_of, record_of

    until, stop = time.monotonic() + seconds, threading.Event()
    askers = [threading.Thread(target=_ask, args=(server, tally, seed, stop)) for seed in range(2)]
    for asker in askers:
        asker.start()
    oldest, newest = dict.fromkeys(_NAMES, 0), dict.fromkeys(_NAMES, _BEGUN_WITH)
    with httpx.Client(base_url=server.address, timeout=120) as client:
        turn = 0
        while (begun := time.monotonic()) < until:
            name, turn = _NAMES[turn % 2], turn + 1
            _tell(tally, client, f"{name}/add", {"documents": [record_of((newest[name], 0))]})
            newest[name] += 1
            if newest[name] - oldest[name] > _KEPT:
                _tell(tally, client, f"{name}/delete", {"ids": [id_of(oldest[name])]})
                oldest[name] += 1
            if turn % 60 == 0:
                taken = server.lives[-1].taken[-1]
                print(f"{taken[0]:.0f} s: {turn} additions, {taken[1]:.0f} MiB, {taken[2]} files", flush=True)
            time.sleep(max(0.0, 1.0 - (time.monotonic() - begun)))
    stop.set()
    for asker in askers:
        asker.join(120)


def _ask(server: Served, tally: Tally, seed: int, stop: threading.Event) -> None:
    from documents import claim, id_of

    chance = Random(seed)
    asked: tuple[Callable[[], tuple[str, dict[str, Any]]], ...] = (
        lambda: ("search", {"query": claim(chance), "k": 5}),
        lambda: ("search", {"query": claim(chance), "k": 5, "ranking": chance.choice(["centers", "words", "vectors"])}),
        lambda: ("search", {"filters": {"filter": "pump or device"}, "k": 5}),
        lambda: ("chart", {"claim": claim(chance), "k": 2}),
        lambda: ("prepare", {"text": id_of(3)}),
    )  # fmt: skip
    with httpx.Client(base_url=server.address, timeout=120) as client:
        while not stop.wait(0.2):
            route, body = chance.choice(asked)()
            _tell(tally, client, f"{chance.choice(_NAMES)}/{route}", body)


def _tell(tally: Tally, client: httpx.Client, route: str, body: dict[str, Any]) -> None:
    begun = time.monotonic()
    answer = client.post(f"/v1/indexes/{route}", json=body)
    tally.took(time.monotonic() - begun)
    tally.count("answers", route.partition("/")[2])
    told = answer.json()
    if answer.status_code != 200 or (route.endswith(("add", "delete")) and told.get("notes")):
        tally.violation(f"{route}: {answer.status_code} {answer.text[:500]}")


def _judge(server: Served, tally: Tally) -> None:
    if len(server.lives) != 1:
        tally.violation(f"the process that answers was begun {len(server.lives)} times")
    if ends := server.lives[-1].ends():
        (memory, files), (last, more) = ends
        if last > _MORE_MEMORY * memory or more > files + _MORE_FILES:
            tally.violation(f"it grew from {memory:.0f} to {last:.0f} MiB, from {files} to {more} open files")


def _draw(taken: list[tuple[float, float, int]], path: Path) -> None:
    from matplotlib.figure import Figure

    seconds, memory, files = zip(*taken, strict=True)
    figure = Figure(figsize=(7, 4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(seconds, memory)
    above.set(ylabel="memory, MiB", ylim=(0, None))
    below.plot(seconds, files)
    below.axhline(FILES, linestyle=":", color="gray")
    below.set(ylabel=f"open files, of {FILES}", xlabel="seconds", ylim=(0, None))
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
