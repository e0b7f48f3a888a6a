"""A calibration: the space of an encoder, and from which score on an element counts as disclosed or partly disclosed.

It belongs to one encoder, whose fingerprint it carries, and holds the figures that chose it. One for the encoder of the base
install comes with the package; `sparse-coverage calibrate` makes one for another encoder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal
from zipfile import ZipFile

import numpy as np

from sparse_coverage.charts.space import Space
from sparse_coverage.charts.words import Rarity
from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.checksums import cache_folder
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.kernels import Floats
from sparse_coverage.restoring import restored

Word = Literal["disclosed", "partly", "not found"]
WORDS: tuple[Word, ...] = ("disclosed", "partly", "not found")
FORMAT = 2
_SHIPPED = Path(__file__).parent / "calibrations"


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How scores become evidence in [0, 1] and evidence becomes a word.

    Evidence is logistic in the score: 1 / (1 + exp(-(slope * score + offset))). `rarity` weighs words; `phrase` is the least cosine of
    two phrases that are taken to mean the same. `figures` are the measurements that chose the numbers.
    """

    encoder: str
    fingerprint: str
    space: Space
    rarity: Rarity
    slope: float
    offset: float
    disclosed: float
    partly: float
    phrase: float
    figures: dict[str, Any]

    def evidence(self, scores: Floats) -> Floats:
        """Return the evidence of scores."""
        evidence: Floats = 1.0 / (1.0 + np.exp(-np.clip(self.slope * scores + self.offset, -30, 30)))
        return evidence

    def word(self, evidence: float) -> Word:
        """Return the word for evidence."""
        if evidence >= self.disclosed:
            return "disclosed"
        return "partly" if evidence >= self.partly else "not found"

    def capped(self, evidence: float, word: Word, share: float) -> float:
        """Return evidence that is worth at most a word: within the range of that word, as far up as the share of what was found."""
        if word == "disclosed":
            return evidence
        low, high = (self.partly, self.disclosed) if word == "partly" else (0.0, self.partly)
        most = float(np.nextafter(np.float32(high), np.float32(0)))  # evidence is compared in single precision, too
        return min(evidence, most, low + (high - low) * share * evidence)

    def save(self, path: Path) -> None:
        """Write the calibration to a file."""
        about = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "space"} | {"format": FORMAT}
        about["rarity"] = asdict(self.rarity)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            arrays: dict[str, Any] = {
                "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
                **self.space.arrays(),
            }
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Read a calibration from a file."""
        try:
            arrays = _read_arrays(path)
            about = json.loads(arrays.pop("about").tobytes())
            if not isinstance(about, dict) or about.pop("format", None) != FORMAT:
                raise InputError(f"{path}: a calibration of another version. Make it again: sparse-coverage calibrate")
            return restored(cls, {**about, "space": Space.of_arrays(arrays)}, str(path))
        except InputError:
            raise
        except Exception as error:
            # A file that is cut short, changed or of another kind fails in as many ways as there are layers below.
            raise InputError(f"{path}: no calibration of claim charts ({error}).") from None


_LARGEST = 256 << 20
"""The most bytes that an array of a calibration may have."""


def _read_arrays(path: Path) -> dict[str, Any]:
    with ZipFile(path) as stored:
        largest = max((one.file_size for one in stored.infolist()), default=0)
        if largest > _LARGEST:
            raise ValueError(f"an array of {largest:,} bytes is in it, at most {_LARGEST:,} are read")
    with np.load(path, allow_pickle=False) as file:
        return {name: np.asarray(array) for name, array in file.items()}


def calibration_for(encoder: Encoder, path: Path | None = None) -> Calibration:
    """Return the calibration of an encoder: that of a file, else the one made on this machine, else the one that is shipped."""
    if path is not None:
        found = Calibration.load(path)
        if found.fingerprint != encoder.fingerprint:
            raise MismatchError(
                f"{path}: made for the encoder '{found.encoder}' ({found.fingerprint[:12]}), but this index has "
                f"'{encoder.name}' ({encoder.fingerprint[:12]})."
            )
        return found
    for candidate in _candidates(encoder):
        if candidate.is_file():
            return Calibration.load(candidate)
    raise InputError(
        f"Claim charts have no calibration for the encoder '{encoder.name}'. Make one from a collection of claims and the "
        f"documents that disclose them: sparse-coverage calibrate COLLECTION --encoder {encoder.name}"
    )


def own_calibration(encoder: Encoder) -> Path:
    """Return where the calibration of an encoder is kept on this machine."""
    return cache_folder() / "calibrations" / f"{encoder.fingerprint[:16]}.npz"


def _candidates(encoder: Encoder) -> Iterator[Path]:
    yield own_calibration(encoder)
    yield _SHIPPED / f"{encoder.fingerprint[:16]}.npz"
