"""What `evaluate`, `reproduce` and `clefip` have in common: how a collection is read, and where work on it is kept."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options.general import count_option, path_option, threads_option
from sparse_coverage.cli.options.method import max_documents_option

if TYPE_CHECKING:
    from sparse_coverage.evaluation.clefip import PoolConfig
    from sparse_coverage.evaluation.collection import Collection
    from sparse_coverage.experiments.bench import Workbench

POOL = 25_000
Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a collection is read: the candidate pool of CLEF-IP, and where what was seen is kept."""

    pool: int
    pool_seed: int
    cache: Path

    @property
    def pool_config(self) -> PoolConfig:
        """The pool to draw."""
        from sparse_coverage.evaluation.clefip import PoolConfig

        return PoolConfig(self.pool, seed=self.pool_seed)

    def collection(self, spec: str) -> Collection:
        """Return the collection that the user names."""
        from sparse_coverage.evaluation.find_collection import load_collection

        return load_collection(spec, pool=self.pool_config, cache=self.cache)


@dataclass(frozen=True, slots=True)
class Means:
    """What work on a collection is done with: where vocabularies are learned, and on how many cores."""

    reading: Reading
    learn_from: tuple[str, ...]
    max_documents: int | None
    threads: int | None

    def workbench(self, collection: Collection) -> Workbench:
        """Return a workbench on a collection."""
        from sparse_coverage.experiments.bench import Workbench

        return Workbench(collection, self.reading.cache, threads=self.threads, learn_from=self.learn_from)

    def as_typed(self, spec: str) -> str:
        """Return collection and options as typed in a command that shall find the same things."""
        words = [spec, *(word for path in self.learn_from for word in ("--learn-from", path))]
        words += ["--pool", str(self.reading.pool)] if self.reading.pool != POOL else []
        words += ["--pool-seed", str(self.reading.pool_seed)] if self.reading.pool_seed else []
        return shlex.join(words)


def reading_options(function: Function) -> Function:
    """Give a command `--pool`, `--pool-seed` and `--cache`, as its argument `reading`."""

    @count_option("--pool", default=POOL, help="CLEF-IP: size of the candidate pool.")
    @count_option("--pool-seed", default=0, least=0, help="CLEF-IP: seed of the candidate pool.")
    @path_option(
        "--cache", file_okay=False, help="Where encodings, vocabularies and indexes are kept [the user's cache]."
    )
    @wraps(function)
    def with_reading(*, pool: int, pool_seed: int, cache: Path | None, **rest: Any) -> Any:
        from sparse_coverage.experiments.cache import default_cache

        return function(reading=Reading(pool, pool_seed, cache or default_cache()), **rest)

    return with_reading


def bench_options(function: Function) -> Function:
    """Give a command all options of a workbench, as its argument `means`."""

    @click.option(
        "--learn-from",
        multiple=True,
        help="Patents to learn vocabularies from (files, folders; may be repeated) [the collection itself].",
    )
    @max_documents_option
    @threads_option
    @reading_options
    @wraps(function)
    def with_means(
        *, reading: Reading, learn_from: tuple[str, ...], max_documents: int | None, threads: int | None, **rest: Any
    ) -> Any:
        return function(means=Means(reading, learn_from, max_documents, threads), **rest)

    return with_means
