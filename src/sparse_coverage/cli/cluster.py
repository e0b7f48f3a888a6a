"""Where `fit` and `index` do their work: on this machine, or with `--on ray` on a Ray cluster."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options.inputs import ProblemLog
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage import Index, SparseCoverage
    from sparse_coverage.encoding import Encoder


def workplace_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--on` and `--address`."""

    @click.option(
        "--on",
        type=click.Choice(["local", "ray"]),
        default="local",
        help="Work on this machine, or on a Ray cluster (extra [ray]): --threads cores a task there. See docs/cluster.md.",
    )
    @click.option(
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster, or auto for the one this machine is in [start one here].",
    )
    @wraps(function)
    def with_workplace(*, on: str, address: str | None, **rest: Any) -> Any:
        if on != "ray" and address is not None:
            raise InputError("--address names a Ray cluster: give --on ray with it.")
        return function(on=on, address=address, **rest)

    return with_workplace


def fit_with_ray(
    address: str | None,
    threads: int | None,
    paths: Sequence[str],
    output: Path,
    work: Path | None,
    log: ProblemLog,
    **settings: Any,
) -> SparseCoverage:
    """Fit a model on a cluster. Without a folder for the work, one beside the output is used and removed."""
    from sparse_coverage.cluster import connect, fit_on_cluster

    folder = work or output.absolute().with_name(f".{output.name}.work")
    with _quiet_stdout(), connect(address, threads) as cluster:
        model = fit_on_cluster(cluster, paths, folder, on_problem=log, **settings)
    if work is None:
        shutil.rmtree(folder)
    return model


def index_with_ray(
    address: str | None,
    threads: int | None,
    paths: Sequence[str],
    output: Path,
    model: str | None,
    log: ProblemLog,
    wholes: Encoder | None,
    *,
    language: str,
    runtime: str,
    **settings: Any,
) -> Index:
    """Index patents on a cluster, after learning a model from them there if none is given. `wholes`: the encoder of whole passages."""
    from sparse_coverage import SparseCoverage
    from sparse_coverage.cluster import build_on_cluster, connect, fit_on_cluster

    fitting = output.absolute().with_name(f".{output.name}.fit")
    with _quiet_stdout(), connect(address, threads) as cluster:
        if model is None:
            with log.held_back() as hold:
                reading: dict[str, Any] = {"language": language, "runtime": runtime, "on_problem": hold}
                learned = fit_on_cluster(cluster, paths, fitting, by=settings["by"], **reading)
        else:
            learned = SparseCoverage.load(model, runtime=runtime, threads=threads)
        learned = learned.with_vectors_of(wholes) if wholes else learned
        index = build_on_cluster(
            cluster, output, learned, paths, language=language, runtime=runtime, on_problem=log, **settings
        )
    shutil.rmtree(fitting, ignore_errors=True)
    return index


def _quiet_stdout() -> AbstractContextManager[IO[str]]:
    """Ray tells of lost workers on standard output, which belongs to the result."""
    return redirect_stdout(sys.stderr)
