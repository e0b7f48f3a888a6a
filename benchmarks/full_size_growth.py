"""How the figures of `full_size.py` grow with the size of an index: a table with exponents, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

Steps = dict[str, dict[str, Any]]  # the figures of each step, by its name

GROWTH = {
    "write the index, CPU s": ("build", "cpu_s"), "peak memory of it, MiB": ("build", "peak_mib"),
    "on disk, MiB": ("build", "bytes"), "add 2 documents, CPU s": ("add", "cpu_s"), "delete 2, CPU s": ("delete", "cpu_s"),
    "merge, CPU s": ("merge", "cpu_s"), "verify, CPU s": ("verify", "cpu_s"), "open, s": ("use", "open_s"),
    "search p50, CPU ms": ("use", "search_p50_cpu_ms"), "search p99, CPU ms": ("use", "search_p99_cpu_ms"),
    "search p50, ms": ("use", "search_p50_ms"), "chart of 5 documents, CPU ms": ("use", "chart_p50_cpu_ms"),
    "combine, CPU ms": ("use", "combine_p50_cpu_ms"), "memory of searching, MiB": ("use", "peak_mib"),
    "served, 8 clients, CPU ms an answer": ("serve", "cpu_ms_an_answer"), "served, 8 clients, p99 ms": ("serve", "p99_ms"),
}  # fmt: skip


def growth(steps: Steps) -> tuple[list[int], dict[str, dict[int, float]]]:
    """The sizes that were measured, and each figure by size."""
    sizes = sorted(int(step.split()[0]) for step in steps if step.endswith(" build"))
    rows: dict[str, dict[int, float]] = {}
    for name, (step, key) in GROWTH.items():
        found = {one: steps[f"{one} {step}"] for one in sizes if f"{one} {step}" in steps}
        rows[name] = {one: float(step[key]) / (2**20 if key == "bytes" else 1) for one, step in found.items()}
    return sizes, rows


def exponent(by_size: dict[int, float]) -> float:
    """The exponent of growth between the two largest sizes: 1 where twice the passages take twice as much."""
    (small, less), (large, more) = sorted(by_size.items())[-2:]
    return float(np.log(more / less) / np.log(large / small))


def show_growth(steps: Steps) -> None:
    sizes, rows = growth(steps)
    print("| passages |", " | ".join(f"{one:,}" for one in sizes), "| exponent, last step | all |")
    print("| --- |", " | ".join("---:" for _ in sizes), "| ---: | ---: |")
    for name, by_size in rows.items():
        if len(by_size) < 2:
            continue
        shown = " | ".join(
            f"{by_size[one]:,.{0 if by_size[one] >= 100 else 2}f}" if one in by_size else "" for one in sizes
        )
        fitted = np.polyfit(np.log(list(by_size)), np.log(list(by_size.values())), 1)[0]
        print(f"| {name} | {shown} | {exponent(by_size):.2f} | {fitted:.2f} |")


def plot(steps: Steps, target: Path) -> None:
    """Draw how figures grow: time, latency, memory and disk against the number of passages."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "full-size", "font.size": 12, "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    _, rows = growth(steps)
    panels = {
        "CPU seconds of a command": ["write the index, CPU s", "add 2 documents, CPU s", "merge, CPU s", "verify, CPU s"],
        "CPU milliseconds of a question": ["search p50, CPU ms", "search p99, CPU ms", "chart of 5 documents, CPU ms", "combine, CPU ms"],
        "MiB": ["peak memory of it, MiB", "memory of searching, MiB", "on disk, MiB"],
    }  # fmt: skip
    picture, axes = plt.subplots(1, 3, figsize=(13, 4.6), constrained_layout=True)
    for panel, (title, names) in zip(axes, panels.items(), strict=True):
        for name in names:
            label = name.rsplit(",", 1)[0].replace("of it", "of writing it")
            panel.loglog(
                list(rows[name]), list(rows[name].values()), marker="o", label=f"{label} ({exponent(rows[name]):.2f})"
            )
        panel.set(xlabel="passages", title=title)
        panel.grid(True, alpha=0.3)
        panel.legend(fontsize=9.5, loc="upper left")
        low, high = panel.get_ylim()
        panel.set_ylim(low, high * 12)
    picture.suptitle(
        "How an index grows (in brackets: the exponent of growth between the two largest sizes)", fontsize=12
    )
    picture.savefig(target, metadata={"Date": None})
