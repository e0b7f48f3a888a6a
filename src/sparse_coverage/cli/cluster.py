"""`fit` and `index` with `--on ray`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sparse_coverage.cli.options import ProblemLog

if TYPE_CHECKING:
    from sparse_coverage import Index, SparseCoverage


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
    *,
    language: str,
    runtime: str,
    **settings: Any,
) -> Index:
    """Index patents on a cluster, after learning a model from them there if none is given."""
    from sparse_coverage import SparseCoverage
    from sparse_coverage.cluster import build_on_cluster, connect, fit_on_cluster

    fitting = output.absolute().with_name(f".{output.name}.fit")
    with _quiet_stdout(), connect(address, threads) as cluster:
        if model is None:
            with log.held_back() as hold:
                learned = fit_on_cluster(cluster, paths, fitting, language=language, runtime=runtime, on_problem=hold)
        else:
            learned = SparseCoverage.load(model, runtime=runtime, threads=threads)
        index = build_on_cluster(
            cluster, output, learned, paths, language=language, runtime=runtime, on_problem=log, **settings
        )
    shutil.rmtree(fitting, ignore_errors=True)
    return index


def _quiet_stdout() -> AbstractContextManager[IO[str]]:
    """Ray tells of lost workers on standard output, which belongs to the result."""
    return redirect_stdout(sys.stderr)
