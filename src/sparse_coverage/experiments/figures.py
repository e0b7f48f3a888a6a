"""The figures of the paper, from measured values, at the size they are printed. Matplotlib (extra [plot]) is loaded when one is drawn.

A color stands for one encoder or baseline, a line's style and marker for one unit, the same in every figure.
"""

from __future__ import annotations

import importlib
import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sparse_coverage.errors import require_package

FIGURES_NEED = ("matplotlib", "Drawing figures", "plot")
"""The package, the name for people and the extra."""
COLUMN, PAGE = 3.33, 6.9
"""The width in inches of a figure in one column, and across both columns of a page."""
SUFFIXES = (".pdf", ".svg", ".png")
FEW = 4
"""Up to so many curves have strong error bars; those of more would hide the curves."""
COLORS = {
    "BERT-for-Patents": "#0072b2",
    "PaECTER": "#d55e00",
    "PatentMap-V0": "#009e73",
    "SPECTER2": "#cc79a7",
    "MiniLM": "#7b4fa3",
    "BM25": "#444444",
    "SPLADE-v2": "#56b4e9",
    "ColBERTv2": "#8c6d31",
    "ColBERTv2 (PLAID)": "#8c6d31",
}
OTHER_COLORS = ("#e69f00", "#1b7837", "#a6761d", "#999999", "#b2182b")
STYLES = {"enc. tok.": ("-", "o"), "NP": ("--", "s"), "NP+tok.": (":", "^"), "dense": ("-", "D"), "": ("-", "P")}
OTHER_STYLES = (("-.", "v"), ((0, (3, 1, 1, 1)), "<"), ((0, (5, 1)), ">"), ("-", "X"))


class FigurePoint(NamedTuple):
    """A value at a place, with its 95 % interval where it is known."""

    x: float
    y: float
    interval: tuple[float, float] | None = None


Points = Sequence[FigurePoint]
Curves = Mapping[tuple[str, str], Points]
"""Curves by what the color stands for (an encoder, a baseline) and what style and marker stand for (a unit)."""


def _plots() -> Any:
    require_package(*FIGURES_NEED)
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "sparse-coverage",
            "pdf.fonttype": 42,  # letters stay letters: they can be searched and edited
            "font.size": 8,
            "axes.titlesize": 8,
            "axes.labelsize": 8,
            "xtick.labelsize": 7,
            "ytick.labelsize": 7,
            "legend.fontsize": 7,
            "lines.linewidth": 1.1,
            "lines.markersize": 4,
            "errorbar.capsize": 1.5,
            "axes.linewidth": 0.6,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#e4e4e4",
            "grid.linewidth": 0.5,
            "legend.frameon": False,
            "legend.handlelength": 2.6,
        }
    )
    return importlib.import_module("matplotlib.pyplot")


