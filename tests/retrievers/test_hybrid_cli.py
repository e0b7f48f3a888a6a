"""One folder, several systems, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparse_coverage import ActivationConfig, SparseCoverage, read_patents
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

pytest.importorskip("Stemmer", reason="the extra [baselines] is not installed")

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


@pytest.fixture
def model(tmp_path: Path, tiny_checkpoint: Path) -> Path:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    every = list(read_patents(write(tmp_path / "all.jsonl", *TEXTS)))
    activation = ActivationConfig(k=8, uncovered="nearest")
    vocabulary = SparseCoverage.fit(every, encoder=encoder, size=40).vocabulary
    SparseCoverage(encoder, vocabulary, activation).save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def folder(run: Run, tmp_path: Path, model: Path) -> Path:
    """An index of three documents with the sides of hybrid."""
    three = write(tmp_path / "three.jsonl", *list(TEXTS)[:3])
    status, out, _ = run("index", three, "--model", model, "-o", tmp_path / "index", "--hybrid", "--json")
    assert (status, json.loads(out)["sides"]) == (0, {"bm25": 1, "dense": 1})
    return tmp_path / "index"


def hits(run: Run, *arguments: object) -> list[dict[str, Any]]:
    status, out, err = run("search", *arguments, "--json", "--threads", 1)
    assert status == 0, err
    return json.loads(out)["hits"]  # type: ignore[no-any-return]


def names(found: list[dict[str, Any]]) -> list[str]:
    return [hit["document"] for hit in found]


def test_hybrid_is_one_command_for_building_and_one_for_searching(run: Run, folder: Path) -> None:
    found = hits(run, folder, QUERY, "--hybrid")
    assert set(names(found)) == set(list(TEXTS)[:3])
    assert found[0]["title"].startswith("Title of XX")
    assert found[0]["metadata"]["publication_date"].startswith("200")
    assert found[0]["passages"][0]["score"] == pytest.approx(found[0]["score"])
    assert found == hits(run, folder, QUERY, "--system", "hybrid", "--fuse", "rrf", "--fuse-level", "document")
    shown = run("search", folder, QUERY, "--hybrid")[1]
    assert "matched by Sparse Coverage " in shown


def test_hybrid_adds_up_what_its_parts_find(run: Run, folder: Path) -> None:
    parts = [names(hits(run, folder, QUERY, "--system", system)) for system in ("coverage", "bm25", "dense")]
    scores = {name: sum(1 / (61 + part.index(name)) for part in parts if name in part) for name in set().union(*parts)}
    fused = {hit["document"]: hit["score"] for hit in hits(run, folder, QUERY, "--hybrid")}
    assert fused == pytest.approx(scores)
    assert len(set(map(tuple, parts))) > 1  # or there would have been nothing to join


def test_every_way_to_join_respects_filters(run: Run, folder: Path) -> None:
    for options in (
        ["--hybrid"],
        ["--hybrid", "--fuse", "weighted"],
        ["--hybrid", "--fuse-level", "passage"],
        ["--system", "bm25"],
        ["--system", "dense"],
        ["--rescore", "dense", "--top", "2"],
        ["--hybrid", "--rescore", "bm25"],
    ):
        found = names(hits(run, folder, QUERY, *options, "--before", "2003", "--not-family-of", "XX-1-A1"))
        assert found == ["XX-2-A1"], options


def test_sides_follow_additions_deletions_and_merges(run: Run, folder: Path, tmp_path: Path) -> None:
    assert run("index", "add", folder, write(tmp_path / "more.jsonl", "XX-4-B1"))[0] == 0
    assert names(hits(run, folder, "vulcanised rubber", "--system", "bm25")) == ["XX-4-B1"]
    assert "XX-4-B1" in names(hits(run, folder, "vulcanised rubber", "--hybrid"))
    assert run("index", "delete", folder, "XX-1-A1")[0] == 0
    for system in ("bm25", "dense", "hybrid"):
        assert "XX-1-A1" not in names(hits(run, folder, QUERY, "--system", system))
    before = hits(run, folder, QUERY, "--hybrid")
    assert run("index", "merge", folder)[0] == 0
    assert hits(run, folder, QUERY, "--hybrid") == before
    assert run("index", "verify", folder)[0] == 0
    assert "up to date" in run("index", "refresh", folder)[1]


def test_an_index_without_sides_gets_them_later(run: Run, tmp_path: Path, model: Path) -> None:
    target = tmp_path / "plain"
    run("index", tmp_path / "all.jsonl", "--model", model, "-o", target)
    status, _, err = run("search", target, QUERY, "--hybrid")
    assert status == 1
    assert "index refresh" in err
    assert "no sides" in run("index", "refresh", target)[1]
    status, out, _ = run("index", "refresh", target, "--with", "bm25", "--json")
    assert (status, json.loads(out)["sides"]) == (0, {"bm25": 1})
    assert run("index", "refresh", target, "--hybrid")[0] == 0
    assert len(hits(run, target, QUERY, "--hybrid")) == 4


def test_damage_in_a_side_is_found(run: Run, folder: Path) -> None:
    path = next(folder.glob("sides/dense/*/vectors.npy"))
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    status, out, _ = run("index", "verify", folder, "--json")
    assert (status, json.loads(out)["damaged"]) == (1, [str(path.relative_to(folder))])


def test_what_only_sparse_coverage_can_do_is_said(run: Run, folder: Path) -> None:
    for option in (["--profile"], ["--rerank", "2"]):
        status, _, err = run("search", folder, QUERY, "--hybrid", *option)
        assert (status, "Sparse Coverage alone" in err) == (1, True)
    status, _, err = run("index", "refresh", folder, "--dense-encoder", "minilm")
    assert (status, "--with dense" in err) == (1, True)
