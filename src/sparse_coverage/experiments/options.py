"""What a row of an experiment can set. One frozen object, so that it can be a key of a cache."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from sparse_coverage.errors import InputError
from sparse_coverage.presets import get_preset
from sparse_coverage.search import ScoringConfig
from sparse_coverage.search.part_scores import K1, B
from sparse_coverage.vectors import ActivationConfig
from sparse_coverage.vectors.activation import Assignment, Uncovered


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """The settings of a system; each system reads those that concern it. The defaults are the paper's, with MiniLM.

    `size` is V (None: 10,000, or a tenth of the spans where that is fewer); `learn`, `max_spans` (None: `sample_size`) and
    `max_documents` say what the vocabulary is learned from. `common`, `repeats`, `passage_repeats`, `smoothing`, `feedback`,
    `rank` and `learn` are departures from the paper: see `presets`. `k1` and `b` are BM25's, `checkpoint` is that of SPLADE or
    ColBERT, a folder or a hub id (none: the published one). `fixed` names the settings that were asked for, so that no
    preset changes them, also where they are the paper's.
    """

    encoder: str = "minilm"
    unit: str = "token"
    size: int | None = None
    k: int = 5
    assignment: Assignment = "soft"
    uncovered: Uncovered = "drop"
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
    feedback: int = 0
    rank: str = "best"
    learn: Literal["sections", "passages"] = "sections"
    k1: float = K1
    b: float = B
    checkpoint: str = ""
    fixed: tuple[str, ...] = ()

    @property
    def activation(self) -> ActivationConfig:
        """How spans activate centers."""
        return ActivationConfig(self.k, self.assignment, self.uncovered, self.repeats, self.passage_repeats)

    @property
    def scoring(self) -> ScoringConfig:
        """How shared centers make a score."""
        return ScoringConfig(self.alpha, self.gamma, self.rho, self.smoothing, self.feedback, rank=self.rank)

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
FLAGS = {name: f"--{name.replace('_', '-')}" for name in NAMES} | {"size": "-V", "k": "-K", "rank": "--documents-by"}
"""How each setting is spelled on the command line."""

_COUNTS = ("size", "k", "max_spans", "max_documents")
_NUMBERS = ("alpha", "gamma", "rho", "tau", "repeats", "passage_repeats", "smoothing", "k1", "b")
BASELINES = ("k1", "b", "checkpoint")
"""Settings that have nothing to do with centers."""
_CHOICES = {"assignment": get_args(Assignment), "uncovered": get_args(Uncovered), "learn": ("sections", "passages")}


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
    if name in ("seed", "common", "feedback") and not (whole and value >= 0):
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
