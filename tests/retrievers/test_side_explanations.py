"""Each side says what its score is made of, and what it says adds up to the score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up_patents import patents

from sparse_coverage.encoding.batching import Batcher
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.encoding.tokenizer import TextTokenizer
from sparse_coverage.errors import InputError
from sparse_coverage.retrievers import Baseline, Bm25, Dense, Fuse, Splade
from sparse_coverage.retrievers.explaining import HybridExplanation, explain

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
    encoder = OpenVinoEncoder(checkpoint, name=str(checkpoint), precision="fp32", threads=1)
    sides = {
        "bm25": Bm25,
        "dense": lambda: Dense(encoder, pooling="mean"),
        "dense cls": lambda: Dense(encoder, pooling="cls"),
        "splade": lambda: CountingSplade(checkpoint),
    }
    pytest.importorskip("Stemmer", reason="the extra [baselines] is not installed")
    return Baseline.build(folder, sides[kind](), patents())


@pytest.mark.parametrize("kind", ["bm25", "dense", "dense cls", "splade"])
def test_reasons_add_up_to_the_score_of_the_search(kind: str, tmp_path: Path, tiny_checkpoint: Path) -> None:
    retriever = baseline(kind, tmp_path / "index", tiny_checkpoint)
    for hit in retriever.search(QUERY, 6, passages=2):
        for passage in hit.passages:
            found = retriever.explain(QUERY, passage.id)
            assert found.score == passage.score
            assert found.passage == passage
            reasons = found.reasons
            assert sum(r.contribution for r in reasons.phrases) + reasons.wording == pytest.approx(found.score)
            for reason in reasons.phrases:
                place = reason.passage
                assert passage.text[place.start : place.end] == place.text
            if kind in ("bm25", "splade"):
                assert sum(match.contribution for match in found.matches) == pytest.approx(found.score, rel=1e-3)
            if kind == "dense cls":
                assert reasons.phrases == ()


def test_every_token_of_a_mean_has_its_part_of_the_cosine(tmp_path: Path, tiny_checkpoint: Path) -> None:
    retriever = baseline("dense", tmp_path / "index", tiny_checkpoint)
    [hit] = retriever.search(QUERY, 1, passages=1)
    scorer: Any = retriever._scorer
    number = retriever.store.find_passage(hit.passages[0].id)
    words = scorer.evidence(QUERY, number, hit.passages[0].text).words
    tokens, length = retriever.side.encoder.tokens(hit.passages[0].text)  # type: ignore[attr-defined]
    [best] = retriever.side.encoder.chunk_vectors(QUERY)  # type: ignore[attr-defined]
    assert [added for _, added in words] == pytest.approx(((tokens.vectors @ best) / length).tolist(), rel=1e-5)
    # What is missing to the score is what the special tokens add, a few of many.
    assert sum(added for _, added in words) == pytest.approx(hit.score, rel=0.4)


def test_a_document_is_explained_by_its_best_passage_and_an_unknown_one_is_an_error(
    tmp_path: Path, tiny_checkpoint: Path
) -> None:
    retriever = baseline("bm25", tmp_path / "index", tiny_checkpoint)
    hit = retriever.search(QUERY, 1)[0]
    assert retriever.explain(QUERY, hit.document).passage.id == hit.passages[0].id
    with pytest.raises(InputError, match="no document with the id 'XX-99-A1'"):
        retriever.explain(QUERY, "XX-99-A1")
    assert retriever.explain("nothing of it", hit.document).score == 0


def test_a_fusion_is_explained_part_by_part(tmp_path: Path, tiny_checkpoint: Path) -> None:
    parts = [baseline(kind, tmp_path / kind, tiny_checkpoint) for kind in ("bm25", "dense")]
    for how in ("rrf", "weighted"):
        for level in ("document", "passage"):
            fusion = Fuse(*parts, how=how, level=level, weights=[2.0, 1.0])  # type: ignore[arg-type]
            hits = fusion.search(QUERY, 6)
            again, added = fusion.search_parts(QUERY, 6)
            assert again == hits
            for rank, hit in enumerate(hits, 1):
                assert sum(part.adds for part in added[hit.document]) == pytest.approx(hit.score)
                found = explain(fusion, QUERY, hit.document)
                assert isinstance(found, HybridExplanation)
                assert (found.rank, found.document, found.parts) == (rank, hit.document, added[hit.document])
                assert [part.system for part in found.parts] == ["bm25", "dense"]
            ranks = [[h.document for h in part.search(QUERY, 6)] for part in parts]
            if level == "document":
                for document, mine in added.items():
                    assert [part.rank for part in mine] == [
                        ranking.index(document) + 1 if document in ranking else None for ranking in ranks
                    ]