def draw_curves(path: Path, panels: Mapping[str, Curves], x_label: str, *, log_x: bool = False) -> list[Path]:
    """Draw one lettered panel for each name, with one legend below. One panel fills a column, several a page's width."""
    plots = _plots()
    kinds = list(dict.fromkeys(kind for curves in panels.values() for kind in curves))
    looks = _looks(kinds)
    styles = list(dict.fromkeys(style for _, style in kinds))
    columns = _columns(map(_name, kinds), COLUMN if len(panels) == 1 else PAGE, most=3)
    figure, axes = _panels(plots, panels, 2.05 + 0.14 * -(-len(kinds) // columns))
    for (title, axis), curves in zip(axes.items(), panels.values(), strict=True):
        ticks = sorted({p.x for points in curves.values() for p in points})
        for number, (kind, points) in enumerate(curves.items()):
            color, line, marker = looks[kind]
            aside = number - (len(curves) - 1) / 2 if any(p.interval for p in points) else 0.0
            moved = [p._replace(x=_beside(p.x, aside, ticks, log_x=log_x)) for p in points]
            _errors(axis, moved, color, faint=len(curves) > FEW)
            axis.plot(
                [p.x for p in moved],
                [p.y for p in moved],
                color=color,
                linestyle=line,
                marker=marker,
                # Every second unit is hollow, with every encoder: where curves lie on each other, all of them show.
                markerfacecolor="white" if styles.index(kind[1]) % 2 else color,
                label=_name(kind),
            )
        axis.set_title(title, loc="left")
        axis.set_xlabel(x_label)
        if log_x:
            axis.set_xscale("log")
        axis.set_xticks(ticks, [_short(x) for x in ticks])
        axis.minorticks_off()
    handles, labels = next(iter(axes.values())).get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
    return _save(plots, figure, path)


def _panels(plots: Any, titles: Collection[str], height: float) -> tuple[Any, dict[str, Any]]:
    """Make a figure with panels side by side; return it and its panels by title, lettered where there are several."""
    width = COLUMN if len(titles) == 1 else PAGE
    figure, axes = plots.subplots(1, len(titles), figsize=(width, height), squeeze=False, layout="constrained")
    lettered = titles if len(titles) == 1 else [f"({chr(97 + place)}) {title}" for place, title in enumerate(titles)]
    return figure, dict(zip(lettered, axes[0], strict=True))


def draw_scatter(path: Path, points: Curves, x_label: str, y_label: str) -> list[Path]:
    """Draw cost against recall in one column: the legend says what a color means, and what a marker means."""
    plots = _plots()
    looks = _looks(list(points))
    colors = {name: color for (name, _), (color, _, _) in looks.items()}
    markers = {style: marker for (_, style), (_, _, marker) in looks.items() if style}
    columns, shapes_columns = (_columns(words, COLUMN, most=4, handle=0.3) for words in (colors, markers))
    rows = -(-len(colors) // columns) + -(-len(markers) // shapes_columns)
    figure, axis = plots.subplots(figsize=(COLUMN, 2.2 + 0.14 * rows), layout="constrained")
    crowded = sum(map(len, points.values())) > 20
    for kind, (color, _, marker) in looks.items():
        places = points[kind]
        _errors(axis, places, color, faint=crowded)
        xs, ys = [p.x for p in places], [p.y for p in places]
        # One point among the many of a grid: a baseline lies above them, and a white edge parts it from what it covers.
        above = 4 if len(places) == 1 else 3
        axis.scatter(
            xs, ys, color=color, marker=marker, alpha=0.85, s=8 * (above - 1), ec="white", lw=0.3, zorder=above
        )
    _log_ticks(axis, [p.x for places in points.values() for p in places])
    axis.set_xlabel(x_label)
    axis.set_ylabel(y_label)
    bare = {name: marker for (name, style), (_, _, marker) in looks.items() if not style}
    line = importlib.import_module("matplotlib.lines").Line2D
    said = {"linestyle": "none", "markersize": 4}
    named = [
        line([], [], color=color, marker=bare.get(name, "o"), label=name, **said) for name, color in colors.items()
    ]
    shapes = [line([], [], color="#777777", marker=marker, label=style, **said) for style, marker in markers.items()]
    close = {"handlelength": 1.0, "handletextpad": 0.3, "columnspacing": 1.0, "borderaxespad": 0.1}
    figure.legend(handles=named, loc="outside lower center", ncols=columns, **close)
    if shapes:
        axis.legend(handles=shapes, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=shapes_columns, **close)
    return _save(plots, figure, path)


def draw_histograms(path: Path, panels: Mapping[str, Sequence[int]]) -> list[Path]:
    """Draw the distribution of each list of counts, with its mean and median."""
    plots = _plots()
    figure, axes = _panels(plots, panels, 1.9)
    for (title, axis), values in zip(axes.items(), panels.values(), strict=True):
        span = max(values) - min(values) + 1
        # Whole numbers: each bar stands over its own number, or over as many as it takes for 20 bars.
        bins = [min(values) - 0.5 + step * span / min(20, span) for step in range(min(20, span) + 1)]
        axis.hist(values, bins=bins, color="#8fb1d3", edgecolor="white", linewidth=0.6)
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


def draw_intervals(
    path: Path, points: Mapping[str, tuple[float, tuple[float, float] | None]], title: str
) -> list[Path]:
    """Draw one line a system, the first on top: its mean and its 95 % interval."""
    plots = _plots()
    figure, axis = plots.subplots(figsize=(COLUMN, 0.7 + 0.22 * len(points)), layout="constrained")
    for place, (mean, interval) in enumerate(points.values()):
        color = OTHER_COLORS[0]
        if interval:
            axis.plot(interval, [-place, -place], color=color, linewidth=1)
        axis.plot([mean], [-place], marker="o", color=color)
    axis.set_yticks([-place for place in range(len(points))], [textwrap.shorten(name, 40) for name in points])
    axis.set_ylim(0.5 - len(points), 0.5)
    axis.set_xlabel(title)
    return _save(plots, figure, path)


def draw_differences(path: Path, differences: Mapping[str, float], title: str, page: str = "") -> list[Path]:
    """Draw one bar a topic, from the largest gain to the largest loss; few topics are named. A bar leads to its place in `page`."""
    plots = _plots()
    ordered = sorted(differences.items(), key=lambda item: (-item[1], item[0]))
    figure, axis = plots.subplots(figsize=(COLUMN if len(ordered) <= 60 else PAGE, 2.2), layout="constrained")
    values = [value for _, value in ordered]
    colors = ["#0072b2" if value > 0 else "#d55e00" for value in values]
    bars = axis.bar(range(len(values)), values, color=colors, width=0.9)
    for bar, (name, _) in zip(bars, ordered, strict=True):
        bar.set_url(f"{page}#{quote(name)}" if page else None)
    axis.margins(x=0.01)
    axis.axhline(0, color="#222222", linewidth=0.6)
    named = len(ordered) <= 25
    axis.set_xticks(range(len(ordered)) if named else [], [name for name, _ in ordered] if named else [], rotation=90)
    axis.grid(visible=False, axis="x")
    better, worse = sum(value > 0 for value in values), sum(value < 0 for value in values)
    axis.set_xlabel(f"{len(values)} topics: {better} gain, {worse} lose, {len(values) - better - worse} stay")
    axis.set_ylabel("difference x 100")
    axis.set_title(textwrap.fill(title, 44 if len(ordered) <= 60 else 110), loc="left")
    return _save(plots, figure, path)


def _log_ticks(axis: Any, values: Sequence[float]) -> None:
    """Make the x axis logarithmic, its numbers written out: powers of ten, within two of them 2 and 5 times those too."""
    ticker = importlib.import_module("matplotlib.ticker")
    axis.set_xscale("log")
    near = max(values) < 100 * max(min(values), 1e-9)
    axis.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if near else (1,)))
    axis.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: _short(value)))
    axis.xaxis.set_minor_formatter(ticker.NullFormatter())


