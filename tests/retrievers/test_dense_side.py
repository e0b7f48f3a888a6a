"""Dense retrieval: each encoder with its own pooling, long texts read whole, the best chunk of a query counts."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_up_patents import TEXTS, patents

from sparse_coverage.encoding import TokenVectors
from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.retrievers import Baseline, Dense
from sparse_coverage.retrievers.dense import POOLINGS, DenseScorer, PooledEncoder, Pooling, normalised, pooling_of

LONG = "The noise of the rubber device; " * 20


def test_pooling_by_hand() -> None:
    places = np.zeros(3, np.int32)
    special = np.asarray([[[1.0, 0.0], [3.0, 4.0]], [[0.0, 6.0], [0.0, 0.0]]], dtype=np.float32)
    vectors = np.asarray([[5.0, 2.0], [0.0, 3.0], [3.0, 0.0]], dtype=np.float32)
    tokens = TokenVectors(vectors, places, places, np.asarray([0, 1, 1], np.int32), special)

    class One:
        name = "one"

        def encode(self, texts: list[str]) -> list[TokenVectors]:
            return [tokens]

    mean, first = (PooledEncoder(One(), pooling) for pooling in ("mean", "cls"))  # type: ignore[arg-type]
    # Means of (1,0), (5,2), (3,4) and of (0,6), (0,3), (3,0), (0,0), at length one.
    np.testing.assert_allclose(mean.chunk_vectors(""), normalised(np.asarray([[3, 2], [0.75, 2.25]])), rtol=1e-6)
    np.testing.assert_allclose(mean.pooled(tokens), normalised(np.asarray([[12.0, 15.0]]))[0], rtol=1e-6)
    np.testing.assert_allclose(first.chunk_vectors(""), [[1, 0], [0, 1]])
    np.testing.assert_allclose(first.pooled(tokens), normalised(np.asarray([[3.0, 24.0]]))[0], rtol=1e-6)


def test_every_encoder_of_the_catalogue_has_a_pooling() -> None:
    assert set(POOLINGS) == set(CATALOGUE)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_a_checkpoint_that_says_how_it_pools_is_believed(
    tiny_checkpoint: Path, tmp_path: Path, settings: dict[str, object], expected: str
) -> None:
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    assert pooling_of(str(folder)) == "mean"
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert pooling_of(str(folder)) == expected


def test_an_unknown_pooling_is_refused(tiny_checkpoint: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}', encoding="utf-8")
    with pytest.raises(InputError, match="pooling_mode_max_tokens"):
        pooling_of(str(folder))


def test_chunks_of_a_long_text_are_joined_by_their_length(tiny_encoder: OpenVinoEncoder) -> None:
    pooled = PooledEncoder(tiny_encoder, "mean")
    tokens = next(tiny_encoder.encode([LONG]))
    sizes = np.bincount(tokens.chunks) + 2  # with [CLS] and [SEP]
    chunks = pooled._chunks(tokens)[0]
    expected = sum(vector * size for vector, size in zip(chunks, sizes, strict=True))
    expected = expected / np.linalg.norm(expected)
    assert len(chunks) > 2
    np.testing.assert_allclose(next(pooled.vectors([LONG])), expected, atol=1e-6)
    assert pooled.chunk_vectors(LONG).shape == (len(chunks), tiny_encoder.dimension)


def test_a_text_is_pooled_alike_alone_and_among_others(tiny_encoder: OpenVinoEncoder) -> None:
    for pooling in ("mean", "cls"):
        pooled = PooledEncoder(tiny_encoder, pooling)
        texts = [LONG, "", *TEXTS, "pump"]
        together = np.stack(list(pooled.vectors(texts)))
        alone = np.stack([next(pooled.vectors([text])) for text in texts])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        assert not together[1].any()
        np.testing.assert_allclose(np.linalg.norm(np.delete(together, 1, 0), axis=1), 1, atol=1e-5)


def test_a_text_scores_by_the_best_chunk_of_the_query(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    index = Baseline.build(tmp_path / "index", Dense(tiny_encoder, pooling="mean"), patents())
    pooled = PooledEncoder(tiny_encoder, "mean")
    chunks = pooled.chunk_vectors(LONG)
    for hit in index.search_passages(LONG, k=12):
        vector = next(pooled.vectors([hit.text]))
        assert hit.score == pytest.approx(float((chunks @ vector).max()), abs=1e-5)


def test_an_index_opened_again_answers_the_same_and_only_with_its_own_encoder(
    tmp_path: Path, tiny_encoder: OpenVinoEncoder
) -> None:
    built = Baseline.build(tmp_path / "index", Dense(tiny_encoder, pooling="mean"), patents()).search(TEXTS, k=6)
    again = Baseline.open(tmp_path / "index", Dense(tiny_encoder, pooling="mean")).search(TEXTS, k=6)
    assert again == built
    assert [hits[0].document for hits in built] == [f"XX-{number}-A1" for number in range(6)]
    with pytest.raises(InputError.__base__, match="made with pooling 'mean', this is 'cls'"):
        Baseline.open(tmp_path / "index", Dense(tiny_encoder, pooling="cls"))


@pytest.mark.torch
@pytest.mark.filterwarnings("default")  # the library's own deprecations are not ours
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vectors_and_ranking_are_those_of_sentence_transformers(
    tiny_checkpoint: Path, tiny_encoder: OpenVinoEncoder, tmp_path: Path, pooling: Pooling
) -> None:
    library = pytest.importorskip(
        "sentence_transformers", reason="sentence-transformers is not installed; .ci/run installs it"
    )
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "model")
    parts = {"Transformer": "", "Pooling": "1_Pooling"}
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{name}"}
        for number, (name, path) in enumerate(parts.items())
    ]
    modes = {"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"}
    (folder / "1_Pooling").mkdir()
    for path, content in {
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": 64},
        "1_Pooling/config.json": {"word_embedding_dimension": 32, **modes},
    }.items():
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
    expected = library.SentenceTransformer(str(folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    ours = np.stack(list(PooledEncoder(tiny_encoder, pooling_of(str(folder))).vectors(TEXTS)))
    np.testing.assert_allclose(ours, expected, atol=1e-4)
    np.testing.assert_array_equal(np.argsort(-(ours @ ours.T)), np.argsort(-(expected @ expected.T)))


def test_a_score_is_the_same_to_the_last_bit_in_any_segment_and_behind_any_filter() -> None:
    """Found by `make soak`: a product of matrices rounds by the rows beside, so a merge moved scores and equal texts."""
    random = np.random.default_rng(0)
    rows = normalised(random.normal(size=(500, 384)).astype(np.float32))
    rows[250:] = rows[:250]  # each text twice, as in a family

    class Chunks:
        def chunk_vectors(self, text: str) -> np.ndarray:
            return rows[:3] if text else rows[:1]

    def scores(ends: list[int], query: str, allowed: np.ndarray | None = None) -> np.ndarray:
        matrices = [rows[start:end] for start, end in pairwise([0, *ends, 500])]
        return DenseScorer(Chunks(), matrices).scores(query, allowed)  # type: ignore[arg-type]

    for query in ("", "three chunks"):
        whole = scores([], query)
        assert (whole[:250] == whole[250:]).all()
        for _ in range(20):
            ends = np.sort(random.choice(np.arange(1, 500), 7, replace=False)).tolist()
            assert (scores(ends, query) == whole).all()
            allowed = random.random(500) < 0.1
            assert (scores(ends, query, allowed)[allowed] == whole[allowed]).all()
