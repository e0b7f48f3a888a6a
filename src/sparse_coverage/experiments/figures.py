"""The figures of the paper, from measured values. Matplotlib (extra [plot]) is loaded when one is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparse_coverage.errors import MissingExtraError

COLORS = ("#1f5fa8", "#c2571a", "#3c8d40", "#8a4fa3", "#8c6d31", "#5b6770")
LINES = ("-", "--", ":")
MARKERS = ("o", "s", "^", "D", "v", "P")

Points = Sequence[tuple[float, float]]
Curves = Mapping[tuple[str, str], Points]
"""Curves by (color, style): what the color stands for, and what the line's style and marker stand for."""


def _plots() -> Any:
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError:
        raise MissingExtraError("Drawing figures", "plot") from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "sparse-coverage",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#e4e4e4",
            "legend.frameon": False,
        }
    )
    return importlib.import_module("matplotlib.pyplot")


def draw_curves(path: Path, panels: Mapping[str, Curves], x_label: str, *, log_x: bool = False) -> list[Path]:
    """Draw one panel for each name, with the same colors and line styles in all of them, and one legend."""
    plots = _plots()
    figure, axes = plots.subplots(1, len(panels), figsize=(3.6 * len(panels), 3.3), squeeze=False, layout="constrained")
    kinds = [kind for curves in panels.values() for kind in curves]
    looks = _looks(kinds)
    for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
        for number, (kind, points) in enumerate(curves.items()):
            color, place = looks[kind]
            axis.plot(
                [x for x, _ in points],
                [y for _, y in points],
                color=color,
                linestyle=LINES[place % len(LINES)],
                marker=MARKERS[place % len(MARKERS)],
                markersize=7 - 4 * number / len(curves),  # where curves lie on each other, all of them show
                label=" ".join(word for word in kind if word),
            )
        axis.set_title(title)
        axis.set_xlabel(x_label)
        if log_x:
            axis.set_xscale("log")
        ticks = sorted({x for points in curves.values() for x, _ in points})
        axis.set_xticks(ticks, [_short(x) for x in ticks])
        axis.minorticks_off()
    handles, labels = axes[0][0].get_legend_handles_labels()
    colors = len({color for color, _ in kinds})
    # The legend is filled column by column: many curves get one column for each color.
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels) if len(labels) <= 5 else colors)
    return _save(plots, figure, path)


def draw_scatter(path: Path, points: Mapping[tuple[str, str], Points], x_label: str, y_label: str) -> list[Path]:
    """Draw cost against recall: color and marker say which points belong together."""
    plots = _plots()
    figure, axis = plots.subplots(figsize=(6.4, 4.2), layout="constrained")
    looks = _looks(list(points))
    for kind, places in points.items():
        color, place = looks[kind]
        axis.scatter(
            [x for x, _ in places],
            [y for _, y in places],
            color=color,
            marker=MARKERS[place % len(MARKERS)],
            alpha=0.8,
            s=38,
            label=" ".join(word for word in kind if word),
            zorder=3,
        )
    axis.set_xscale("log")
    axis.set_xlabel(x_label)
    axis.set_ylabel(y_label)
    figure.legend(loc="outside right center")
    return _save(plots, figure, path)


def draw_histograms(path: Path, panels: Mapping[str, Sequence[int]]) -> list[Path]:
    """Draw the distribution of each list of counts, with its mean and median."""
    plots = _plots()
    figure, axes = plots.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.0), squeeze=False, layout="constrained")
    for axis, (title, values), color in zip(axes[0], panels.items(), COLORS, strict=False):
        span = max(values) - min(values) + 1
        # Whole numbers: each bar stands over its own number, or over as many as it takes for 20 bars.
        bins = [min(values) - 0.5 + step * span / min(20, span) for step in range(min(20, span) + 1)]
        axis.hist(values, bins=bins, color=color, edgecolor="white", linewidth=0.6)
        ordered = sorted(values)
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
        mean = sum(values) / len(values)
        axis.axvline(mean, color="#222222", linewidth=1, label=f"mean {mean:,.1f}")
        axis.axvline(middle, color="#222222", linewidth=1, linestyle="--", label=f"median {middle:,.1f}")
        axis.set_xlabel(title)
        axis.set_ylabel("queries")
        axis.yaxis.get_major_locator().set_params(integer=True)
        axis.legend()
    return _save(plots, figure, path)


def _looks(kinds: Sequence[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, int]]:
    """Give each kind its own color and style; where they are too many, the color says one thing and the style the other."""
    different = list(dict.fromkeys(kinds))
    if len(different) <= len(COLORS):
        return {kind: (COLORS[place], place) for place, kind in enumerate(different)}
    colors = {name: COLORS[place % len(COLORS)] for place, name in enumerate(dict.fromkeys(c for c, _ in different))}
    styles = {name: place for place, name in enumerate(dict.fromkeys(s for _, s in different))}
    return {(color, style): (colors[color], styles[style]) for color, style in different}


def _short(number: float) -> str:
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"


def _save(plots: Any, figure: Any, path: Path) -> list[Path]:
    """Write SVG and PNG; the same values give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [path.with_suffix(".svg"), path.with_suffix(".png")]
    figure.savefig(written[0], metadata={"Date": None})
    figure.savefig(written[1], dpi=150, metadata={"Software": None})
    plots.close(figure)
    return written
