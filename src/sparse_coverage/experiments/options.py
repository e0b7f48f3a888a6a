"""What is measured: a system and its settings, which are one frozen object, so that they can be a key of a cache."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from typing import Any, Literal, get_args

from sparse_coverage.errors import InputError
from sparse_coverage.presets import get_preset
from sparse_coverage.retrievers import Reranker
from sparse_coverage.search import Retriever, ScoringConfig
from sparse_coverage.search.part_scores import K1, B
from sparse_coverage.systems import require_system, system_of
from sparse_coverage.vectors import ActivationConfig
from sparse_coverage.vectors.activation import Assignment


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """The settings of a system; each system reads those that concern it. The defaults are the paper's, with MiniLM.

    `size` is V (None: 10,000, or a tenth of the spans where that is fewer); `learn`, `max_spans` (None: `sample_size`) and
    `max_documents` say what the vocabulary is learned from. `common`, `repeats`, `passage_repeats`, `smoothing`,
    `rank` and `learn` are departures from the paper: see `presets`. `k1` and `b` are BM25's, `checkpoint` is that of SPLADE or
    ColBERT, a folder or a hub id (none: the published one). `fixed` names the settings that were asked for, so that no
    preset changes them, also where they are the paper's.
    """

    encoder: str = "minilm"
    unit: str = "token"
    size: int | None = None
    k: int = 5
    assignment: Assignment = "soft"
    alpha: float = 2.0
    gamma: float = 0.5
    rho: float = 0.01
    tau: float = 99.0
    selection: str = "farthest-first"
    seed: int = 0
    max_spans: int | None = None
    max_documents: int | None = None
    common: int | None = None
    repeats: float = 0.0
    passage_repeats: float = 0.0
    smoothing: float = 0.0
    rank: str = "best"
    learn: Literal["sections", "passages"] = "sections"
    k1: float = K1
    b: float = B
    checkpoint: str = ""
    fixed: tuple[str, ...] = ()

    @property
    def activation(self) -> ActivationConfig:
        """How spans activate centers."""
        return ActivationConfig(self.k, self.assignment, self.repeats, self.passage_repeats)

    @property
    def scoring(self) -> ScoringConfig:
        """How shared centers make a score."""
        return ScoringConfig(self.alpha, self.gamma, self.rho, self.smoothing, self.rank)

    def settings(self) -> dict[str, Any]:
        """Return all settings by name."""
        return {name: getattr(self, name) for name in NAMES}

    def differences(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults."""
        default = asdict(SystemOptions())
        return {name: value for name, value in asdict(self).items() if name in NAMES and value != default[name]}


def preset_settings(name: str) -> dict[str, Any]:
    """Return the settings of a preset that differ from the defaults here, which are the paper's."""
    preset = get_preset(name)
    both = {"common": preset.common, "learn": preset.learn, **asdict(preset.activation), **asdict(preset.scoring)}
    return SystemOptions(**{field: value for field, value in both.items() if field in NAMES}).differences()


NAMES = tuple(field.name for field in fields(SystemOptions) if field.name != "fixed")
_FLAGS = {"encoder": "--encoder", "unit": "--unit", "size": "-V", "seed": "--seed", "max_documents": "--max-documents"}
LISTED = tuple(name for name in NAMES if name not in _FLAGS)
"""The settings that `evaluate --set` takes."""


def as_typed(name: str, value: str = "") -> str:
    """Return how a setting is typed on the command line.

    >>> as_typed("size", "500"), as_typed("k", "3")
    ('-V 500', '--set k=3')
    """
    return f"{_FLAGS[name]} {value}".strip() if name in _FLAGS else f"--set {name}{f'={value}' if value else ''}"


_COUNTS = ("size", "k", "max_spans", "max_documents")
_NUMBERS = ("alpha", "gamma", "rho", "tau", "repeats", "passage_repeats", "smoothing", "k1", "b")
BASELINES = ("k1", "b", "checkpoint")
"""Settings that have nothing to do with centers."""
_CHOICES = {"assignment": get_args(Assignment), "learn": ("sections", "passages")}


def make_options(settings: dict[str, Any]) -> SystemOptions:
    """Make options from names and values, which no preset changes any more.

    An unknown name or an impossible value is an error that says what is possible.
    """
    if unknown := sorted(settings.keys() - set(NAMES)):
        raise InputError(f"There is no setting '{unknown[0]}'. The settings are: {', '.join(NAMES)}.")
    checked = {name: _checked(name, value) for name, value in settings.items()}
    found = SystemOptions(**checked, fixed=tuple(sorted(settings)))
    _ = found.scoring  # which refuses impossible exponents
    return found


