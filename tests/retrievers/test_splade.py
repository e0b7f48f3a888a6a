"""SPLADE on a tiny random language model, against its definition. Needs the extra [torch]; .ci/run installs it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from made_up_patents import TEXTS, patents
from tiny_bert import write_checkpoint

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch", reason="the extra [torch] is not installed; .ci/run installs it")
transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed; .ci/run installs it")

from sparse_coverage import Variant, evaluate  # noqa: E402
from sparse_coverage.encoding.batching import TextTokenizer  # noqa: E402
from sparse_coverage.errors import ModelError  # noqa: E402
from sparse_coverage.evaluation.collection import Collection, Query, Relevance  # noqa: E402
from sparse_coverage.experiments import Evaluation  # noqa: E402
from sparse_coverage.retrievers import Baseline, Splade  # noqa: E402

LONG = "The noise of the rubber device; " * 20


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked language model whose logits lie around zero, so that about half of its wordpieces are active."""
    folder = write_checkpoint(tmp_path_factory.mktemp("splade"))
    torch.manual_seed(0)
    model = transformers.BertForMaskedLM(transformers.AutoConfig.from_pretrained(folder))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)
    return folder


def by_definition(folder: Path, text: str) -> np.ndarray:
    """log(1 + relu(logit)), the largest over tokens, of a text that fits into one chunk."""
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids = [2, *TextTokenizer.from_folder(folder)(text).ids.tolist(), 3]
    with torch.inference_mode():
        return torch.log1p(torch.relu(model(torch.tensor([ids])).logits[0])).amax(dim=0).numpy()


def dense(side: Splade, text: str) -> np.ndarray:
    pieces, weights = next(side.rows([text]))
    vector = np.zeros(side.vocabulary, dtype=np.float32)
    vector[pieces] = weights
    return vector


def test_weights_are_their_definition(checkpoint: Path) -> None:
    side = Splade(str(checkpoint))
    rows = list(side.rows(TEXTS))
    for text, (pieces, weights) in zip(TEXTS, rows, strict=True):
        expected = by_definition(checkpoint, text)
        np.testing.assert_array_equal(pieces, np.flatnonzero(expected > 0))
        np.testing.assert_allclose(weights, expected[pieces], atol=1e-4)
    assert max(weights.max() for _, weights in rows) > 1  # what an index of similarities could not hold as it is


def test_chunks_are_merged_by_the_largest_weight(checkpoint: Path) -> None:
    side = Splade(str(checkpoint))
    chunks = [weights for weights, _ in next(side._batcher.reduce([LONG], side._weights))]
    assert len(chunks) > 2
    expected = np.zeros(side.vocabulary, dtype=np.float32)
    for pieces, weights in chunks:
        expected[pieces] = np.maximum(expected[pieces], weights)
    np.testing.assert_array_equal(dense(side, LONG), expected)


def test_search_on_the_index_is_the_inner_product(checkpoint: Path, tmp_path: Path) -> None:
    side = Splade(str(checkpoint))
    index = Baseline.build(tmp_path / "index", side, patents())
    query = dense(side, LONG)
    for hit in index.search_passages(LONG, k=12):
        assert hit.score == pytest.approx(float(query @ dense(side, hit.text)), rel=1e-3)
    assert Baseline.open(tmp_path / "index", Splade(str(checkpoint))).search(TEXTS, k=6) == index.search(TEXTS, k=6)


def test_rows_come_back_from_a_block(checkpoint: Path) -> None:
    side = Splade(str(checkpoint))
    rows = list(side.rows([*TEXTS, "", LONG]))
    again = side.unpack(side.pack(rows))
    assert len(again) == len(rows)
    for (pieces, weights), (pieces_again, weights_again) in zip(rows, again, strict=True):
        np.testing.assert_array_equal(pieces, pieces_again)
        np.testing.assert_allclose(weights, weights_again, atol=1e-4)


def test_a_checkpoint_without_a_language_model_head_is_refused(tiny_checkpoint: Path) -> None:
    with pytest.raises(ModelError, match="no language model head"):
        Splade(str(tiny_checkpoint))


def test_a_checkpoint_is_evaluated_by_its_path_and_anew_after_training(checkpoint: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(checkpoint, mine)
    collection = Collection(
        "made-up", lambda: iter(patents()), (Query("q", TEXTS[0]),), {"q": Relevance({"XX-0-A1": 1})}, "document"
    )

    def measured() -> Evaluation:
        row = Variant("splade", checkpoint=str(mine))
        return evaluate(collection, {"mine": row}, "MRR", cache=tmp_path / "cache").rows["mine"]

    first = measured()
    assert first.stamps["checkpoint"]["encoder"] == str(mine)
    assert measured().seconds == first.seconds  # found again
    model = transformers.AutoModelForMaskedLM.from_pretrained(mine)
    torch.nn.init.normal_(model.bert.embeddings.word_embeddings.weight, std=0.9)
    model.save_pretrained(mine)
    again = measured()
    assert again.seconds != first.seconds
    assert again.stamps["checkpoint"] != first.stamps["checkpoint"]
