"""Presets: settings of the whole method under a name. `paper` is the paper's method; `default` is what finds more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.patents.passages import By
from sparse_coverage.vectors import ActivationConfig
from sparse_coverage.vectors.scoring import ScoringConfig


@dataclass(frozen=True, slots=True)
class Preset:
    """How spans are prepared (`common`: see `VocabularyConfig`), what they activate, how shared centers make a score, how
    patents are cut for an index (`by`: see `patents.passages`), and what a vocabulary is learned from: spans of whole
    `sections`, as in the paper, or of `passages`, which an index that is built with it need not encode again. `without`: what an index
    of it does not keep of passages beside their centers, some of `words` and `vectors`.

    >>> Preset(activation=ActivationConfig(k=3)).scoring == ScoringConfig()
    True
    """

    common: int | None = None
    activation: ActivationConfig = field(default_factory=ActivationConfig)
    scoring: ScoringConfig = field(default_factory=ScoringConfig)
    by: By = "paragraph"
    learn: Literal["sections", "passages"] = "sections"
    without: tuple[str, ...] = ()


PRESETS: dict[str, Preset] = {
    "paper": Preset(without=("words", "vectors")),
    "default": Preset(
        common=1,
        activation=ActivationConfig(k=4, assignment="nearest", repeats=0.4, passage_repeats=1.0),
        scoring=ScoringConfig(rho=0.003, smoothing=40.0, rank="top-mean:3"),
        by="passage",
        learn="passages",
    ),
}
DEFAULT_PRESET = "default"


def get_preset(name: str) -> Preset:
    """Return the preset of that name.

    >>> get_preset("paper").scoring.alpha
    2.0
    """
    if name not in PRESETS:
        raise InputError(f"There is no preset '{name}'. The presets are: {', '.join(PRESETS)}.")
    return PRESETS[name]
