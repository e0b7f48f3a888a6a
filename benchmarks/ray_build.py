"""Indexing on Ray clusters of several small hosts: the same bytes as on one machine, and the time of each (root, Linux).

    python benchmarks/ray_build.py --documents 4000 --hosts 1 2 4 --share 0.05

The documents are invented (short ones, words by Zipf's law), and the encoder is small and random (4 layers, 128 dimensions, the
tokenizer of `minilm`): what is measured is how the work is shared out, not an encoder. Needs the extra [ray] and the encoder `minilm`.

Each host is a node with a share of a core that the system holds it to (a control group), as hosts of that speed would be; the command
itself is not held back. Pieces are a quarter as large as usual, so that few documents give many of them.
The last cluster builds once more, and a worker of it is killed on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from machine import describe
from safetensors.numpy import save_file

from sparse_coverage import Index, Sampling, SparseCoverage, load_encoder, read_patents
from sparse_coverage.encoding.fetching import model_folder

SIZE, SPANS, SAMPLED = 2_000, 200_000, 5_000
FILES = 40


def write_documents(folder: Path, count: int) -> None:
    """Write short patents: a title, an abstract, two claims, two paragraphs; about 85 words in all."""
    random = np.random.default_rng(0)
    vocabulary = json.loads((model_folder("minilm") / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = np.array([word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 2][:15_000])
    chances = 1.0 / np.arange(2, len(words) + 2)
    chances /= chances.sum()

    def text(length: int) -> str:
        return " ".join(random.choice(words, length, p=chances)).capitalize() + "."

    folder.mkdir(parents=True)
    for part in range(FILES):
        with (folder / f"part-{part:03d}.jsonl").open("w", encoding="utf-8") as stream:
            for number in range(part, count, FILES):
                record = {
                    "id": f"XX-{number:07d}-A1",
                    "title": text(5),
                    "publication_date": f"{1980 + number % 40}-01-02",
                }
                record |= {"abstract": text(20), "claims": [text(20), text(10)], "description": [text(15), text(15)]}
                stream.write(json.dumps(record) + "\n")


def write_encoder(folder: Path) -> None:
    """Write a checkpoint of 4 layers and 128 dimensions with random weights."""
    random = np.random.default_rng(0)
    hidden, inner, layers = 128, 512, 4
    config = json.loads((model_folder("minilm") / "config.json").read_text(encoding="utf-8"))
    config |= {"hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": 4}
    shapes = {"word": config["vocab_size"], "position": 512, "token_type": 2}
    weights = {
        f"embeddings.{name}_embeddings.weight": random.normal(0, 0.5, (rows, hidden)).astype(np.float32)
        for name, rows in shapes.items()
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        inside = dict.fromkeys((f"attention.self.{part}" for part in ("query", "key", "value")), (hidden, hidden))
        inside |= {"attention.output.dense": (hidden, hidden), "intermediate.dense": (inner, hidden)}
        inside |= {"output.dense": (hidden, inner)}
        for name, shape in inside.items():
            weights[f"{layer}.{name}.weight"] = random.normal(0, 0.1, shape).astype(np.float32)
            weights[f"{layer}.{name}.bias"] = np.zeros(shape[0], np.float32)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(hidden, np.float32), np.zeros(hidden, np.float32)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.copyfile(model_folder("minilm") / "tokenizer.json", folder / "tokenizer.json")
    save_file(weights, folder / "model.safetensors")


@contextmanager
def measured(results: dict[str, dict[str, float]], stage: str) -> Iterator[None]:
    """Note how long a stage takes on the clock."""
    begun = time.perf_counter()
    yield
    results[stage] = {"wall": time.perf_counter() - begun}


def digest(folder: Path) -> str:
    """One sum over the names and contents of all files of an index or model.

    A writer's lock is no content. What segments are called, and how often was committed, depends on time in a local build: left out.
    """
    total, manifest = sha256(), folder / "manifest.json"
    entries = json.loads(manifest.read_text())["segments"] if manifest.exists() else []
    places = {entry["name"]: f"segment-{place}" for place, entry in enumerate(entries)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("write.lock", "manifest.json"):
            name = "/".join(places.get(part, part) for part in path.relative_to(folder).parts)
            total.update(name.encode() + b"\0" + sha256(path.read_bytes()).digest())
    return total.hexdigest()


def hosts(counts: list[int], share: float, folder: Path) -> None:
    """Index on clusters of so many nodes with a share of a core each; print the seconds of each, and whether the bytes are the same."""
    encoder = load_encoder(str(folder / "encoder"), precision="fp32", threads=1)
    documents, target = folder / "documents", folder / "hosts"
    shutil.rmtree(target, ignore_errors=True)
    sampled = Sampling(SAMPLED, SPANS // 4)
    model = SparseCoverage.fit(
        lambda: read_patents(documents), encoder=encoder, threads=1, size=SIZE // 4, sampling=sampled
    )
    Index.build(target / "local", model, read_patents(documents))
    wanted, first = digest(target / "local"), 0.0
    print("| hosts | encoding, s | times as fast | all, s | CPU s of the workers | index |")
    for count, kill in [*((count, False) for count in counts), (counts[-1], True)]:
        found = _on_hosts(count, share, documents, model, target / f"index-{count}-{kill}", kill)
        first = first or found["encode"]
        same = "the same bytes" if digest(target / f"index-{count}-{kill}") == wanted else "OTHER BYTES"
        name = f"{count}, a worker killed" if kill else str(count)
        shown = f"{found['encode']:.0f} | {first / found['encode']:.2f} | {found['wall']:.0f} | {found['workers']:.0f}"
        print(f"| {name} | {shown} | {same} |", flush=True)


def _on_hosts(
    count: int, share: float, documents: Path, model: SparseCoverage, target: Path, kill: bool
) -> dict[str, float]:
    import ray
    from ray.cluster_utils import Cluster

    from sparse_coverage.cluster import build_on_cluster, connect, indexing

    results: dict[str, dict[str, float]] = {}
    indexing.WINDOWS_PER_RUN = 1
    encode = indexing._encode

    def timed(*arguments: Any) -> None:
        with measured(results, "encode"):
            encode(*arguments)

    indexing._encode = timed
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    patient = {"health_check_failure_threshold": 100}  # slow hosts are not dead ones
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": patient}
    nodes = Cluster(initialize_head=True, head_node_args=head)
    groups = []
    for number in range(count):
        started = nodes.add_node(num_cpus=1)
        groups.append(_hold(f"host-{number}", share, started.all_processes["raylet"][0].process.pid))
    ray.init(address=nodes.address, log_to_driver=False, logging_level="error")
    nodes.wait_for_nodes()
    try:
        with connect() as cluster:
            # Workers are there and have imported everything before the clock begins.
            list(cluster.run(_warm, [(place,) for place in range(4 * count)]))
            killer = threading.Timer(15.0, _kill_a_worker, (groups[0],))
            if kill:
                killer.start()
            before = sum(map(_used, groups))
            with measured(results, "index"):
                build_on_cluster(cluster, target, model, [documents])
            results["index"] |= {"workers": sum(map(_used, groups)) - before, "encode": results["encode"]["wall"]}
            killer.cancel()
    finally:
        indexing._encode = encode
        ray.shutdown()
        nodes.shutdown()
        time.sleep(2)
        for group in groups:
            group.rmdir()
    return results["index"]


def _warm(place: int) -> int:
    import sparse_coverage.cluster.indexing  # noqa: F401

    time.sleep(1.0)
    return place


def _hold(name: str, share: float, process: int) -> Path:
    """Hold a process, and those that it starts, to a share of a core."""
    group = Path("/sys/fs/cgroup/cpu/sparse-coverage") / name
    group.mkdir(parents=True, exist_ok=True)
    (group / "cpu.cfs_period_us").write_text("100000")
    (group / "cpu.cfs_quota_us").write_text(str(int(100_000 * share)))
    below = [process, *map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())]
    for one in below:
        (group / "cgroup.procs").write_text(str(one))
    return group


def _used(group: Path) -> float:
    """CPU seconds of the processes in a group; those that ended are counted by the process that started them."""
    ticks = 0
    for process in (group / "cgroup.procs").read_text().split():
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _kill_a_worker(group: Path) -> None:
    for process in map(int, (group / "cgroup.procs").read_text().split()):
        with suppress(OSError):
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::"):
                os.kill(process, signal.SIGKILL)
                return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=4_000)
    parser.add_argument("--folder", type=Path, default=Path("ray-build"), help="for the collection and the indexes")
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 2, 4], help="index on clusters of so many nodes")
    parser.add_argument("--share", type=float, default=0.15, help="of a core that each of these nodes has")
    given = parser.parse_args()
    if not (given.folder / "documents").exists():
        write_documents(given.folder / "documents", given.documents)
        write_encoder(given.folder / "encoder")
    print(describe())
    hosts(given.hosts, given.share, given.folder)


if __name__ == "__main__":
    main()
