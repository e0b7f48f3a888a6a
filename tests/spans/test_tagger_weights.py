"""The tagger's weights: read as data, never as a program, and kept verified."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from sparse_coverage.errors import ModelError
from sparse_coverage.spans import tagger as tagger_weights
from sparse_coverage.spans.tagger import (
    arrays_from_pickle,
    load_arrays,
    read_plain_pickle,
    weights_from_arrays,
)


class RunsACommand:
    def __reduce__(self):
        return os.mkdir, ("made-by-a-pickle",)


def test_plain_values_are_read():
    value = ({"bias": {"NN": 1.5}}, {"the": "DT"}, {"NN", "DT"})
    assert read_plain_pickle(pickle.dumps(value, protocol=2)) == value


def test_a_pickle_that_would_run_something_is_refused_and_runs_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="mkdir"):
        read_plain_pickle(pickle.dumps(RunsACommand()))
    assert not (tmp_path / "made-by-a-pickle").exists()


@pytest.mark.parametrize("value", [np.zeros(3), frozenset("a"), complex(1, 2)])
def test_anything_but_plain_values_is_refused(value):
    with pytest.raises(ModelError, match="not used"):
        read_plain_pickle(pickle.dumps(value, protocol=2))


@pytest.mark.parametrize("content", [b"", b"\x80\x02", b"not a pickle at all", b"\x80\x02Pid\n."])
def test_a_damaged_pickle_is_a_clear_error(content):
    with pytest.raises(ModelError, match="weights"):
        read_plain_pickle(content)


def test_a_pickle_beyond_the_limit_is_not_read(monkeypatch):
    monkeypatch.setattr(tagger_weights, "LARGEST_PICKLE", 10)
    with pytest.raises(ModelError, match="at most 10"):
        read_plain_pickle(pickle.dumps(list(range(100))))


def test_converted_weights_are_the_published_ones():
    published = (
        {
            "bias": {"NN": 0.5, "DT": -1.25},
            "i word drum": {"NN": 2.001},
            "i-1 tag+i word DT drum": {"NN": 3.0},
            "i-1 tag DT": {"NN": 1.0},
        },
        {"the": "DT"},
        {"NN", "DT"},
    )
    weights = weights_from_arrays(arrays_from_pickle(pickle.dumps(published, protocol=2)))
    assert weights.tags == ("DT", "NN")
    assert weights.known_tags == {"the": 0}

    def of(feature):
        entries = slice(weights.offsets[feature], weights.offsets[feature + 1])
        pairs = zip(weights.classes[entries], weights.weights[entries], strict=True)
        return {weights.tags[tag]: int(weight) for tag, weight in pairs}

    drum = weights.strings["drum"]
    assert of(weights.bias) == {"DT": -1250, "NN": 500}
    assert of(weights.features[drum, 2]) == {"NN": 2001}
    assert of(weights.tag_word[drum, 0]) == {"NN": 3000}
    assert of(weights.tag_before[0]) == {"NN": 1000}
    assert of(weights.features[drum, 0]) == {}  # never seen
    assert of(weights.tag_word[-1, 0]) == {}


def test_a_damaged_store_is_filled_again(tmp_path, monkeypatch):
    good = {name: array.copy() for name, array in load_arrays().items()}
    fetched = []

    def fetch(folder):
        fetched.append(folder)
        return b"pretended download"

    monkeypatch.setenv("SPARSE_COVERAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tagger_weights, "_fetch", fetch)
    monkeypatch.setattr(tagger_weights, "arrays_from_pickle", lambda content: good)
    load_arrays()
    load_arrays()
    assert len(fetched) == 1  # the second time it was there
    [stored] = (tmp_path / "cache" / "taggers").glob("*.safetensors")
    content = bytearray(stored.read_bytes())
    content[-1] ^= 1
    stored.write_bytes(content)
    again = load_arrays()
    assert len(fetched) == 2
    assert all(np.array_equal(again[name], good[name]) for name in good)


def test_without_a_connection_the_error_says_what_for(tmp_path, monkeypatch):
    def fail(*_):
        raise ModelError("no route")

    monkeypatch.setenv("SPARSE_COVERAGE_CACHE", str(tmp_path))
    monkeypatch.setattr("sparse_coverage.encoding.downloads.fetch_files", fail)
    with pytest.raises(ModelError, match=r"noun phrases need.*no route(.|\n)*`token` needs no tagger"):
        load_arrays()
