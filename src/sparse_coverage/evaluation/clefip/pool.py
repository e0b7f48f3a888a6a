"""The candidate pool of the paper: all relevant documents, negatives of near classes in three tiers, and uniform ones.

Documents are sorted by id before anything is drawn, so the sample depends on the collection and the seed alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.clefip.survey import Surveyed

TIERS = ("subgroup", "maingroup", "subclass")


@dataclass(frozen=True, slots=True)
class PoolConfig:
    """How the pool is drawn: its size, the share of negatives that is IPC-hard (a third from each tier), the seed."""

    size: int = 25_000
    hard: float = 0.75
    seed: int = 0
    language: str = "en"

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.hard <= 1:
            raise InputError(
                f"A pool has a size of at least 1 and a hard share from 0 to 1, not {self.size}, {self.hard}."
            )


@dataclass(frozen=True, slots=True)
class Pool:
    """The sampled documents in the order of their ids, why each is there, and what could have been drawn of each kind."""

    documents: tuple[Surveyed, ...]
    tiers: Mapping[str, str]
    available: Mapping[str, int]
    missing: tuple[str, ...]
    config: PoolConfig

    def counts(self) -> dict[str, int]:
        """Return how many documents are there for each reason."""
        counts = dict.fromkeys(("relevant", *TIERS, "uniform"), 0)
        for tier in self.tiers.values():
            counts[tier] += 1
        return counts


def levels(symbol: str) -> tuple[str, str, str]:
    """Return an IPC symbol as subgroup, main group and subclass.

    >>> levels("H04N 5/44")
    ('H04N 5/44', 'H04N 5', 'H04N')
    """
    return symbol, symbol.partition("/")[0], symbol.partition(" ")[0]


def tier_of(document: Surveyed, near: Sequence[AbstractSet[str]]) -> str | None:
    """Return the closest tier in which a document shares a class with the reference symbols, or None."""
    own = [levels(symbol) for symbol in document.ipc]
    return next((tier for place, tier in enumerate(TIERS) if any(o[place] in near[place] for o in own)), None)


def reference_classes(symbols: Iterable[str]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the subgroups, main groups and subclasses of the topics' and relevant documents' symbols.

    A symbol that stops at its subclass says nothing about subgroups and main groups.
    """
    split = [levels(symbol) for symbol in symbols]
    subgroups = frozenset(s[0] for s in split if "/" in s[0])
    groups = frozenset(s[1] for s in split if "/" in s[0])
    return subgroups, groups, frozenset(s[2] for s in split)


def sample_pool(
    documents: Sequence[Surveyed], relevant: AbstractSet[str], reference: Iterable[str], config: PoolConfig
) -> Pool:
    """Draw the pool. `reference` are the IPC symbols of the topics' documents; those of the relevant ones are added.

    A tier with too few documents passes what it lacks on to the next, and the last one to the uniform draw.
    """
    ordered = sorted(documents, key=lambda document: document.id)
    chosen = {document.id: "relevant" for document in ordered if document.id in relevant}
    near = reference_classes([*reference, *(s for d in ordered if d.id in relevant for s in d.ipc)])
    candidates = [d for d in ordered if d.id not in relevant and d.language in (config.language, "")]
    by_tier: dict[str, list[str]] = {tier: [] for tier in TIERS}
    for document in candidates:
        if (tier := tier_of(document, near)) is not None:
            by_tier[tier].append(document.id)
    negatives = max(0, config.size - len(chosen))
    hard = int(config.hard * negatives + 0.5)
    lacking = 0
    for place, tier in enumerate(TIERS):
        wanted = hard // 3 + (place < hard % 3) + lacking
        drawn = _draw(by_tier[tier], wanted, config.seed, place)
        chosen.update(dict.fromkeys(drawn, tier))
        lacking = wanted - len(drawn)
    rest = [document.id for document in candidates if document.id not in chosen]
    drawn = _draw(rest, negatives - hard + lacking, config.seed, len(TIERS))
    chosen.update(dict.fromkeys(drawn, "uniform"))
    available = {
        "relevant": len(relevant),
        **{tier: len(ids) for tier, ids in by_tier.items()},
        "uniform": len(candidates),
    }
    return Pool(
        tuple(document for document in ordered if document.id in chosen),
        {id_: chosen[id_] for id_ in sorted(chosen)},
        available,
        tuple(sorted(set(relevant).difference(document.id for document in ordered))),
        config,
    )


def _draw(ids: Sequence[str], count: int, seed: int, stream: int) -> list[str]:
    """Draw without replacement; each stream of random numbers is independent of how much the others use."""
    order = np.random.default_rng([seed, 7, stream]).permutation(len(ids))
    return [ids[place] for place in order[:count]]
