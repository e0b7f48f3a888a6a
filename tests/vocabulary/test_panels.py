"""The three panels: each way to choose centers is a line of its own, and the legend hides none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparse_coverage.vectors.analysis import Behaviour, plot_behaviour


def behaviours(encoder: str, unit: str, selection: str) -> list[Behaviour]:
    return [
        Behaviour(encoder, unit, size, 0.5, 3.0, 3.0 / size, size / 1000, 0.01, 100, selection)
        for size in (10_000, 20_000)
    ]


@pytest.fixture
def texts_in(tmp_path: Path) -> object:
    """Draw, and return the picture: matplotlib names every text in a comment."""
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")

    def draw(found: list[Behaviour]) -> str:
        plot_behaviour(found, tmp_path / "panels.svg")
        return (tmp_path / "panels.svg").read_text(encoding="utf-8")

    return draw


def test_selections_are_told_apart_where_there_are_several(texts_in) -> None:
    first, second = behaviours("one", "token", "farthest-first"), behaviours("one", "token", "kmeans")
    both = texts_in([*first, *second])
    assert "<!-- one, token, farthest-first -->" in both
    assert "<!-- one, token, kmeans -->" in both
    assert "<!-- one, token -->" in texts_in(first)


def test_the_legend_stands_below_every_panel(texts_in) -> None:
    """The paper's nine lines: three encoders, three units."""
    picture = texts_in([b for e in "abc" for u in ("token", "np", "np+token") for b in behaviours(e, u, "random")])
    labels = [f"<!-- {e}, {u} -->" for e in "abc" for u in ("token", "np", "np+token")]
    axis = picture.index("<!-- vocabulary size V -->")
    assert all(picture.count(label) == 1 for label in labels)

    def height(place: int) -> float:
        return float(picture[picture.index("translate(", place) :].split("translate(")[1].split(")")[0].split()[1])

    assert all(height(picture.index(label)) > height(axis) for label in labels)
