"""`verify` accepts what is right and finds what was tampered with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sample_of import sample_of

from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.files import sha256_of
from sparse_coverage.vocabulary import SpanSample, Vocabulary, build_vocabulary
from sparse_coverage.vocabulary.build import SELECTIONS
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.verify import verify, verify_sequence


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SpanSample:
    return sample_of(tmp_path_factory.mktemp("sample"), total=1200)


@pytest.fixture(scope="module")
def vocabulary(sample: SpanSample, tiny_encoder: OpenVinoEncoder) -> Vocabulary:
    return build_vocabulary(sample, tiny_encoder, "token", size=90, sizes=[25])


def broken(vocabulary: Vocabulary, sample: SpanSample) -> str:
    return " / ".join(f"{f.what}: {f.details}" for f in verify(vocabulary, sample) if not f.holds)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_what_was_built_holds(selection: str, sample: SpanSample, tiny_encoder: OpenVinoEncoder) -> None:
    made = build_vocabulary(sample, tiny_encoder, "token", size=50, selection=selection)
    assert broken(made, sample) == ""


def test_a_wrong_choice_is_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    order = np.arange(90)
    order[[40, 41]] = order[[41, 40]]
    swapped = replace(vocabulary, centers=vocabulary.centers[order], levels={})
    assert "farthest span" in broken(swapped, sample)


def test_a_worse_center_is_found_in_every_place(sample: SpanSample) -> None:
    found = farthest_first(sample.points, 30)
    for place in range(1, 30):
        rows = found.rows.copy()
        rows[place] = next(row for row in range(len(sample)) if row not in found.rows)
        assert not verify_sequence(sample.points, rows, found.distances).holds


def test_a_wrong_gap_is_found(sample: SpanSample) -> None:
    found = farthest_first(sample.points, 30)
    for factor in (0.5, 0.9999999, 1.5):
        gaps = found.distances.copy()
        gaps[17] *= np.float32(factor)
        assert not verify_sequence(sample.points, found.rows, gaps).holds


def test_a_center_that_is_no_span_is_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    centers = vocabulary.centers.copy()
    centers[3] = -centers[3]
    assert "every center is a span of the sample: 1 are not" in broken(replace(vocabulary, centers=centers), sample)


def test_a_wrong_radius_is_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    radii = vocabulary.radii.copy()
    radii[12] = np.nextafter(radii[12], np.float32(2))
    assert "percentiles of their cells: 1 are not" in broken(replace(vocabulary, radii=radii), sample)


def test_a_foreign_anchor_is_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    anchors = list(vocabulary.anchors)
    anchors[7] = replace(anchors[7], text="something else")
    assert "every anchor is that of its center: 1 are not" in broken(
        replace(vocabulary, anchors=tuple(anchors)), sample
    )


def test_another_seed_is_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    """The sequence is a right one, but not the one of this seed."""
    other = replace(vocabulary, config=replace(vocabulary.config, seed=1))
    assert broken(other, sample).startswith("the first center is the one that the seed draws: it draws span")


def test_wrong_sizes_of_cells_are_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    counts = vocabulary.levels[25].counts.copy()
    counts[3] += 1
    for wrong in (replace(vocabulary.levels[25], counts=counts), replace(vocabulary.levels[25], error=0.5)):
        assert "the radii of 25 centers" in broken(replace(vocabulary, levels={**vocabulary.levels, 25: wrong}), sample)


def test_a_center_that_is_no_direction_is_found(vocabulary: Vocabulary, sample: SpanSample) -> None:
    centers = vocabulary.centers.copy()
    centers[3] = np.nan
    assert broken(replace(vocabulary, centers=centers), sample) == "every center has length one: 1 have not"


def test_equal_spans_share_their_center(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    """A center may stand in several rows, with several anchors; any of them is right."""
    vectors = np.fromfile(sample_of(tmp_path, total=300).folder / "points.f16", np.float16).reshape(300, 32)
    vectors[150:] = vectors[:150]
    (tmp_path / "points.f16").write_bytes(vectors.tobytes())
    facts = json.loads((tmp_path / "sample.json").read_text())
    facts["sha256"]["points.f16"] = sha256_of(tmp_path / "points.f16")
    (tmp_path / "sample.json").write_text(json.dumps(facts))
    twice = SpanSample(tmp_path)
    for selection in ("farthest-first", "random"):
        made = build_vocabulary(twice, tiny_encoder, "token", size=150, selection=selection)
        assert any(int(anchor.passage) >= 150 for anchor in made.anchors)
        assert broken(made, twice) == ""


def test_impossible_values_are_found_without_a_sample(vocabulary: Vocabulary) -> None:
    radii = vocabulary.radii.copy()
    radii[:2] = [np.nan, 2.5]
    centers = vocabulary.centers.copy()
    centers[5] *= 2
    found = {f.what: f.holds for f in verify(replace(vocabulary, radii=radii, centers=centers))}
    assert found == {"every center has length one": False, "every radius lies between 0 and 2": False}


def test_the_sample_of_another_encoder_is_refused(vocabulary: Vocabulary, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="8 dimensions, the vocabulary 32"):
        verify(vocabulary, sample_of(tmp_path, total=50, dimension=8))


def test_a_damaged_sample_is_noticed(vocabulary: Vocabulary, tmp_path: Path) -> None:
    other = sample_of(tmp_path, total=1200)
    content = bytearray((tmp_path / "points.f16").read_bytes())
    content[5000] ^= 1
    (tmp_path / "points.f16").write_bytes(content)
    with pytest.raises(VocabularyError, match="sha256 differs"):
        verify(vocabulary, other)
