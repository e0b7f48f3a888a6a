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
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by colour-blind readers too


def plot_behaviour(behaviours: Sequence[Behaviour], path: Path) -> None:
    """Draw median radius, activation rate and posting-list skew over V: colours are encoders, line styles units.

    The ending of the file's name decides the format: .png, .svg or .pdf. Needs the extra [plot].
    """
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"{path}: a plot is written as .png, .svg or .pdf.")
    if not behaviours:
        raise InputError("There is nothing to plot.")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.ticker import StrMethodFormatter
    except ImportError:
        raise MissingExtraError("Plotting", "plot") from None
    encoders = list(dict.fromkeys(b.encoder for b in behaviours))
    units = list(dict.fromkeys(b.unit for b in behaviours))
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (measure, title, label) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for encoder in encoders:
            for unit in units:
                line = sorted((b for b in behaviours if (b.encoder, b.unit) == (encoder, unit)), key=lambda b: b.size)
                if line:
                    axes.plot(
                        [b.size for b in line],
                        [getattr(b, measure) for b in line],
                        STYLES[units.index(unit) % len(STYLES)],
                        color=COLOURS[encoders.index(encoder) % len(COLOURS)],
                        marker="o",
                        markersize=4,
                        label=f"{encoder}, {unit}",
                    )
        axes.set_title(title, fontsize=11)
        axes.set_xlabel("vocabulary size V")
        axes.set_ylabel(label)
        axes.set_xticks(sorted({b.size for b in behaviours}))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.tick_params(axis="x", labelsize=8)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=150)
