"""What a row of an experiment can set. One frozen object, so that it can be a key of a cache."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.search import ScoringConfig
from sparse_coverage.vectors import ActivationConfig
from sparse_coverage.vectors.types import Assignment, Uncovered


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """The settings of a system; each system reads those that concern it. The defaults are the paper's, with MiniLM.

    `size` is V (None: 10,000, or a tenth of the spans where that is fewer); `max_spans` and `max_documents` say what the
    vocabulary is learned from.
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
    max_spans: int = 5_000_000
    max_documents: int | None = None

    @property
    def activation(self) -> ActivationConfig:
        """How spans activate centers."""
        return ActivationConfig(self.k, self.assignment, self.uncovered)

    @property
    def scoring(self) -> ScoringConfig:
        """How shared centers make a score."""
        return ScoringConfig(self.alpha, self.gamma, self.rho)

    def differences(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults."""
        default = asdict(SystemOptions())
        return {name: value for name, value in asdict(self).items() if value != default[name]}


NAMES = tuple(field.name for field in fields(SystemOptions))


def make_options(settings: dict[str, Any]) -> SystemOptions:
    """Make options from names and values; an unknown name is an error that lists the known ones."""
    if unknown := sorted(settings.keys() - set(NAMES)):
        raise InputError(f"There is no setting '{unknown[0]}'. The settings are: {', '.join(NAMES)}.")
    return SystemOptions(**settings)