def _beside(x: float, aside: float, ticks: Sequence[float], *, log_x: bool) -> float:
    """Return where to draw a point: a little beside its true place, so that the intervals of several curves do not overlap."""
    if log_x:
        return x * math.pow(1.02, aside)
    gap = min((high - low for low, high in pairwise(ticks)), default=x)
    return x + 0.04 * gap * aside


def _errors(axis: Any, points: Points, color: str, *, faint: bool = False) -> None:
    known = [p for p in points if p.interval]
    if known:
        below = [p.y - p.interval[0] for p in known if p.interval]
        above = [p.interval[1] - p.y for p in known if p.interval]
        looks = {"elinewidth": 0.4, "alpha": 0.25, "capsize": 0} if faint else {"elinewidth": 0.5, "alpha": 0.5}
        axis.errorbar([p.x for p in known], [p.y for p in known], [below, above], fmt="none", ecolor=color, **looks)


def _looks(kinds: Sequence[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, Any, str]]:
    """Give each kind its color, line and marker: those of its name everywhere, or the next free ones."""
    unknown = [name for name in dict.fromkeys(color for color, _ in kinds) if name not in COLORS]
    strange = [name for name in dict.fromkeys(style for _, style in kinds) if name not in STYLES]
    colors = COLORS | {name: OTHER_COLORS[place % len(OTHER_COLORS)] for place, name in enumerate(unknown)}
    styles = STYLES | {name: OTHER_STYLES[place % len(OTHER_STYLES)] for place, name in enumerate(strange)}
    return {(color, style): (colors[color], *styles[style]) for color, style in dict.fromkeys(kinds)}


def _columns(labels: Iterable[str], width: float, most: int, handle: float = 0.45) -> int:
    """Return how many columns of a legend fit into a width in inches: type of 7 points, handles and gaps of `handle` inches."""
    every = list(labels)
    return max(1, min(most, len(every), int(width / (handle + 0.058 * max(map(len, every), default=0)))))


def _name(kind: tuple[str, str]) -> str:
    return ", ".join(word for word in kind if word)


def _short(number: float) -> str:
    """Write a number of an axis.

    >>> _short(250), _short(20_000), _short(1_500_000)
    ('250', '20k', '1.5M')
    """
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def _save(plots: Any, figure: Any, path: Path) -> list[Path]:
    """Write PDF, SVG and PNG; the same values give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stamps = {".pdf": "CreationDate", ".svg": "Date", ".png": "Software"}
    bare = path.with_suffix("") if path.suffix in SUFFIXES else path  # what else is behind a point belongs to the name
    written = [bare.with_name(bare.name + suffix) for suffix in SUFFIXES]
    for file in written:
        figure.savefig(file, dpi=300, metadata={stamps[file.suffix]: None})
    plots.close(figure)
    return written
