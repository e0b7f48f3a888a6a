"""A cross-encoder reads query and passage together, and the best documents are ranked by what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hash_encoder import HashEncoder
from tiny_onnx import graph, pair_graph, pair_score, write_onnx_checkpoint
from tokenizers import Tokenizer

from sparse_coverage import Index, InputError, ModelError, SparseCoverage, open_retriever
from sparse_coverage.retrievers.cross_encoder import CrossEncoder

QUERY = "a valve with a spring"
TEXTS = ["The pump and the housing.", "A spring, a valve.", "noise of rubber " * 40, "A sensor device with a plunger."]


def expected(folder: Path, limit: int = 64) -> list[float]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    found = []
    for text in TEXTS:
        pair = tokenizer.encode(QUERY, text)
        ids, second = np.array(pair.ids), np.array(pair.type_ids) == 1
        found.append(pair_score(ids[~second].tolist(), ids[second].tolist()))
    return found


@pytest.mark.parametrize("classes", [1, 2])
def test_scores_are_those_of_the_graph_alone_or_together_on_one_core_or_two(tmp_path: Path, classes: int) -> None:
    folder = write_onnx_checkpoint(tmp_path, pair_graph(classes))
    one, two = CrossEncoder(folder, threads=1), CrossEncoder(folder, threads=2)
    together = two.scores(QUERY, TEXTS)
    np.testing.assert_allclose(together, expected(folder), rtol=1e-5)
    assert [one.scores(QUERY, [text])[0] for text in TEXTS] == together.tolist()


def test_an_index_is_ranked_again_by_the_named_model(tmp_path: Path) -> None:
    folder = write_onnx_checkpoint(tmp_path / "reader", pair_graph())
    encoder = HashEncoder()
    Index.build(tmp_path / "index", SparseCoverage.fit(TEXTS, encoder=encoder, size=10), TEXTS)
    plain = open_retriever(tmp_path / "index", encoder=encoder).search(QUERY, 4)
    again = open_retriever(tmp_path / "index", encoder=encoder, rerank=f"cross-encoder:{folder}").search(QUERY, 4)
    assert {hit.document for hit in again} == {hit.document for hit in plain}
    scores = [hit.score for hit in again]
    assert scores == sorted(scores, reverse=True)
    by_hand = expected(folder)
    np.testing.assert_allclose(scores, [by_hand[int(hit.document)] for hit in again], rtol=1e-5)


def test_what_is_no_cross_encoder_is_refused_with_what_it_is(tmp_path: Path) -> None:
    encoder = HashEncoder()
    Index.build(tmp_path / "index", SparseCoverage.fit(TEXTS, encoder=encoder, size=10), TEXTS)
    with pytest.raises(InputError, match=r"Which cross-encoder\? Name its folder or hub id"):
        open_retriever(tmp_path / "index", encoder=encoder, rerank="cross-encoder")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"no onnx/model.onnx. A cross-encoder is an ONNX graph"):
        CrossEncoder(tmp_path / "empty")
    with pytest.raises(ModelError, match=r"no output 'logits' with 2 dimensions"):
        CrossEncoder(write_onnx_checkpoint(tmp_path / "tokens", graph()))
    wide = CrossEncoder(write_onnx_checkpoint(tmp_path / "wide", pair_graph(3)))
    with pytest.raises(ModelError, match="gives 3 numbers for a pair"):
        wide.scores(QUERY, TEXTS)