def _checked(name: str, value: Any) -> Any:
    if value is None and name in ("size", "max_spans", "max_documents", "common"):
        return None
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name in _COUNTS and not (whole and value >= 1):
        raise InputError(f"{name} is a whole number of at least 1, not {value!r}.")
    if name in ("seed", "common") and not (whole and value >= 0):
        raise InputError(f"{name} is a whole number of at least 0, not {value!r}.")
    if name in _NUMBERS and not (whole or isinstance(value, float)):
        raise InputError(f"{name} is a number, not {value!r}.")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise InputError(f"{name} is {' or '.join(_CHOICES[name])}, not {value!r}.")
    if name in ("k1", "b") and not 0 <= value <= (1 if name == "b" else math.inf):
        raise InputError(f"{name} is a number of at least 0{' and at most 1' if name == 'b' else ''}, not {value!r}.")
    named = name in ("encoder", "unit", "selection", "rank")
    if (named or name == "checkpoint") and not (isinstance(value, str) and (value or not named)):
        raise InputError(f"{name} is a name, not {value!r}.")
    return float(value) if name in _NUMBERS else value


def reads(name: str) -> tuple[str, ...]:
    """Return which options a system reads; none, where there is no such system."""
    row = system_of(name)
    if row is None:
        return ()
    return (*(field for field in NAMES if field not in BASELINES), *row.reads) if row.preset else row.reads


def is_sparse(name: str) -> bool:
    """Tell whether a system has a vocabulary, and so an index to share with others."""
    return "size" in reads(name)


def concerning(name: str, options: SystemOptions) -> SystemOptions:
    """Return the options with everything that the system does not read at its default, and its preset where nothing was set.

    Of what is `fixed`, only what keeps the preset from being followed stays named: the others say nothing.
    """
    changed = options.differences()
    given = {field: getattr(options, field) for field in reads(name) if field in changed or field in options.fixed}
    row = system_of(name)
    preset = preset_settings(row.preset) if row and row.preset else {}
    fixed = tuple(field for field in options.fixed if field in preset and field in given and field not in changed)
    return SystemOptions(**{**preset, **given}, fixed=fixed)


