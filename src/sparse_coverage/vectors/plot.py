"""The three panels of Appendix C as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.vectors.analysis import Behaviour

PANELS = (
    ("median_radius", "(a) compactness", "median radius"),
    ("activation_rate", "(b) sparsity", "covering centers per span / V"),
    ("skew", "(c) balance", "longest / mean posting list"),
)
STYLES = ("-", "--", ":", "-.")
LEGEND_COLUMNS = 3
MARKERS = ("o", "s", "^", "D", "v")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by colour-blind readers too


def plot_behaviour(behaviours: Sequence[Behaviour], path: Path) -> None:
    """Draw median radius, activation rate and posting-list skew over V.

    Colours are encoders, line styles units, markers ways to choose centers. The legend stands below, clear of the lines.
    The ending of the file's name decides the format: .png, .svg or .pdf. Needs the extra [plot].
    """
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"{path}: a plot is written as .png, .svg or .pdf.")
    if not behaviours:
        raise InputError("There is nothing to plot.")
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.ticker import StrMethodFormatter
    except ImportError:
        raise MissingExtraError("Plotting", "plot") from None
    encoders = list(dict.fromkeys(b.encoder for b in behaviours))
    units = list(dict.fromkeys(b.unit for b in behaviours))
    selections = list(dict.fromkeys(b.selection for b in behaviours))
    lines = list(dict.fromkeys((b.encoder, b.unit, b.selection) for b in behaviours))
    sizes = sorted({b.size for b in behaviours})
    rows = -(-len(lines) // LEGEND_COLUMNS)
    figure = Figure(figsize=(12, 3.7 + 0.22 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (measure, title, label) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for encoder, unit, selection in lines:
            points = [b for b in behaviours if (b.encoder, b.unit, b.selection) == (encoder, unit, selection)]
            points.sort(key=lambda b: b.size)
            axes.plot(
                [b.size for b in points],
                [getattr(b, measure) for b in points],
                STYLES[units.index(unit) % len(STYLES)],
                color=COLOURS[encoders.index(encoder) % len(COLOURS)],
                marker=MARKERS[selections.index(selection) % len(MARKERS)],
                markersize=4,
                label=", ".join([encoder, unit, *([selection] if len(selections) > 1 else [])]),
            )
        axes.set_title(title, fontsize=11)
        axes.set_xlabel("vocabulary size V")
        axes.set_ylabel(label)
        if sizes[-1] > 10 * sizes[0]:
            axes.set_xscale("log")
            axes.minorticks_off()
        axes.set_xticks(sizes)
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.tick_params(axis="x", labelsize=8)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=LEGEND_COLUMNS, fontsize=8, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    stamps = {".svg": "Date", ".png": "Software", ".pdf": "CreationDate"}
    with rc_context({"svg.hashsalt": "sparse-coverage"}):  # the same values give the same bytes
        figure.savefig(path, dpi=150, metadata={stamps[path.suffix]: None})
