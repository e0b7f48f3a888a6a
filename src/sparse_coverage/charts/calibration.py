"""A calibration: the space of an encoder's tokens and the fitted score that turns figures into verdicts.

It belongs to one encoder, whose fingerprint it carries, and holds the measurements that chose it: one readable JSON file. Those for
the encoders that charts are known to read well with come with the package; `sparse-coverage calibrate` makes one for another encoder.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.charts.chart import Verdict
from sparse_coverage.charts.score import Figures, Rarity, Score, TokenSpace
from sparse_coverage.dataclass_json import from_json
from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.weights import cache_folder
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.files import write_text

FORMAT = 7
_VECTORS = ("mean", "common", "claims")
_LARGEST = 4 << 20
"""The most bytes that a file of a calibration may have."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How the figures of a cell become evidence in [0, 1], and evidence becomes a verdict; `figures` are the measurements."""

    encoder: str
    fingerprint: str
    space: TokenSpace
    score: Score
    figures: dict[str, Any]
    rarity: Rarity = field(default_factory=lambda: Rarity.shipped())

    @property
    def disclosed(self) -> float:
        """The evidence from which on a cell is called disclosed."""
        return self.score.levels()[1]

    @property
    def partly(self) -> float:
        """The evidence from which on a cell is called partly disclosed."""
        return self.score.levels()[0]

    def verdict(self, evidence: float) -> Verdict:
        """Return the verdict for evidence."""
        if evidence >= self.disclosed:
            return Verdict.DISCLOSED
        return Verdict.PARTLY if evidence >= self.partly else Verdict.NOT_FOUND

    def at_most(self, evidence: float, verdict: Verdict) -> float:
        """Return evidence that is worth at most a verdict below disclosed."""
        level = self.disclosed if verdict is Verdict.PARTLY else self.partly
        return min(evidence, float(np.nextafter(np.float32(level), np.float32(0))))

    def told(self) -> tuple[str, ...]:
        """Return for people how often such verdicts are right, and what they are not."""
        figures = self.figures.get("held out", {}).get("all", self.figures)
        hard = self.figures.get("held out", {}).get("cases-hard", {}).get("precision")
        less = f" ({hard:.0%} in near documents about other inventions)" if isinstance(hard, float) else ""
        known = [figures.get(name) for name in ("cells", "precision", "recall", "disclosed but not found")]
        right = (
            f"On {known[0]} cells judged by readers, by scores that did not know the claim, {known[1]:.0%} of what was called disclosed "
            f"was{less}, {known[2]:.0%} of what was disclosed was called so, and {known[3]:.0%} of it was called not found. "
            if all(isinstance(one, int | float) for one in known)
            else "How often such verdicts are right was not measured for this calibration. "
        )
        planted = self.figures.get("planted", {})
        graft, swap = planted.get("graft"), planted.get("swap")
        lacking = (
            f"Where a near document lacked the words of a feature, {graft:.0%} was called disclosed; where it had all of them, but of "
            f"another thing, {swap:.0%}. "
            if isinstance(graft, float) and isinstance(swap, float)
            else ""
        )
        return (
            f"Read with {self.encoder}. {right}{lacking}Read the quotations before relying on a verdict.",
            "Verdicts are measurements and no legal opinion.",
        )

    def save(self, path: Path) -> None:
        """Write the calibration to a file."""
        space = {name: [round(float(value), 6) for value in getattr(self.space, name)] for name in _VECTORS}
        content = {
            "format": FORMAT,
            "encoder": self.encoder,
            "fingerprint": self.fingerprint,
            "score": asdict(self.score),
            "figures": self.figures,
            "space": space,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Read a calibration from a file."""
        try:
            if path.stat().st_size > _LARGEST:
                raise ValueError(f"it has more than {_LARGEST:,} bytes")
            found = json.loads(path.read_text(encoding="utf-8"))
            if (number := found.pop("format", None)) != FORMAT:
                raise InputError(
                    f"{path}: a calibration of format {number}, where format {FORMAT} is read. Make it again: sparse-coverage calibrate"
                )
            space = {name: np.asarray(found["space"][name], np.float32) for name in _VECTORS}
            if space["mean"].ndim != 1 or len({vector.shape for vector in space.values()}) > 1:
                raise ValueError("mean, common and claims do not fit one another")
            score = from_json(Score, found["score"], f"{path}: score")
            sizes = {len(score.means), len(score.deviations), len(score.weights)}
            numbers = np.concatenate([score.means, score.deviations, score.weights, score.offsets, *space.values()])
            shares = all(0 < share < 1 for share in score.thresholds)
            if sizes != {len(Figures._fields)} or not np.isfinite(numbers).all() or not shares:
                raise ValueError("the numbers of the score do not fit one another, or are none")
            if not isinstance(found["figures"], dict):
                raise ValueError("figures is not an object")
            return cls(str(found["encoder"]), str(found["fingerprint"]), TokenSpace(**space), score, found["figures"])
        except InputError:
            raise
        except Exception as error:
            # A file that is cut short, changed or of another kind fails in as many ways as there are layers below.
            raise InputError(f"{path}: no calibration of claim charts ({error}).") from None


def calibration_for(encoder: Encoder, path: Path | None = None) -> Calibration:
    """Return the calibration for an encoder: from the given file, else the one made on this machine, else the one in the package."""
    if path is not None:
        found = Calibration.load(path)
        if found.fingerprint != encoder.fingerprint:
            raise MismatchError(
                f"{path}: made for the encoder '{found.encoder}' ({found.fingerprint[:12]}), but this index has "
                f"'{encoder.name}' ({encoder.fingerprint[:12]})."
            )
        return found
    for candidate in (own_calibration(encoder), _shipped(encoder)):
        if candidate.is_file():
            return _known(candidate, candidate.stat().st_mtime_ns)
    raise InputError(
        f"Claim charts have no calibration for the encoder '{encoder.name}'. Make one from a collection of claims and the "
        f"documents that disclose them: sparse-coverage calibrate COLLECTION --encoder {encoder.name}"
    )


@lru_cache(8)
def _known(path: Path, changed: int) -> Calibration:
    return Calibration.load(path)


def own_calibration(encoder: Encoder) -> Path:
    """Return where the calibration of an encoder is kept on this machine."""
    return cache_folder() / "calibrations" / f"{encoder.fingerprint[:16]}.json"


def is_shipped(encoder: Encoder) -> bool:
    """Return whether a calibration for an encoder comes with the package."""
    return _shipped(encoder).is_file()


def _shipped(encoder: Encoder) -> Path:
    return Path(__file__).parent / "calibrations" / f"{encoder.fingerprint[:16]}.json"
