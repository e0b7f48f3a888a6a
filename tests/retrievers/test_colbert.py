"""ColBERT through PyLate on a tiny random model. Needs the extra [colbert]; .ci/run installs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up_patents import TEXTS, patents

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]  # the libraries warn about each other
pytest.importorskip("pylate", reason="the extra [colbert] is not installed; .ci/run installs it", exc_type=ImportError)

from pylate import models, scores  # noqa: E402

from sparse_coverage.retrievers import Baseline, Colbert  # noqa: E402

LONG = "The noise of the rubber device; " * 20


@pytest.fixture(scope="module")
def checkpoint(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("colbert")
    model = models.ColBERT(str(tiny_checkpoint), embedding_size=8, query_length=16, document_length=60, device="cpu")
    model.save(str(folder))
    return folder


def test_query_pieces_are_as_long_as_the_model_reads_and_nothing_is_cut(checkpoint: Path) -> None:
    side = Colbert(str(checkpoint))
    assert (side.query_length, side.document_length) == (16, 60)
    pieces = side.pieces(LONG, side.query_length)
    assert "".join("".join(pieces).split()) == "".join(LONG.split())
    assert all(len(side._tokenizer(piece)) <= 16 - 3 for piece in pieces)
    assert max(len(side._tokenizer(piece)) for piece in pieces) > 5


def test_scores_are_those_of_pylate(checkpoint: Path, tmp_path: Path) -> None:
    side = Colbert(str(checkpoint))
    index = Baseline.build(tmp_path / "index", side, patents())
    model = models.ColBERT(str(checkpoint), device="cpu")
    query = "a plunger and a spring"
    [vectors] = model.encode([query], is_query=True, show_progress_bar=False)
    found = index.search_passages(query, k=12)
    short = [hit for hit in found if len(side.pieces(hit.text, side.document_length)) == 1]  # PyLate cuts the others
    assert len(found) == 12
    assert len(short) >= 4
    for hit in short:
        [text] = model.encode([hit.text], is_query=False, show_progress_bar=False)
        expected = float(scores.colbert_scores(vectors[None], text[None])[0, 0])
        assert hit.score == pytest.approx(expected, abs=0.02)  # half precision on disk


def test_a_long_query_scores_by_its_best_piece(checkpoint: Path, tmp_path: Path) -> None:
    side = Colbert(str(checkpoint))
    index = Baseline.build(tmp_path / "index", side, patents())
    whole = {hit.id: hit.score for hit in index.search_passages(LONG, k=12)}
    parts = [index.search_passages(piece, k=12) for piece in side.pieces(LONG, side.query_length)]
    best = {id_: max(hit.score for part in parts for hit in part if hit.id == id_) for id_ in whole}
    assert whole == pytest.approx(best, abs=1e-4)


def test_an_index_opened_again_answers_the_same(checkpoint: Path, tmp_path: Path) -> None:
    built = Baseline.build(tmp_path / "index", Colbert(str(checkpoint)), patents()).search(TEXTS, k=6)
    again = Baseline.open(tmp_path / "index", Colbert(str(checkpoint))).search(TEXTS, k=6)
    assert [[hit.document for hit in hits] for hits in again] == [[hit.document for hit in hits] for hits in built]
    np.testing.assert_allclose([h.score for hits in again for h in hits], [h.score for hits in built for h in hits])


def test_texts_are_cut_and_ranked_by_plaid_where_asked(checkpoint: Path, tmp_path: Path) -> None:
    """As in the paper: a text is one piece, its end is lost; PLAID finds what is close, if not in the exact order."""
    from sparse_coverage.retrievers.colbert import PlaidConfig

    side = Colbert(str(checkpoint), plaid=PlaidConfig(), cut=40)
    assert side.document_length == 40
    assert side.settings["cut"] == 40
    [kept] = side.rows([LONG])
    assert len(kept) <= 40 < len(next(iter(Colbert(str(checkpoint)).rows([LONG]))))
    index = Baseline.build(tmp_path / "index", side, patents())
    assert index.search_passages("a plunger and a spring", k=3)
