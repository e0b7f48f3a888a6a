"""Systems by name: each is one function from a workbench (a collection and its caches) and options to something that ranks.

A new system is one file and one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sparse_coverage.errors import InputError
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import NAMES, SystemOptions, preset_settings
from sparse_coverage.experiments.systems.baselines import (
    bm25_system,
    colbert_plaid_system,
    colbert_system,
    dense_system,
    splade_system,
)
from sparse_coverage.experiments.systems.sparse import HybridSystem, SparseCoverageSystem
from sparse_coverage.kernels import Doubles
from sparse_coverage.presets import DEFAULT_PRESET
from sparse_coverage.search import Retriever
from sparse_coverage.vectors.aggregation import Aggregation


@runtime_checkable
class PassageScorer(Protocol):
    """Scores every passage of the collection, in corpus order: the quick way through an evaluation."""

    @property
    def aggregation(self) -> Aggregation:
        """How the scores of passages make those of documents."""
        ...

    def scores(self, query: str) -> Doubles:
        """Return the score of every passage for a query of the collection, by its id; minus infinity where there is none."""
        ...

    def cost(self, query: str) -> int:
        """Return what the query costs: postings scanned, or similarities computed."""
        ...


@dataclass(frozen=True, slots=True)
class System:
    """A way to rank: what makes it from a workbench and options, which of the options it reads, and the preset it starts from."""

    make: Callable[[Workbench, SystemOptions], PassageScorer | Retriever]
    reads: tuple[str, ...] = ()
    preset: str = "paper"


SYSTEMS: dict[str, System] = {
    "paper": System(SparseCoverageSystem, NAMES),
    "default": System(SparseCoverageSystem, NAMES, DEFAULT_PRESET),
    "bm25": System(bm25_system, ("rank",)),
    "splade": System(splade_system, ("rank",)),
    "colbert": System(colbert_system, ("rank",)),
    "colbert-plaid": System(colbert_plaid_system, ("rank",)),
    "dense": System(dense_system, ("encoder", "rank")),
    "hybrid": System(HybridSystem, NAMES, DEFAULT_PRESET),
}


def get_system(name: str) -> System:
    """Return the system of that name."""
    if name not in SYSTEMS:
        raise InputError(f"There is no system '{name}' here. The systems are: {', '.join(SYSTEMS)}.")
    return SYSTEMS[name]


def reads(name: str) -> tuple[str, ...]:
    """Return which options a system reads; none, where there is no such system."""
    return SYSTEMS[name].reads if name in SYSTEMS else ()


def is_sparse(name: str) -> bool:
    """Tell whether a system has a vocabulary, and so an index to share with others."""
    return "size" in reads(name)


def concerning(name: str, options: SystemOptions) -> SystemOptions:
    """Return the options with everything that the system does not read at its default, and its preset where nothing was set.

    Of what is `fixed`, only what keeps the preset from being followed stays named: the others say nothing.
    """
    changed = options.differences()
    given = {field: getattr(options, field) for field in reads(name) if field in changed or field in options.fixed}
    preset = preset_settings(SYSTEMS[name].preset) if name in SYSTEMS and reads(name) == NAMES else {}
    fixed = tuple(field for field in options.fixed if field in preset and field in given and field not in changed)
    return SystemOptions(**{**preset, **given}, fixed=fixed)
