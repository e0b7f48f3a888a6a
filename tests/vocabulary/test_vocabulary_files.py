"""A vocabulary on disk: the same after saving and loading, mapped or read; damage is noticed; smaller sizes are nested."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import pytest
from sample_of import sample_of

from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.vocabulary import (
    Vocabulary,
    build_vocabulary,
    check_settings,
    load_vocabulary,
    save_vocabulary,
)
from sparse_coverage.vocabulary.build import SELECTIONS


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: OpenVinoEncoder) -> Vocabulary:
    sample = sample_of(tmp_path_factory.mktemp("sample"), total=1500)
    return build_vocabulary(sample, tiny_encoder, "token", size=120, sizes=[30, 60], seed=4)


def same(a: Vocabulary, b: Vocabulary) -> None:
    for name in ("centers", "radii", "gaps"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.anchors == b.anchors
    assert a.config == b.config
    assert a.sizes == b.sizes
    for size in a.levels:
        np.testing.assert_array_equal(a.levels[size].radii, b.levels[size].radii)
        np.testing.assert_array_equal(a.levels[size].counts, b.levels[size].counts)
        assert a.levels[size].covered == b.levels[size].covered
        assert a.levels[size].error == b.levels[size].error


@pytest.mark.parametrize("mmap", [False, True])
def test_saving_and_loading_changes_nothing(vocabulary: Vocabulary, tmp_path: Path, mmap: bool) -> None:
    save_vocabulary(vocabulary, tmp_path)
    loaded = load_vocabulary(tmp_path, mmap=mmap)
    same(loaded, vocabulary)
    assert isinstance(loaded.centers.base, np.memmap) or not mmap


def test_a_smaller_size_is_what_a_smaller_fit_gives(
    vocabulary: Vocabulary, tmp_path: Path, tiny_encoder: OpenVinoEncoder
) -> None:
    sample = sample_of(tmp_path, total=1500)
    small = build_vocabulary(sample, tiny_encoder, "token", size=60, sizes=[30], seed=4)
    same(vocabulary.truncate(60), small)
    assert vocabulary.truncate(120) is vocabulary
    with pytest.raises(InputError, match="no radii for 50 centers, only for 30, 60, 120"):
        vocabulary.truncate(50)


def test_every_span_lies_in_exactly_one_cell(vocabulary: Vocabulary) -> None:
    for size, cells in vocabulary.levels.items():
        assert cells.counts.sum() == 1500
        assert len(cells) == size
        assert 0.9 < cells.covered <= 1
    errors = [vocabulary.levels[size].error for size in vocabulary.sizes]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("name", ["centers.safetensors", "anchors.jsonl"])
def test_a_damaged_file_is_named(vocabulary: Vocabulary, tmp_path: Path, name: str) -> None:
    save_vocabulary(vocabulary, tmp_path)
    content = bytearray((tmp_path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(VocabularyError, match=f"{name}: the file is damaged"):
        load_vocabulary(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(VocabularyError, match=f"{name}: the file is missing"):
        load_vocabulary(tmp_path)


def test_another_format_is_refused(vocabulary: Vocabulary, tmp_path: Path) -> None:
    save_vocabulary(vocabulary, tmp_path)
    header = json.loads((tmp_path / "vocabulary.json").read_text())
    (tmp_path / "vocabulary.json").write_text(json.dumps({**header, "format": 99}))
    with pytest.raises(VocabularyError, match="format 99"):
        load_vocabulary(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda header: header.pop("config"),
        lambda header: header.pop("sha256"),
        lambda header: header["sha256"].pop("anchors.jsonl"),
        lambda header: header["config"].pop("encoder"),
        lambda header: header["config"].update(dimension=-1),
        lambda header: header["config"].update(size=10**6),
        lambda header: header["config"].update(common=3),
        lambda header: header.update(config=[1, 2]),
        lambda header: header["levels"].update({"77": {"covered": 1.0, "error": 0.0, "farthest": 0.0}}),
    ],
)
def test_a_damaged_header_is_said(vocabulary: Vocabulary, tmp_path: Path, damage: Callable[[Any], object]) -> None:
    save_vocabulary(vocabulary, tmp_path)
    header = json.loads((tmp_path / "vocabulary.json").read_text())
    damage(header)
    (tmp_path / "vocabulary.json").write_text(json.dumps(header))
    with pytest.raises(VocabularyError, match="the files do not fit together"):
        load_vocabulary(tmp_path)
    (tmp_path / "vocabulary.json").write_text("[]")
    with pytest.raises(VocabularyError, match="format None"):
        load_vocabulary(tmp_path)
    (tmp_path / "vocabulary.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"vocabulary\.json: not valid JSON"):
        load_vocabulary(tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", ["centers.safetensors", "anchors.jsonl"])
def test_a_disk_that_is_full_is_the_systems_error(vocabulary: Vocabulary, tmp_path: Path, name: str) -> None:
    """The command line knows what to say about that one."""
    (tmp_path / name).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        save_vocabulary(vocabulary, tmp_path)
    assert caught.value.errno == errno.ENOSPC
    assert not (tmp_path / "vocabulary.json").exists()


def test_a_cut_file_cannot_be_mapped(vocabulary: Vocabulary, tmp_path: Path) -> None:
    save_vocabulary(vocabulary, tmp_path)
    path = tmp_path / "centers.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(VocabularyError, match="cannot be mapped"):
        load_vocabulary(tmp_path, mmap=True, check=False)


def test_a_name_of_the_hub_is_fetched(vocabulary: Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_vocabulary(vocabulary, tmp_path)
    asked = []

    def download(repository: str, allow_patterns: list[str]) -> str:
        asked.append(repository)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    same(load_vocabulary("somebody/patents"), vocabulary)
    assert asked == ["somebody/patents"]


def test_a_hub_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repository: str, allow_patterns: list[str]) -> str:
        raise OSError("no route to host")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(VocabularyError, match="could not be fetched from the model hub: no route to host"):
        load_vocabulary("somebody/patents")


def test_a_name_that_the_hub_does_not_allow_is_said() -> None:
    with pytest.raises(VocabularyError, match=r"'some\.\.body/patents' is no folder here"):
        load_vocabulary("some..body/patents")


@pytest.mark.parametrize("selection", SELECTIONS)
def test_every_selection_gives_anchored_unit_centers_and_repeats_itself(
    selection: str, tmp_path: Path, tiny_encoder: OpenVinoEncoder
) -> None:
    sample = sample_of(tmp_path, total=900)
    made = [
        build_vocabulary(sample, tiny_encoder, "token", size=80, selection=selection, seed=2, threads=threads)
        for threads in (1, 2)
    ]
    same(*made)
    first = made[0]
    np.testing.assert_allclose(np.linalg.norm(first.centers, axis=1), 1, atol=1e-5)
    assert len({center.tobytes() for center in first.centers}) == 80
    assert first.config.selection == selection
    if selection != "kmeans":  # each center is the span its anchor names
        rows = [int(anchor.passage) for anchor in first.anchors]
        np.testing.assert_array_equal(first.centers, sample.points.rows(np.array(rows)))
        half = build_vocabulary(sample, tiny_encoder, "token", size=80, sizes=[40], selection=selection, seed=2)
        small = build_vocabulary(sample, tiny_encoder, "token", size=40, selection=selection, seed=2)
        np.testing.assert_array_equal(half.truncate(40).centers, small.centers)


def test_kmeans_fits_the_spans_better_than_chance(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    sample = sample_of(tmp_path, total=900)
    error = {
        name: build_vocabulary(sample, tiny_encoder, "token", size=60, selection=name).levels[60].error
        for name in ("kmeans", "random")
    }
    assert error["kmeans"] < error["random"]


def test_wrong_wishes_are_refused(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    sample = sample_of(tmp_path, total=100)
    with pytest.raises(InputError, match="no selection 'best'"):
        build_vocabulary(sample, tiny_encoder, "token", selection="best")
    with pytest.raises(InputError, match="not nested"):
        build_vocabulary(sample, tiny_encoder, "token", size=10, sizes=[5], selection="kmeans")
    with pytest.raises(InputError, match="between 1 and the size"):
        build_vocabulary(sample, tiny_encoder, "token", size=10, sizes=[11])
    with pytest.raises(InputError, match="percentile"):
        build_vocabulary(sample, tiny_encoder, "token", size=10, tau=0)
    for selection in SELECTIONS:
        with pytest.raises(VocabularyError, match="only 100 distinct"):
            build_vocabulary(sample, tiny_encoder, "token", size=101, selection=selection)


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ({"size": 0}, "at least one center"),
        ({"size": 10, "sizes": [11]}, "between 1 and the size 10"),
        ({"sizes": [0, 5]}, "between 1 and the size 5"),
        ({"tau": 101.0}, "percentile"),
        ({"seed": -1}, "seed"),
        ({"selection": "best"}, "no selection 'best'. The selections are: farthest-first"),
        ({"size": 10, "sizes": [5], "selection": "kmeans"}, "not nested"),
        ({"size": 101, "max_spans": 100}, "101 centers cannot be chosen from at most 100 spans"),
        ({"sizes": [5, 101], "max_spans": 100}, "101 centers cannot be chosen from at most 100 spans"),
    ],
)
def test_impossible_wishes_are_refused_without_a_sample(wishes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        check_settings(**wishes)


def test_possible_wishes_are_not_refused() -> None:
    check_settings()
    check_settings(size=100, sizes=[1, 100], max_spans=100, tau=100.0)
    check_settings(sizes=[50], selection="kmeans")  # one size alone


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"activation": {"k": "five"}}, "activation.k"),
        ({"activation": {"assignment": "softly"}}, "activation.assignment"),
        ({"scoring": [1]}, "scoring"),
        ({"without": 3}, "without"),
        ({"by": "chapter"}, "by"),
    ],
)
def test_settings_of_a_model_that_do_not_fit_are_refused_by_name(tmp_path: Path, change: dict, told: str) -> None:
    """Found by `make fuzz`: a model of another hand, its checksum right, failed with a TypeError."""
    from hash_encoder import HashEncoder

    from sparse_coverage import SparseCoverage
    from sparse_coverage.errors import SparseCoverageError
    from sparse_coverage.files import checksum_of

    texts = [(str(n), f"A pump number {n} with a valve and a spring of kind {n}.") for n in range(5)]
    SparseCoverage.fit(texts, encoder=HashEncoder(), size=6).save(tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    settings = json.loads(path.read_text())
    del settings["sha256"]
    for name, value in change.items():
        settings[name] = settings[name] | value if isinstance(value, dict) else value
    path.write_text(json.dumps({**settings, "sha256": checksum_of(settings)}))
    with pytest.raises(SparseCoverageError, match=told):
        SparseCoverage.load(tmp_path / "model", encoder=HashEncoder())
