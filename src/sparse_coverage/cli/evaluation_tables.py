"""What `evaluate` shows: means with intervals, and tests between systems, narrow enough for a small terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.evaluate import Evaluation, settings_of
from sparse_coverage.experiments.systems import SYSTEMS
from sparse_coverage.present.tables import short_heading

Tests = Mapping[str, Sequence[Comparison]]


def evaluation_record(
    name: str,
    notes: Sequence[str],
    encoders: Mapping[str, Mapping[str, str]],
    found: Mapping[str, Evaluation],
    tests: Tests,
) -> dict[str, Any]:
    """Return everything for programs."""
    systems = {
        row: {
            **(settings_of(one.system, one.options) if one.system in SYSTEMS else {"system": one.system}),
            "measures": {measure: one.interval(measure) for measure in one.values},
            "per_query": one.values,
            "seeds": list(one.seeds),
            "cost": one.cost,
        }
        for row, one in found.items()
    }
    comparisons = [comparison for found_tests in tests.values() for comparison in found_tests]
    return {
        "collection": name,
        "notes": notes,
        "encoders": encoders,
        "systems": systems,
        "comparisons": comparisons,
    }


def evaluation_text(
    name: str, notes: Sequence[str], queries: int, found: Mapping[str, Evaluation], tests: Tests
) -> Group:
    """Return the tables for people. A note is one line, however long: print with `crop=False`."""
    lines: list[RenderableType] = [
        _means(f"{name}: {queries} queries, means x 100 with 95 % bootstrap intervals", found, list(tests))
    ]
    if any(one.cost is not None for one in found.values()):
        lines.append(Text("scanned: postings (dense: similarities computed) a query", style="dim"))
    if counts := {len(one.seeds) for one in found.values() if one.seeds}:
        lines.append(Text(f"±: standard deviation over {max(counts)} seeds", style="dim"))
    lines += [Text(note, style="dim", no_wrap=True, overflow="ignore") for note in notes]
    if any(tests.values()):
        lines.append(_differences(tests))
    return Group(*lines)


def _means(title: str, found: Mapping[str, Evaluation], measures: Sequence[str]) -> Table:
    table = _table(title, ["system"], [*measures, "scanned"])
    for row, one in found.items():
        cells = []
        for measure in measures:
            if measure in one.values:
                at = one.interval(measure)
                spread = one.deviation(measure)
                seeds = "" if spread is None else f" ±{100 * spread:.1f}"
                cells.append(
                    f"[bold]{_percent(at.mean)}[/bold]{seeds}\n[dim]{_percent(at.low)}-{_percent(at.high)}[/dim]"
                )
            else:
                cells.append("–")
        table.add_row(escape(row), *cells, "" if one.cost is None else f"{one.cost:,.0f}")
    return table


def _differences(tests: Tests) -> Table:
    title = "Differences x 100 (second minus first); p of the paired randomisation test after Holm's correction"
    table = _table(title, ["first", "second"], list(tests))
    by_pair: dict[tuple[str, str], dict[str, str]] = {}
    for measure, comparisons in tests.items():
        for pair in comparisons:
            by_pair.setdefault((pair.first, pair.second), {})[measure] = _difference(pair)
    for (first, second), cells in by_pair.items():
        table.add_row(escape(first), escape(second), *(cells.get(measure, "–") for measure in tests))
    return table


def _table(title: str, names: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(title=escape(title), box=SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(escape(short_heading(name)), justify="right", overflow="fold")
    return table


def _percent(value: float) -> str:
    return f"{100 * value:.1f}" if round(100 * value, 1) < 100 else "100"


def _difference(comparison: Comparison) -> str:
    p = "<.001" if comparison.p_holm < 0.001 else f"{comparison.p_holm:.3f}".removeprefix("0")
    text = f"{100 * comparison.difference:+.1f}\np {p}"
    return f"[bold]{text}[/bold]" if comparison.p_holm < 0.05 else text