@dataclass(frozen=True, slots=True, init=False)
class Variant:
    """Something to evaluate: a system by name with its settings, or any object with a `search` like ours. It can have a reranker.

    `settings` are those of a system (`encoder`, `unit`, `size`, `k`, `alpha`, `rho`, …; see `SystemOptions`). An encoder and a unit may
    be objects of your own: an encoder is known again by its `fingerprint`, a unit by the code of its class and its attributes.
    `rerank` orders the first `top` documents again; it gets the query and hits with their texts. Settings that are made already are
    given as `options`. `group`, `factor` and `setting` say where it stands in the table of an experiment: `factor` and `setting`
    what an ablation varies.
    """

    system: str | Retriever
    options: SystemOptions
    label: str
    rerank: Reranker | None
    top: int
    group: str
    factor: str
    setting: str
    given: tuple[str, ...]
    own: tuple[tuple[str, Any], ...]

    def __init__(
        self,
        system: str | Retriever,
        options: SystemOptions | None = None,
        *,
        label: str = "",
        rerank: Reranker | None = None,
        top: int = 100,
        group: str = "",
        factor: str = "",
        setting: str = "",
        **settings: Any,
    ) -> None:
        given = tuple(settings)
        own = tuple((kind, settings[kind]) for kind in _OBJECTS if not isinstance(settings.get(kind, ""), str))
        if isinstance(system, str) and options is None:
            require_system(system, "study")
            options = make_options({**settings, **{kind: getattr(thing, "name", thing) for kind, thing in own}})
            if unread := sorted(settings.keys() - set(reads(system))):
                raise InputError(f"{system} does not read {unread[0]}. Its settings are: {', '.join(reads(system))}.")
        elif settings:
            raise InputError(f"{', '.join(settings)}: only a system that is named takes settings, not an object.")
        elif isinstance(system, str):
            given = reads(system)
        elif not callable(getattr(system, "search", None)):
            raise InputError(f"{type(system).__name__} is no system: it has no method `search(queries, k, ...)`.")
        chosen = concerning(system if isinstance(system, str) else "", options or SystemOptions())
        every = (system, chosen, label, rerank, top, group, factor, setting, given, own)
        for field, value in zip(fields(self), every, strict=True):
            object.__setattr__(self, field.name, value)

    def replaced(self, **changes: Any) -> Variant:
        """Return the same with some fields changed."""
        other = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(other, name, value)
        return other

    @property
    def name(self) -> str:
        """The name of its system; of an object that of its class."""
        return self.system if isinstance(self.system, str) else type(self.system).__name__

    @property
    def reads(self) -> tuple[str, ...]:
        """Which settings its system reads."""
        return reads(self.system) if isinstance(self.system, str) else ()

    @property
    def is_sparse(self) -> bool:
        """Whether it has a vocabulary, and so an index to share with others."""
        return "size" in self.reads

    def named(self, varied: Sequence[str] = ()) -> str:
        """Return what its row is called: its label, or what distinguishes it, and of its settings all that is `varied` beside it.

        >>> Variant("paper", unit="np", size=5000, rho=0.01).named(["rho"])
        'paper minilm np V=5000 rho=0.01'
        """
        if self.label:
            return self.label
        words = [word for word in (self.factor, self.setting, self.name) if word]
        words += [str(getattr(self.options, name)) for name in ("encoder", "unit") if name in self.reads]
        if self.is_sparse and self.options.size:
            words.append(f"V={self.options.size}")
        preset = concerning(self.system, SystemOptions()) if isinstance(self.system, str) else self.options
        for name in (name for name in NAMES if name not in _NAMED):
            value = getattr(self.options, name)
            if value != getattr(preset, name) or (name in varied and name in self.given):
                words.append(f"{name}={value}")
        return " ".join(words) + (f" + {type(self.rerank).__name__}" if self.rerank else "")

    def seeded(self, seeds: int) -> list[Variant]:
        """Return it with as many seeds, from its own on; once, where the system draws nothing at random.

        >>> [one.options.seed for one in Variant("paper", seed=3).seeded(2)], len(Variant("bm25").seeded(2))
        ([3, 4], 1)
        """
        count = seeds if "seed" in self.reads else 1
        return [
            self.replaced(options=replace(self.options, seed=self.options.seed + step)) if step else self
            for step in range(count)
        ]

    def record(self) -> dict[str, Any]:
        """Return the system with those of the options that it reads; of others than the named systems, what it is called."""
        if not isinstance(self.system, str) or self.rerank or not system_of(self.system):
            return {"system": self.named()}
        return {"system": self.system, "options": {name: getattr(self.options, name) for name in self.reads}}


_OBJECTS = ("encoder", "unit")
"""Settings that may be objects of a user's own in the place of a name."""
_NAMED = ("encoder", "unit", "size")
"""Settings that every row names, without saying which they are."""


def variants(systems: Sequence[str], settings: Mapping[str, Sequence[Any]]) -> list[Variant]:
    """Return every combination of systems and settings once; a system counts only the settings that concern it."""
    every = (make_options(dict(zip(settings, values, strict=True))) for values in product(*settings.values()))
    chosen = list(every)
    return list(dict.fromkeys(Variant(system, options) for system in systems for options in chosen))


def varied_settings(rows: Sequence[Variant]) -> list[str]:
    """Return the settings, beside encoder, unit and V, in which rows of one system differ: each of these rows has to name them."""
    by_system: dict[str, list[SystemOptions]] = {}
    for row in rows:
        if isinstance(row.system, str) and not row.label:
            by_system.setdefault(row.system, []).append(row.options)
    return [
        name
        for name in NAMES
        if name not in _NAMED and any(len({getattr(one, name) for one in every}) > 1 for every in by_system.values())
    ]


def row_names(rows: Sequence[Variant], others: Sequence[str] = ()) -> list[str]:
    """Return what rows are called, each by a name of its own, also among `others`; the group tells equal rows apart."""
    varied = varied_settings(rows)
    names = [row.named(varied) for row in rows]
    names = [
        f"{row.group} {name}" if row.group and names.count(name) > 1 else name
        for row, name in zip(rows, names, strict=True)
    ]
    every = [*names, *others]
    if twice := next((name for place, name in enumerate(every) if name in every[:place]), None):
        raise InputError(f"Two rows are called '{twice}'. Give them names of their own.")
    return names


def row_named(part: str | None, names: Sequence[str]) -> str | None:
    """Return the row that `against` means: its name, or a part of the name that no other has."""
    chosen = [name for name in names if name == part] or [name for name in names if part is not None and part in name]
    if part is not None and len(chosen) != 1:
        raise InputError(
            f"--against must name one row, not {len(chosen)} of: {', '.join(names)}. Give its whole name, and add it with --system if it "
            "is not there."
        )
    return chosen[0] if chosen else None
