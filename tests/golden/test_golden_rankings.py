"""Rankings, scores and explanations are those that were written down."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from golden_rankings import FILE, everything


def differences(there: Any, here: Any, place: str = "") -> list[str]:
    """Where two results differ; sums of floats may differ in their last bits between processors."""
    if isinstance(there, dict):
        return [line for key in there | here for line in differences(there.get(key), here.get(key), f"{place} / {key}")]
    if isinstance(there, list) and isinstance(here, list | tuple) and len(there) == len(here):
        pairs = enumerate(zip(there, here, strict=True))
        return [line for number, pair in pairs for line in differences(*pair, f"{place}[{number}]")]
    if isinstance(there, float) and isinstance(here, float):
        return [] if math.isclose(there, here, rel_tol=1e-6) else [f"{place}: {there} is now {here}"]
    return [] if there == here else [f"{place}: {there} is now {here}"]


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def test_rankings_and_explanations_are_as_written_down(golden: dict[str, Any], tmp_path: Path) -> None:
    assert differences(golden, everything(tmp_path)) == []


def test_a_changed_score_would_be_seen(golden: dict[str, Any]) -> None:
    other = json.loads(json.dumps(golden))
    other["paper token"]["documents 0"][0][1] *= 1.00001
    assert len(differences(golden, other)) == 1
