"""The registry of systems: what ranks the documents of an index, what ranks the best of them again, and what is evaluated.

A row names what it needs and what makes it; both are loaded when they are used, so that this module is quick to import. Option
lists, requests, the page, `open_retriever`, `evaluate` and experiments take their names and the words for people from here. In Python a
`System` of one's own is taken where names are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

from sparse_coverage.errors import InputError, require_package

FusionRule = Literal["rrf", "weighted"]
PARTS = ("centers", "words", "vectors")
"""What an index keeps of each passage; `combined` ranks by all of them."""
Maker = str | Callable[..., Any]
"""A function or class, or where it is: "module:name", below `sparse_coverage`."""


@dataclass(frozen=True, slots=True)
class System:
    """One way to rank, or something that an index keeps for one. `label` is its name for people.

    `side` is the class of what an index keeps under this name, `parts` are the rows that it needs. `retriever` makes what ranks
    an index, `reranker` what ranks the best documents of another system again; both are called with a `SystemContext` and the row
    itself, and a system without one cannot do it. `needs` are packages beyond the base install, and the extra that has them.

    `study` makes what an evaluation ranks with, from a workbench and options. `reads` are the settings that it reads; a system with a
    `preset` to start from has a vocabulary and reads all that concern one, too. `cited` are the works that a paper cites for it.
    `studied_as` is the name that an evaluation has for it, where that is another.
    """

    name: str
    label: str
    retriever: Maker | None = None
    reranker: Maker | None = None
    side: Maker | None = None
    parts: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    extra: str = ""
    study: Maker | None = None
    reads: tuple[str, ...] = ()
    preset: str = ""
    cited: tuple[str, ...] = ()
    studied_as: str = ""


_INDEX = "retrievers.opening:open_ranked"
_SIDE: dict[str, Any] = {"retriever": "retrievers.opening:open_side", "reranker": "retrievers.opening:side_reranker"}
_WORDS: dict[str, Any] = {"study": "experiments.systems:word_system", "reads": ("rank", "k1", "b"), "cited": ("bm25",)}
_VECTORS: dict[str, Any] = {"study": "experiments.systems:vector_system", "reads": ("encoder", "rank")}
_PUBLISHED: dict[str, Any] = {"study": "experiments.systems:side_system", "reads": ("rank", "checkpoint")}
_SPLADE: dict[str, Any] = {"needs": ("torch", "transformers"), "extra": "torch", "cited": ("splade-v2",), **_PUBLISHED}
_COLBERT: dict[str, Any] = {"needs": ("torch", "pylate"), "extra": "colbert", **_PUBLISHED}
_CENTERS = "experiments.systems:SparseCoverageSystem"
_ROWS = (
    System("paper", "Sparse Coverage as published", study=_CENTERS, preset="paper"),
    System("default", "Sparse Coverage (preset default)", study=_CENTERS, preset="default"),
    System(
        "combined", "combined", _INDEX, study="experiments.systems:CombinedSystem", preset="default", reads=("k1", "b")
    ),
    System("centers", "by concepts", _INDEX, studied_as="default"),
    System("words", "by words", _INDEX, studied_as="bm25"),
    System("vectors", "by overall meaning", _INDEX, studied_as="dense"),
    System("bm25", "BM25", **_WORDS),
    System("dense", "Dense vectors", **_VECTORS),
    System("splade", "SPLADE", side="retrievers.splade:Splade", **_SIDE, **_SPLADE),
    System("colbert", "ColBERT", side="retrievers.colbert:Colbert", cited=("colbertv2",), **_SIDE, **_COLBERT),
    System("colbert-plaid", "ColBERT by PLAID", cited=("colbertv2", "plaid"), **_COLBERT),
    System("cross-encoder", "Cross-encoder", reranker="retrievers.cross_encoder:cross_encoder_reranker"),
)
_BY_NAME = {row.name: row for row in _ROWS}

KINDS = tuple(row.name for row in _ROWS if row.side and row.retriever)
"""The rankings by a side of the index, which has the same name."""
RANKINGS = tuple(row.name for row in _ROWS if row.retriever)
"""What can rank the documents of an index: all that it keeps of passages, a part of that, or a side."""
RERANKERS = tuple(row.name for row in _ROWS if row.reranker)
"""What can rank the best documents of a search again: a side of the index or a cross-encoder (`cross-encoder:NAME`)."""
STUDIED = tuple(row.name for row in _ROWS if row.study)
"""What can be evaluated on a collection."""
Ability = Literal["retriever", "reranker", "side", "study"]


def get_system(system: str | System, what: Ability = "retriever") -> System:
    """Return the system of that name, from the registry; a row of one's own is returned as it is.

    `what` is wanted of it: an error lists the names that have that.
    """
    if isinstance(system, System):
        return system
    row = _BY_NAME.get(system)
    if row and (row.study if what == "study" else row.retriever or row.reranker):
        return row
    if system.startswith("cross-encoder:") and what != "study":
        return replace(_BY_NAME["cross-encoder"], name=system)  # the model is part of the name
    names = [one.name for one in _ROWS if getattr(one, what)]
    listed = ", ".join("cross-encoder:NAME" if name == "cross-encoder" else name for name in names)
    noun = {"retriever": "ranking", "study": "system to evaluate"}.get(what, what)
    same = f" To evaluate the ranking {system}, name {row.studied_as}." if row and row.studied_as else ""
    raise InputError(f"There is no {noun} '{system}'. There are: {listed}.{same}")


def system_of(name: str) -> System | None:
    """Return the row of a name; None for one that is in no registry."""
    return _BY_NAME.get(name)


def label_of(name: str) -> str:
    """Return the name of a ranking for people; a name that is in no registry stands for itself.

    >>> label_of("centers"), label_of("mine")
    ('by concepts', 'mine')
    """
    return _BY_NAME[name].label if name in _BY_NAME else name


def require_system(system: str | System, what: Ability = "retriever") -> System:
    """Refuse a system whose packages are not installed, before any work is done for it; return it else."""
    row = get_system(system, what)
    for package in row.needs:
        require_package(package, row.label, row.extra)
    for part in row.parts:
        require_system(part)
    return row


def load_maker(maker: Maker) -> Any:
    """Return what makes something: the function or class itself, or the one that stands at "module:name"."""
    if not isinstance(maker, str):
        return maker
    module, _, name = maker.partition(":")
    return getattr(import_module(f"sparse_coverage.{module}"), name)
