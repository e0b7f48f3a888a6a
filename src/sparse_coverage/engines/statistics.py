"""What a query needs to know of the whole collection: document frequencies and the number of passages. It travels as one text."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.engines.engine import EngineError
from sparse_coverage.errors import MismatchError
from sparse_coverage.index import IndexStore
from sparse_coverage.search.statistics import CenterStatistics, ScoringConfig

FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The statistics of a collection, how it is scored, and the vocabulary its vectors were made with.

    Of the scoring, gamma and smoothing are in the vectors.
    """

    passages: int
    documents: int
    frequencies: npt.NDArray[np.int64]
    scoring: ScoringConfig
    vocabulary: str

    @classmethod
    def of(cls, store: IndexStore, scoring: ScoringConfig) -> Statistics:
        """Take them from an index."""
        vocabulary = str(store.state.about.get("vocabulary", ""))
        return cls(
            store.state.passages, store.state.documents, store.frequencies, replace(scoring, feedback=0), vocabulary
        )

    def to_text(self) -> str:
        """Return them as text."""
        packed = b64encode(zlib.compress(self.frequencies.astype("<i8").tobytes(), 9)).decode()
        content: dict[str, Any] = {
            "format": FORMAT,
            "units": self.passages,
            "documents": self.documents,
            "scoring": asdict(self.scoring),
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
        return cls(
            content["units"],
            content["documents"],
            frequencies,
            ScoringConfig(**content["scoring"]),
            content["vocabulary"],
        )

    def scored(self, scoring: ScoringConfig) -> CenterStatistics:
        """Return what each center is worth. alpha and rho are free; gamma and smoothing are in the vectors and must be theirs."""
        if norm_of(scoring) != norm_of(self.scoring):
            raise MismatchError(
                f"The collection was pushed with {norm_of(self.scoring)}, this search uses {norm_of(scoring)}. "
                f"Search with {norm_of(self.scoring)}, or push the index again under another name."
            )
        return CenterStatistics.compute(self.frequencies, self.passages, scoring)

    def require(self, vocabulary: str, name: str) -> None:
        """Refuse a model that is not the one the collection was made with."""
        if vocabulary != self.vocabulary:
            raise MismatchError(
                f"The collection '{name}' was made with vocabulary {self.vocabulary[:12] or '(none)'}, this model is "
                f"{vocabulary[:12]}. Search with the model of the index that was pushed."
            )


def norm_of(scoring: ScoringConfig) -> str:
    """Name the part of a scoring that is in the vectors.

    >>> norm_of(ScoringConfig(gamma=0.25))
    'gamma 0.25 and smoothing 0'
    """
    return f"gamma {scoring.gamma:g} and smoothing {scoring.smoothing:g}"
