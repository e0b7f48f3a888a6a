"""What a query needs to know of the whole collection: document frequencies and the number of units. It travels as one text."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.engines.types import EngineError
from sparse_coverage.errors import MismatchError
from sparse_coverage.index import IndexStore
from sparse_coverage.search.scoring import CenterStatistics, ScoringConfig

FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The statistics of a collection, and how its vectors were made: gamma and the vocabulary."""

    units: int
    documents: int
    frequencies: npt.NDArray[np.int64]
    gamma: float
    vocabulary: str

    @classmethod
    def of(cls, store: IndexStore, gamma: float) -> Statistics:
        """Take them from an index."""
        vocabulary = str(store.state.about.get("vocabulary", ""))
        return cls(store.state.units, store.state.documents, store.frequencies, gamma, vocabulary)

    def to_text(self) -> str:
        """Return them as text."""
        packed = b64encode(zlib.compress(self.frequencies.astype("<i8").tobytes(), 9)).decode()
        content: dict[str, Any] = {
            "format": FORMAT,
            "units": self.units,
            "documents": self.documents,
            "gamma": self.gamma,
            "vocabulary": self.vocabulary,
            "frequencies": packed,
        }
        return json.dumps(content)

    @classmethod
    def from_text(cls, text: str) -> Statistics:
        """Read them back."""
        content = json.loads(text)
        if content.get("format") != FORMAT:
            raise EngineError(
                f"The statistics have format {content.get('format')}, this version reads {FORMAT}. Push the index again."
            )
        frequencies = np.frombuffer(zlib.decompress(b64decode(content["frequencies"])), dtype="<i8").astype(np.int64)
        return cls(content["units"], content["documents"], frequencies, content["gamma"], content["vocabulary"])

    def scored(self, scoring: ScoringConfig) -> CenterStatistics:
        """Return what each center is worth. alpha and rho are free; gamma is in the vectors and must be theirs."""
        if scoring.gamma != self.gamma:
            raise MismatchError(
                f"The collection was pushed with gamma {self.gamma:g}, this search uses {scoring.gamma:g}. "
                f"Search with gamma {self.gamma:g}, or push the index again under another name."
            )
        return CenterStatistics.compute(self.frequencies, self.units, scoring)

    def require(self, vocabulary: str, name: str) -> None:
        """Refuse a model that is not the one the collection was made with."""
        if vocabulary != self.vocabulary:
            raise MismatchError(
                f"The collection '{name}' was made with vocabulary {self.vocabulary[:12] or '(none)'}, this model is "
                f"{vocabulary[:12]}. Search with the model of the index that was pushed."
            )
