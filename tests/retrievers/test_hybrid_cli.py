"""One folder, several rankings, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from letters_side import install_letters

from sparse_coverage import ActivationConfig, SparseCoverage, read_patents
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

TEXTS = {
    "XX-1-A1": "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "XX-2-A1": "A pump housing with a sensor for noise of the pump.",
    "XX-3-B1": "A plunger biased by a spring seals the housing of the pump.",
    "XX-4-B1": "Rubber device wherein the rubber is vulcanised.",
}
QUERY = "a plunger and a spring in the housing of a pump"
Run = Callable[..., tuple[int, str, str]]


def write(path: Path, *ids: str) -> Path:
    lines = [
        {"id": id_, "title": f"Title of {id_}", "abstract": TEXTS[id_], "publication_date": f"200{id_[3]}-01-01"}
        for id_ in ids
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install_letters(monkeypatch)


@pytest.fixture
def model(tmp_path: Path, tiny_checkpoint: Path) -> Path:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    every = list(read_patents(write(tmp_path / "all.jsonl", *TEXTS)))
    activation = ActivationConfig(k=8, assignment="nearest")
    vocabulary = SparseCoverage.fit(every, encoder=encoder, size=40).vocabulary
    SparseCoverage(encoder, vocabulary, activation).save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def folder(run: Run, tmp_path: Path, model: Path) -> Path:
    """An index of three documents with a side."""
    three = write(tmp_path / "three.jsonl", *list(TEXTS)[:3])
    status, out, _ = run("index", three, "--model", model, "-o", tmp_path / "index", "--with", "letters", "--json")
    assert (status, json.loads(out)["sides"]) == (0, {"letters": 1})
    return tmp_path / "index"


def hits(run: Run, *arguments: object) -> list[dict[str, Any]]:
    status, out, err = run("search", *arguments, "--json", "--threads", 1)
    assert status == 0, err
    return json.loads(out)["hits"]  # type: ignore[no-any-return]


def names(found: list[dict[str, Any]]) -> list[str]:
    return [hit["document"] for hit in found]


def test_sides_follow_additions_deletions_and_merges(run: Run, folder: Path, tmp_path: Path) -> None:
    assert run("index", "add", folder, write(tmp_path / "more.jsonl", "XX-4-B1"))[0] == 0
    assert names(hits(run, folder, TEXTS["XX-4-B1"], "--ranking", "letters"))[0] == "XX-4-B1"
    assert run("index", "delete", folder, "XX-1-A1")[0] == 0
    for ranking in ("letters", "combined"):
        assert "XX-1-A1" not in names(hits(run, folder, QUERY, "--ranking", ranking))
    before = hits(run, folder, QUERY, "--ranking", "letters")
    assert run("index", "merge", folder)[0] == 0
    assert hits(run, folder, QUERY, "--ranking", "letters") == before
    assert run("index", "verify", folder)[0] == 0
    assert "up to date" in run("index", "refresh", folder)[1]


def test_an_index_without_sides_gets_them_later(run: Run, tmp_path: Path, model: Path) -> None:
    target = tmp_path / "plain"
    run("index", tmp_path / "all.jsonl", "--model", model, "-o", target)
    status, _, err = run("search", target, QUERY, "--ranking", "letters")
    assert status == 1
    assert "index refresh" in err
    assert "no sides" in run("index", "refresh", target)[1]
    status, out, _ = run("index", "refresh", target, "--with", "letters", "--json")
    assert (status, json.loads(out)["sides"]) == (0, {"letters": 1})
    assert len(hits(run, target, QUERY, "--ranking", "letters")) == 4


def test_what_a_side_cannot_do_is_said(run: Run, folder: Path) -> None:
    status, _, err = run("search", folder, QUERY, "--ranking", "letters", "--rerank", "passages")
    assert (status, "not by letters" in err) == (1, True)
