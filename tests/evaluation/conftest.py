"""A synthetic CLEF-IP tree, made once, and helpers that write small collections."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_generator() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "make_clefip.py"
    spec = importlib.util.spec_from_file_location("make_clefip", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_clefip"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def clefip_tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """The folder of a synthetic CLEF-IP 2013 and the facts about it."""
    root = tmp_path_factory.mktemp("clef-ip")
    return root, load_generator().make(root, documents=400, topics=12, seed=0)
