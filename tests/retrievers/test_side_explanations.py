"""Each side says what its score is made of, and what it says adds up to the score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from letters_side import Letters
from made_up_patents import patents

from sparse_coverage.encoding.batching import Batcher, TextTokenizer
from sparse_coverage.errors import InputError
from sparse_coverage.retrievers import Baseline, Splade

QUERY = "a plunger and a spring, a spring in the housing of a pump"


class CountingSplade(Splade):
    """The wordpieces of a text by the roots of their counts: SPLADE without its language model."""

    def __init__(self, folder: Path) -> None:
        self._batcher = Batcher(TextTokenizer.from_folder(folder), 64, 0)
        self.vocabulary = 4000

    @property
    def settings(self) -> dict[str, Any]:
        return {}

    def rows(self, texts: Iterable[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for text in texts:
            pieces, counts = np.unique(self._batcher.tokenizer(text).ids, return_counts=True)
            yield pieces.astype(np.int32), np.sqrt(counts).astype(np.float32)


def baseline(kind: str, folder: Path, checkpoint: Path) -> Baseline:
    return Baseline.build(folder, Letters() if kind == "letters" else CountingSplade(checkpoint), patents())


@pytest.mark.parametrize("kind", ["letters", "splade"])
def test_reasons_add_up_to_the_score_of_the_search(kind: str, tmp_path: Path, tiny_checkpoint: Path) -> None:
    retriever = baseline(kind, tmp_path / "index", tiny_checkpoint)
    for hit in retriever.search(QUERY, 6, passages=2):
        for passage in hit.passages:
            found = retriever.explain(QUERY, passage.id)
            assert found.score == passage.score
            assert found.passage == passage
            reasons = found.reasons
            assert sum(r.contribution for r in reasons.phrases) + reasons.similarity == pytest.approx(found.score)
            for reason in reasons.phrases:
                place = reason.passage
                assert passage.text[place.start : place.end] == place.text
            if kind == "splade":
                assert sum(match.contribution for match in found.matches) == pytest.approx(found.score, rel=1e-3)
            else:  # what cannot say more is general similarity
                assert reasons.phrases == ()


def test_a_document_is_explained_by_its_best_passage_and_an_unknown_one_is_an_error(
    tmp_path: Path, tiny_checkpoint: Path
) -> None:
    retriever = baseline("splade", tmp_path / "index", tiny_checkpoint)
    hit = retriever.search(QUERY, 1)[0]
    assert retriever.explain(QUERY, hit.document).passage.id == hit.passages[0].id
    with pytest.raises(InputError, match="no document with the id 'XX-99-A1'"):
        retriever.explain(QUERY, "XX-99-A1")
    assert retriever.explain("", hit.document).score == 0
