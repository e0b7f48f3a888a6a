"""How a vocabulary behaves (Appendix C of the paper): compact cells, sparse activations, balanced posting lists; measured, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.kernels import Int32s, Int64s
from sparse_coverage.progress import progress_bar
from sparse_coverage.vectors.activation import ActivationConfig, activate, count_covering
from sparse_coverage.vocabulary import SpanSample, Vocabulary

DEFAULT_SPANS = 20_000


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One vocabulary size under the three measures of the paper, on `spans` spans of the sample.

    `covering` is the mean number of centers that cover a span before the top-K cap, `activation_rate` the same divided by
    V. `skew` is the longest posting list divided by the mean one, after the cap, centers without any entry included.
    """

    encoder: str
    unit: str
    size: int
    median_radius: float
    covering: float
    activation_rate: float
    skew: float
    uncovered: float
    spans: int
    selection: str = "farthest-first"


def analyse(
    vocabulary: Vocabulary,
    sample: SpanSample,
    *,
    spans: int | None = DEFAULT_SPANS,
    seed: int = 0,
    lists: Int64s | None = None,
    threads: int | None = None,
) -> list[Behaviour]:
    """Measure every fitted size of a vocabulary on spans drawn from its sample (all of them with `spans=None`).

    The paper's skew is that of an index: `lists` are the lengths of its posting lists, and the size that they belong to is
    measured alone. Without an index, skew is that of the lists of the spans drawn, where an entry is a document.
    """
    total = len(sample) if spans is None else min(spans, len(sample))
    rows = np.sort(np.random.default_rng([seed, 6]).choice(len(sample), total, replace=False))
    vectors = sample.points.rows(rows)
    names = [anchor.document for anchor in sample.anchors(rows)]
    documents = np.unique(names, return_inverse=True)[1].astype(np.int64)
    found = []
    sizes = vocabulary.sizes if lists is None else (len(lists),)
    with progress_bar("Measuring activations", len(sizes)) as advance:
        for size in sizes:
            smaller = vocabulary.truncate(size)
            covering = count_covering(vectors, smaller, threads=threads)
            lengths = lists
            if lengths is None:
                active = activate(vectors, smaller, ActivationConfig(), threads=threads).centers
                lengths = list_lengths(active, documents, size)
            found.append(
                Behaviour(
                    encoder=vocabulary.config.encoder,
                    unit=vocabulary.config.unit,
                    size=size,
                    median_radius=float(np.median(smaller.radii)),
                    covering=float(covering.mean()),
                    activation_rate=float(covering.mean() / size),
                    skew=posting_skew(lengths),
                    uncovered=float((covering == 0).mean()),
                    spans=total,
                    selection=vocabulary.config.selection,
                )
            )
            advance()
    return found


def list_lengths(active: Int32s, documents: Int64s, size: int) -> Int64s:
    """Return how many documents each center's posting list holds, given the centers and the document of each span.

    >>> list_lengths(np.array([[0, 1], [0, -1], [0, -1]], np.int32), np.array([0, 1, 1]), 2).tolist()
    [2, 1]
    """
    span, place = np.nonzero(active >= 0)
    pairs = np.unique(np.stack([active[span, place].astype(np.int64), documents[span]]), axis=1)
    return np.bincount(pairs[0], minlength=size)


def posting_skew(lengths: Int64s) -> float:
    """Return the longest posting list divided by the mean one; 0 where all are empty.

    >>> posting_skew(np.array([2, 1]))
    1.3333333333333333
    """
    return float(lengths.max() / lengths.mean()) if lengths.any() else 0.0


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
