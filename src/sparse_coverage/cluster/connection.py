"""The cluster: connected to, checked, and given pieces of work whose results come back in order.

Every piece is a function of this package and a few small arguments; what it makes lies in a folder that all nodes see. A
piece that is already there is not made again, so one that died with its worker is simply repeated elsewhere.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from sparse_coverage.encoding import Encoder, load_encoder
from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.errors import InputError, MismatchError, MissingExtraError, SparseCoverageError
from sparse_coverage.files import read_json, write_json

R = TypeVar("R")

RETRIES = 5
"""How often a piece is repeated when its worker died under it."""
AHEAD = 4
"""How many pieces a worker has waiting: enough that none is idle while the oldest piece is awaited."""


class ClusterError(SparseCoverageError):
    """The cluster cannot be reached, does not see the shared folder, or keeps losing workers."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster. `workers` pieces of work run at a time, on `threads` cores each."""

    ray: Any
    threads: int
    workers: int

    def run(self, function: Callable[..., R], calls: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        """Call a function with each of the argument tuples somewhere on the cluster; yield the results in order.

        `calls` is read only a little ahead of the results, so later arguments may depend on earlier results.
        """
        remote = self.ray.remote(function).options(num_cpus=self.threads, max_retries=RETRIES)
        pending: deque[Any] = deque()
        try:
            for arguments in calls:
                pending.append(remote.remote(*arguments))
                if len(pending) >= AHEAD * self.workers:
                    yield self._result(pending.popleft())
            while pending:
                yield self._result(pending.popleft())
        finally:
            for reference in pending:
                self.ray.cancel(reference)

    def check_folder(self, folder: Path) -> None:
        """Make sure that every node sees the shared folder and runs the same version of this package."""
        from sparse_coverage.package import __version__

        token = secrets.token_hex(8)
        path = folder / f".seen-{token}"
        path.write_text(token, encoding="utf-8")
        strategy = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        look = self.ray.remote(_look)
        try:
            nodes = [node for node in self.ray.nodes() if node["Alive"]]
            looks = [
                look.options(num_cpus=0, scheduling_strategy=strategy(node["NodeID"], soft=True)).remote(
                    str(path), token
                )
                for node in nodes
            ]
            for node, (sees, version) in zip(nodes, map(self._result, looks), strict=True):
                name = node["NodeManagerHostname"]
                if not sees:
                    raise ClusterError(
                        f"The node {name} does not see {folder}. All nodes must see the folder of the work under the same "
                        "path: name one on shared storage."
                    )
                if version != __version__:
                    raise ClusterError(
                        f"The node {name} has sparse-coverage {version}, here it is {__version__}. Install the same "
                        "version everywhere: another one could give another index."
                    )
        finally:
            path.unlink(missing_ok=True)

    def _result(self, reference: Any) -> Any:
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, SparseCoverageError):
                raise error.cause from None
            raise
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
            raise ClusterError(
                f"A piece of work lost its worker {RETRIES + 1} times ({type(error).__name__}). Perhaps a node is short of "
                "memory: give tasks more cores each (--threads), so that fewer run at a time. What is finished stays."
            ) from None


@contextmanager
def connect(address: str | None = None, threads: int | None = None) -> Iterator[Cluster]:
    """Connect to a Ray cluster for the time of a block: `host:6379`, `auto` for the one this machine is in.

    Without an address, one is started on this machine and ended with the block. A connection that the program has
    already is used and left open. `threads` is how many cores one task takes (1 by default).
    """
    ray = _ray()
    own = not ray.is_initialized()
    if own:
        _require_listening(address)
        try:
            ray.init(
                address=address or "local",
                include_dashboard=None if address else False,
                log_to_driver=False,
                logging_level="error",
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise _nothing_at(address, str(error).splitlines()[0]) from None
    try:
        yield _described(ray, threads or 1)
    finally:
        if own:
            ray.shutdown()


def _require_listening(address: str | None) -> None:
    """Look whether anybody answers at an address at all: Ray itself would go on trying for minutes."""
    if address in (None, "auto"):
        return
    host, _, port = str(address).rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise InputError(f"The address of a Ray cluster is HOST:PORT, as head:6379, or auto, not '{address}'.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except OSError as error:
        raise _nothing_at(address, error.strerror or str(error)) from None


def _nothing_at(address: str | None, cause: str) -> ClusterError:
    return ClusterError(
        f"There is no Ray cluster at '{address}' ({cause}). Start one with: ray start --head, and on the other nodes: "
        "ray start --address HOST:6379"
    )


def _described(ray: Any, threads: int) -> Cluster:
    cores = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    workers = sum(count // threads for count in cores)
    if not workers:
        raise InputError(f"A task would take {threads} cores, but the largest node has {max(cores, default=0)}.")
    return Cluster(ray, threads, workers)


def _ray() -> ModuleType:
    # Nothing is reported to anybody, and no advice about it is printed.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
        import ray.exceptions
        import ray.util.scheduling_strategies
    except ImportError:
        raise MissingExtraError("Building on a cluster", "ray") from None
    return ray  # type: ignore[no-any-return]


def _look(path: str, token: str) -> tuple[bool, str]:
    """Say, on some node, whether it sees a file, and which version it runs."""
    from sparse_coverage.package import __version__

    found = Path(path)
    return found.is_file() and found.read_text(encoding="utf-8") == token, __version__


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """What a worker needs to load the encoder that the run was started with."""

    name: str
    runtime: str
    precision: str
    fingerprint: str
    threads: int

    @classmethod
    def of(cls, encoder: Encoder, runtime: str, threads: int) -> EncoderSpec:
        """Describe a running encoder: its arithmetic by name, so that no node chooses another."""
        is_folder = encoder.name not in CATALOGUE and Path(encoder.name).is_dir()
        name = str(Path(encoder.name).absolute()) if is_folder else encoder.name
        return cls(name, runtime, encoder.precision, encoder.fingerprint, threads)

    def load(self) -> Encoder:
        """Return the encoder of this process."""
        return _loaded(self)


@lru_cache(maxsize=1)
def _loaded(spec: EncoderSpec) -> Encoder:
    encoder = load_encoder(spec.name, runtime=spec.runtime, precision=spec.precision, threads=spec.threads)
    if encoder.fingerprint != spec.fingerprint:
        raise MismatchError(
            f"A node has other weights for the encoder '{spec.name}' ({encoder.fingerprint}) than the run was started with "
            f"({spec.fingerprint}). Put the same ones on every node, or name a folder that all nodes see."
        )
    return encoder


def require_same_run(folder: Path, facts: Mapping[str, Any]) -> None:
    """Keep what determines a run beside its state; refuse to go on with the state of another."""
    from sparse_coverage.package import __version__

    path = folder / "run.json"
    wanted = {"version": __version__, **facts}
    if not path.exists():
        write_json(path, wanted)
        return
    found = read_json(path)
    different = [name for name in wanted if found.get(name) != wanted[name]]
    if different:
        raise MismatchError(
            f"{folder} holds the state of another run: {', '.join(different)} differ. Use the same settings and input to "
            "finish that one, or give another folder with --work."
        )
