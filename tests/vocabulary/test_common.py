"""What spans have in common is measured once, kept with the vocabulary, and removed from everything compared with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sample_of import sample_of

from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.vectors import ActivationConfig, activate
from sparse_coverage.vocabulary import build_vocabulary, load_vocabulary, save_vocabulary
from sparse_coverage.vocabulary.points import CommonPart, Points
from sparse_coverage.vocabulary.verify import verify


def crowded(count: int = 500, dimension: int = 12, seed: int = 0) -> np.ndarray:
    """Unit vectors in a narrow cone that vary most in one direction."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, dimension)) + 3 * np.eye(dimension)[0]
    rows += 2 * random.normal(size=(count, 1)) * np.eye(dimension)[1]
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_as_many_directions_as_dimensions_cannot_be_removed() -> None:
    with pytest.raises(InputError, match="Between 0 and 11"):
        CommonPart.of(Points(crowded()), 12)


def test_a_vocabulary_keeps_it_and_is_verified_without_it(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    sample = sample_of(tmp_path, total=800)
    made = build_vocabulary(sample, tiny_encoder, "token", size=40, sizes=[15], common=1)
    assert made.config.common == 1
    assert all(finding.holds for finding in verify(made, sample))
    plain = build_vocabulary(sample, tiny_encoder, "token", size=40)
    assert plain.common is None
    assert plain.centers.tobytes() != made.centers.tobytes()
    (tmp_path / "saved").mkdir()
    save_vocabulary(made, tmp_path / "saved")
    for kept in (load_vocabulary(tmp_path / "saved"), load_vocabulary(tmp_path / "saved", mmap=True)):
        assert kept.common is not None
        assert made.common is not None
        assert kept.common.fingerprint == made.common.fingerprint
        rows = sample.points.rows(np.arange(50))
        config = ActivationConfig(k=3, assignment="nearest")
        for smaller in (kept, kept.truncate(15)):
            found = activate(rows, smaller, config)
            products = made.common.remove(rows) @ smaller.centers.T
            assert np.allclose(found.similarities, -np.sort(-products, axis=1)[:, :3], atol=1e-5)
