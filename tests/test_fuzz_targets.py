"""The fuzz targets hold for their corpora and for what hypothesis makes of them; `make fuzz` goes on from there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from drawing import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

FUZZ = Path(__file__).parent.parent / "fuzz"
sys.path.insert(0, str(FUZZ))
from targets import TARGETS, run  # noqa: E402

SEEDS = {name: [path.read_bytes() for path in sorted((FUZZ / "corpus" / name).iterdir())] for name in TARGETS}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_for_its_corpus(name: str) -> None:
    assert SEEDS[name]
    for data in SEEDS[name]:
        run(name, data)


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in ("readers", "index")])
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(data=some.data())
def test_a_target_holds_for_damaged_seeds(name: str, data: some.DataObject) -> None:
    seed = data.draw(some.sampled_from(SEEDS[name]))
    place = data.draw(some.integers(0, len(seed)))
    length = data.draw(some.integers(0, 8))
    run(name, seed[:place] + data.draw(some.binary(max_size=12)) + seed[place + length :])
